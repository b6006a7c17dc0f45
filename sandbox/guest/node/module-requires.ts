/** What the files of a bundle may require with `createRequire`. The build writes it, for each file. */
interface Required {
  /** `undefined` for a file that is no code and no data: WebAssembly, native code. */
  readonly load: (() => unknown) | undefined;
  /** Its file; `undefined` for a built-in, and for what is not there. */
  readonly path: string | undefined;
}

const byFile = new Map<string, Readonly<Record<string, Required>>>();

export const provide = (file: string, required: Readonly<Record<string, Required>>): void => {
  byFile.set(file, required);
};

export const requiredBy = (file: string, specifier: string): Required | undefined => byFile.get(file)?.[specifier];

/**
 * A built-in that any file requires. Bundlers keep one `require` in a file of its own, and the calls of it in others.
 */
export function requiredByAny(specifier: string): Required | undefined {
  for (const required of byFile.values()) if (required[specifier]) return required[specifier];
}
