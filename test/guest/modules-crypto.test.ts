import { besideNode, error, type Question } from "./beside-node.ts";

const ALGORITHMS = `["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "ripemd160", "sha3-256", "sha3-512"]`;
const INPUTS = `["", "abc", "é€😀", "x".repeat(1000), Buffer.from([0, 255]), new Uint8Array([1, 2, 3]).subarray(1), new Uint16Array([1, 2]), new DataView(new ArrayBuffer(3))]`;

const USUAL: Question[] = [
  {
    name: "every algorithm hashes text and bytes",
    ask: `${ALGORITHMS}.map((a) => ${INPUTS}.map((input: any) => crypto.createHash(a).update(input).digest("hex")))`,
  },
  {
    name: "every algorithm makes an HMAC, with keys of every length",
    ask: `${ALGORITHMS}.map((a) => ["key", "", "é", Buffer.alloc(64, 1), Buffer.alloc(300, 2), new Uint8Array([1])].map((key: any) => crypto.createHmac(a, key).update("data").digest("hex")))`,
  },
  {
    name: "algorithms in other letters and with a hyphen are the same ones",
    ask: `["SHA256", "Sha-256", "sha-1", "SHA-512", "MD5", "SHA3-256"].map((a) => crypto.createHash(a).update("abc").digest("hex"))`,
  },
  {
    name: "a digest in every encoding, and without one",
    ask: `["hex", "base64", "latin1", "binary", "HEX", "buffer", undefined].map((e: any) => crypto.createHash("sha256").update("abc").digest(e))`,
  },
  {
    name: "input in other encodings",
    ask: `[["616263", "hex"], ["YWJj", "base64"], ["é", "latin1"], ["é", "utf16le"], ["é", "utf8"]].map(([text, e]: any) => crypto.createHash("sha256").update(text, e).digest("hex"))`,
  },
  {
    name: "parts make the whole",
    ask: `crypto.createHash("sha256").update("a").update(Buffer.from("b")).update(new Uint8Array([99])).digest("hex")`,
  },
  {
    name: "a copy goes its own way",
    ask: `(() => { const a = crypto.createHash("sha256").update("a"); const b = a.copy(); return [b.update("b").digest("hex"), a.digest("hex")]; })()`,
  },
  {
    name: "a hash that is finished takes and gives nothing more",
    ask: `(() => { const h = crypto.createHash("sha256"); h.digest(); return [() => h.digest(), () => h.update("a"), () => h.copy()].map(caught); })()`,
  },
  {
    name: "an HMAC that is finished takes nothing more",
    ask: `(() => { const h = crypto.createHmac("sha256", "k"); h.digest(); return caught(() => h.update("a")); })()`,
  },
  {
    name: "input of the wrong type",
    ask: `[5, null, undefined, {}, [1], new ArrayBuffer(1)].map((v: any) => caught(() => crypto.createHash("sha256").update(v)))`,
  },
  {
    name: "keys of the wrong type",
    ask: `[5, null, undefined, {}].map((v: any) => caught(() => crypto.createHmac("sha256", v)))`,
  },
  {
    name: "hash in one call",
    ask: `[crypto.hash("sha256", "abc"), crypto.hash("sha1", Buffer.from("abc"), "base64"), crypto.hash("md5", "abc", "buffer"), caught(() => crypto.hash("sha256", 5 as any))]`,
  },
  {
    name: "random bytes into a buffer, or a part of it",
    ask: `(() => {
      const touched = (made: any, ...more: any[]) => {
        const bytes = new Uint8Array(made.buffer, made.byteOffset, made.byteLength);
        const seen = Array.from(bytes, () => false);
        for (let i = 0; i < 20; i++) { (crypto.randomFillSync as any)(made, ...more); bytes.forEach((b, at) => { seen[at] ||= b !== 0; }); }
        return seen;
      };
      const filled = Buffer.alloc(4);
      return [crypto.randomFillSync(filled) === filled, touched(new Uint8Array(2), 1), touched(Buffer.alloc(4), 1, 2), touched(new Uint16Array(3), 1, 1), touched(new DataView(new ArrayBuffer(3)), 2), touched(new Uint8Array(2), 2), touched(new Uint8Array(0)),
        ...[[-1], [5], [1, 4], [0, -1], [1.5]].map((more: any) => caught(() => (crypto.randomFillSync as any)(Buffer.alloc(4), ...more)).code)];
    })()`,
  },
  {
    name: "random bytes into a buffer, with a callback",
    ask: `await Promise.all([[], [1], [1, 2]].map((more: any) => new Promise((done) => (crypto.randomFill as any)(Buffer.alloc(4), ...more, (error: any, into: any) => done([error, Buffer.isBuffer(into), into.length])))))`,
  },
  {
    name: "the Web's own names",
    ask: `[crypto.webcrypto.getRandomValues(new Uint8Array(4)).length, crypto.webcrypto.randomUUID().length, (crypto as any).webcrypto === globalThis.crypto]`,
  },
  { name: "the known algorithms are listed", ask: `${ALGORITHMS}.every((a) => crypto.getHashes().includes(a))` },
  {
    name: "random bytes, as many as wanted",
    ask: `[0, 1, 70_000].map((n) => crypto.randomBytes(n)).map((b) => [Buffer.isBuffer(b), b.length])`,
  },
  {
    name: "random bytes for a callback",
    ask: `within(() => new Promise((done) => crypto.randomBytes(4, (e, b) => done([e, b.length]))))`,
  },
  {
    name: "numbers of random bytes that cannot be",
    ask: `[-1, NaN, 2 ** 32, Infinity].map((n) => caught(() => crypto.randomBytes(n)))`,
  },
  {
    name: "random UUIDs",
    ask: `[crypto.randomUUID(), crypto.randomUUID({ disableEntropyCache: true })].map((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))`,
  },
  {
    name: "random numbers lie between their bounds",
    ask: `[crypto.randomInt(1), crypto.randomInt(5, 6), crypto.randomInt(-3, -2), Array.from({ length: 200 }, () => crypto.randomInt(3, 6)).every((n) => n >= 3 && n < 6), crypto.randomInt(0, 2 ** 48 - 1) < 2 ** 48]`,
  },
  {
    name: "bounds of random numbers that cannot be",
    ask: `[[0], [5, 5], [5, 4], [0, 2 ** 48]].map(([a, b]: any) => caught(() => crypto.randomInt(a, b)))`,
  },
  {
    name: "comparison in constant time",
    ask: `[["ab", "ab"], ["ab", "ac"], ["ab", "a"]].map(([a, b]: any) => caught(() => crypto.timingSafeEqual(Buffer.from(a), Buffer.from(b))))`,
  },
  {
    name: "arrays are filled with random values",
    ask: `(() => { const a = new Uint8Array(64); return [crypto.getRandomValues(a) === a, a.some((b) => b > 0)]; })()`,
  },
];

