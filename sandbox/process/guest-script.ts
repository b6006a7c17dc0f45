import type ivm from "isolated-vm";

/**
 * A function of Cordon's own that each isolate evaluates. A code cache spares V8 most of its compilation. The build made one after
 * hooks had run, so it has the functions that a start calls; V8 takes it if this is the Node that made it. Else the second isolate
 * makes one: that costs as much as it saves once, and most processes have a single isolate.
 */
export class GuestScript {
  readonly #code: string;
  readonly #filename: string;
  #isCompiled = false;
  #cache: ivm.ExternalCopy<ArrayBuffer> | undefined;

  /** `code`: text of a function. */
  constructor(code: string, filename: string, cache?: ivm.ExternalCopy<ArrayBuffer>) {
    this.#code = code;
    this.#filename = filename;
    this.#cache = cache;
  }

  /** The function, in this context. */
  in(isolate: ivm.Isolate, context: ivm.Context): ivm.Reference {
    const script: ivm.Script & ivm.CachedDataResult & { cachedDataRejected?: boolean } = isolate.compileScriptSync(
      this.#code,
      {
        filename: this.#filename,
        ...(this.#cache ? { cachedData: this.#cache } : { produceCachedData: this.#isCompiled }),
      },
    );
    if (script.cachedDataRejected) this.#cache = undefined;
    this.#cache ??= script.cachedData;
    this.#isCompiled = true;
    return script.runSync(context, { reference: true });
  }
}
