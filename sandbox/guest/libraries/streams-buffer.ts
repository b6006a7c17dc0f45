/** `node:buffer` for `readable-stream`. */
import { Buffer } from "./streams-given.ts";

export { Buffer };
export default { Buffer };
