/** Exports of modules of Cordon's, by file. */
export type Names = Map<string, Set<string>>;

/** In {@link Names}: every export. */
export const ALL = "*";

export function addName(names: Names, file: string, name: string): void {
  names.set(file, (names.get(file) ?? new Set()).add(name));
}
