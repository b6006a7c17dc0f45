import fc from "fast-check";
import { expect, test } from "vitest";
import { onToolCall, sharedSession } from "../support/session.ts";
import { besideNode, type Question } from "./beside-node.ts";

const TOP = `import { Buffer } from "node:buffer";
import nodeCrypto, { subtle as named, webcrypto } from "node:crypto";
const { subtle } = globalThis.crypto;
const bytes = (n: number, step = 7) => Uint8Array.from({ length: n }, (_, at) => (at * step + (at >> 3)) % 256);
const hex = (given: any) => given instanceof ArrayBuffer ? Buffer.from(given).toString("hex") : given;
/** What a promise gives, or the name of its error. */
const outcome = async (act: () => any) => { try { return hex(await act()); } catch (error: any) { return ["!", error.name, error instanceof DOMException]; } };
const all = async (acts: (() => any)[]) => { const out: any[] = []; for (const act of acts) out.push(await outcome(act)); return out; };
const shownKey = ({ type, extractable, algorithm, usages }: any) => ({ type, extractable, algorithm, usages });
const raw = (n: number, name: any, uses: any, extractable = true) => subtle.importKey("raw", bytes(n, 11), name, extractable, uses) as any;
const HASHES = ["SHA-1", "SHA-256", "SHA-384", "SHA-512"];
const EACH: any = {
  "AES-CBC": { name: "AES-CBC", iv: bytes(16, 5) }, "AES-CTR": { name: "AES-CTR", counter: bytes(16, 5), length: 64 }, "AES-GCM": { name: "AES-GCM", iv: bytes(12, 5) },
};
const P = { name: "PBKDF2", salt: bytes(8), iterations: 20, hash: "SHA-256" }, H = { name: "HKDF", salt: bytes(8), info: bytes(3), hash: "SHA-256" };`;

