/** Node's streams as a package. It is evaluated on first use, since that takes longer than most hooks run. */
import type stream from "readable-stream/lib/stream.js";

declare const require: (name: "readable-stream/lib/stream.js") => typeof stream;

export const loadStreams = (): typeof stream => require("readable-stream/lib/stream.js");
