/** Node's streams as a package. */
export { default } from "readable-stream/lib/stream.js";
