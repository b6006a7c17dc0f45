import { failing, type NetAttack, saying } from "./net-attack.ts";

const START = "http://127.0.0.1:{G}";
const FAILS = saying("");
const q = (value: unknown): string => JSON.stringify(value);

/** The same header in three ways: by fetch, by node:http, and by a direct request to the host. */
const WAYS: Record<string, (name: string, value: string) => string> = {
  fetch: (name, value) => `return text("${START}/", { headers: [[${q(name)}, ${q(value)}]] });`,
  http: (name, value) => `return heard("${START}/", { headers: { [${q(name)}]: ${q(value)} } });`,
  raw: (name, value) => `return (await asked("${START}/", { headers: [[${q(name)}, ${q(value)}]] })).status;`,
};

const header = (name: string, value: string): NetAttack[] =>
  Object.entries(WAYS).map(([way, write]) => ({
    name: `a header by ${way}: ${q([name, value])}`,
    body: write(name, value),
    answer: FAILS,
    works: { body: write("X-Plain", "a\tb \u00e9"), answer: way === "raw" ? 200 : "ok" },
  }));

/** Headers and methods that would inject more into the message. */
export const injections: NetAttack[] = [
  ...["x\r\nX-Evil: 1", "x\nX-Evil: 1", "x\rX-Evil: 1", "x\0", "x\u010aX-Evil: 1", "x\u560d\u560aX-Evil: 1"].flatMap(
    (value) => header("X-A", value),
  ),
  ...["X-A\r\nX-Evil", "X A", "X-A:", "", "X-\u212a", "\u0000", "X-A "].flatMap((name) => header(name, "1")),
  ...[
    "CONNECT",
    "TRACE",
    "trace",
    "TRACK",
    "GET / HTTP/1.1\r\nX-Evil: 1\r\n\r\nGET",
    "GET ",
    "",
    "G\u010aT",
    "A1",
  ].flatMap((method) => [
    {
      name: `a method by fetch: ${q(method)}`,
      body: `return text("${START}/", { method: ${q(method)} });`,
      answer: FAILS,
      works: { body: `return text("${START}/", { method: "PURGE" });`, answer: "ok" },
    },
    {
      name: `a method in a direct request: ${q(method)}`,
      body: `return (await asked("${START}/", { method: ${q(method)} })).status;`,
      answer: FAILS,
      works: { body: `return (await asked("${START}/", { method: "M-SEARCH" })).status;`, answer: 200 },
    },
  ]),
];

/** Headers of the host's own: a hook's values are not sent. A body may contain a whole request, and stays one body. */
const SMUGGLED = "0\\r\\n\\r\\nGET /smuggled HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n";
const ours = (name: string, headers: [string, string][], body = SMUGGLED): NetAttack => ({
  name,
  body: `return (await asked("${START}/", { method: "POST", body: ["utf8", "${body}"], headers: ${q(headers)} })).status;`,
  answer: 200,
  asks: 1,
  works: {
    body: `return text("${START}/", { method: "POST", body: "plain" });`,
    answer: "ok",
  },
});