const EDGES: Question[] = [
  {
    name: "digests and input in base64url",
    ask: `[crypto.createHash("sha256").update("abc").digest("base64url"), crypto.createHash("sha256").update("YWJj", "base64url").digest("hex"), crypto.createHmac("sha256", "k").digest("base64url"), crypto.hash("sha1", "abc", "base64url")]`,
  },
  { name: "no encoding is no encoding", ask: `crypto.createHash("sha256").update("abc").digest(null as any)` },
  {
    name: "hash takes its encoding among options",
    ask: `crypto.hash("sha256", "abc", { outputEncoding: "base64" } as any)`,
  },
  {
    name: "what every object has is no algorithm",
    ask: `["__proto__", "constructor", "toString"].map((a) => /^Digest method not supported/.test((caught(() => crypto.createHash(a)) as Error).message))`,
  },
  {
    name: "the name of an algorithm is a text",
    ask: `[5, undefined, {}].map((a: any) => caught(() => crypto.createHash(a)))`,
  },
  { name: "an HMAC with an unknown algorithm", ask: `caught(() => crypto.createHmac("nope", "k"))` },
  {
    name: "arguments of the wrong type for random bytes",
    ask: `["8", undefined, null, {}].map((n: any) => caught(() => crypto.randomBytes(n)))`,
  },
  { name: "a callback that is none", ask: `caught(() => crypto.randomBytes(8, "x" as any))` },
  {
    name: "bounds of the wrong type",
    ask: `["5", 1.5, undefined, 2 ** 60].map((n: any) => caught(() => crypto.randomInt(n)))`,
  },
  {
    name: "a random number for a callback",
    ask: `[await within(() => new Promise((done) => crypto.randomInt(5, 6, (e, n) => done([e ?? null, n]))), 500), await within(() => new Promise((done) => crypto.randomInt(1, (e, n) => done([e ?? null, n]))), 500)]`,
  },
  {
    name: "text is not compared in constant time",
    ask: `[caught(() => crypto.timingSafeEqual("ab" as any, "ab" as any)), caught(() => crypto.timingSafeEqual("ab" as any, Buffer.from("ab")))]`,
  },
];

const unavailable = error("Error", "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM");
const DIFFERENT: Question[] = [
  {
    name: "algorithms beyond the common ones",
    ask: `["blake2b512", "blake2s256", "shake128", "sm3", "md5-sha1", "RSA-SHA256"].map((a) => caught(() => crypto.createHash(a).digest("hex")))`,
    differs: { reason: "only the common hashes", cordon: Array(6).fill(error("Error", "ERR_CRYPTO_INVALID_DIGEST")) },
  },
  {
    name: "an unknown algorithm",
    ask: `[caught(() => crypto.createHash("nope")), caught(() => crypto.hash("nope", "x"))]`,
    differs: {
      reason: "Node gives no code with it",
      cordon: Array(2).fill(error("Error", "ERR_CRYPTO_INVALID_DIGEST")),
    },
  },
  {
    name: "signatures and pairs of keys",
    ask: `[() => crypto.createSign("sha256"), () => crypto.createVerify("sha256"), () => crypto.generateKeyPairSync("rsa", { modulusLength: 2048 })].map((act) => { const made = caught(act); return made instanceof Error ? made : "made"; })`,
    differs: { reason: "no keys of two halves", cordon: Array(3).fill(unavailable) },
  },
  {
    name: "a hash as a stream",
    ask: `typeof (crypto.createHash("sha256") as any).pipe`,
    differs: { reason: "there are no streams in a hook", cordon: "undefined" },
  },
  {
    name: "the second digest of an HMAC",
    ask: `(() => { const h = crypto.createHmac("sha256", "k"); h.digest(); return caught(() => h.digest("hex")); })()`,
    differs: {
      reason: "Node gives an empty text, which no one wants",
      cordon: error("Error", "ERR_CRYPTO_HASH_FINALIZED"),
    },
  },
];

besideNode("node:crypto in a hook and in Node", {
  top: `import crypto from "node:crypto";`,
  questions: [...USUAL, ...EDGES, ...DIFFERENT],
});
