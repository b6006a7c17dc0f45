/** core-js-pure has no types. Its functions become globals without changes. */
declare module "core-js-pure/actual/*" {
  const polyfill: unknown;
  export default polyfill;
}

/** The parts of event-target-shim that we use. Its `exports` hide its own types. */
declare module "event-target-shim" {
  export class Event {
    constructor(type: string, init?: { bubbles?: boolean; cancelable?: boolean });
    readonly type: string;
  }
  export class EventTarget {
    addEventListener(type: string, listener: (event: Event) => void, options?: { once?: boolean }): void;
    removeEventListener(type: string, listener: (event: Event) => void): void;
    dispatchEvent(event: Event): boolean;
  }
}
declare module "unenv/node/os" {
  export const constants: object;
}

/** The parts of unenv's copies of the `buffer` and `events` packages that we use. */
declare module "unenv/node/buffer" {
  export const constants: object;
  export const INSPECT_MAX_BYTES: number;
  export const kMaxLength: number;
  export const kStringMaxLength: number;
  export class Buffer extends Uint8Array {
    static from(data: string, encoding?: string): Buffer;
    static from(data: ArrayLike<number>): Buffer;
    static from(data: ArrayBufferLike, offset?: number, length?: number): Buffer;
    static byteLength(value: unknown, encoding?: unknown): number;
    static concat(list: readonly Uint8Array[]): Buffer;
    static isBuffer(value: unknown): boolean;
    toString(encoding?: string): string;
  }
}

declare module "unenv/node/events" {
  export class EventEmitter {
    constructor(options?: object);
    addListener(type: string, listener: (...args: never[]) => void): this;
    on(type: string, listener: (...args: never[]) => void): this;
    once(type: string, listener: (...args: never[]) => void): this;
    emit(type: string, ...args: unknown[]): boolean;
    removeListener(type: string, listener: (...args: never[]) => void): this;
    off(type: string, listener: (...args: never[]) => void): this;
    listenerCount(type: string): number;
    static setMaxListeners(count?: number, ...targets: object[]): void;
  }
  export const addAbortListener: unknown;
  export const captureRejectionSymbol: symbol;
  export const captureRejections: boolean;
  export const defaultMaxListeners: number;
  export const EventEmitterAsyncResource: unknown;
  export const errorMonitor: symbol;
  export const getEventListeners: unknown;
  export const getMaxListeners: unknown;
  export const on: unknown;
  export const once: unknown;
  export const usingDomains: boolean;
}

declare module "unenv/node/internal/http/constants" {
  export const METHODS: readonly string[];
  export const STATUS_CODES: Record<number, string>;
}

/** The parts of readable-stream (Node's streams as a package) that we use. */
declare module "readable-stream/lib/stream.js" {
  import type { EventEmitter } from "unenv/node/events";

  export class Readable extends EventEmitter {
    constructor(options: { read?(this: Readable, size: number): void; [name: string]: unknown });
    push(chunk: unknown): boolean;
    resume(): this;
    destroy(error?: Error | null): this;
    readonly destroyed: boolean;
  }
  export class Transform extends EventEmitter {
    constructor(options: object);
    push(chunk: unknown): boolean;
    write(chunk: unknown, encoding: string, done?: () => void): boolean;
    destroy(error?: Error | null): this;
    _transform(chunk: Uint8Array, encoding: string, done: (error?: Error | null) => void): void;
    _flush(done: (error?: Error | null) => void): void;
    _destroy(error: Error | null, done: (error?: Error | null) => void): void;
  }
  export class Writable extends EventEmitter {
    constructor(options: object);
    end(chunk?: unknown): this;
    destroy(error?: Error | null): this;
    readonly destroyed: boolean;
    _write(chunk: Uint8Array, encoding: string, done: (error?: Error) => void): void;
    _final(done: (error?: Error) => void): void;
    _destroy(error: Error | null, done: (error?: Error | null) => void): void;
  }
  export class Duplex extends EventEmitter {
    constructor(options?: object);
    push(chunk: unknown): boolean;
    resume(): this;
    end(chunk?: unknown): this;
    destroy(error?: Error | null): this;
    readonly destroyed: boolean;
    readonly writableFinished: boolean;
    readonly writableEnded: boolean;
    readonly readableEnded: boolean;
    readonly writableLength: number;
  }
  const stream: {
    Duplex: typeof Duplex;
    Readable: typeof Readable;
    Writable: typeof Writable;
    Transform: typeof Transform;
    promises: Record<"finished" | "pipeline", (...args: unknown[]) => Promise<unknown>>;
    [name: string]: unknown;
  };
  export default stream;
}

declare module "unenv/node/internal/zlib/constants" {
  const constants: Record<string, number>;
  export = constants;
}

declare module "unenv/node/internal/zlib/codes" {
  export const codes: object;
}

declare module "unenv/node/url" {
  const url: object;
  export default url;
  export function fileURLToPath(url: unknown, options?: object): string;
}

declare module "unenv/node/util" {
  const util: object;
  export default util;
}

declare module "unenv/node/util/types" {
  type Is = (value: unknown) => boolean;
  const types: Record<string, Is>;
  export default types;
  export const isArrayBuffer: Is;
  export const isBigIntObject: Is;
  export const isBooleanObject: Is;
  export const isDataView: Is;
  export const isDate: Is;
  export const isExternal: Is;
  export const isMap: Is;
  export const isNumberObject: Is;
  export const isPromise: Is;
  export const isRegExp: Is;
  export const isSet: Is;
  export const isSharedArrayBuffer: Is;
  export const isStringObject: Is;
  export const isSymbolObject: Is;
  export const isWeakMap: Is;
  export const isWeakSet: Is;
}

declare module "cordon:operation-checks" {
  interface Check {
    /** Takes plain data, and returns a description of the error, if any. */
    check(args: readonly unknown[]): string | undefined;
    blocking?: "also" | "only";
    most?: number;
  }
  /** By operation. */
  export function operationChecks(): Readonly<Record<string, Check>>;
}

/** Modules inside pi's packages, which their `exports` hide. We hand them on as they are. */
declare module "@earendil-works/pi-agent-core/dist/*";
declare module "@earendil-works/pi-coding-agent/dist/*";
declare module "@earendil-works/pi-ai/dist/*";

declare module "@earendil-works/pi-ai/dist/utils/event-stream.js" {
  export class EventStream {}
  export class AssistantMessageEventStream extends EventStream {
    push(event: { type: "done" | "error"; reason: string; message?: unknown; error?: unknown }): void;
    end(): void;
  }
  export function createAssistantMessageEventStream(): AssistantMessageEventStream;
}

/** The part of chalk that we use, in pi's version of it. */
declare module "chalk" {
  export class Chalk {
    constructor(options: { level: 0 | 1 | 2 | 3 });
  }
}

declare module "unenv/node/path" {
  const path: Readonly<Record<string, unknown>>;
  export default path;
}