const QUESTIONS: Question[] = [
  {
    name: "digests of each hash, of any length and kind of bytes",
    ask: `all(HASHES.flatMap((name) => [0, 1, 64, 200, 100_000].map((n) => () => subtle.digest(name, bytes(n)))).concat([() => subtle.digest({ name: "sha-256" }, bytes(9).buffer), () => subtle.digest("SHA-256", new DataView(bytes(20).buffer, 3, 9)), () => subtle.digest("SHA-256", new Uint32Array([1, 2]))]))`,
  },
  {
    name: "a large digest",
    ask: `all(HASHES.map((name) => () => subtle.digest(name, new Uint8Array(3_000_000).fill(7))))`,
  },
  {
    name: "HMAC signs and verifies",
    ask: `all(HASHES.flatMap((hash) => [1, 20, 64, 200].map((n) => async () => { const key = await raw(n, { name: "HMAC", hash }, ["sign", "verify"]); const made = await subtle.sign("HMAC", key, bytes(50)); return [hex(made), await subtle.verify("hmac", key, made, bytes(50)), await subtle.verify("HMAC", key, made, bytes(51)), await subtle.verify("HMAC", key, made.slice(1), bytes(50)), await subtle.verify("HMAC", key, bytes(0), bytes(50))]; })))`,
  },
  {
    name: "AES encrypts and decrypts text of any length, by keys of any length",
    ask: `all(Object.keys(EACH).flatMap((name) => [16, 24, 32].flatMap((size) => [0, 1, 15, 16, 17, 100].map((n) => async () => { const key = await raw(size, name, ["encrypt", "decrypt"]); const made = await subtle.encrypt(EACH[name], key, bytes(n)); return [hex(made), hex(await subtle.decrypt(EACH[name], key, made))]; }))))`,
  },
  {
    name: "AES-GCM with other vectors, tags and additional data",
    ask: `all([12, 13, 16, 60].flatMap((n) => [32, 96, 128].flatMap((tagLength) => [undefined, 0, 30].map((aad) => async () => { const key = await raw(16, "AES-GCM", ["encrypt", "decrypt"]); const how: any = { name: "AES-GCM", iv: bytes(n, 3), tagLength, ...(aad === undefined ? {} : { additionalData: bytes(aad) }) }; const made = await subtle.encrypt(how, key, bytes(33)); return [hex(made), hex(await subtle.decrypt(how, key, made)), await outcome(() => subtle.decrypt({ ...how, additionalData: bytes(31) }, key, made))]; }))))`,
  },
  {
    name: "AES-CTR counts over the end of its bits",
    ask: `all([1, 2, 3, 5, 8, 31, 64, 127, 128].flatMap((length) => [255, 254, 0].flatMap((fill) => [16, 40, 64, 70].map((n) => async () => subtle.encrypt({ name: "AES-CTR", counter: new Uint8Array(16).fill(fill), length }, await raw(32, "AES-CTR", ["encrypt"]), bytes(n))))))`,
  },
  {
    name: "what was changed is not taken",
    ask: `all(["AES-GCM", "AES-CBC"].flatMap((name) => [0, 5, 20, 31].map((at) => async () => { const key = await raw(16, name, ["encrypt", "decrypt"]); const made = new Uint8Array(await subtle.encrypt(EACH[name], key, bytes(20))); made[at] = made[at]! ^ 1; if (name === "AES-CBC" && at < 16) return "any"; return subtle.decrypt(EACH[name], key, made); })).concat([() => raw(16, "AES-CBC", ["decrypt"]).then((key: any) => subtle.decrypt(EACH["AES-CBC"], key, bytes(15))), () => raw(16, "AES-GCM", ["decrypt"]).then((key: any) => subtle.decrypt(EACH["AES-GCM"], key, bytes(15)))]))`,
  },
  {
    name: "bits and keys of passwords and other keys",
    ask: `all([P, H].flatMap((how: any) => HASHES.flatMap((hash) => [8, 128, 256, 1000, 2000].map((length) => async () => subtle.deriveBits({ ...how, hash }, await raw(9, how.name, ["deriveBits"], false), length))).concat(["AES-GCM", "AES-CBC"].flatMap((name) => [128, 256].map((length) => async () => { const key: any = await subtle.deriveKey(how, await raw(9, how.name, ["deriveKey"], false), { name, length }, true, ["encrypt"]); return [shownKey(key), hex(await subtle.exportKey("raw", key))]; }))).concat([undefined, 256].map((length) => async () => { const key: any = await subtle.deriveKey(how, await raw(9, how.name, ["deriveKey"], false), { name: "HMAC", hash: "SHA-384", ...(length ? { length } : {}) }, true, ["sign"]); return [shownKey(key), hex(await subtle.exportKey("raw", key))]; }))))`,
  },
  {
    name: "keys go out and in, as bytes and as JSON",
    ask: `all(["AES-CBC", "AES-CTR", "AES-GCM"].flatMap((name) => [16, 24, 32].map((n) => async () => { const key = await raw(n, name, ["decrypt", "encrypt", "decrypt"]); const jwk: any = await subtle.exportKey("jwk", key); const again: any = await subtle.importKey("jwk", jwk, name, false, ["encrypt"]); return [shownKey(key), hex(await subtle.exportKey("raw", key)), jwk, shownKey(again)]; })).concat(HASHES.map((hash) => async () => { const key = await raw(33, { name: "HMAC", hash: { name: hash } }, ["verify", "sign"]); const jwk: any = await subtle.exportKey("jwk", key); return [shownKey(key), jwk, shownKey(await subtle.importKey("jwk", jwk, { name: "HMAC", hash }, true, ["sign"]))]; })))`,
  },
  {
    name: "new keys are of the wanted length",
    ask: `all([...["AES-CBC", "AES-CTR", "AES-GCM"].flatMap((name) => [128, 192, 256, 100].map((length) => ({ name, length }))), ...HASHES.map((hash) => ({ name: "HMAC", hash })), { name: "HMAC", hash: "SHA-256", length: 0 }, { name: "HMAC", hash: "SHA-256", length: 256 }, { name: "HMAC" }, { name: "AES-GCM" }].map((how: any) => async () => { const key: any = await subtle.generateKey(how, true, how.name === "HMAC" ? ["sign"] : ["encrypt", "decrypt"]); const one = hex(await subtle.exportKey("raw", key)); return [shownKey(key), one.length, one === hex(await subtle.exportKey("raw", await subtle.generateKey(how, true, how.name === "HMAC" ? ["sign"] : ["encrypt"]) as any))]; }))`,
  },
  {
    name: "keys that are wrong, or used for something else",
    ask: `all([
      () => raw(15, "AES-CBC", ["encrypt"]), () => raw(16, "AES-CBC", []), () => raw(16, "AES-CBC", ["sign"]), () => raw(16, "AES-CBC", ["x"]), () => raw(16, "PBKDF2", ["deriveBits"], true), () => raw(0, { name: "HMAC", hash: "SHA-256" }, ["sign"]),
      () => raw(16, { name: "HMAC", hash: "SHA-256", length: 120 }, ["sign"]), () => raw(16, { name: "HMAC", hash: "SHA-256", length: 128 }, ["sign"]).then(shownKey), () => raw(16, { name: "HMAC" }, ["sign"]), () => raw(16, { name: "HMAC", hash: "MD5" }, ["sign"]),
      () => subtle.importKey("raw", "text" as any, "AES-CBC", true, ["encrypt"]), () => subtle.importKey("nope" as any, bytes(16), "AES-CBC", true, ["encrypt"]), () => subtle.importKey("pkcs8", bytes(16), "AES-CBC", true, ["encrypt"]),
      async () => subtle.exportKey("raw", await raw(16, "AES-GCM", ["encrypt"], false)), async () => subtle.exportKey("raw", await raw(16, "PBKDF2", ["deriveKey"], false)),
      async () => subtle.encrypt(EACH["AES-CBC"], await raw(16, "AES-GCM", ["encrypt"]), bytes(3)), async () => subtle.encrypt(EACH["AES-GCM"], await raw(16, "AES-GCM", ["decrypt"]), bytes(3)), async () => subtle.sign("HMAC", await raw(16, { name: "HMAC", hash: "SHA-1" }, ["verify"]), bytes(3)),
      async () => subtle.deriveBits(P, await raw(16, "HKDF", ["deriveBits"], false), 128), async () => subtle.encrypt(EACH["AES-CBC"], {} as any, bytes(3)), () => new (CryptoKey as any)(), () => new (SubtleCrypto as any)(),
    ])`,
  },
  {
    name: "parameters that are wrong",
    ask: `all([
      ...[{ name: "AES-GCM" }, { name: "AES-GCM", iv: bytes(0) }, { name: "AES-GCM", iv: bytes(12), tagLength: 31 }, { name: "AES-GCM", iv: "text" }].map((how: any) => async () => subtle.encrypt(how, await raw(16, "AES-GCM", ["encrypt"]), bytes(3))),
      async () => subtle.encrypt({ name: "AES-CBC", iv: bytes(15) }, await raw(16, "AES-CBC", ["encrypt"]), bytes(3)),
      ...[[16, 0], [16, 129], [15, 9]].map(([n, length]: any) => async () => subtle.encrypt({ name: "AES-CTR", counter: bytes(n), length }, await raw(16, "AES-CTR", ["encrypt"]), bytes(3))),
      ...[undefined, null, 0, 7, 255 * 256 + 8].flatMap((length: any) => [P, H].filter(({ name }) => name === "HKDF" || !(length > 256)).map((how) => async () => subtle.deriveBits(how, await raw(16, how.name, ["deriveBits"], false), length))),
      async () => subtle.deriveBits({ ...P, iterations: 0 }, await raw(16, "PBKDF2", ["deriveBits"], false), 128), async () => subtle.deriveKey(P, await raw(16, "PBKDF2", ["deriveKey"], false), "HKDF", false, ["deriveBits"]),
      () => subtle.digest("SHA-9", bytes(1)), () => subtle.digest("SHA-1", "text" as any), async () => subtle.encrypt("HMAC" as any, await raw(16, "AES-CBC", ["encrypt"]), bytes(3)), () => (subtle as any).generateKey("AES-X", true, ["encrypt"]), () => (subtle as any).digest({}, bytes(1)),
    ])`,
  },
  {
    name: "JSON that is no such key",
    ask: `all([{ kty: "RSA" }, { kty: "oct" }, { alg: "A256CBC" }, { ext: false }, { key_ops: ["decrypt"] }, { key_ops: ["encrypt", "encrypt"] }, { key_ops: ["encrypt", "decrypt"] }, { use: "sig" }, { use: "enc" }, { k: "A" }, { k: "AAAA" }].map((more) => async () => shownKey(await subtle.importKey("jwk", { kty: "oct", ...("kty" in more ? {} : { k: "AAAAAAAAAAAAAAAAAAAAAA" }), ...more } as any, "AES-CBC", true, ["encrypt"]))).concat([() => subtle.importKey("jwk", bytes(16) as any, "AES-CBC", true, ["encrypt"]) as any]))`,
  },
  {
    name: "bytes that change after the call do not count",
    ask: `(async () => { const text = bytes(20); const made = subtle.digest("SHA-256", text); text.fill(0); const key = bytes(16); const imported = subtle.importKey("raw", key, "AES-CBC", true, ["encrypt"]); key.fill(0); return [hex(await made), hex(await subtle.exportKey("raw", await imported))]; })()`,
  },
  {
    name: "it is one object, by every name",
    ask: `[named === subtle, webcrypto.subtle === subtle, nodeCrypto.subtle === subtle, crypto.subtle === subtle, String(subtle), subtle instanceof SubtleCrypto, typeof CryptoKey, subtle.digest.name]`,
  },
];

