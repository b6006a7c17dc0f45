/** `node:buffer`: the class and its constants. The rest of unenv's would want a `Blob`. */
import { Buffer, constants, INSPECT_MAX_BYTES, kMaxLength, kStringMaxLength } from "unenv/node/buffer";

const { atob, btoa } = globalThis as unknown as Record<string, (text: string) => string>;

export { atob, Buffer, btoa, constants, INSPECT_MAX_BYTES, kMaxLength, kStringMaxLength };
export default { Buffer, atob, btoa, constants, INSPECT_MAX_BYTES, kMaxLength, kStringMaxLength };