export const framing: NetAttack[] = [
  ours("a length that is too short", [["Content-Length", "0"]]),
  ours("a length that is too long", [["content-length", "9999"]]),
  ours("two lengths", [
    ["Content-Length", "1"],
    ["content-length", "2"],
  ]),
  ours("chunks that are none", [["Transfer-Encoding", "chunked"]]),
  ours("chunks and a length", [
    ["Transfer-Encoding", "chunked"],
    ["Content-Length", "0"],
  ]),
  ours("a transfer encoding of its own", [["TRANSFER-ENCODING", "xchunked"]]),
  ours("another host", [["Host", "other.example"]]),
  ours("a connection that is to stay", [
    ["Connection", "keep-alive, x-a"],
    ["Keep-Alive", "timeout=60"],
  ]),
  ours("another protocol", [
    ["Connection", "Upgrade"],
    ["Upgrade", "websocket"],
  ]),
  ours("an answer before the body", [["Expect", "100-continue"]]),
  ours("a password for a proxy", [["Proxy-Authorization", "Basic eDp5"]]),
  ours("trailers", [
    ["Trailer", "X-A"],
    ["TE", "trailers"],
  ]),
  {
    name: "a GET with a body that is a request",
    body: `return (await asked("${START}/", { body: ["utf8", "GET /smuggled HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n"] })).status;`,
    answer: 200,
    asks: 1,
    works: { body: `return (await asked("${START}/")).status;`, answer: 200 },
  },
  {
    name: "a path that contains the rest of a request",
    body: `return heard({ hostname: "127.0.0.1", port: {G}, path: "/ HTTP/1.1\\r\\nX-Evil: 1\\r\\n\\r\\nGET /smuggled" }).catch(() => "refused");`,
    answer: "refused",
    asks: 0,
    works: { body: `return heard({ hostname: "127.0.0.1", port: {G}, path: "/a%0d%0ab" });`, answer: "ok" },
  },
  {
    name: "a path with characters that truncate to line breaks",
    body: `return text("${START}/a\\u010d\\u010aX-Evil:1");`,
    answer: "ok",
    asks: 1,
    works: { body: `return text("${START}/\\u00e9");`, answer: "ok" },
  },
  {
    name: "a cookie of a server",
    body: `await text("${START}/cookie"); return text("${START}/");`,
    answer: "ok",
    asks: 2,
    works: {
      body: `return (await fetch("${START}/cookie")).headers.getSetCookie();`,
      answer: ["a=1; Path=/", "b=2; Domain=127.0.0.1"],
    },
  },
  {
    name: "a cookie of a redirect",
    body: `return text("${START}/hops?n=2&where=/cookie");`,
    answer: "set",
    asks: 3,
    works: { body: `return text("${START}/", { headers: { cookie: "mine=1" } });`, answer: "ok" },
  },
];

/** Sizes: the last one that works, and the first that does not. */
const MIB = 1024 * 1024;
const size = (name: string, body: (n: number) => string, most: number, over: unknown, asks: number): NetAttack => ({
  name,
  body: body(most + 1),
  answer: over,
  asks,
  works: { body: body(most), answer: most },
});
const lengthOf = (path: string) => (n: number) =>
  `return (await (await fetch("${START}/${path}?n=${n}")).arrayBuffer()).byteLength;`;
const TOO_LARGE = failing("ERR_BODY_TOO_LARGE");

export const sizes: NetAttack[] = [
  size("an answer that says how long it is", lengthOf("size"), 2 * MIB, TOO_LARGE, 1),
  size("an answer in chunks", lengthOf("chunks"), 2 * MIB, TOO_LARGE, 1),
  size(
    "an answer to node:http",
    (n) => `return (await heard("${START}/chunks?n=${n}")).length;`,
    2 * MIB,
    TOO_LARGE,
    1,
  ),
  {
    name: "an answer without an end",
    body: `return text("${START}/endless");`,
    answer: TOO_LARGE,
    asks: 1,
    works: { body: `return (await text("${START}/chunks?n=70000")).length;`, answer: 70_000 },
  },
  {
    name: "an answer that would decompress to much more stays compressed",
    body: `const r = await fetch("${START}/bomb?n=${8 * MIB}"); return [r.headers.get("content-encoding"), (await r.arrayBuffer()).byteLength < 20_000];`,
    answer: ["gzip", true],
    asks: 1,
    works: { body: `return (await (await fetch("${START}/bomb?n=10")).bytes())[0];`, answer: 0x1f },
  },
  size(
    "what a hook sends",
    (n) => `await text("${START}/", { method: "POST", body: new Uint8Array(${n}) }); return ${n};`,
    2 * MIB,
    saying("over the limit of"),
    0,
  ),
  size(
    "what a hook writes",
    (n) => `const r = http.request("${START}/", { method: "POST" }); return new Promise((done, fail) => {
      r.on("error", fail).on("response", (m: any) => m.resume().on("end", () => done(${n})));
      for (let left = ${n}; left > 0; left -= 262144) r.write(new Uint8Array(Math.min(left, 262144)));
      r.end();
    });`,
    2 * MIB,
    saying("over the limit of"),
    0,
  ),
  {
    name: "a direct request that is larger than a frame",
    body: `return (await asked("${START}/", { method: "POST", body: ["utf8", "x".repeat(7_600_000)] })).status;`,
    answer: saying("the limit is"),
    works: {
      body: `return (await asked("${START}/", { method: "POST", body: ["utf8", "x".repeat(5_000_000)] })).status;`,
      answer: 200,
    },
  },
];
