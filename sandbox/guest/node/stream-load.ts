/** Node's streams as a package. They are evaluated on first use, since that takes longer than most hooks run. */
import type stream from "readable-stream/lib/stream.js";
import { Buffer } from "./buffer.ts";
import { EventEmitter } from "./events.ts";
import { host } from "./host.ts";
import { StringDecoder } from "./string-decoder.ts";

export const loadStreams = (): typeof stream =>
  host.library(host.asyncFrames.areFollowed() ? "streams-in-frames" : "streams", {
    Buffer,
    EventEmitter,
    StringDecoder,
  }).default as typeof stream;
