/** Large globals that hooks seldom use. The sandbox process keeps their text; an isolate compiles it on first use. */
export { TextDecoder, TextEncoder } from "@exodus/bytes/encoding-lite.js";
export { default as atob } from "core-js-pure/actual/atob.js";
export { default as btoa } from "core-js-pure/actual/btoa.js";
export { default as structuredClone } from "core-js-pure/actual/structured-clone.js";
export { default as URL } from "core-js-pure/actual/url/index.js";
export { default as URLSearchParams } from "core-js-pure/actual/url-search-params/index.js";
