/**
 * The class of `node:buffer`. It is Cordon's own: the package for browsers is four times as long, loops over each
 * byte, which takes long without a JIT, and lacks what Node added in the last years.
 */
import { copyBytes, fillBytes, order, swapped, written } from "./buffer-bytes.ts";
import { checkBytes, checkNumber, checkWhole, isBytes, outOfBounds } from "./buffer-checks.ts";
import { ENCODINGS, encodingNamed, encodingOf, writeText } from "./buffer-encodings.ts";
import { numberMethods } from "./buffer-numbers.ts";
import { searchMethods } from "./buffer-search.ts";
import { wrongType } from "./fault.ts";

const { apply } = Reflect;
const { set, slice, subarray } = Uint8Array.prototype;

/** The most bytes that `inspect` shows. */
export const INSPECT_MAX_BYTES = 50;
/** The longest buffer. An isolate has less memory than that. */
export const MAX_LENGTH = 2 ** 31 - 1;

type Name = string | null | undefined;

/** What Cordon's own modules use of a buffer. Hooks are typed with Node's own declarations. */
export interface Buffer extends Uint8Array<ArrayBuffer> {
  toString(encoding?: Name, start?: number, end?: number): string;
}

/** The same of the class. */
export interface BufferClass {
  readonly prototype: Buffer;
  from(text: string, encoding?: Name): Buffer;
  from(data: ArrayLike<number>): Buffer;
  from(data: ArrayBufferLike, offset?: number, length?: number): Buffer;
  alloc(size: number): Buffer;
  byteLength(value: unknown, encoding?: unknown): number;
  compare(one: unknown, other: unknown): number;
  concat(list: readonly Uint8Array[]): Buffer;
  isBuffer(value: unknown): value is Buffer;
}

/** A place counted from the begin, of one that may be counted from the end. */
function placeIn(length: number, given: unknown): number {
  const place = Math.trunc(given as number) || 0;
  return place < 0 ? Math.max(0, place + length) : Math.min(place, length);
}

export const isArrayBuffer = (value: unknown): value is ArrayBufferLike =>
  value instanceof ArrayBuffer || (typeof SharedArrayBuffer !== "undefined" && value instanceof SharedArrayBuffer);

const SOURCES = "of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object";

