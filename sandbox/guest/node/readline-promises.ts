/** `node:readline/promises`: reads lines as `node:readline` does. Questions are not offered here either. */
export { createInterface, Interface } from "./readline.ts";
