/** `node:timers/promises`. */
import { aborted } from "./fault.ts";

export interface Options {
  signal?: AbortSignal;
}

function wait<T>(ms: number, value: T, { signal }: Options = {}): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      globalThis.clearTimeout(timer);
      reject(aborted({ cause: signal?.reason }));
    };
    const timer = globalThis.setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve(value);
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
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
