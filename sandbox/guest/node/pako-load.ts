/** zlib in JavaScript. It is evaluated on first use. */
import type * as pako from "pako";

declare const require: (name: "pako") => typeof pako;

export const loadPako = (): typeof pako => require("pako");
