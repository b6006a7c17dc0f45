/** Globals of Node that only some hooks use. Each is bundled with the hooks that use it. */
/** The same, for code that asks the global object by name: `globalThis.fetch`. A name of the hook's own hides none of these. */
export { Blob, Blob as __cordonBlob, File, File as __cordonFile } from "./blob.ts";
export { Buffer, Buffer as __cordonBuffer } from "./buffer.ts";
export {
  fetch,
  fetch as __cordonfetch,
  Headers,
  Headers as __cordonHeaders,
  Request,
  Request as __cordonRequest,
  Response,
  Response as __cordonResponse,
} from "./fetch.ts";
export { FormData, FormData as __cordonFormData } from "./form-data.ts";
export { process, process as __cordonprocess } from "./process.ts";
export {
  Atomics,
  Atomics as __cordonAtomics,
  SharedArrayBuffer,
  SharedArrayBuffer as __cordonSharedArrayBuffer,
} from "./shared-memory.ts";
export {
  ByteLengthQueuingStrategy,
  ByteLengthQueuingStrategy as __cordonByteLengthQueuingStrategy,
  CountQueuingStrategy,
  CountQueuingStrategy as __cordonCountQueuingStrategy,
  ReadableStream,
  ReadableStream as __cordonReadableStream,
  ReadableStreamBYOBReader,
  ReadableStreamBYOBReader as __cordonReadableStreamBYOBReader,
  ReadableStreamDefaultReader,
  ReadableStreamDefaultReader as __cordonReadableStreamDefaultReader,
  TextDecoderStream,
  TextDecoderStream as __cordonTextDecoderStream,
  TextEncoderStream,
  TextEncoderStream as __cordonTextEncoderStream,
  TransformStream,
  TransformStream as __cordonTransformStream,
  WritableStream,
  WritableStream as __cordonWritableStream,
  WritableStreamDefaultWriter,
  WritableStreamDefaultWriter as __cordonWritableStreamDefaultWriter,
} from "./stream-web.ts";
export {
  FinalizationRegistry,
  FinalizationRegistry as __cordonFinalizationRegistry,
  WeakRef,
  WeakRef as __cordonWeakRef,
} from "./weak-references.ts";
export { WebSocket, WebSocket as __cordonWebSocket } from "./websocket.ts";
