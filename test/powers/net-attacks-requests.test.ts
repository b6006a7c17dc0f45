import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { startFacts } from "../guest/facts.ts";
import { type Site, site } from "./net-attack.ts";

const SCOPE = `
  const http: any = await import("node:http");
  const raw = (method: string, ...args: any[]): Promise<any> => (globalThis as any)[Symbol.for("cordon.host")].call(method, args);
  const within = (promise: Promise<any>, ms = 4000) => Promise.race([
    promise.then((r: any) => "answered " + (r?.status ?? r), (error: any) => /^(Abort|Timeout)/.test(error.name) ? error.name : (error.cause?.code ?? error.cause?.message ?? error.code ?? error.name)),
    new Promise((done) => setTimeout(() => done("never"), ms)),
  ]);
`;

function startAsking(connect: readonly (number | string)[], facts: Record<string, string>) {
  const places = connect.map((one) => (typeof one === "number" ? `127.0.0.1:${one}` : one));
  const capabilities = { events: { see: ["*"], block: true }, net: { connect: places } };
  const scoped = Object.entries(facts).map(([name, body]) => [name, SCOPE + body]);
  return startFacts(Object.fromEntries(scoped), { grant: { capabilities } });
}

/** A server that writes only this text to each client. */
async function speaking(text: string, ends = true): Promise<{ port: number; open(): number }> {
  let open = 0;
  const server = createServer((socket) => {
    open++;
    socket.on("error", () => {}).on("close", () => void open--);
    socket.once("data", () => (ends ? socket.end(text, "latin1") : socket.write(text, "latin1")));
    onTestFinished(() => void socket.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  return { port: (server.address() as { port: number }).port, open: () => open };
}

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/** Invalid responses of a server, and whether it then ends the connection. Each request must end. */
const ODD: { name: string; text: string; stays?: true; answer?: string }[] = [
  { name: "nothing", text: "" },
  { name: "something other than HTTP", text: "SSH-2.0-x\r\n" },
  { name: "half a header", text: "HTTP/1.1 200 OK\r\nContent-Le" },
  { name: "half a body", text: "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nhalf" },
  { name: "half a chunk", text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\nhalf" },
  { name: "two lengths", text: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nokk" },
  { name: "headers of 20 KiB", text: `HTTP/1.1 200 OK\r\nX-A: ${"x".repeat(20_480)}\r\n\r\n`, stays: true },
  {
    name: "another protocol",
    text: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nraw",
  },
  {
    name: "another protocol with an open connection",
    text: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n",
    stays: true,
  },
  { name: "101 without a protocol", text: "HTTP/1.1 101 Switching Protocols\r\n\r\n" },
  { name: "100 and nothing more", text: "HTTP/1.1 100 Continue\r\n\r\n" },
  { name: "an invalid status", text: "HTTP/1.1 999 X\r\nContent-Length: 0\r\n\r\n" },
  { name: "100, and then an answer", text: `HTTP/1.1 100 Continue\r\n\r\n${OK}`, answer: "answered 200" },
  { name: "more data than its length", text: `${OK}${OK}`, stays: true, answer: "answered 200" },
];

test.for(ODD)("a request ends when the server sends $name", async ({ text, stays, answer }) => {
  const there = await speaking(text, !stays);
  const { ask } = await startAsking([there.port], {
    fetch: `return within(fetch("http://127.0.0.1:${there.port}/").then(async (r: any) => (await r.text(), r)));`,
    http: `return within(new Promise((done, fail) => http.get("http://127.0.0.1:${there.port}/", (r: any) => r.resume().on("end", () => done(r.statusCode))).on("error", fail)));`,
  });
  for (const way of ["fetch", "http"]) {
    const told = await ask(way);
    if (answer) expect.soft(told, way).toBe(answer);
    else expect.soft(told, way).toMatch(/^(?!never)/);
  }
  await expect.poll(there.open).toBe(0);
});

/** The last request that a site got, without the headers that every request has. */
const headersAt = ({ requests }: Site): Record<string, string | undefined> => {
  const { headers = [] } = requests.at(-1) ?? {};
  return Object.fromEntries(headers.flatMap((name, at) => (at % 2 ? [] : [[name.toLowerCase(), headers[at + 1]]])));
};

test("a hook's values for the host's own headers are not sent", async () => {
  const there = await site();
  const odd =
    "Connection Content-Length Expect Host Keep-Alive Proxy-Authorization Proxy-Connection TE Trailer Transfer-Encoding Upgrade";
  const headers = [...odd.split(" "), "X-Mine"].map((name) => [name, "odd"]);
  const { ask } = await startAsking([there.port], {
    raw: `await raw("net.request", { method: "POST", url: "http://127.0.0.1:${there.port}/", headers: ${JSON.stringify(headers)}, body: ["utf8", "body"], redirect: "follow" });`,
  });
  await ask("raw");
  expect(headersAt(there)).toEqual({
    accept: "*/*",
    "accept-encoding": "identity",
    connection: "close",
    "content-length": "4",
    host: `127.0.0.1:${there.port}`,
    "x-mine": "odd",
  });
});

/** A redirect from one granted endpoint to another: credentials for the first are not sent to the second. */
test("a redirect does not forward what is meant for one endpoint to another", async () => {
  const [first, second] = [await site(), await site()];
  const places = [first.port, second.port, `localhost:${first.port}`, `127.0.0.2:${first.port}`];
  const secret = { Authorization: "Bearer x", COOKIE: "a=1", "proxy-authorization": "Basic x", "x-mine": "kept" };
  const go = (where: string): string =>
    `return (await fetch("http://127.0.0.1:${first.port}/to?status=307&where=" + encodeURIComponent("${where}"), { method: "POST", body: "b", headers: ${JSON.stringify(secret)} })).status;`;
  const back = `http://127.0.0.1:${second.port}/to?status=307&where=${encodeURIComponent(`http://127.0.0.1:${first.port}/`)}`;
  const { ask } = await startAsking(places, {
    port: go(`http://127.0.0.1:${second.port}/`),
    name: go(`http://localhost:${first.port}/`),
    address: go(`http://127.0.0.2:${first.port}/`),
    back: go(back),
    same: go("/there"),
    spelled: go(`http://127.1:${first.port}/there`),
  });
  for (const [fact, at, keeps] of [
    ["port", second, false],
    ["name", first, false],
    ["address", first, false],
    ["back", first, false],
    ["same", first, true],
    ["spelled", first, true],
  ] as const) {
    expect.soft(await ask(fact), fact).toBe(200);
    const { authorization, cookie, "x-mine": mine, "proxy-authorization": proxy } = headersAt(at);
    expect
      .soft({ authorization, cookie }, fact)
      .toEqual(keeps ? { authorization: "Bearer x", cookie: "a=1" } : { authorization: undefined, cookie: undefined });
    expect.soft([mine, proxy, at.requests.at(-1)?.body], fact).toEqual(["kept", undefined, "b"]);
  }
});

test("a request that its hook aborts ends at the server as well", async () => {
  const there = await site();
  const url = (path: string): string => `"http://127.0.0.1:${there.port}/${path}"`;
  /** It has the head of the answer at once, and waits for the rest. */
  const slow = (signal: string): string =>
    `return within(fetch(${url("slow")}, { signal: ${signal} }).then((answer) => answer.text()));`;
  const { ask } = await startAsking([there.port], {
    timeout: slow("AbortSignal.timeout(200)"),
    abort: `const stop = new AbortController(); setTimeout(() => stop.abort(), 200); ${slow("stop.signal")}`,
    reason: `const stop = new AbortController(); setTimeout(() => stop.abort(new RangeError("mine")), 200); ${slow("stop.signal")}`,
    before: slow("AbortSignal.abort()"),
    destroy: `return within(new Promise((done, fail) => { const r = http.get(${url("slow")}, (answer: any) => answer.on("error", fail).resume()); r.on("error", fail); setTimeout(() => r.destroy(), 200); }));`,
    works: `return within(fetch(${url("")}, { signal: AbortSignal.timeout(30_000) }));`,
  });
  expect(await ask("timeout")).toBe("TimeoutError");
  expect(await ask("abort")).toBe("AbortError");
  expect(await ask("reason")).toBe("RangeError");
  expect(await ask("destroy")).toBe("ECONNRESET");
  expect(there.requests).toHaveLength(4);
  expect(await ask("before")).toBe("AbortError");
  expect(there.requests).toHaveLength(4);
  expect(await ask("works")).toBe("answered 200");
  await expect.poll(() => there.open).toBe(0);
});

/** More than the host accepts: the hook gets an error, and its process survives. */
const EXCESSIVE: Record<string, (url: string) => string> = {
  "a header of more than 32 KiB": (url) => `fetch(${url}, { headers: { "x-a": "x".repeat(32_769) } })`,
  "more than 100 headers": (url) =>
    `fetch(${url}, { headers: Array.from({ length: 101 }, (_, at) => ["x-" + at, "1"]) as any })`,
  "a header's name of more than 256 characters": (url) => `fetch(${url}, { headers: { ["x".repeat(257)]: "1" } })`,
  "a URL of more than 16 KiB": (url) => `fetch(${url} + "?" + "x".repeat(16_384))`,
  "a method of more than 64 characters": (url) => `fetch(${url}, { method: "X".repeat(65) })`,
  "a host's name of more than 64 characters to listen at": () =>
    `new Promise((done, fail) => http.createServer().on("error", fail).listen(0, "x".repeat(65)))`,
};

test.for(Object.keys(EXCESSIVE))("%s is refused, and the hook survives", async (what) => {
  const there = await site();
  const url = JSON.stringify(`http://127.0.0.1:${there.port}/`);
  const { ask, errors } = await startAsking([there.port], {
    over: `return within(${EXCESSIVE[what]?.(url)});`,
    works: `return within(fetch(${url}, { headers: { "x-a": "x".repeat(8000) } }));`,
  });
  expect.soft(await ask("over").catch(String)).not.toMatch(/^answered|^never/);
  expect.soft(errors.filter(({ code }) => code !== "NOT_GRANTED")).toEqual([]);
  expect(await ask("works").catch(String)).toBe("answered 200");
});

test.for([
  ["text", `(await fetch(URL_)).text()`],
  ["bytes", `(await fetch(URL_)).bytes()`],
  [
    "node:http",
    `new Promise((done) => http.get(URL_, (r: any) => { let all = ""; r.on("data", (part: any) => (all += part)).on("end", () => done(all)); }))`,
  ],
] as const)("a hook's memory is enough for six answers of 2 MiB, one after the other, as %s", async ([, ask_]) => {
  const there = await site();
  const url = JSON.stringify(`http://127.0.0.1:${there.port}/size?n=${2 * 1024 * 1024}`);
  const { ask, errors } = await startAsking([there.port], {
    often: `let got = 0; for (let at = 0; at < 6; at++) got += ((await (${ask_.replace("URL_", url)})) as any).length; return got;`,
  });
  expect.soft(await ask("often").catch(String)).toBe(6 * 2 * 1024 * 1024);
  expect(errors).toEqual([]);
});
