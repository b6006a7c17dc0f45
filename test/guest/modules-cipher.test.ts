import { besideNode, error, type Question } from "./beside-node.ts";

const TOP = `import crypto from "node:crypto";
const bytes = (n: number, step = 7) => Buffer.from(Array.from({ length: n }, (_, at) => (at * step + (at >> 3)) % 256));
const NAMES = [16, 24, 32].flatMap((n) => ["cbc", "ctr", "gcm"].map((mode) => ["aes-" + n * 8 + "-" + mode, n, mode === "gcm" ? 12 : 16])).concat([["chacha20-poly1305", 32, 12]]) as [string, number, number][];
const isAead = (name: string) => /gcm|poly/.test(name);
const make = (name: string, iv?: Buffer | null, o?: any) => { const [, key, n] = NAMES.find(([one]) => one === name) as any; return crypto.createCipheriv(name as any, bytes(key, 11), iv === undefined ? bytes(n, 5) : iv, o) as any; };
const unmake = (name: string, iv?: Buffer, o?: any) => { const [, key, n] = NAMES.find(([one]) => one === name) as any; return crypto.createDecipheriv(name as any, bytes(key, 11), iv ?? bytes(n, 5), o) as any; };
/** Everything that a cipher gives for parts of these lengths. */
const parts = (cipher: any, lengths: number[]) => { let at = 0; const out: string[] = lengths.map((n) => cipher.update(bytes(200, 3).subarray(at, (at += n))).toString("hex")); out.push(cipher.final().toString("hex")); if (cipher.getAuthTag && isAead(cipher.cipherName)) out.push(cipher.getAuthTag().toString("hex")); return out; };
const named = (name: string, cipher: any) => Object.assign(cipher, { cipherName: name });
const LENGTHS = [[], [0], [1], [15], [16], [17], [32], [1, 15, 16, 1], [5, 5, 5, 5, 5, 5, 5], [64, 1, 63, 2], [100, 100]];`;

