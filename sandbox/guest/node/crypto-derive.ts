/** Keys from passwords, as `node:crypto` derives them. `pbkdf2` and `scrypt` take time on purpose: the sandbox process has them. */
import { hkdf as expand } from "@noble/hashes/hkdf.js";
import type { Derivation } from "../../wire/derivation.ts";
import { Buffer } from "./buffer.ts";
import { knownHash } from "./crypto-hashes.ts";
import { fault, wrongType } from "./fault.ts";
import { host } from "./host.ts";
import { bytesOf } from "./wire-data.ts";

type Done<Key> = (error: Error | null, key?: Key) => void;
type ScryptOptions = Readonly<Record<string, unknown>>;

const MOST = 2 ** 31 - 1;
const DEFAULT_SCRYPT_BYTES = 32 * 1024 * 1024;
/** Of the sandbox process: the longest key. */
const MAX_KEY_BYTES = 64 * 1024;

function bytes(value: unknown, name: string): Uint8Array {
  const found = bytesOf(value);
  if (!found) throw wrongType(name, "of type string or an instance of ArrayBuffer, Buffer, TypedArray, or DataView");
  return found;
}

const hex = (value: unknown, name: string): string => Buffer.concat([bytes(value, name)]).toString("hex");

function count(value: unknown, name: string, least: number, most = MOST): number {
  if (typeof value !== "number") throw wrongType(name, "of type number");
  if (!Number.isInteger(value) || value < least || value > most)
    throw fault(
      RangeError,
      "ERR_OUT_OF_RANGE",
      `The value of "${name}" is out of range. It must be >= ${least} && <= ${most}. Received ${value}`,
    );
  return value;
}

function digestOf(name: unknown) {
  if (typeof name !== "string") throw wrongType("digest", "of type string");
  const found = knownHash(name);
  if (!found) throw fault(TypeError, "ERR_CRYPTO_INVALID_DIGEST", `Invalid digest: ${name}`);
  return found;
}

function derived(request: Derivation, refusal: () => Error): Buffer {
  const text = host.derive(request);
  if (text === "") throw refusal();
  return Buffer.from(text, "hex");
}

function pbkdf2Request(password: unknown, salt: unknown, iterations: unknown, length: unknown, digest: unknown) {
  const [name] = digestOf(digest);
  const secret = hex(password, "password");
  const grain = hex(salt, "salt");
  const how = { digest: name, iterations: count(iterations, "iterations", 1) };
  return { password: secret, salt: grain, length: count(length, "keylen", 0, MAX_KEY_BYTES), how };
}

const pbkdf2Failed = (): Error => new Error("PBKDF2 derivation failed");

export function pbkdf2Sync(password: unknown, salt: unknown, iterations: unknown, length: unknown, digest: unknown) {
  return derived(pbkdf2Request(password, salt, iterations, length, digest), pbkdf2Failed);
}

export function pbkdf2(
  password: unknown,
  salt: unknown,
  iterations: unknown,
  length: unknown,
  digest: unknown,
  done: Done<Buffer>,
): void {
  checkCallback(done);
  const request = pbkdf2Request(password, salt, iterations, length, digest);
  later(() => derived(request, pbkdf2Failed), done);
}

/** Options have two names each. */
function scryptRequest(password: unknown, salt: unknown, length: unknown, options: ScryptOptions = {}) {
  const one = (short: string, long: string, otherwise: number): number => {
    if (options[short] !== undefined && options[long] !== undefined)
      throw fault(
        TypeError,
        "ERR_INCOMPATIBLE_OPTION_PAIR",
        `Option "${short}" cannot be used in combination with option "${long}"`,
      );
    const value = options[short] ?? options[long];
    return value === undefined ? otherwise : count(value, short, 0, 2 ** 32 - 1);
  };
  return {
    password: hex(password, "password"),
    salt: hex(salt, "salt"),
    length: count(length, "keylen", 0, MAX_KEY_BYTES),
    how: {
      cost: one("N", "cost", 16384) || 16384,
      blockSize: one("r", "blockSize", 8) || 8,
      parallelization: one("p", "parallelization", 1) || 1,
      most:
        options.maxmem === undefined
          ? DEFAULT_SCRYPT_BYTES
          : count(options.maxmem, "maxmem", 0, Number.MAX_SAFE_INTEGER) || DEFAULT_SCRYPT_BYTES,
    },
  };
}

const scryptFailed = (): Error => fault(RangeError, "ERR_CRYPTO_INVALID_SCRYPT_PARAMS", "Invalid scrypt params");

export function scryptSync(password: unknown, salt: unknown, length: unknown, options?: ScryptOptions): Buffer {
  return derived(scryptRequest(password, salt, length, options), scryptFailed);
}

export function scrypt(
  password: unknown,
  salt: unknown,
  length: unknown,
  options: ScryptOptions | Done<Buffer>,
  callback?: Done<Buffer>,
): void {
  const [given, done] = typeof options === "function" ? [{}, options] : [options, callback];
  const request = scryptRequest(password, salt, length, given);
  checkCallback(done);
  later(() => derived(request, scryptFailed), done as Done<Buffer>);
}

export function hkdfSync(digest: unknown, key: unknown, salt: unknown, info: unknown, length: unknown): ArrayBuffer {
  const [, hash] = digestOf(digest);
  const [secret, grain, about] = [bytes(key, "key"), bytes(salt, "salt"), bytes(info, "info")];
  if (about.length > 1024)
    throw fault(RangeError, "ERR_OUT_OF_RANGE", 'The value of "info" must not contain more than 1024 bytes.');
  const wanted = count(length, "length", 0);
  if (wanted > 255 * hash.outputLen) throw fault(RangeError, "ERR_CRYPTO_INVALID_KEYLEN", "Invalid key length");
  if (wanted === 0) throw new Error("HKDF derivation failed");
  return Uint8Array.from(expand(hash, secret, grain, about, wanted)).buffer;
}

export function hkdf(
  digest: unknown,
  key: unknown,
  salt: unknown,
  info: unknown,
  length: unknown,
  done: Done<ArrayBuffer>,
): void {
  checkCallback(done);
  const made = hkdfSync(digest, key, salt, info, length);
  later(() => made, done);
}

function checkCallback(done: unknown): void {
  if (typeof done !== "function") throw wrongType("callback", "of type function");
}

function later<Key>(act: () => Key, done: Done<Key>): void {
  setImmediate(() => {
    let key: Key;
    try {
      key = act();
    } catch (error) {
      done(error as Error);
      return;
    }
    done(null, key);
  });
}
