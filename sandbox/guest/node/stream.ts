/** `node:stream`, from Node's own package of it. */
import { loadStreams } from "./stream-load.ts";

const stream = loadStreams();

export const {
  addAbortSignal,
  compose,
  Duplex,
  finished,
  getDefaultHighWaterMark,
  isDisturbed,
  isErrored,
  isReadable,
  PassThrough,
  pipeline,
  promises,
  Readable,
  setDefaultHighWaterMark,
  Stream,
  Transform,
  Writable,
} = stream;
export default stream;