const CIPHERS: Question[] = [
  {
    name: "each cipher gives the same parts for the same parts",
    ask: `NAMES.map(([name]) => LENGTHS.map((lengths) => parts(named(name, make(name)), lengths)))`,
  },
  {
    name: "each decipher takes parts of any length",
    ask: `NAMES.map(([name]) => LENGTHS.map((lengths) => { const c = make(name); const whole = Buffer.concat([c.update(bytes(100, 3)), c.final()]); const d = unmake(name); if (isAead(name)) d.setAuthTag(c.getAuthTag()); let at = 0; const out = lengths.map((n) => d.update(whole.subarray(at, (at += n))).toString("hex")); out.push(d.update(whole.subarray(at)).toString("hex"), d.final().toString("hex")); return out; }))`,
  },
  {
    name: "additional data are part of the tag",
    ask: `NAMES.filter(([name]) => isAead(name)).map(([name]) => [0, 1, 16, 33].map((n) => { const c = make(name); c.setAAD(bytes(n)); return [c.update("text", "utf8", "hex"), c.final("hex"), c.getAuthTag().toString("hex")]; }))`,
  },
  {
    name: "GCM with other lengths of the initialization vector, and counters at their end",
    ask: `[1, 8, 11, 13, 16, 17, 60].map((n) => { const c = make("aes-128-gcm", bytes(n, 77)); return [c.update(bytes(70)).toString("hex"), c.final("hex"), c.getAuthTag().toString("hex")]; })`,
  },
  {
    name: "CTR counts over its end",
    ask: `[Buffer.alloc(16, 255), Buffer.concat([Buffer.alloc(12), Buffer.alloc(4, 255)]), Buffer.concat([Buffer.alloc(8), Buffer.alloc(8, 255)])].map((iv) => { const c = make("aes-256-ctr", iv); return [c.update(bytes(20)).toString("hex"), c.update(bytes(50)).toString("hex")]; })`,
  },
  {
    name: "ChaCha20 with shorter nonces",
    ask: `[1, 8, 11, 12].map((n) => caught(() => { const c = make("chacha20-poly1305", bytes(n)); return [c.update(bytes(70)).toString("hex"), c.final("hex"), c.getAuthTag().toString("hex")]; }))`,
  },
  {
    name: "a changed text, tag or additional data is not taken",
    ask: `NAMES.filter(([name]) => isAead(name)).map(([name]) => ["text", "tag", "aad", "fine"].map((what) => { const c = make(name); c.setAAD(bytes(9)); const t = Buffer.concat([c.update("secret"), c.final()]); const tag = c.getAuthTag(); const d = unmake(name); if (what === "text") t[0] = (t[0] as number) ^ 1; if (what === "tag") tag[15] = tag[15] ^ 1; d.setAAD(bytes(what === "aad" ? 8 : 9)); d.setAuthTag(tag); d.update(t); const made = caught(() => d.final("utf8")); return made instanceof Error ? [made, made.message] : made; }))`,
  },
  {
    name: "tags of other lengths",
    ask: `[3, 4, 5, 8, 12, 13, 15, 16, 17].map((authTagLength) => { const made: any = caught(() => make("aes-128-gcm", undefined, { authTagLength })); if (made instanceof Error) return made; made.final(); const tag = made.getAuthTag(); const d = unmake("aes-128-gcm", undefined, { authTagLength }); return [tag.toString("hex"), caught(() => d.setAuthTag(tag).final("hex")), caught(() => unmake("aes-128-gcm").setAuthTag(tag).final("hex"))]; })`,
  },
  {
    name: "padding, and none",
    ask: `[0, 1, 16].map((n) => { const c = make("aes-128-cbc"); c.setAutoPadding(false); c.update(bytes(n)); return caught(() => c.final("hex")); }).concat([0, 1, 16, 32].map((n) => { const d = unmake("aes-128-cbc"); d.setAutoPadding(false); return [d.update(bytes(n)).toString("hex"), caught(() => d.final("hex"))] as any; }))`,
  },
  {
    name: "text that was not encrypted so",
    ask: `[0, 1, 15, 16, 17, 32].map((n) => { const d = unmake("aes-256-cbc"); d.update(bytes(n)); return caught(() => d.final("hex")); })`,
  },
  {
    name: "text in and out in each encoding",
    ask: `["hex", "base64", "latin1", "utf8", "base64url"].map((e) => { const c = make("aes-192-ctr"); const d = unmake("aes-192-ctr"); const text = ["é€", "😀x", "y"].map((t) => c.update(t, "utf8", "hex")); return text.map((t) => d.update(t, "hex", e)).join("") + d.final(e); })`,
  },
  {
    name: "a character that two parts share",
    ask: `(() => { const c = make("aes-128-ctr"); const t = c.update("€uro"); const d = unmake("aes-128-ctr"); return [d.update(t.subarray(0, 1), undefined, "utf8"), d.update(t.subarray(1), undefined, "utf8"), d.final("utf8")]; })()`,
  },
  {
    name: "wrong orders",
    ask: `[() => { const c = make("aes-128-cbc"); c.final(); c.final(); }, () => { const c = make("aes-128-cbc"); c.final(); c.update("a"); }, () => make("aes-128-gcm").getAuthTag(), () => { const c = make("aes-128-cbc"); c.final(); c.getAuthTag(); }, () => make("aes-128-cbc").setAAD(bytes(1)), () => { const c = make("aes-128-gcm"); c.update("a"); c.setAAD(bytes(1)); }, () => unmake("aes-128-gcm").setAuthTag(bytes(16)).setAuthTag(bytes(16)), () => unmake("aes-128-cbc").setAuthTag(bytes(16)), () => { const c = make("aes-128-cbc"); c.final(); c.setAutoPadding(); }, () => { const c = make("aes-128-cbc"); c.update("a", "utf8", "hex"); c.update("a", "utf8", "base64"); }].map(caught)`,
  },
  {
    name: "keys, vectors and names that cannot be",
    ask: `[["nope", 16, 16], ["aes-128-cbc", 15, 16], ["aes-128-cbc", 16, 15], ["aes-128-gcm", 16, 0], ["chacha20-poly1305", 32, 13], ["AES-128-CBC", 16, 16], ["aes128", 16, 16]].map(([n, k, v]: any) => { const made = caught(() => crypto.createCipheriv(n, bytes(k), bytes(v))); return made instanceof Error ? made : "made"; }).concat([[5, "k", "i"], ["aes-128-cbc", 5, bytes(16)], ["aes-128-cbc", bytes(16), 5], ["aes-128-cbc", bytes(16), null], ["aes-128-cbc", "k".repeat(16), "i".repeat(16)]].map((a: any) => { const made = caught(() => (crypto as any).createDecipheriv(...a)); return made instanceof Error ? made : "made"; }))`,
  },
  {
    name: "data of the wrong type",
    ask: `[5, null, undefined, {}, new ArrayBuffer(2)].map((v: any) => caught(() => make("aes-128-cbc").update(v)))`,
  },
];

const UNPROVEN: Question = {
  name: "a text whose tag is not given",
  ask: `["aes-256-gcm", "chacha20-poly1305"].map((name) => { const d = unmake(name); d.update("secret"); return caught(() => d.final("hex")); })`,
  differs: { reason: "Node takes it from ChaCha20-Poly1305", cordon: [error("Error"), error("Error")] },
};

