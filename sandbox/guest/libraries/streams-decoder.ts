/** `node:string_decoder` for `readable-stream`. */
import { StringDecoder } from "./streams-given.ts";

export { StringDecoder };
export default { StringDecoder };