function makeClass(): BufferClass {
  class Bytes extends Uint8Array {}

  const wrap = ({ buffer, byteOffset, length }: Uint8Array<ArrayBuffer>): Bytes =>
    new Bytes(buffer, byteOffset, length);

  function overMemory(memory: ArrayBufferLike, offset: unknown, length: unknown): Bytes {
    const start = offset === undefined ? 0 : +(offset as number) || 0;
    const most = memory.byteLength - start;
    if (most < 0) throw outOfBounds("offset");
    if (length === undefined) return new Bytes(memory as ArrayBuffer, start);
    const size = Math.max(0, +(length as number) || 0);
    if (size > most) throw outOfBounds("length");
    return new Bytes(memory as ArrayBuffer, start, size);
  }

  function ofList(list: ArrayLike<number>): Bytes {
    if (!(list.length > 0)) return new Bytes();
    const bytes = new Bytes(list.length);
    bytes.set(list);
    return bytes;
  }

  function from(value: unknown, ...rest: unknown[]): Bytes {
    if (typeof value === "string") {
      const [encoding] = rest;
      return wrap(encodingOf(typeof encoding === "string" && encoding !== "" ? encoding : undefined).bytesOf(value));
    }
    if (typeof value !== "object" || value === null) throw wrongType("first argument", SOURCES);
    if (isArrayBuffer(value)) return overMemory(value, rest[0], rest[1]);
    const plain: unknown = value.valueOf?.();
    if (plain !== value && (typeof plain === "string" || (typeof plain === "object" && plain !== null)))
      return from(plain, ...rest);
    const { length, buffer, type, data } = value as Record<string, unknown>;
    if (length !== undefined || isArrayBuffer(buffer))
      return typeof length === "number" ? ofList(value as ArrayLike<number>) : new Bytes();
    if (type === "Buffer" && Array.isArray(data)) return ofList(data);
    const text: unknown = (value as { [Symbol.toPrimitive]?: (hint: string) => unknown })[Symbol.toPrimitive]?.(
      "string",
    );
    if (typeof text === "string") return from(text, ...rest);
    throw wrongType("first argument", SOURCES);
  }

  function alloc(size: unknown, value?: unknown, encoding?: unknown): Bytes {
    checkNumber(size, "size", 0, MAX_LENGTH);
    const bytes = new Bytes(size);
    if (value !== undefined && value !== 0 && size > 0) fillBytes(bytes, value, 0, bytes.length, encoding);
    return bytes;
  }

  const unsafe = (size: unknown): Bytes => alloc(size);

  /** May be called without `new`, as old code does. */
  function Buffer(value: unknown, ...rest: unknown[]): Bytes {
    if (typeof value !== "number") return from(value, ...rest);
    if (typeof rest[0] === "string") throw wrongType("string", "of type string");
    return alloc(value);
  }

  // Streams have a class of their own, since they are built apart.
  const isBuffer = (value: unknown): value is Bytes =>
    isBytes(value) && (value as { _isBuffer?: true })._isBuffer === true;

  const part = (bytes: Uint8Array, start: unknown, end: unknown): Bytes => {
    const first = placeIn(bytes.length, start);
    const last = end === undefined ? bytes.length : placeIn(bytes.length, end);
    return new Bytes(bytes.buffer as ArrayBuffer, bytes.byteOffset + first, Math.max(0, last - first));
  };

  const partOf = (name: "buffer" | "byteOffset") =>
    function (this: unknown) {
      return isBuffer(this) ? this[name] : undefined;
    };

  function textOf(this: Uint8Array, encoding?: unknown, start?: unknown, end?: unknown): string {
    const { length } = this;
    const first = (start as number) > 0 ? Math.trunc(start as number) || 0 : 0;
    const last = end === undefined || (end as number) > length ? length : Math.trunc(end as number) || 0;
    if (first >= length || last <= first) return "";
    return encodingOf(encoding).textOf(apply(subarray, this, [first, last]));
  }

  function shown(this: Uint8Array): string {
    const hex = textOf.call(this, "hex", 0, INSPECT_MAX_BYTES).replace(/(..)(?=.)/g, "$1 ");
    const rest = this.length - INSPECT_MAX_BYTES;
    return `<Buffer${hex && ` ${hex}`}${rest > 0 ? ` ... ${rest} more byte${rest > 1 ? "s" : ""}` : ""}>`;
  }

  const methods = {
    _isBuffer: true,
    toString: textOf,
    toLocaleString: textOf,
    inspect: shown,
    [Symbol.for("nodejs.util.inspect.custom")]: shown,
    toJSON(this: Uint8Array): object {
      return { type: "Buffer", data: [...this] };
    },
    write(this: Uint8Array, ...args: [unknown, ...unknown[]]): number {
      return written(this, ...args);
    },
    fill(this: Bytes, ...args: unknown[]): Bytes {
      fillBytes(this, ...(args as [unknown]));
      return this;
    },
    slice(this: Uint8Array, start?: unknown, end?: unknown): Bytes {
      return part(this, start, end);
    },
    subarray(this: Uint8Array, start?: unknown, end?: unknown): Bytes {
      return part(this, start, end);
    },
    equals(this: Uint8Array, other: unknown): boolean {
      checkBytes(other, "otherBuffer");
      return this.length === other.length && order(this, other) === 0;
    },
    compare(this: Uint8Array, target: unknown, ...places: unknown[]): number {
      checkBytes(target, "target");
      const [targetStart = 0, targetEnd = target.length, start = 0, end = this.length] = places;
      checkWhole(targetStart, "targetStart");
      checkWhole(targetEnd, "targetEnd", 0, target.length);
      checkWhole(start, "sourceStart");
      checkWhole(end, "sourceEnd", 0, this.length);
      return order(part(this, start, end), part(target, targetStart, targetEnd));
    },
    copy(this: Uint8Array, ...args: [unknown, ...unknown[]]): number {
      return copyBytes(this, ...args);
    },
    swap16(this: Uint8Array): Uint8Array {
      return swapped(this, 2);
    },
    swap32(this: Uint8Array): Uint8Array {
      return swapped(this, 4);
    },
    swap64(this: Uint8Array): Uint8Array {
      return swapped(this, 8);
    },
  };

  const byEncoding: Record<string, unknown> = {};
  for (const [name, encoding] of Object.entries(ENCODINGS)) {
    byEncoding[`${name}Slice`] = function (this: Uint8Array, start?: number, end?: number) {
      return encoding.textOf(apply(subarray, this, [start, end]));
    };
    byEncoding[`${name}Write`] = function (this: Uint8Array, text: string, offset = 0, length = this.length) {
      return writeText(this, encoding, text, offset, Math.min(length, this.length - offset));
    };
  }

  Object.defineProperties(Bytes.prototype, {
    constructor: { value: Buffer, writable: true, configurable: true },
    parent: { enumerable: true, get: partOf("buffer") },
    offset: { enumerable: true, get: partOf("byteOffset") },
  });
  Object.assign(Bytes.prototype, methods, searchMethods(), numberMethods(), byEncoding);
  // Where the class is built into a bundle with another of that name, the function is renamed.
  Object.defineProperty(Buffer, "name", { value: "Buffer", configurable: true });
  Object.defineProperty(Buffer, Symbol.species, { configurable: true, get: () => Bytes });
  Object.defineProperty(Buffer, Symbol.hasInstance, { value: isBuffer });
  Object.setPrototypeOf(Buffer, Uint8Array);
  return Object.assign(Buffer, {
    prototype: Bytes.prototype,
    poolSize: 8192,
    from: (value: unknown, ...rest: unknown[]) => from(value, ...rest),
    of: (...items: number[]) => ofList(items),
    alloc,
    allocUnsafe: unsafe,
    allocUnsafeSlow: unsafe,
    isBuffer,
    isEncoding: (name: unknown) => typeof name === "string" && name !== "" && encodingNamed(name) !== undefined,
    byteLength(value: unknown, encoding?: unknown): number {
      if (ArrayBuffer.isView(value) || isArrayBuffer(value)) return value.byteLength;
      if (typeof value !== "string")
        throw wrongType("string", "of type string or an instance of Buffer or ArrayBuffer");
      const named = encoding ? encodingNamed(encoding) : undefined;
      return value === "" ? 0 : (named ?? ENCODINGS.utf8).sizeOf(value);
    },
    compare(one: unknown, other: unknown) {
      checkBytes(one, "buf1");
      checkBytes(other, "buf2");
      return order(one, other);
    },
    concat(list: unknown, length?: unknown): Bytes {
      if (!Array.isArray(list)) throw wrongType("list", "an instance of Array");
      if (list.length === 0) return new Bytes();
      if (length !== undefined) checkWhole(length, "length");
      const whole = alloc(length ?? list.reduce((sum, one) => sum + (one.length || 0), 0));
      let at = 0;
      list.forEach((one, index) => {
        checkBytes(one, `list[${index}]`);
        if (at + one.length <= whole.length) apply(set, whole, [one, at]);
        else if (at < whole.length) copyBytes(one, whole, at);
        at += one.length;
      });
      return whole;
    },
    copyBytesFrom(view: unknown, offset?: unknown, length?: unknown): Bytes {
      if (!ArrayBuffer.isView(view) || view instanceof DataView) throw wrongType("view", "an instance of TypedArray");
      const { length: most } = view as Uint8Array;
      if (most === 0) return new Bytes();
      if (offset !== undefined) checkWhole(offset, "offset");
      if (offset !== undefined && offset >= most) return new Bytes();
      if (length !== undefined) checkWhole(length, "length");
      const end = length === undefined ? undefined : (offset ?? 0) + length;
      return overMemory(apply(slice, view, [offset, end]).buffer, undefined, undefined);
    },
  }) as unknown as BufferClass;
}

export const Buffer = /* @__PURE__ */ makeClass();
