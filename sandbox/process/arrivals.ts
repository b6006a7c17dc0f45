import { ownFfi, waiting } from "./native.ts";

/** Waits until something arrives, for `ms` at the most, or with -1 for as long as it takes. False if nothing is there. */
export type Arrives = (ms: number) => boolean;

/** How this process waits for a descriptor while it does nothing else; `undefined` where only Node's event loop can do it. */
export function arrivals(descriptor: number): Arrives | undefined {
  const ffi = process.platform === "linux" ? ownFfi() : undefined;
  const wait = ffi && waiting(ffi, descriptor);
  // A read waits by itself.
  return wait && ((ms) => ms < 0 || wait(ms));
}
