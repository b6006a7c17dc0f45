/**
 * What the runtime uses while a hook's code may already have replaced it on the globals: captured before the bundle
 * runs. A hook that breaks its own realm then still gets a verdict out, or none at all; it cannot fake another's.
 */
export const { parse, stringify } = JSON;
export const { apply } = Reflect;
export const { isArray } = Array;
export const now = Date.now;
export const NativeError = Error;
export const NativePromise = Promise;
const { slice: stringSlice, indexOf: stringIndexOf, charCodeAt: stringCharCodeAt } = String.prototype;

export const slice = (text: string, from: number, to?: number): string => apply(stringSlice, text, [from, to]);
export const charCodeAt = (text: string, at: number): number => apply(stringCharCodeAt, text, [at]);
export const indexOf = (text: string, part: string): number => apply(stringIndexOf, text, [part]);
