/** Globals of Node's that only some hooks name: each is built into a bundle that does. */
export { Buffer } from "./buffer.ts";
export { fetch, Headers, Request, Response } from "./fetch.ts";
export { process } from "./process.ts";
