import { besideNode, type Question } from "./beside-node.ts";
import { freePort, startSite } from "./modules-http-ask.ts";

const [SITE, NOBODY, MINE] = [await startSite(), await freePort(), await freePort()];

const TOP = `import http, { get, request } from "node:http";
import https from "node:https";
import { once } from "node:events";
const SITE = "http://127.0.0.1:${SITE}";
const PORT = ${SITE};
const NOBODY = ${NOBODY};
const MINE = ${MINE};
const body = async (from: any) => { let all = ""; for await (const part of from.setEncoding("utf8")) all += part; return all; };
const pick = (from: any, names: string) => Object.fromEntries(names.split(" ").map((name) => [name, from[name]]));
/** All that a request tells, in order. */
const life = (made: () => any, during: (r: any) => void = (r) => r.end()) => within(() => new Promise((done) => {
  const heard: any[] = []; const r = made();
  for (const name of ["response", "timeout", "abort", "error", "close"]) r.on(name, (v: any) => {
    heard.push(name === "error" ? ["error", v.code ?? v.name, v.message] : name);
    if (name === "response") { v.on("data", () => {}); v.on("end", () => heard.push("end")); v.on("close", () => heard.push("response closes")); }
    if (name === "close") setTimeout(() => done(heard), 50);
  });
  during(r);
}));
const replied = (made: any) => within(async () => { const [response] = await once(made, "response"); return [response.statusCode, response.statusMessage, await body(response)]; });
const echo = async (made: any): Promise<any> => { const all: any = await replied(made); return Array.isArray(all) ? JSON.parse(all[2]) : all; };
/** A server of this program's, asked over its port. */
const served = (handler: any, ask: (base: string) => Promise<unknown>, make = () => http.createServer(handler)) => within(async () => {
  const server = make(); server.listen(MINE, "127.0.0.1"); await once(server, "listening");
  try { return await ask("http://127.0.0.1:" + MINE); } finally { await new Promise<void>((closed) => { server.close(() => closed()); (server as any).closeAllConnections?.(); }); }
});
/** What a client sees of an answer, without what each connection has of its own. */
const seen = async (url: string, options: any = {}, sent?: any): Promise<any> => {
  const made = request(url, { agent: false, ...options }); made.on("error", () => {}); made.end(sent);
  const [response]: any = await once(made, "response");
  const { date, connection, "keep-alive": keep, "transfer-encoding": chunks, "content-length": length, ...headers } = response.headers;
  return [response.statusCode, response.statusMessage, headers, await body(response)];
};
`;

