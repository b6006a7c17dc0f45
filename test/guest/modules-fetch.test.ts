import { besideNode, type Question } from "./beside-node.ts";
import { freePort, startSite } from "./modules-http-ask.ts";

const [SITE, NOBODY] = [await startSite(), await freePort()];

const TOP = `const SITE = "http://127.0.0.1:${SITE}";
const NOBODY = "http://127.0.0.1:${NOBODY}/";
const echo = async (init?: any, url = SITE + "/echo") => (await fetch(url, init)).json() as any;
const failed = (promise: Promise<any>) => promise.then((v) => ["no error", v], (e: any) => [e.name, e.message, e.cause?.code]);
`;

const HEADERS: Question[] = [
  { name: "names are in lower case and in order", ask: `[...new Headers({ "X-B": "1", "x-a": "2", Accept: "3" })]` },
  {
    name: "pairs, objects and Headers make Headers",
    ask: `[[...new Headers([["a", "1"], ["A", "2"]])], [...new Headers(new Headers({ a: "1" }))], [...new Headers(new Map([["a", "1"]]) as any)], [...new Headers()], [...new Headers(undefined)]]`,
  },
  {
    name: "append joins, set replaces, delete removes",
    ask: `(() => { const h = new Headers({ a: "1" }); h.append("A", "2"); const joined = h.get("a"); h.set("a", "3"); const one = h.get("a"); h.delete("A"); return [joined, one, h.get("a"), h.has("a")]; })()`,
  },
  {
    name: "cookies stay apart",
    ask: `(() => { const h = new Headers(); h.append("set-cookie", "a=1"); h.append("Set-Cookie", "b=2"); return [h.getSetCookie(), h.get("set-cookie"), [...h]]; })()`,
  },
  {
    name: "space around a value is cut off",
    ask: `[new Headers({ a: "  b \\t c\\r\\n" }).get("a"), new Headers({ a: "" }).get("a"), new Headers({ a: " " }).get("a")]`,
  },
  {
    name: "names that are none",
    ask: `["", "a b", "a:", "\\u00e9", "a\\n"].map((n) => caught(() => new Headers([[n, "1"]])))`,
  },
  {
    name: "values that are none",
    ask: `["a\\nb", "a\\0b", "\\u0100", "a\\rb"].map((v) => caught(() => new Headers([["a", v]])))`,
  },
  {
    name: "values that are no text become text",
    ask: `[...new Headers({ a: 1, b: true, c: null, d: undefined, e: ["x", "y"], f: {} } as any)]`,
  },
  {
    name: "pairs that are none",
    ask: `[[["a"]], [["a", "b", "c"]], "text", 5, [1]].map((v: any) => caught(() => [...new Headers(v)]))`,
  },
  {
    name: "keys, values, entries and forEach",
    ask: `(() => { const h = new Headers({ b: "1", a: "2" }); const all: any[] = []; h.forEach((v, k, o) => all.push([v, k, o === h])); return [[...h.keys()], [...h.values()], [...h.entries()], all, Object.prototype.toString.call(h)]; })()`,
  },
];

