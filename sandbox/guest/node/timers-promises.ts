/** `node:timers/promises`. */
export interface Options {
  signal?: AbortSignal;
}

const aborted = (signal: AbortSignal): Error =>
  Object.assign(new Error("The operation was aborted", { cause: signal.reason }), {
    name: "AbortError",
    code: "ABORT_ERR",
  });

function wait<T>(ms: number, value: T, { signal }: Options = {}): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(aborted(signal));
      return;
    }
    const stop = (): void => {
      globalThis.clearTimeout(timer);
      reject(aborted(signal as AbortSignal));
    };
    const timer = globalThis.setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve(value);
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

export const setTimeout = <T>(ms?: number, value?: T, options?: Options): Promise<T | undefined> =>
  wait(ms ?? 1, value, options);
export const setImmediate = <T>(value?: T, options?: Options): Promise<T | undefined> => wait(0, value, options);

export async function* setInterval<T>(ms?: number, value?: T, options?: Options): AsyncGenerator<T | undefined> {
  for (;;) yield await wait(ms ?? 1, value, options);
}

export const scheduler = Object.freeze({
  wait: (ms: number, options?: Options): Promise<undefined> => wait(ms, undefined, options),
  yield: (): Promise<undefined> => wait(0, undefined),
});

export default { setTimeout, setImmediate, setInterval, scheduler };
