export { default as URL } from "core-js-pure/actual/url/index.js";
export { default as URLSearchParams } from "core-js-pure/actual/url-search-params/index.js";