const REQUESTS: Question[] = [
  {
    name: "what a Request says",
    ask: `(() => { const r = new Request("http://a.example/b?c", { method: "post", body: "x", headers: { "X-A": "1" } }); return [r.method, r.url, r.redirect, r.bodyUsed, [...r.headers], r.signal.aborted]; })()`,
  },
  {
    name: "methods",
    ask: `["get", "Delete", "patch", "PATCH", "purge", "options"].map((method) => new Request("http://a.example", { method }).method)`,
  },
  {
    name: "methods that are none",
    ask: `["", "a b", "G\\n", "CONNECT", "TRACE", "track", "\\u00e9"].map((method) => caught(() => new Request("http://a.example", { method })))`,
  },
  {
    name: "URLs that are none",
    ask: `["", "/relative", "http://", "nothing"].map((url) => caught(() => new Request(url)))`,
  },
  { name: "a URL with credentials", ask: `caught(() => new Request("http://a:b@c.example/"))` },
  {
    name: "a body where none may be",
    ask: `["GET", "HEAD"].map((method) => caught(() => new Request("http://a.example", { method, body: "x" })))`,
  },
  {
    name: "a Request of a Request",
    ask: `(async () => { const first = new Request("http://a.example", { method: "PUT", body: "x", headers: { a: "1" } }); const second = new Request(first, { headers: { b: "2" } }); return [second.method, [...second.headers], await second.text(), first.bodyUsed]; })()`,
  },
  {
    name: "a clone is read by itself",
    ask: `(async () => { const r = new Request("http://a.example", { method: "PUT", body: "x" }); const c = r.clone(); return [await r.text(), r.bodyUsed, c.bodyUsed, await c.text()]; })()`,
  },
  {
    name: "ways to follow redirects",
    ask: `["follow", "manual", "error"].map((redirect: any) => new Request("http://a.example", { redirect }).redirect).concat(caught(() => new Request("http://a.example", { redirect: "x" as any })) as any)`,
  },
  {
    name: "types that bodies have by themselves",
    ask: `["x", new URLSearchParams({ a: "1 2" }), new Uint8Array([1]), new ArrayBuffer(1)].map((body: any) => new Request("http://a.example", { method: "POST", body }).headers.get("content-type"))`,
  },
];

const RESPONSES: Question[] = [
  {
    name: "where an answer is from",
    ask: `(async () => [(await fetch(SITE)).type, (await fetch(SITE + "/echo#b")).url === SITE + "/echo", new Request("http://a.example/b#c").url])()`,
  },
  {
    name: "what a Response says",
    ask: `(() => { const r = new Response("x", { status: 201, statusText: "Made", headers: { a: "1" } }); return [r.status, r.statusText, r.ok, r.type, r.url, r.redirected, r.bodyUsed, [...r.headers]]; })()`,
  },
  {
    name: "statuses",
    ask: `[200, 299, 300, 404, 599].map((status) => new Response(null, { status }).ok).concat([199, 600, 0, 1000].map((status) => caught(() => new Response(null, { status }))) as any)`,
  },
  {
    name: "a body where none may be",
    ask: `[204, 205, 304].map((status) => caught(() => new Response("x", { status })))`,
  },
  { name: "a status text that is none", ask: `caught(() => new Response(null, { statusText: "a\\r\\nb" }))` },
  {
    name: "json",
    ask: `(async () => { const r = Response.json({ a: [1] }, { status: 202 }); return [r.status, r.headers.get("content-type"), await r.json()]; })()`,
  },
  { name: "json of what is no JSON", ask: `[caught(() => Response.json(undefined)), caught(() => Response.json(5n))]` },
  {
    name: "redirect",
    ask: `(() => { const r = Response.redirect("http://a.example/b", 307); return [r.status, r.headers.get("location"), caught(() => Response.redirect("http://a.example", 200)), caught(() => Response.redirect("::"))]; })()`,
  },
  {
    name: "a body is read once",
    ask: `(async () => { const r = new Response("x"); await r.text(); return [r.bodyUsed, await rejected(r.text()), await rejected(r.json()), caught(() => r.clone())]; })()`,
  },
  {
    name: "an empty body is read more than once",
    ask: `(async () => { const r = new Response(); return [r.body, await r.text(), await r.text(), r.bodyUsed]; })()`,
  },
  {
    name: "a body as each of its kinds",
    ask: `(async () => { const of = () => new Response("gr\\u00fc\\u00df"); return [await of().text(), await of().bytes(), (await of().arrayBuffer()).byteLength, await rejected(of().json())]; })()`,
  },
  {
    name: "a byte order mark",
    ask: `(async () => [await new Response("\\ufeffx").text(), await new Response("\\ufeff5").json()])()`,
  },
  { name: "bytes that are no text", ask: `new Response(new Uint8Array([0xff, 0x41, 0xc3])).text()` },
  {
    name: "a body is read piece by piece",
    ask: `(async () => { const parts: any[] = []; for await (const part of new Response("abc").body as any) parts.push(part); const reader = (new Response("abc").body as any).getReader(); return [parts, await reader.read(), await reader.read()]; })()`,
  },
];

