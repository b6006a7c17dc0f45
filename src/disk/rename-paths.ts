import { realPathOf } from "./paths.ts";

/** Replaces paths in a text, and their real paths, by the names that a person knows. */
export const renamePaths = (text: string, names: readonly [path: string, own: string][]): string =>
  names
    .flatMap(([path, own]) => [path, realPathOf(path)].map((one): [string, string] => [one, own]))
    .reduce((sum, [path, own]) => sum.replaceAll(path, () => own), text);
