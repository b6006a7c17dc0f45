/** The options of `node:zlib`, checked as Node checks them. */
import { kMaxLength } from "./buffer.ts";
import { fault, wrongType } from "./fault.ts";
import { bytesOf } from "./wire-data.ts";

export type Kind = "Deflate" | "Inflate" | "Gzip" | "Gunzip" | "DeflateRaw" | "InflateRaw" | "Unzip";

/** As a caller gives them. */
export type Given = Readonly<Record<string, unknown>>;

export interface ZlibOptions {
  readonly level: number;
  /** 0: the one that the data name. */
  readonly windowBits: number;
  readonly memLevel: number;
  readonly strategy: number;
  readonly flush: number;
  readonly finishFlush: number;
  readonly chunkSize: number;
  readonly maxOutputLength: number;
  readonly dictionary: Uint8Array | undefined;
  /** The result tells the engine, too. */
  readonly info: boolean;
}

const DEFAULT_WINDOW = 15;
const NO_FLUSH = 0;
const FINISH = 4;
const MIN_CHUNK = 64;

/** Most bytes of one result. Node's limit is the largest buffer; a hook's memory is 64 MB unless its grant says more. */
const MAX_OUTPUT = 32 * 1024 * 1024;

export const isCompressing = (kind: Kind): boolean => kind === "Deflate" || kind === "Gzip" || kind === "DeflateRaw";

/** Options of any format: how large the parts and the whole may be. */
export function sizes(given: Given): Pick<ZlibOptions, "chunkSize" | "maxOutputLength" | "info"> {
  return {
    chunkSize: number(given, "chunkSize", MIN_CHUNK, Number.POSITIVE_INFINITY, 16 * 1024),
    maxOutputLength: number(given, "maxOutputLength", 1, kMaxLength, MAX_OUTPUT),
    info: given.info === true,
  };
}

export function optionsOf(kind: Kind, options: unknown): ZlibOptions {
  const given = givenOptions(options);
  return {
    ...sizes(given),
    flush: number(given, "flush", NO_FLUSH, 5, NO_FLUSH),
    finishFlush: number(given, "finishFlush", NO_FLUSH, 5, FINISH),
    level: number(given, "level", -1, 9, -1),
    windowBits: windowBitsOf(kind, given),
    memLevel: number(given, "memLevel", 1, 9, 8),
    strategy: number(given, "strategy", 0, 4, 0),
    dictionary: dictionaryOf(given.dictionary),
  };
}

export function givenOptions(options: unknown): Given {
  if (options === undefined || options === null) return {};
  if (typeof options !== "object") throw wrongType("options", "of type object");
  return options as Given;
}

function windowBitsOf(kind: Kind, given: Given): number {
  const reads = kind === "Inflate" || kind === "Gunzip" || kind === "Unzip";
  if (reads && (given.windowBits === undefined || given.windowBits === null || given.windowBits === 0)) return 0;
  const bits = number(given, "windowBits", kind === "Gzip" ? 9 : 8, 15, DEFAULT_WINDOW);
  // zlib itself cannot write raw data with the smallest window.
  return kind === "DeflateRaw" && bits === 8 ? 9 : bits;
}

function dictionaryOf(value: unknown): Uint8Array | undefined {
  if (value === undefined) return undefined;
  const bytes = typeof value === "string" ? undefined : bytesOf(value);
  if (!bytes) throw wrongType("options.dictionary", "an instance of Buffer, TypedArray, DataView, or ArrayBuffer");
  return bytes;
}

function number(given: Given, name: string, least: number, most: number, otherwise: number): number {
  const value = given[name];
  if (value === undefined || Number.isNaN(value)) return otherwise;
  if (typeof value !== "number") throw wrongType(`options.${name}`, "of type number");
  if (!Number.isFinite(value) || value < least || value > most)
    throw fault(
      RangeError,
      "ERR_OUT_OF_RANGE",
      `The value of "options.${name}" is out of range. It must be >= ${least} and <= ${most}. Received ${value}`,
    );
  return value;
}
