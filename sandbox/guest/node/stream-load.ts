/** Node's streams as a package. They are evaluated on first use, since that takes longer than most hooks run. */
import type stream from "readable-stream/lib/stream.js";
import { Buffer } from "./buffer.ts";
import { EventEmitter } from "./events.ts";
import { host } from "./host.ts";
import { StringDecoder } from "./string-decoder.ts";

export function loadStreams(): typeof stream {
  const name = host.asyncFrames.areFollowed() ? "streams-in-frames" : "streams";
  return host.library(name, { Buffer, EventEmitter, StringDecoder }).default;
}
