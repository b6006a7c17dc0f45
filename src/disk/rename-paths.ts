import { realPathOf } from "./paths.ts";

/** A text in which paths of Cordon's own are what a person knows in their place, also where they are the real ones. */
export const renamePaths = (text: string, names: readonly [path: string, own: string][]): string =>
  names
    .flatMap(([path, own]) => [path, realPathOf(path)].map((one): [string, string] => [one, own]))
    .reduce((sum, [path, own]) => sum.replaceAll(path, () => own), text);
