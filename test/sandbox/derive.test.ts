import crypto from "node:crypto";
import { expect, test } from "vitest";
import { derive } from "../../sandbox/process/derive.ts";
import { MAX_CONVERTED } from "../../sandbox/wire/conversions.ts";
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

const DIGEST = { hash: "sha256", data: "aGk=" };

// biome-ignore format: a table
const DIGESTS: readonly [claim: string, request: object, bytes: number][] = [
  ["a digest", DIGEST, 32],
  ["of nothing", { ...DIGEST, data: "" }, 32],
  ["with a key", { ...DIGEST, key: "00" }, 32],
  ["with an empty key", { ...DIGEST, key: "" }, 32],
  ["of the most", { ...DIGEST, data: "A".repeat(MAX_CONVERTED) }, 32],
  ["of more", { ...DIGEST, data: "A".repeat(MAX_CONVERTED + 1) }, 0],
  ["of no text", { ...DIGEST, data: 5 }, 0],
  ["of a list that says that it is short", { ...DIGEST, data: [1, 2] }, 0],
  ["with a key that is no text", { ...DIGEST, key: {} }, 0],
  ["of an unknown hash", { ...DIGEST, hash: "nope" }, 0],
  ["of a hash that is no text", { ...DIGEST, hash: {} }, 0],
];

test.each(DIGESTS)("and a digest: %s", (_claim, request, bytes) => {
  expect(derive(crypto, JSON.stringify(request))).toHaveLength(2 * bytes);
});

test.each(ON_CURVES)("and one on a curve: %s", (_claim, request, bytes) => {
  expect(derive(crypto, JSON.stringify(request))).toHaveLength(2 * bytes);
});

test.each(REQUESTS)("the sandbox process answers a forged request for a key: %s", (_claim, text, bytes) => {
  expect(derive(crypto, text)).toHaveLength(2 * bytes);
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