const KEYS: Question[] = [
  {
    name: "pbkdf2 with every hash",
    ask: `["sha1", "sha256", "sha384", "sha512", "md5", "SHA-256", "sha3-256"].map((d) => crypto.pbkdf2Sync("pass é", Buffer.from("salt"), 100, 40, d).toString("hex"))`,
  },
  {
    name: "pbkdf2 as often as people do it",
    ask: `crypto.pbkdf2Sync("p", "s", 100_000, 32, "sha512").toString("hex")`,
  },
  {
    name: "scrypt with its options",
    ask: `[undefined, { N: 16 }, { cost: 64, blockSize: 2, parallelization: 3 }, { N: 1024, r: 4, p: 2, maxmem: 2 ** 26 }].map((o: any) => crypto.scryptSync("pass", "salt", 24, o).toString("hex"))`,
  },
  {
    name: "hkdf",
    ask: `[["sha256", "k", "s", "i", 10], ["sha512", Buffer.alloc(3), "", "", 200], ["sha1", "", "s", Buffer.from("i"), 1], ["sha1", "k", "s", "i", 0]].map((a: any) => caught(() => Buffer.from((crypto as any).hkdfSync(...a)).toString("hex")))`,
  },
  {
    name: "all of them with a callback",
    ask: `await within(() => Promise.all([new Promise((done) => crypto.pbkdf2("p", "s", 1, 8, "sha256", (e, k) => done([e, k]))), new Promise((done) => crypto.scrypt("p", "s", 8, (e, k) => done([e, k]))), new Promise((done) => crypto.scrypt("p", "s", 8, { N: 16 }, (e, k) => done([e, k]))), new Promise((done) => crypto.hkdf("sha256", "k", "s", "i", 8, (e, k) => done([e, Buffer.from(k)])))]))`,
  },
  {
    name: "passwords and salts as bytes of any kind",
    ask: `[new Uint8Array([1, 2]), new DataView(new ArrayBuffer(2)), new ArrayBuffer(2), ""].map((p: any) => crypto.pbkdf2Sync(p, p, 2, 8, "sha256").toString("hex"))`,
  },
  {
    name: "arguments that cannot be",
    ask: `[["p", "s", 0, 8, "sha256"], ["p", "s", 1, -1, "sha256"], ["p", "s", 1, 8, "nope"], [5, "s", 1, 8, "sha256"], ["p", null, 1, 8, "sha256"], ["p", "s", "1", 8, "sha256"], ["p", "s", 1, 8, undefined], ["p", "s", 1, 1.5, "sha256"]].map((a: any) => caught(() => (crypto as any).pbkdf2Sync(...a)))`,
  },
  {
    name: "costs that cannot be",
    ask: `[{ N: 3 }, { N: 1 << 20 }, { N: 16, cost: 16 }, { N: "16" }, { r: -1 }, { maxmem: -1 }].map((o: any) => caught(() => crypto.scryptSync("p", "s", 8, o)))`,
  },
  {
    name: "keys that hkdf cannot make",
    ask: `[["sha256", "k", "s", "i", 255 * 32 + 1], ["nope", "k", "s", "i", 1], ["sha256", "k", "s", Buffer.alloc(1025), 1], ["sha256", "k", "s", "i", -1], ["sha256", "k", 5, "i", 1]].map((a: any) => caught(() => (crypto as any).hkdfSync(...a)))`,
  },
  {
    name: "callbacks that are none",
    ask: `[() => (crypto as any).pbkdf2("p", "s", 1, 8, "sha256"), () => (crypto as any).scrypt("p", "s", 8, {}), () => (crypto as any).hkdf("sha256", "k", "s", "i", 8)].map(caught)`,
  },
];

const DIFFERENT: Question[] = [
  {
    name: "ciphers beyond those of today",
    ask: `["aes-128-ecb", "aes-128-ofb", "des-ede3-cbc", "camellia-128-cbc"].map((n) => { const made = caught(() => crypto.createCipheriv(n, Buffer.alloc(n.startsWith("des") ? 24 : 16), n.endsWith("ecb") ? null : Buffer.alloc(n.startsWith("des") ? 8 : 16))); return made instanceof Error ? made : "made"; })`,
    differs: { reason: "only what new code uses", cordon: Array(4).fill(error("Error", "ERR_CRYPTO_UNKNOWN_CIPHER")) },
  },
  {
    name: "a key of more than 64 KB",
    ask: `caught(() => crypto.pbkdf2Sync("p", "s", 1, 65537, "sha256").length)`,
    differs: { reason: "no key is so long", cordon: error("RangeError", "ERR_OUT_OF_RANGE") },
  },
  {
    name: "scrypt with 128 MB",
    ask: `caught(() => crypto.scryptSync("p", "s", 8, { N: 1 << 17, maxmem: 2 ** 28 }).length)`,
    differs: {
      reason: "more than the process of a hook may have",
      cordon: error("RangeError", "ERR_CRYPTO_INVALID_SCRYPT_PARAMS"),
    },
  },
];

besideNode("ciphers in a hook and in Node", { top: TOP, questions: [...CIPHERS, UNPROVEN] });
besideNode("keys from passwords in a hook and in Node", { top: TOP, questions: [...KEYS, ...DIFFERENT] });
