import { TextDecoder as SlowDecoder, TextEncoder as SlowEncoder } from "@exodus/bytes/encoding-lite.js";
import { bytesOfText, LONG, textOfBytes } from "../conversions.ts";

const BOM = "\ufeff";

export class TextEncoder extends SlowEncoder {
  override encode(text: unknown = ""): Uint8Array<ArrayBuffer> {
    const whole = `${text}`;
    return whole.length >= LONG ? bytesOfText(whole) : super.encode(whole);
  }
}

export class TextDecoder extends SlowDecoder {
  #isStreaming = false;

  override decode(input?: AllowSharedBufferSource, options: { stream?: boolean } = {}): string {
    const isWhole = !this.#isStreaming && !options?.stream;
    this.#isStreaming = Boolean(options?.stream);
    const bytes = isWhole && this.encoding === "utf-8" ? viewOf(input) : undefined;
    const text = bytes && bytes.length >= LONG ? textOfBytes(bytes) : undefined;
    // What is no UTF-8 throws there.
    if (text === undefined || (this.fatal && text.includes("\ufffd"))) return this.#slowly(input, options);
    return !this.ignoreBOM && text.startsWith(BOM) ? text.slice(1) : text;
  }

  /** With the codes that Node's errors have. */
  #slowly(input?: AllowSharedBufferSource, options?: { stream?: boolean }): string {
    try {
      return super.decode(input, options);
    } catch (error) {
      const code = viewOf(input) ? "ERR_ENCODING_INVALID_ENCODED_DATA" : "ERR_INVALID_ARG_TYPE";
      throw Object.assign(error as Error, { code });
    }
  }
}

function viewOf(input: unknown): Uint8Array | undefined {
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer as ArrayBuffer, input.byteOffset, input.byteLength);
  return input instanceof ArrayBuffer ? new Uint8Array(input) : undefined;
}