const FETCHES: Question[] = [
  {
    name: "what was sent",
    ask: `[await echo(), await echo({ method: "POST", body: "gr\\u00fc\\u00df", headers: { "X-A": "1" } }), await echo({ method: "PUT", body: new Uint8Array([255, 0]) }), await echo({ method: "post", body: new URLSearchParams({ a: "1 2" }) }), await echo({ method: "DELETE" })]`,
  },
  {
    name: "a Request and a URL are fetched",
    ask: `[await echo(undefined, new URL(SITE + "/echo?a#b") as any), await echo(undefined, new Request(SITE + "/echo", { method: "PUT", body: "x", headers: { "x-a": "1" } }) as any), await echo({ headers: { "x-b": "2" } }, new Request(SITE + "/echo", { headers: { "x-a": "1" } }) as any)]`,
  },
  {
    name: "what was answered",
    ask: `(async () => { const r = await fetch(SITE + "/headers"); return [r.status, r.statusText, r.ok, r.url === SITE + "/headers", r.redirected, r.headers.get("x-twice"), r.headers.get("vary"), r.headers.getSetCookie(), r.headers.get("x-latin"), await r.text()]; })()`,
  },
  {
    name: "statuses are answers",
    ask: `Promise.all([201, 204, 304, 400, 404, 500, 503].map(async (status) => { const r = await fetch(SITE + "/status/" + status + "?text=So"); return [r.status, r.statusText, r.ok, await r.text()]; }))`,
  },
  {
    name: "bodies",
    ask: `[await (await fetch(SITE + "/bytes")).bytes(), await (await fetch(SITE + "/text")).text(), await (await fetch(SITE + "/json")).json(), await (await fetch(SITE + "/empty")).text(), await rejected((await fetch(SITE + "/json/bad")).json())]`,
  },
  {
    name: "HEAD has no body",
    ask: `(async () => { const r = await fetch(SITE + "/text", { method: "HEAD" }); return [r.status, await r.text()]; })()`,
  },
  {
    name: "redirects are followed",
    ask: `Promise.all([301, 302, 303, 307, 308].map(async (status) => { const r = await fetch(SITE + "/to/" + status + "?where=/echo", { method: "POST", body: "x", headers: { "x-a": "1" } }); return [r.redirected, r.url === SITE + "/echo", await r.json()]; }))`,
  },
  {
    name: "redirects that are not followed",
    ask: `(async () => { const r = await fetch(SITE + "/to/302?where=/echo", { redirect: "manual" }); return [r.status, r.headers.get("location"), await failed(fetch(SITE + "/to/302?where=/echo", { redirect: "error" })).then(([name, message]: any) => [name, message])]; })()`,
  },
  { name: "nobody answers", ask: `failed(fetch(NOBODY))` },
  {
    name: "the other side is gone",
    ask: `failed(fetch(SITE + "/gone")).then(([name, message]: any) => [name, message])`,
  },
  {
    name: "no URL",
    ask: `[await failed(fetch("/relative")), await failed(fetch("http://")), await failed(fetch(undefined as any))].map(([name, message]: any) => [name, message])`,
  },
  { name: "another scheme", ask: `failed(fetch("ftp://127.0.0.1/")).then(([name, message]: any) => [name, message])` },
  {
    name: "aborted before, meanwhile and by time",
    ask: `[await failed(fetch(SITE, { signal: AbortSignal.abort() })), await failed(fetch(SITE + "/slow", { signal: AbortSignal.timeout(100) }).then((r) => r.text())), await rejected(fetch(SITE, { signal: AbortSignal.abort(new RangeError("mine")) }))]`,
  },
  { name: "a signal that is none", ask: `failed(fetch(SITE, { signal: {} as any })).then(([name]: any) => name)` },
  {
    name: "fetch, Headers, Request and Response are there",
    ask: `[typeof fetch, Headers.name, Request.name, Response.name, new Response().constructor.name, new Response() instanceof Response]`,
  },
];

const connect = [`127.0.0.1:${SITE}`, `127.0.0.1:${NOBODY}`];
const subject = { top: TOP, powers: { net: { connect } } };
besideNode("Headers", { ...subject, questions: HEADERS });
besideNode("Request", { ...subject, questions: REQUESTS });
besideNode("Response", { ...subject, questions: RESPONSES });
besideNode("fetch", { ...subject, questions: FETCHES });
