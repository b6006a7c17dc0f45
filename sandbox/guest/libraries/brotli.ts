/** Brotli's own decoder in JavaScript, as `brotli-compress` has it. It unpacks a dictionary. */
export { decompress } from "brotli-compress/js";
