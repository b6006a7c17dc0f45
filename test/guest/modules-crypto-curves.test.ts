import { besideNode, type Question } from "./beside-node.ts";

/** The vectors of RFC 8032, section 7.1, and RFC 7748, section 6.1. */
const TOP = `import crypto from "node:crypto";
import { promisify } from "node:util";
const hex = (text: string) => Buffer.from(text, "hex");
const SECRET = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
const PUBLIC = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
const mine = (): any => crypto.createPrivateKey({ key: Buffer.concat([hex("302e020100300506032b657004220420"), hex(SECRET)]), format: "der", type: "pkcs8" });
const theirs = (): any => crypto.createPublicKey({ key: Buffer.concat([hex("302a300506032b6570032100"), hex(PUBLIC)]), format: "der", type: "spki" });
const agreeing = (secret: string): any => crypto.createPrivateKey({ key: Buffer.concat([hex("302e020100300506032b656e04220420"), hex(secret)]), format: "der", type: "pkcs8" });
const A = "77076d0a7318a57d3c16c17251b26645db4c7a2c2d8f7b6b1e3b4a2d8e4f5a6b", B = "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb";
const forms = (key: any) => [key.type, key.asymmetricKeyType, key.export({ format: "der", type: key.type === "private" ? "pkcs8" : "spki" }), key.export({ format: "pem", type: key.type === "private" ? "pkcs8" : "spki" }), key.export({ format: "jwk" })];
`;
const DATA = `["", "abc", "é€😀", "x".repeat(100000), Buffer.from([0, 255]), new Uint8Array([1, 2, 3]).subarray(1), new DataView(new ArrayBuffer(3))].map((d: any) => typeof d === "string" ? Buffer.from(d) : d)`;

const QUESTIONS: Question[] = [
  {
    name: "keys in every form",
    ask: "[...forms(mine()), ...forms(theirs()), ...forms(agreeing(A)), ...forms(crypto.createPublicKey(agreeing(B)))]",
  },
  { name: "signatures of everything", ask: `${DATA}.map((d: any) => crypto.sign(null, d, mine()))` },
  {
    name: "each is verified, and no other",
    ask: `${DATA}.map((d: any) => { const s = crypto.sign(null, d, mine()); const bad = Buffer.from(s); bad[5] = (bad[5] as number) ^ 1; return [crypto.verify(null, d, theirs(), s), crypto.verify(undefined, d, mine(), s), crypto.verify(null, d, theirs(), bad), crypto.verify(null, Buffer.from("other"), theirs(), s), crypto.verify(null, d, theirs(), s.subarray(1)), crypto.verify(null, d, theirs(), Buffer.alloc(0))]; })`,
  },
  {
    name: "by callback",
    ask: `new Promise((done) => crypto.sign(null, Buffer.from("a"), mine(), (e: any, s: any) => crypto.verify(null, Buffer.from("a"), theirs(), s, (f: any, ok: any) => done([e, s, f, ok]))))`,
  },
  {
    name: "keys as PEM, DER, JWK and objects are the same key",
    ask: `(() => { const k = mine(); const pem = k.export({ format: "pem", type: "pkcs8" }); const jwk = k.export({ format: "jwk" }); const der = k.export({ format: "der", type: "pkcs8" }); return [pem, Buffer.from(pem), { key: pem }, { key: der, format: "der", type: "pkcs8" }, { key: jwk, format: "jwk" }, k, { key: k }].map((one: any) => crypto.sign(null, Buffer.from("a"), one)); })()`,
  },
  {
    name: "public keys, too",
    ask: `(() => { const s = crypto.sign(null, Buffer.from("a"), mine()); const k = theirs(); return [k.export({ format: "pem", type: "spki" }), { key: k.export({ format: "jwk" }), format: "jwk" }, { key: k.export({ format: "der", type: "spki" }), format: "der", type: "spki" }, k, mine().export({ format: "pem", type: "pkcs8" })].map((one: any) => crypto.verify(null, Buffer.from("a"), one, s)); })()`,
  },
  {
    name: "pairs that are made fit, in the forms that were asked for",
    ask: `["ed25519", "x25519"].map((type: any) => { const a = crypto.generateKeyPairSync(type); const b: any = crypto.generateKeyPairSync(type, { publicKeyEncoding: { type: "spki", format: "pem" }, privateKeyEncoding: { type: "pkcs8", format: "der" } }); const c: any = crypto.createPrivateKey({ key: b.privateKey, format: "der", type: "pkcs8" }); return [a.publicKey.type, a.privateKey.type, a.publicKey.equals(crypto.createPublicKey(a.privateKey)), a.publicKey.equals(crypto.createPublicKey(c)), typeof b.publicKey, b.publicKey.length, b.privateKey.length, crypto.createPublicKey(c).export({ type: "spki", format: "pem" }) === b.publicKey, a.privateKey instanceof crypto.KeyObject]; })`,
  },
  {
    name: "a pair by callback, and by promise",
    ask: `(async () => [await new Promise((done) => crypto.generateKeyPair("ed25519", {} as any, (e: any, pub: any, priv: any) => done([e, pub.type, priv.type]))), Object.keys(await promisify(crypto.generateKeyPair)("ed25519")).sort()])()`,
  },
  {
    name: "agreements",
    ask: `[crypto.diffieHellman({ privateKey: agreeing(A), publicKey: crypto.createPublicKey(agreeing(B)) }), crypto.diffieHellman({ privateKey: agreeing(B), publicKey: crypto.createPublicKey(agreeing(A)) })]`,
  },
  {
    name: "keys of the wrong kind",
    ask: `[() => crypto.sign(null, Buffer.from("a"), theirs()), () => crypto.createPublicKey(theirs()), () => crypto.createPrivateKey(mine()), () => crypto.sign(null, Buffer.from("a"), "no key"), () => crypto.sign(null, Buffer.from("a"), 5 as any), () => crypto.sign(null, "text" as any, {} as any), () => crypto.verify(null, Buffer.from("a"), theirs(), "text" as any), () => mine().export({ format: "pem", type: "spki" }), () => mine().export({ format: "xyz", type: "pkcs8" }), () => mine().equals(5 as any), () => crypto.createPrivateKey({ key: { kty: "OKP", crv: "Ed25519", x: "AA", d: "AA" }, format: "jwk" }), () => crypto.generateKeyPairSync(5 as any)].map((act) => { const e: any = caught(act); return e instanceof Error ? [e.name, (e as any).code] : e; })`,
  },
  {
    name: "other keys and signatures say what there is",
    ask: `[() => crypto.generateKeyPairSync("rsa", { modulusLength: 2048 }), () => crypto.sign("sha256", Buffer.from("a"), mine()), () => crypto.createPrivateKey({ key: { kty: "RSA" } as any, format: "jwk" }), () => crypto.createPublicKey("-----BEGIN RSA PUBLIC KEY-----\\nAAAA\\n-----END RSA PUBLIC KEY-----")].map((act) => { const e: any = caught(act); return e instanceof Error && /of? ?fered to hooks/.test(e.message); })`,
    differs: { reason: "of asymmetric keys, ed25519 and x25519 are offered", cordon: [true, true, true, true] },
  },
];

besideNode("ed25519 and x25519", { top: TOP, questions: QUESTIONS });
