import crypto from "node:crypto";
import { expect, test } from "vitest";
import { derive } from "../../sandbox/process/derive.ts";
import { Digest } from "../../sandbox/process/digest.ts";
import { MAX_PIECE } from "../../sandbox/wire/conversions.ts";
import { MORE } from "../../sandbox/wire/derivation.ts";
import { startFacts } from "../guest/facts.ts";

const KDF = { password: "70", salt: "73", length: 8, how: { digest: "sha256", iterations: 1 } };
const SCRYPT = { cost: 16, blockSize: 8, parallelization: 1, most: 2 ** 25 };

// biome-ignore format: a table
const REQUESTS: readonly [claim: string, text: string, bytes: number][] = [
  ["a key", JSON.stringify(KDF), 8],
  ["the longest key", JSON.stringify({ ...KDF, length: 64 * 1024 }), 64 * 1024],
  ["one byte more", JSON.stringify({ ...KDF, length: 64 * 1024 + 1 }), 0],
  ["a negative length", JSON.stringify({ ...KDF, length: -1 }), 0],
  ["no JSON", "{", 0],
  ["nothing", "null", 0],
  ["another type everywhere", JSON.stringify({ password: 1, salt: {}, length: "8", how: [] }), 0],
  ["an unknown hash", JSON.stringify({ ...KDF, how: { digest: "nope", iterations: 1 } }), 0],
  ["scrypt", JSON.stringify({ ...KDF, how: SCRYPT }), 8],
  ["scrypt at its 64 MB", JSON.stringify({ ...KDF, how: { ...SCRYPT, cost: 2 ** 15, most: 2 ** 40 } }), 8],
  ["scrypt with twice as much, whatever the hook allows", JSON.stringify({ ...KDF, how: { ...SCRYPT, cost: 2 ** 17, most: 2 ** 40 } }), 0],
];

const CURVE = {
  curve: "ed25519",
  act: "sign",
  secret: "11".repeat(32),
  other: "22".repeat(32),
  data: "",
  signature: "",
};

// biome-ignore format: a table
const ON_CURVES: readonly [claim: string, request: object, bytes: number][] = [
  ["a signature", CURVE, 64],
  ["a public key", { ...CURVE, act: "public" }, 32],
  ["an agreement", { ...CURVE, curve: "x25519", act: "agree" }, 32],
  ["a key of 31 bytes", { ...CURVE, secret: "11".repeat(31) }, 0],
  ["a key of 33 bytes", { ...CURVE, secret: "11".repeat(33) }, 0],
  ["a key that is no text", { ...CURVE, secret: 5 }, 0],
  ["another curve", { ...CURVE, curve: "p256" }, 0],
  ["a curve that every object has", { ...CURVE, curve: "constructor" }, 0],
  ["another act", { ...CURVE, act: "exec" }, 0],
  ["signing with a key for agreements", { ...CURVE, curve: "x25519" }, 0],
  ["an agreement with a point of small order", { ...CURVE, curve: "x25519", act: "agree", other: "00".repeat(32) }, 0],
  ["verifying what is no signature", { ...CURVE, act: "verify", signature: "00" }, 1],
];

const BEGINS = { hash: "sha256" };
const DIGEST = { begins: BEGINS, data: "aGk=", ends: true };

// biome-ignore format: a table
const DIGESTS: readonly [claim: string, request: object, bytes: number][] = [
  ["a digest", DIGEST, 32],
  ["of nothing", { ...DIGEST, data: "" }, 32],
  ["with a key", { ...DIGEST, begins: { ...BEGINS, key: "00" } }, 32],
  ["with an empty key", { ...DIGEST, begins: { ...BEGINS, key: "" } }, 32],
  ["of the most", { ...DIGEST, data: "A".repeat(MAX_PIECE) }, 32],
  ["of more", { ...DIGEST, data: "A".repeat(MAX_PIECE + 1) }, 0],
  ["of no text", { ...DIGEST, data: 5 }, 0],
  ["of a list that says that it is short", { ...DIGEST, data: [1, 2] }, 0],
  ["with a key that is no text", { ...DIGEST, begins: { ...BEGINS, key: {} } }, 0],
  ["of an unknown hash", { ...DIGEST, begins: { hash: "nope" } }, 0],
  ["of a hash that is no text", { ...DIGEST, begins: { hash: {} } }, 0],
  ["that was not begun", { data: "", ends: true }, 0],
  ["that is begun by a text", { ...DIGEST, begins: "sha256" }, 0],
];

/** What the process answers to these requests, one after the other. */
function answers(...requests: object[]): string[] {
  const digest = new Digest();
  return requests.map((request) => derive(crypto, JSON.stringify(request), digest));
}

test.each(DIGESTS)("and a digest: %s", (_claim, request, bytes) => {
  expect(answers(request)[0]).toHaveLength(2 * bytes);
});

const sha256 = (text: string): string => crypto.createHash("sha256").update(text).digest("hex");
const [FIRST, NEXT, LAST] = [
  { begins: BEGINS, data: "aGk=", ends: false },
  { data: "aGk=", ends: false },
  { data: "aGk=", ends: true },
];
const TOO_LONG = { data: "A".repeat(MAX_PIECE + 1), ends: false };

// biome-ignore format: a table
const PIECES: readonly [claim: string, requests: readonly object[], told: readonly string[]][] = [
  ["in pieces", [FIRST, NEXT, LAST], [MORE, MORE, sha256("hihihi")]],
  ["and another one", [FIRST, LAST, FIRST, LAST], [MORE, sha256("hihi"), MORE, sha256("hihi")]],
  ["that is begun anew", [FIRST, FIRST, LAST], [MORE, MORE, sha256("hihi")]],
  ["that has ended", [FIRST, LAST, LAST], [MORE, sha256("hihi"), ""]],
  ["with a piece that is too long", [FIRST, TOO_LONG, LAST], [MORE, "", ""]],
  ["with a piece that is no text", [FIRST, { data: {}, ends: false }, LAST], [MORE, "", ""]],
  ["that is begun anew with an unknown hash", [FIRST, { ...FIRST, begins: { hash: "nope" } }, LAST], [MORE, "", ""]],
];

test.each(PIECES)("a digest %s", (_claim, requests, told) => {
  expect(answers(...requests)).toEqual(told);
});

test.each(ON_CURVES)("and one on a curve: %s", (_claim, request, bytes) => {
  expect(answers(request)[0]).toHaveLength(2 * bytes);
});

test.each(REQUESTS)("the sandbox process answers a forged request for a key: %s", (_claim, text, bytes) => {
  expect(derive(crypto, text, new Digest())).toHaveLength(2 * bytes);
});

test("a key that takes for ever costs its hook the CPU time that it has, and the hook restarts", async () => {
  const facts = {
    endless: `return (await import("node:crypto")).pbkdf2Sync("p", "s", 2 ** 31 - 1, 64, "sha512").length;`,
    fine: `return (await import("node:crypto")).pbkdf2Sync("p", "s", 1, 64, "sha512").length;`,
  };
  const { call, ask } = await startFacts(facts, { grant: { limits: { cpuMs: 1000 } } });
  expect(await call({ fact: "endless" })).toMatchObject({
    block: true,
    reason: expect.stringContaining("CPU_EXCEEDED"),
  });
  expect(await ask("fine")).toBe(64);
});
