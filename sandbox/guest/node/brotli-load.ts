/** Brotli's own decoder in JavaScript, as `brotli-compress` has it. It is evaluated on first use: it unpacks a dictionary. */
import type * as brotli from "brotli-compress/js";

declare const require: (name: "brotli-compress/js") => typeof brotli;

export const loadBrotli = (): typeof brotli => require("brotli-compress/js");
