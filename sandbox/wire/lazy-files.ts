import { type LazyCode, LIBRARIES, POLYFILLS, type Polyfill } from "./lazy-code.ts";

/** Those with a code cache, with which V8 evaluates them in a sixth of the time: what many hooks use. */
export const CACHED_CODE = ["streams", "text", "typebox", "url"] as const satisfies readonly LazyCode[];

const LAZY_CODE: readonly LazyCode[] = [...(Object.keys(POLYFILLS) as Polyfill[]), ...LIBRARIES];

/** The files of all of them in `dist/sandbox/lazy-code`, in the order in which the process is given them. */
export const LAZY_FILES: readonly string[] = [
  ...LAZY_CODE.map((name) => `${name}.js`),
  ...CACHED_CODE.map((name) => `${name}.cache`),
];
