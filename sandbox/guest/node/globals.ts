/** Globals of Node that only some hooks use. Each is bundled with the hooks that use it. */
export { Buffer } from "./buffer.ts";
export { fetch, Headers, Request, Response } from "./fetch.ts";
export { process } from "./process.ts";
