import { LARGE_REQUEST } from "../../sandbox/wire/operations.ts";

/** Most characters before the arguments of a request. */
const MAX_HEAD = 1000;

/** The beginning of a large request, read without parsing the rest. `call` is left out for a blocking request. */
export interface LargeRequest {
  operation: string;
  call?: { id: string; number: number };
}

export const isLarge = (text: string): boolean => text.length > LARGE_REQUEST + MAX_HEAD;

const CALL =
  /^\{"t":"call","apply":\{"id":"([^"\\]{1,100})","type":"APPLY","path":\["([\w.]{1,64})"\],"argumentList":\[\{"type":"RAW","value":\{"call":(\d{1,15}),/;
const SYNC = /^\{"op":"([\w.]{1,64})",/;

/** Throws for a large frame that is not a request, or is not written as the guest writes one. */
export function headOf(text: string): LargeRequest {
  const start = text.slice(0, MAX_HEAD);
  const [, id, operation, number] = CALL.exec(start) ?? [];
  if (id !== undefined && operation !== undefined) return { operation, call: { id, number: Number(number) } };
  const [, blocking] = SYNC.exec(start) ?? [];
  if (blocking === undefined) throw new Error("a large frame of no known kind");
  return { operation: blocking };
}
