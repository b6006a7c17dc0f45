/** Globals of Node's that only some hooks name: each is built into a bundle that does. */
export { Buffer } from "unenv/node/buffer";
export { process } from "./process.ts";
