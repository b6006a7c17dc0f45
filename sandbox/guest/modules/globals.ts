/** Globals of Node's that only some hooks name: each is built into a bundle that does. */
export { Buffer } from "node:buffer";
export { default as process } from "node:process";
