/** What streams share with the hook's bundle: an object of one is then known to the other. */
import type { Buffer as SharedBuffer } from "../node/buffer.ts";
import type { EventEmitter as SharedEmitter } from "../node/events.ts";
import type { StringDecoder as SharedDecoder } from "../node/string-decoder.ts";

export interface Given {
  readonly Buffer: typeof SharedBuffer;
  readonly EventEmitter: typeof SharedEmitter;
  readonly StringDecoder: typeof SharedDecoder;
}

/** The parameter of the function that the library's text is in. */
declare const given: Given;

export const { Buffer, EventEmitter, StringDecoder } = given;
