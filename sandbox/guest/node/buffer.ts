/** `node:buffer`: the class and its constants. The rest of unenv's module needs a `Blob`. */
import { constants, INSPECT_MAX_BYTES, kMaxLength, kStringMaxLength, Buffer as SlowBuffer } from "unenv/node/buffer";
import { quickened } from "./buffer-quick.ts";

export const Buffer = /* @__PURE__ */ quickened(SlowBuffer);
export type Buffer = SlowBuffer;

// The global functions are created when they are first read.
const atob = (text: string): string => globalThis.atob(text);
const btoa = (text: string): string => globalThis.btoa(text);

export { atob, btoa, constants, INSPECT_MAX_BYTES, kMaxLength, kStringMaxLength };
export default { Buffer, atob, btoa, constants, INSPECT_MAX_BYTES, kMaxLength, kStringMaxLength };
