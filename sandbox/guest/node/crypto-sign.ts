/** Signatures and agreements of `node:crypto`, on the curves ed25519 and x25519. The sandbox process does the arithmetic. */

import type { CurveRequest } from "../../wire/derivation.ts";
import { Buffer } from "./buffer.ts";
import { type Curve, hexKey, type KeyObject, newKey, privateFrom, publicFrom, publicOf } from "./crypto-keys.ts";
import { fault, unavailable, wrongType } from "./fault.ts";
import { host } from "./host.ts";
import { bytesOf } from "./wire-data.ts";

const CURVES: readonly string[] = ["ed25519", "x25519"];

type Done<Value> = (error: Error | null, value?: Value) => void;
type Encoding = { format?: string; type?: string };
interface Encodings {
  publicKeyEncoding?: Encoding;
  privateKeyEncoding?: Encoding & { cipher?: unknown; passphrase?: unknown };
}

function asked(request: Partial<CurveRequest> & Pick<CurveRequest, "curve" | "act">): Buffer {
  const text = host.derive({ secret: "", other: "", data: "", signature: "", ...request });
  if (text === "") throw fault(Error, "ERR_CRYPTO_OPERATION_FAILED", "the operation failed");
  return Buffer.from(text, "hex");
}

function bytes(value: unknown, name: string): Uint8Array {
  const found = bytesOf(value);
  if (!found) throw wrongType(name, "an instance of ArrayBuffer, Buffer, TypedArray, or DataView");
  return found;
}

/** Signatures of ed25519 hash by themselves. */
function checkSigner(algorithm: unknown, key: KeyObject): void {
  if (algorithm !== null && algorithm !== undefined)
    throw unavailable(`crypto.sign with ${String(algorithm)} is not offered to hooks: ed25519 takes null`);
  if (key.asymmetricKeyType !== "ed25519")
    throw fault(
      Error,
      "ERR_OSSL_EVP_OPERATION_NOT_SUPPORTED_FOR_THIS_KEYTYPE",
      "operation not supported for this keytype",
    );
}

const later = <Value>(act: () => Value, done: Done<Value>): void =>
  void setImmediate(() => {
    let value: Value;
    try {
      value = act();
    } catch (error) {
      done(error as Error);
      return;
    }
    done(null, value);
  });

export function sign(algorithm: unknown, data: unknown, key: unknown, done?: Done<Buffer>): Buffer | undefined {
  const message = bytes(data, "data");
  const mine = privateFrom(key);
  checkSigner(algorithm, mine);
  const act = () => asked({ curve: "ed25519", act: "sign", secret: hexKey(mine), data: message.toHex() });
  return done ? void later(act, done) : act();
}

export function verify(
  algorithm: unknown,
  data: unknown,
  key: unknown,
  signature: unknown,
  done?: Done<boolean>,
): boolean | undefined {
  const [message, given] = [bytes(data, "data"), bytes(signature, "signature")];
  const theirs = publicFrom(key);
  checkSigner(algorithm, theirs);
  const act = () =>
    asked({
      curve: "ed25519",
      act: "verify",
      other: hexKey(theirs),
      data: message.toHex(),
      signature: given.toHex(),
    })[0] === 1;
  return done ? void later(act, done) : act();
}

export function diffieHellman(options: { privateKey?: unknown; publicKey?: unknown }): Buffer {
  const [mine, theirs] = [privateFrom(options?.privateKey), publicFrom(options?.publicKey)];
  if (mine.asymmetricKeyType !== "x25519" || theirs.asymmetricKeyType !== "x25519")
    throw fault(Error, "ERR_CRYPTO_INCOMPATIBLE_KEY", "Incompatible key types for Diffie-Hellman");
  return asked({ curve: "x25519", act: "agree", secret: hexKey(mine), other: hexKey(theirs) });
}

export function generateKeyPairSync(
  type: unknown,
  options: Encodings = {},
): { publicKey: unknown; privateKey: unknown } {
  if (typeof type !== "string") throw wrongType("type", "of type string");
  if (!CURVES.includes(type))
    throw unavailable(`crypto.generateKeyPairSync("${type}") is not offered to hooks: ed25519 and x25519 are`);
  const { publicKeyEncoding, privateKeyEncoding } = options;
  if (privateKeyEncoding?.cipher !== undefined || privateKeyEncoding?.passphrase !== undefined)
    throw unavailable("crypto: encrypted keys are not offered to hooks");
  const privateKey = newKey(type as Curve);
  const publicKey = publicOf(privateKey);
  return {
    publicKey: publicKeyEncoding ? publicKey.export(publicKeyEncoding) : publicKey,
    privateKey: privateKeyEncoding ? privateKey.export(privateKeyEncoding) : privateKey,
  };
}

export function generateKeyPair(
  type: unknown,
  options: Encodings,
  done: (error: Error | null, publicKey?: unknown, privateKey?: unknown) => void,
): void {
  const made = generateKeyPairSync(type, options);
  setImmediate(() => done(null, made.publicKey, made.privateKey));
}
/** With the name that `util.promisify` looks for: two values come. */
Object.defineProperty(generateKeyPair, Symbol.for("nodejs.util.promisify.custom"), {
  value: async (type: unknown, options?: Encodings) => generateKeyPairSync(type, options),
});
