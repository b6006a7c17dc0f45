/** `node:stream`, by Node's own package of it. */
import stream from "readable-stream/lib/stream.js";

export const {
  addAbortSignal,
  compose,
  Duplex,
  finished,
  isDisturbed,
  isErrored,
  isReadable,
  PassThrough,
  pipeline,
  promises,
  Readable,
  Stream,
  Transform,
  Writable,
} = stream;
export default stream;
