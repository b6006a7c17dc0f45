/** Exports of modules of Cordon's, by file. */
export type Names = Map<string, Set<string>>;

/** In {@link Names}: every export. */
export const ALL = "*";

export function addName(names: Names, file: string, name: string): void {
  names.set(file, (names.get(file) ?? new Set()).add(name));
}

/** The key of a name that a module of Cordon's lacks. */
export const nameIn = (file: string, name: string): string => `${file}\0${name}`;

/** The specifier by which a name was imported that a module of Cordon's lacks. */
export const specifierOf = (offeredAs: ReadonlyMap<string, string>, file: string, name: string): string =>
  offeredAs.get(nameIn(file, name)) ?? offeredAs.get(file) ?? "";
