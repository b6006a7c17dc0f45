/** `node:buffer`: the class and its constants. The rest of unenv's module needs a `Blob`. */
import { Buffer, constants, INSPECT_MAX_BYTES, kMaxLength, kStringMaxLength } from "unenv/node/buffer";

// The global functions are created when they are first read.
const atob = (text: string): string => globalThis.atob(text);
const btoa = (text: string): string => globalThis.btoa(text);

export { atob, Buffer, btoa, constants, INSPECT_MAX_BYTES, kMaxLength, kStringMaxLength };
export default { Buffer, atob, btoa, constants, INSPECT_MAX_BYTES, kMaxLength, kStringMaxLength };
