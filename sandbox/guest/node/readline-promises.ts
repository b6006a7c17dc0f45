/** `node:readline/promises`: the same lines; its questions are not offered either. */
export { createInterface, Interface } from "./readline.ts";
