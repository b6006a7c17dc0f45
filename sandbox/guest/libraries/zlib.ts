/** zlib in JavaScript. */
export * from "pako";
