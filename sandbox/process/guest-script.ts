import type ivm from "isolated-vm";

/**
 * A function of Cordon's own that each isolate evaluates. V8's code cache spares the third and later ones most of its
 * compilation. Making it costs as much as it saves once, and most processes have a single isolate.
 */
export class GuestScript {
  readonly #code: string;
  readonly #filename: string;
  #isCompiled = false;
  #cache: ivm.ExternalCopy<ArrayBuffer> | undefined;

  /** `code`: text of a function. */
  constructor(code: string, filename: string) {
    this.#code = code;
    this.#filename = filename;
  }

  /** The function, in this context. V8 refuses a cache that does not fit, and compiles. */
  in(isolate: ivm.Isolate, context: ivm.Context): ivm.Reference {
    const script: ivm.Script & ivm.CachedDataResult = isolate.compileScriptSync(this.#code, {
      filename: this.#filename,
      ...(this.#cache ? { cachedData: this.#cache } : { produceCachedData: this.#isCompiled }),
    });
    this.#isCompiled = true;
    this.#cache ??= script.cachedData;
    return script.runSync(context, { reference: true });
  }
}
