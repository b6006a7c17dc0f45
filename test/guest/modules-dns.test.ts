import { besideNode, error, type Question } from "./beside-node.ts";

const E = `(e: any) => ({ name: e.name, code: e.code, errno: e.errno, syscall: e.syscall, hostname: e.hostname, message: e.message })`;
const failed = (ask: string): string => `${ask}.then((v: any) => ({ v }), ${E})`;
const called = (ask: string): string => `within(() => new Promise((done) => { ${ask} }))`;

const QUESTIONS: Question[] = [
  { name: "a name", ask: `lookup("localhost")` },
  { name: "all of them", ask: `lookup("localhost", { all: true })` },
  { name: "in upper case", ask: `lookup("LocalHost")` },
  {
    name: "of one kind",
    ask: `[await lookup("localhost", 4), await lookup("localhost", { family: 4, all: true, hints: 0 })]`,
  },
  {
    name: "orders",
    ask: `Promise.all(["verbatim", "ipv4first", "ipv6first"].map((order: any) => lookup("localhost", { order })))`,
  },
  {
    name: "addresses stand for themselves",
    ask: `Promise.all([lookup("1.2.3.4"), lookup("::1", { all: true }), lookup("1.2.3.4", 6), lookup("10.0.0.1")])`,
  },
  {
    name: "callbacks",
    ask: `[await ${called(`dns.lookup("localhost", (...all: any[]) => done(all));`)}, await ${called(`dns.lookup("localhost", { all: true }, (...all: any[]) => done(all));`)}, await ${called(`dns.lookup("localhost", 4, (...all: any[]) => done(all));`)}]`,
  },
  {
    name: "callbacks are called later",
    ask: `within(() => new Promise((done) => { let later = false; dns.lookup("127.0.0.1", () => done(later)); later = true; }))`,
  },
  {
    name: "promisify",
    ask: `[await promisify(dns.lookup)("localhost"), await promisify(dns.lookup)("localhost", { all: true })]`,
  },
  {
    name: "wrong names",
    ask: `Promise.all([undefined, null, "", 5, {}].map(async (name: any) => lookup(name).catch((e) => e.code)).map((one) => one.catch((e: any) => e.code)))`,
  },
  {
    name: "wrong options",
    ask: `Promise.all([{ family: 5 }, { family: "IPv4" }, { order: "x" }, { all: 1 }, 7].map(async (options: any) => lookup("localhost", options)).map((one) => one.catch((e: any) => e.code)))`,
  },
  {
    name: "without a callback",
    ask: `[caught(() => (dns as any).lookup("localhost")), caught(() => (dns as any).resolve4("localhost"))]`,
  },
  { name: "an address has no records", ask: failed(`promises.resolve4("1.2.3.4")`) },
  {
    name: "a record type that there is not",
    ask: `Promise.all([() => promises.resolve("localhost", "XX" as any), () => promises.resolve4(5 as any)].map((act) => caught(act)))`,
  },
  {
    name: "a name that is none",
    ask: `Promise.all(["a b", "a/b"].map((name) => lookup(name).catch((e: any) => e.code)))`,
  },
  {
    name: "constants",
    ask: `[dns.NOTFOUND, dns.ADDRCONFIG, dns.ALL, dns.V4MAPPED, promises.NODATA, dns.getDefaultResultOrder(), typeof dns.promises.lookup]`,
  },
  {
    name: "what asks others is not offered",
    ask: `Promise.all([() => promises.resolveMx("localhost"), () => promises.reverse("127.0.0.1"), () => new dns.Resolver(), () => promises.resolve("localhost", "TXT")].map(async (act) => { try { await act(); return "did"; } catch (e: any) { return e.code; } }))`,
    differs: { reason: "only addresses are asked for", cordon: Array(4).fill("ERR_FEATURE_UNAVAILABLE_ON_PLATFORM") },
  },
  {
    name: "a name without a grant",
    ask: `lookup("nowhere.invalid")`,
    differs: { reason: "no name server hears of it", cordon: { threw: error("Error", "NOT_GRANTED") } },
  },
];

besideNode("names of hosts", {
  top: `import dns, { promises } from "node:dns"; import { lookup } from "dns/promises"; import { promisify } from "node:util";`,
  questions: QUESTIONS,
  powers: { net: { connect: ["localhost:1", "gone.invalid:1"] } },
});
