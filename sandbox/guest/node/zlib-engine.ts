/** zlib itself, from `pako`, in the steps that Node takes with it. */
import { fault } from "./fault.ts";
import { host } from "./host.ts";
import { isCompressing, type Kind, type ZlibOptions } from "./zlib-options.ts";

const DEFLATED = 8;
const FINISH = 4;
const STREAM_END = 1;
const NEED_DICT = 2;
const DATA_ERROR = -3;
const BUF_ERROR = -5;

/** What zlib calls its results. */
const NAMES: Readonly<Record<number, string>> = {
  2: "Z_NEED_DICT",
  [-2]: "Z_STREAM_ERROR",
  [-3]: "Z_DATA_ERROR",
  [-4]: "Z_MEM_ERROR",
  [-5]: "Z_BUF_ERROR",
};

const failure = (status: number, message: string): Error =>
  fault(Error, NAMES[status] ?? "Z_STREAM_ERROR", message, { errno: status });

/** Compresses or decompresses data that arrive in parts. */
export class ZlibEngine {
  /** Bytes that were taken in. */
  bytesWritten = 0;
  readonly #kind: Kind;
  readonly #options: ZlibOptions;
  readonly #compresses: boolean;
  readonly #zlib = host.library("zlib");
  #stream = new this.#zlib.ZStream();
  /** Of `Unzip`: known from the first byte. */
  #isGzip: boolean;
  #isOpen = false;
  #isOver = false;

  constructor(kind: Kind, options: ZlibOptions) {
    this.#kind = kind;
    this.#options = options;
    this.#compresses = isCompressing(kind);
    this.#isGzip = kind === "Gunzip";
    if (kind !== "Unzip") this.#open();
  }

  /** Starts anew, with the same options. */
  reset(): void {
    this.#stream = new this.#zlib.ZStream();
    this.#isOver = false;
    this.#open();
  }

  /**
   * Takes all of `input`, and gives what comes out of it. Whatever follows the end of compressed data is left.
   *
   * @throws an error with zlib's code for data that are damaged or, at the end, cut off
   */
  write(input: Uint8Array, flush: number, give: (part: Uint8Array) => void): void {
    this.bytesWritten += input.length;
    if (!this.#isOpen) {
      if (input.length > 0) this.#isGzip = input[0] === 0x1f;
      this.#open();
      // Nothing was said yet about what it is.
      this.#isOpen = input.length > 0;
    }
    if (this.#isOver) return;
    const stream = this.#stream;
    stream.input = input;
    stream.next_in = 0;
    stream.avail_in = input.length;
    do {
      stream.output = new Uint8Array(this.#options.chunkSize);
      stream.next_out = 0;
      stream.avail_out = stream.output.length;
      const status = this.#compresses ? this.#zlib.zlibDeflate(stream, flush as 0) : this.#inflate(flush);
      this.#check(status, flush);
      if (stream.next_out > 0) give(stream.output.subarray(0, stream.next_out));
      this.#isOver = status === STREAM_END;
    } while (!this.#isOver && stream.avail_out === 0);
  }

  #open(): void {
    const { level, windowBits, memLevel, strategy, dictionary } = this.#options;
    const stream = this.#stream;
    const status = this.#compresses
      ? this.#zlib.zlibDeflateInit2(stream, level, DEFLATED, this.#windowBits(windowBits), memLevel, strategy as 0)
      : this.#zlib.zlibInflateInit2(stream, this.#windowBits(windowBits));
    if (status !== 0) throw failure(status, "Init error");
    this.#isOpen = true;
    if (!dictionary || this.#isGzip || this.#kind === "Gzip") return;
    if (this.#compresses) this.#set(this.#zlib.zlibDeflateSetDictionary(stream, dictionary));
    else if (this.#kind === "InflateRaw") this.#set(this.#zlib.zlibInflateSetDictionary(stream, dictionary));
  }

  #set(status: number): void {
    if (status !== 0) throw failure(status, "Failed to set dictionary");
  }

  /** zlib finds the format in the number of bits. */
  #windowBits(bits: number): number {
    if (this.#kind === "DeflateRaw" || this.#kind === "InflateRaw") return -bits;
    return this.#kind === "Gzip" || this.#isGzip ? bits + 16 : bits;
  }

  #inflate(flush: number): number {
    const stream = this.#stream;
    let status: number = this.#zlib.zlibInflate(stream, flush as 0);
    const { dictionary } = this.#options;
    if (status === NEED_DICT && dictionary) {
      status = this.#zlib.zlibInflateSetDictionary(stream, dictionary);
      if (status === 0) status = this.#zlib.zlibInflate(stream, flush as 0);
      // What it says of a dictionary with another checksum.
      else if (status === DATA_ERROR) status = NEED_DICT;
    }
    // A file of gzip may have several members.
    while (this.#isGzip && status === STREAM_END && stream.avail_in > 0 && stream.input[stream.next_in] !== 0) {
      this.#zlib.zlibInflateReset(stream);
      status = this.#zlib.zlibInflate(stream, flush as 0);
    }
    return status;
  }

  #check(status: number, flush: number): void {
    const stream = this.#stream;
    if (status === 0 || status === BUF_ERROR) {
      if (stream.avail_out !== 0 && flush === FINISH) throw failure(BUF_ERROR, "unexpected end of file");
    } else if (status === NEED_DICT) {
      throw failure(status, this.#options.dictionary ? "Bad dictionary" : "Missing dictionary");
    } else if (status !== STREAM_END) {
      throw failure(status, stream.msg || "Zlib error");
    }
  }
}