const CLIENT: Question[] = [
  {
    name: "other fields of a response",
    ask: `within(async () => { const [r]: any = await once(get(SITE + "/headers"), "response"); r.resume(); return [pick(r, "httpVersionMajor httpVersionMinor url method aborted trailers rawTrailers"), r.headersDistinct?.["x-twice"]]; })`,
  },
  {
    name: "get by URL, text and parts",
    ask: `[await echo(get(SITE + "/a?b")), await echo(get(new URL(SITE + "/a#b"))), await echo(get({ host: "127.0.0.1", port: PORT, path: "/c" })), await echo(get({ hostname: "127.0.0.1", port: String(PORT) })), await echo(get(SITE, { path: "/d" })), await echo(http.get(SITE + "/e", { headers: { "x-a": "1" } }))]`,
  },
  {
    name: "a callback gets the response",
    ask: `within(() => new Promise((done) => get(SITE + "/a", async (r) => done([r.statusCode, await body(r)]))))`,
  },
  {
    name: "a body in parts",
    ask: `(() => { const r = request(SITE, { method: "POST" }); r.write("gr\\u00fc"); r.write(Buffer.from("x")); r.end("\\u00df"); return echo(r).then(({ body, method }) => [body, method]); })()`,
  },
  {
    name: "a body in another encoding",
    ask: `(() => { const r = request(SITE, { method: "PUT" }); r.write("ff00", "hex"); r.end("YWJj", "base64"); return echo(r).then(({ body }) => body); })()`,
  },
  {
    name: "headers of every kind",
    ask: `(() => { const r = request(SITE, { headers: { "X-A": 5 as any, "x-b": ["1", "2"] }, auth: "user:word" }); r.end(); return echo(r).then(({ headers }) => headers); })()`,
  },
  {
    name: "headers until they are sent",
    ask: `(() => { const r = request(SITE); r.setHeader("X-A", "1"); const before = [r.getHeader("x-a"), r.hasHeader("X-a"), r.getHeaderNames().includes("x-a")]; r.removeHeader("x-A"); r.setHeader("x-b", "2"); r.end(); return echo(r).then(({ headers }) => [before, headers]); })()`,
  },
  {
    name: "fields of a request",
    ask: `(() => { const r = request(SITE + "/a?b", { method: "put" }); r.on("error", () => {}); const told = pick(r, "method path host protocol destroyed writableEnded aborted"); r.destroy(); return told; })()`,
  },
  {
    name: "fields of a response",
    ask: `within(async () => { const [r]: any = await once(get(SITE + "/headers"), "response"); const told = pick(r, "statusCode statusMessage httpVersion"); r.resume(); await once(r, "end"); return [told, r.complete]; })`,
  },
  {
    name: "headers of a response",
    ask: `within(async () => { const [r]: any = await once(get(SITE + "/headers"), "response"); r.resume(); const { date, connection, "keep-alive": k, "transfer-encoding": t, ...rest } = r.headers; return [rest, r.rawHeaders.slice(0, 12), Object.hasOwn(r.headers, "__proto__")]; })`,
  },
  {
    name: "headers of which only the first counts",
    ask: `within(async () => { const [r]: any = await once(get(SITE + "/first"), "response"); r.resume(); return pick(r.headers, "content-type etag server age location"); })`,
  },
  {
    name: "statuses",
    ask: `Promise.all([201, 204, 304, 404, 500].map((s) => replied(get(SITE + "/status/" + s + "?text=So"))))`,
  },
  {
    name: "redirects are not followed",
    ask: `within(async () => { const [r]: any = await once(get(SITE + "/to/302?where=/echo"), "response"); r.resume(); return [r.statusCode, r.headers.location]; })`,
  },
  {
    name: "HEAD has no body",
    ask: `(() => { const r = request(SITE + "/text", { method: "HEAD" }); r.end(); return replied(r); })()`,
  },
  {
    name: "bytes come as buffers, text in an encoding",
    ask: `within(async () => { const [r]: any = await once(get(SITE + "/bytes"), "response"); const parts: any[] = []; for await (const part of r) parts.push(part); const [s]: any = await once(get(SITE + "/bytes"), "response"); return [Buffer.concat(parts), await new Promise((done) => s.setEncoding("hex").once("data", done))]; })`,
  },
  { name: "the life of a request", ask: `life(() => get(SITE + "/echo"), () => {})` },
  {
    name: "the life of a request that nobody listens to",
    ask: `within(() => new Promise((done) => get(SITE + "/echo").on("close", () => done("closed"))))`,
  },
  { name: "the life of one that nobody answers", ask: `life(() => request({ host: "127.0.0.1", port: NOBODY }))` },
  {
    name: "what an error of nobody's says",
    ask: `within(() => new Promise((done) => get({ host: "127.0.0.1", port: NOBODY }).on("error", (e: any) => done(pick(e, "name code message")))))`,
  },
  {
    name: "where an error of nobody's is from",
    ask: `within(() => new Promise((done) => get({ host: "127.0.0.1", port: NOBODY }).on("error", (e: any) => done(pick(e, "syscall address port errno")))))`,
  },
  { name: "the other side is gone", ask: `life(() => request(SITE + "/gone"))` },
  { name: "destroyed before it was sent", ask: `life(() => request(SITE), (r) => r.destroy())` },
  { name: "destroyed with an error", ask: `life(() => request(SITE), (r) => r.destroy(new RangeError("mine")))` },
  {
    name: "destroyed meanwhile",
    ask: `life(() => request(SITE + "/silent"), (r) => { r.end(); r.on("finish", () => setTimeout(() => r.destroy(), 100)); }).then((all: any) => all.filter((one: any) => Array.isArray(one)))`,
  },
  {
    name: "aborted by a signal",
    ask: `(() => { const stop = new AbortController(); stop.abort(); return life(() => request(SITE, { signal: stop.signal })); })()`,
  },
  {
    name: "a timeout tells and goes on",
    ask: `within(() => new Promise((done) => { const r = request(SITE + "/silent", { timeout: 100 }); r.on("timeout", () => { r.destroy(); }); r.on("error", (e: any) => done(["timeout", e.code])); r.end(); }))`,
  },
  {
    name: "places that are none",
    ask: `[{ port: 70000 }, { port: -1 }, { port: "x" }].map((o: any) => caught(() => request({ host: "127.0.0.1", ...o }).on("error", () => {}).destroy())).map((e: any) => (e instanceof Error ? (e as any).code : "taken"))`,
  },
  {
    name: "another protocol",
    ask: `[caught(() => request("https://127.0.0.1/")), caught(() => https.get("http://127.0.0.1/")), caught(() => request("ftp://127.0.0.1/")), caught(() => request("nothing"))]`,
  },
  {
    name: "paths that are none",
    ask: `["/a b", "/a\\n", "/\\u0100"].map((path) => caught(() => { request({ host: "127.0.0.1", port: PORT, path }).on("error", () => {}).destroy(); return "taken"; }))`,
  },
  {
    name: "headers that are none",
    ask: `[() => request(SITE, { headers: { "a b": "1" } }), () => request(SITE, { headers: { a: "1\\n" } }), () => request(SITE).setHeader("a", undefined as any), () => request(SITE).setHeader("", "1")].map((act) => caught(() => { act(); return "taken"; }))`,
  },
  {
    name: "methods that are none",
    ask: `["", "a b", 5].map((method: any) => caught(() => { request(SITE, { method }).on("error", () => {}).destroy(); return "taken"; }))`,
  },
  {
    name: "writing after the end",
    ask: `within(() => new Promise((done) => { const r = request(SITE, { method: "POST" }); r.on("error", (e: any) => done(e.code)); r.end("a"); r.write("b"); }))`,
  },
  {
    name: "constants and classes",
    ask: `[http.STATUS_CODES[418], http.METHODS.includes("PATCH"), typeof http.Agent, typeof http.globalAgent, http.maxHeaderSize, typeof http.validateHeaderName, typeof https.Agent, get(SITE).on("error", () => {}).destroy() instanceof http.ClientRequest]`,
  },
];

