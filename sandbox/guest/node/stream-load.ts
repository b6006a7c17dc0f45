/** Node's streams as a package, evaluated when the first is wanted: it takes longer than most hooks. */
import type stream from "readable-stream/lib/stream.js";

declare const require: (name: "readable-stream/lib/stream.js") => typeof stream;

export const loadStreams = (): typeof stream => require("readable-stream/lib/stream.js");