besideNode("crypto.subtle in a hook and in Node", { top: TOP, questions: QUESTIONS });

const session = sharedSession({
  gate: onToolCall(
    `const { kind, key, iv, data, about, length } = event.input; const of = (text: string) => Uint8Array.fromHex(text);
     const name = kind === "HMAC" ? { name: kind, hash: "SHA-256" } : kind;
     const made = await crypto.subtle.importKey("raw", of(key), name, false, kind === "HMAC" ? ["sign"] : kind === "HKDF" ? ["deriveBits"] : ["encrypt"]);
     const how: any = { name: kind, hash: "SHA-512", iv: of(iv), counter: of(iv), salt: of(iv), info: of(about), additionalData: of(about), length };
     const out = kind === "HMAC" ? await crypto.subtle.sign("HMAC", made, of(data)) : kind === "HKDF" ? await crypto.subtle.deriveBits(how, made, 8 * length) : await crypto.subtle.encrypt(how, made, of(data));
     return { block: true, reason: "made " + new Uint8Array(out).toHex() };`,
  ),
});

const bytesOf = (least: number, most = least) => fc.uint8Array({ minLength: least, maxLength: most });

test("any keys and data give what Node gives", async () => {
  const { subtle } = crypto;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("HMAC", "HKDF", "AES-CBC", "AES-CTR", "AES-GCM"),
      fc.oneof(bytesOf(16), bytesOf(24), bytesOf(32)),
      ...([bytesOf(16), bytesOf(0, 90), bytesOf(0, 40), fc.integer({ min: 5, max: 128 })] as const),
      async (kind, key, iv, data, about, length) => {
        const name = kind === "HMAC" ? { name: kind, hash: "SHA-256" } : kind;
        const uses = kind === "HMAC" ? ["sign"] : kind === "HKDF" ? ["deriveBits"] : ["encrypt"];
        const made = await subtle.importKey("raw", key, name, false, uses as KeyUsage[]);
        const how = {
          name: kind,
          hash: "SHA-512",
          iv,
          counter: iv,
          salt: iv,
          info: about,
          additionalData: about,
          length,
        };
        const out =
          kind === "HMAC"
            ? await subtle.sign("HMAC", made, data)
            : kind === "HKDF"
              ? await subtle.deriveBits(how, made, 8 * length)
              : await subtle.encrypt(how, made, data);
        const [hexKey, hexIv, hexData, hexAbout] = [key, iv, data, about].map((one) =>
          Buffer.from(one).toString("hex"),
        );
        const input = { kind, key: hexKey, iv: hexIv, data: hexData, about: hexAbout, length };
        expect(await session.call(input)).toMatchObject({ reason: `made ${Buffer.from(out).toString("hex")}` });
      },
    ),
    { numRuns: 150 },
  );
});
