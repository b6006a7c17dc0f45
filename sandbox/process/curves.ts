import type * as crypto from "node:crypto";
import type { CurveRequest } from "../wire/derivation.ts";

/** Of Node's `crypto`. */
export type Curves = Pick<typeof crypto, "createPrivateKey" | "createPublicKey" | "sign" | "verify" | "diffieHellman">;

/** The last byte of a curve's name in DER. */
const NAMES = { ed25519: "70", x25519: "6e" } as const;
const KEY_BYTES = 32;

/**
 * Signs, verifies and agrees with OpenSSL: without a JIT an isolate would take a thousand times as long. A hook gives 32
 * bytes of a key and never a structure, which OpenSSL would have to read.
 *
 * @returns hexadecimal text; empty if OpenSSL refuses
 */
export function onCurve(curves: Curves, request: CurveRequest): string {
  const { curve, act, secret, other, data, signature } = request;
  if (!Object.hasOwn(NAMES, curve)) return "";
  const name = NAMES[curve];
  const der = (head: string, key: string): Buffer => {
    const bytes = Buffer.from(key, "hex");
    if (bytes.length !== KEY_BYTES) throw new RangeError("a key has 32 bytes");
    return Buffer.concat([Buffer.from(head, "hex"), bytes]);
  };
  const mine = () =>
    curves.createPrivateKey({
      key: der(`302e020100300506032b65${name}04220420`, secret),
      format: "der",
      type: "pkcs8",
    });
  const theirs = () =>
    curves.createPublicKey({ key: der(`302a300506032b65${name}032100`, other), format: "der", type: "spki" });
  switch (act) {
    case "public":
      return curves
        .createPublicKey(mine())
        .export({ format: "der", type: "spki" })
        .subarray(-KEY_BYTES)
        .toString("hex");
    case "sign":
      return curves.sign(null, Buffer.from(data, "hex"), mine()).toString("hex");
    case "verify":
      return curves.verify(null, Buffer.from(data, "hex"), theirs(), Buffer.from(signature, "hex")) ? "01" : "00";
    case "agree":
      return curves.diffieHellman({ privateKey: mine(), publicKey: theirs() }).toString("hex");
    default:
      return "";
  }
}
