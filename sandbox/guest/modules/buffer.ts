/** `buffer` for CommonJS dependencies: the whole of unenv's would want a `Blob`. */
import { Buffer } from "unenv/node/buffer";

export { Buffer };
export default { Buffer };