const SERVER: Question[] = [
  {
    name: "where a port is that is taken",
    ask: `within(() => new Promise((done) => http.createServer().on("error", (e: any) => done(pick(e, "syscall address port errno"))).listen(PORT, "127.0.0.1")))`,
  },
  {
    name: "what a handler sees",
    ask: `served((q: any, r: any) => { const { connection, host, "user-agent": u, accept, "accept-encoding": e, ...headers } = q.headers; r.end(JSON.stringify([pick(q, "method url httpVersion"), headers, typeof host])); }, async (base) => JSON.parse((await seen(base + "/a?b#c", { method: "PATCH", headers: { "X-A": "1", "content-type": "a/b", cookie: "c=1" } }, "body"))[3]))`,
  },
  {
    name: "the body, by events and by for await",
    ask: `served(async (q: any, r: any) => { if (q.url === "/await") r.end(await body(q)); else { let all = 0; q.on("data", (part: any) => (all += part.length)); q.on("end", () => r.end(String(all))); } }, async (base) => [await seen(base + "/await", { method: "POST" }, "gr\\u00fc\\u00df"), await seen(base, { method: "POST" }, Buffer.alloc(70_000)), await seen(base + "/await")])`,
  },
  {
    name: "writeHead with and without a text",
    ask: `served((q: any, r: any) => { if (q.url === "/a") r.writeHead(201, "Made", { "X-A": "1" }); else if (q.url === "/b") r.writeHead(404, { "X-B": ["1", "2"] }); else r.writeHead(202, ["X-C", "3", "X-D", "4"]); r.end("x"); }, async (base) => [await seen(base + "/a"), await seen(base + "/b"), await seen(base + "/c")])`,
  },
  {
    name: "fields and setHeader",
    ask: `served((q: any, r: any) => { r.statusCode = 418; r.setHeader("X-A", "1"); r.setHeader("set-cookie", ["a=1", "b=2"]); r.appendHeader?.("X-A", "2"); r.end("x"); }, (base) => seen(base))`,
  },
  {
    name: "headers of setHeader and writeHead together",
    ask: `served((q: any, r: any) => { r.setHeader("X-A", "1"); r.setHeader("X-B", "1"); r.writeHead(200, { "x-a": "2" }); r.end(); }, (base) => seen(base))`,
  },
  {
    name: "writes in parts",
    ask: `served((q: any, r: any) => { r.write("a"); r.write(Buffer.from("b")); setTimeout(() => r.end("c"), 50); }, (base) => seen(base))`,
  },
  {
    name: "headersSent and its friends",
    ask: `served((q: any, r: any) => { const told: any[] = [r.headersSent, r.writableEnded]; r.writeHead(200); told.push(r.headersSent, caught(() => { r.setHeader("a", "1"); return "taken"; }), caught(() => { r.writeHead(201); return "taken"; })); r.end(JSON.stringify(shown(told))); }, async (base) => JSON.parse((await seen(base))[3]))`,
  },
  {
    name: "the life of a response",
    ask: `(async () => { const heard: string[] = []; const got = await served((q: any, r: any) => { for (const name of ["finish", "close"]) r.on(name, () => heard.push(name)); r.end("x", () => heard.push("called back")); }, (base) => seen(base)); await pause(100); return [heard, got]; })()`,
  },
  {
    name: "answers without a body",
    ask: `served((q: any, r: any) => { r.writeHead(Number(q.url.slice(1))); r.end("dropped"); }, async (base) => [await seen(base + "/204"), await seen(base + "/304"), await seen(base + "/200", { method: "HEAD" })])`,
  },
  {
    name: "statuses that are none",
    ask: `served((q: any, r: any) => { r.end(JSON.stringify([99, 1000, "x", undefined].map((s) => shown(caught(() => { r.writeHead(s); return "taken"; }))))); }, async (base) => JSON.parse((await seen(base))[3]))`,
  },
  {
    name: "headers that are none in an answer",
    ask: `served((q: any, r: any) => { r.end(JSON.stringify([["a b", "1"], ["a", "1\\n"], ["", "1"], ["a", undefined]].map(([n, v]) => shown(caught(() => { r.setHeader(n, v); return "taken"; }))))); }, async (base) => JSON.parse((await seen(base))[3]))`,
  },
  {
    name: "the request listener added later",
    ask: `served(undefined, (base) => seen(base), () => http.createServer().on("request", (q: any, r: any) => r.end("later")))`,
  },
  {
    name: "where it listens",
    ask: `within(async () => { const s = http.createServer(); const told: any[] = [s.listening, s.address()]; await new Promise<void>((done) => s.listen(MINE, "127.0.0.1", done)); told.push(s.listening, s.address()); await new Promise((done) => s.close(done)); return [...told, s.listening, s.address()]; })`,
  },
  {
    name: "a port that is taken",
    ask: `within(async () => { const s = http.createServer(); const told = new Promise((done) => s.on("error", (e: any) => done(pick(e, "name code message")))); s.listen(PORT, "127.0.0.1"); return [await told, s.listening]; })`,
  },
  {
    name: "ports that are none",
    ask: `[-1, 65536, 1.5, NaN].map((p: any) => caught(() => http.createServer().on("error", () => {}).listen(p)))`,
  },
  {
    name: "listening twice, and closing what does not listen",
    ask: `within(async () => { const s = http.createServer().listen(MINE, "127.0.0.1"); await once(s, "listening"); const twice = caught(() => { s.listen(MINE); return "taken"; }); await new Promise((done) => s.close(done)); return [twice, await new Promise((done) => s.close(done))]; })`,
  },
  {
    name: "listening again after closing",
    ask: `[await served((q: any, r: any) => r.end("1"), seen), await served((q: any, r: any) => r.end("2"), seen)]`,
  },
  {
    name: "requests at once",
    ask: `served((q: any, r: any) => setTimeout(() => r.end(q.url), q.url === "/0" ? 100 : 10), async (base) => (await Promise.all([0, 1, 2, 3, 4].map((n) => seen(base + "/" + n)))).map((a: any) => a[3]))`,
  },
  {
    name: "closing in a handler",
    ask: `within(() => new Promise((done) => { const s = http.createServer((q: any, r: any) => { r.end("bye"); s.close(() => done("closed")); }); s.listen(MINE, "127.0.0.1", () => { seen("http://127.0.0.1:" + MINE, { headers: { connection: "close" } }).catch(() => {}); }); }))`,
  },
];

const net = {
  connect: [`127.0.0.1:${SITE}`, `127.0.0.1:${NOBODY}`, `127.0.0.1:${MINE}`],
  listen: [`127.0.0.1:${MINE}`, `127.0.0.1:${SITE}`],
};
besideNode("the client of node:http", { top: TOP, powers: { net }, questions: CLIENT });
besideNode("the server of node:http", { top: TOP, powers: { net }, questions: SERVER });
