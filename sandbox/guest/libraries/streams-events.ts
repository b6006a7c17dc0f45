/** `node:events` for `readable-stream`. */
import { EventEmitter } from "./streams-given.ts";

export { EventEmitter };
export default EventEmitter;
