import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, createServer as listen, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates, TLSSocket } from "node:tls";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { startFacts } from "../guest/facts.ts";

let identity: { key: Buffer; cert: Buffer };

beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), "cordon-test-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const names = "subjectAltName=DNS:localhost,IP:127.0.0.1";
  const made = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  execFileSync("openssl", ["req", ...made, "-subj", "/CN=localhost", "-addext", names, "-keyout", key, "-out", cert], {
    stdio: "ignore",
  });
  identity = { key: readFileSync(key), cert: readFileSync(cert) };
  rmSync(folder, { recursive: true });
  // Like a person's own settings: the certificates of these servers are checked and trusted.
  setDefaultCACertificates([...getCACertificates("default"), identity.cert.toString()]);
});

interface Seen {
  scheme: string;
  method: string;
  headers: Record<string, string | undefined>;
  /** The whole request, which must not contain a secret anywhere. */
  text: string;
}

interface Site {
  port: number;
  requests: Seen[];
}

/** A site that speaks http and https at one port, so that two of its origins differ only in the scheme. */
async function site(): Promise<Site> {
  const requests: Seen[] = [];
  const sockets = new Set<Socket>();
  const answer: RequestListener = async (request, response) => {
    requests.push(await seen(request));
    const { pathname, searchParams } = new URL(request.url as string, "http://site");
    if (pathname === "/to")
      response.writeHead(Number(searchParams.get("status")), { location: searchParams.get("where") as string });
    response.end("ok");
  };
  const plain = createServer(answer);
  const secure = createSecureServer(identity, answer);
  const door = listen((socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    socket.once("data", (first) => {
      socket.pause();
      socket.unshift(first);
      (first[0] === 0x16 ? secure : plain).emit("connection", socket);
      process.nextTick(() => socket.resume());
    });
  });
  await new Promise<void>((listening) => door.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    door.close();
  });
  return { port: (door.address() as AddressInfo).port, requests };
}

async function seen(request: IncomingMessage): Promise<Seen> {
  let body = "";
  for await (const part of request) body += part;
  const { method = "", url, rawHeaders, socket } = request;
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const scheme = socket instanceof TLSSocket ? "https" : "http";
  return { scheme, method, headers, text: JSON.stringify([method, url, rawHeaders, body]) };
}

const SECRETS = {
  Authorization: "Bearer secret-1",
  COOKIE: "session=secret-2",
  "Proxy-Authorization": "Basic secret-3",
};
const HEADERS = JSON.stringify({ ...SECRETS, "X-Mine": "kept" });
const PAIRS = JSON.stringify(Object.entries({ ...SECRETS, "X-Mine": "kept" }));

const SCOPE = `
  const [http, https]: any[] = [await import("node:http"), await import("node:https")];
  const raw = (method: string, ...args: any[]): Promise<any> => (globalThis as any)[Symbol.for("cordon.host")].call(method, args);
`;

/** Each way of a hook to send headers in a request that follows redirects. The last one bypasses the modules, which use lower case. */
const WAYS: Record<string, (url: string) => string> = {
  "fetch with an object": (url) => `return (await fetch(${url}, { method: "POST", headers: ${HEADERS} })).status;`,
  "fetch with pairs": (url) => `return (await fetch(${url}, { method: "POST", headers: ${PAIRS} })).status;`,
  "fetch with a Request": (url) =>
    `return (await fetch(new Request(${url}, { method: "POST", headers: new Headers(${HEADERS}) }))).status;`,
  "a direct request to the host": (url) =>
    `return (await raw("net.request", { method: "POST", url: ${url}, headers: ${PAIRS}, redirect: "follow" })).status;`,
};

/** Where a redirect leads from `https://127.0.0.1:{A}`, or from where `from` says, and whether that is the same origin. */
const LEADS: { name: string; from?: string; to: string; at: "first" | "second"; keeps?: true }[] = [
  { name: "to the same origin", to: "https://127.0.0.1:{A}/there", at: "first", keeps: true },
  { name: "to the same origin by a path", to: "/there", at: "first", keeps: true },
  { name: "to another port", to: "https://127.0.0.1:{B}/there", at: "second" },
  { name: "to another name of the machine", to: "https://localhost:{A}/there", at: "first" },
  { name: "from https to http of the same host and port", to: "http://127.0.0.1:{A}/there", at: "first" },
  { name: "from https to http of another port", to: "http://127.0.0.1:{B}/there", at: "second" },
  {
    name: "from http to https of the same host and port",
    from: "http",
    to: "https://127.0.0.1:{A}/there",
    at: "first",
  },
  { name: "from http to https of another port", from: "http", to: "https://127.0.0.1:{B}/there", at: "second" },
  {
    name: "to another origin and back",
    to: "https://127.0.0.1:{B}/to?status=307&where=https%3A%2F%2F127.0.0.1%3A{A}%2Fthere",
    at: "first",
  },
];

const STATUSES = [301, 302, 303, 307, 308];

async function twoSites() {
  const [first, second] = [await site(), await site()];
  const placed = (text: string): string =>
    text.replaceAll("{A}", String(first.port)).replaceAll("{B}", String(second.port));
  const connect = [`127.0.0.1:${first.port}`, `localhost:${first.port}`, `127.0.0.1:${second.port}`];
  const start = (facts: Record<string, string>) => {
    const scoped = Object.entries(facts).map(([name, body]) => [name, SCOPE + body]);
    const grant = { capabilities: { events: { see: ["*"], block: true }, net: { connect } } };
    return startFacts(Object.fromEntries(scoped), { grant });
  };
  /** The first request's URL contains a secret as well: no referrer may forward it. */
  const leading = (status: number, to: string, from = "https"): string =>
    `${from}://127.0.0.1:${first.port}/to?status=${status}&token=secret-4&where=${encodeURIComponent(placed(to))}`;
  return { first, second, placed, start, leading };
}

const personal = ({ headers: { authorization, cookie } }: Seen) => ({ authorization, cookie });
const ALL = { authorization: SECRETS.Authorization, cookie: SECRETS.COOKIE };
const NONE = { authorization: undefined, cookie: undefined };

test.for(LEADS)("$name: headers for one origin are treated as in Node's own fetch", async (lead) => {
  const { first, second, placed, start, leading } = await twoSites();
  const facts = STATUSES.flatMap((status) =>
    Object.entries(WAYS).map(([way, body]): [string, string] => [
      `${status} ${way}`,
      body(JSON.stringify(leading(status, lead.to, lead.from))),
    ]),
  );
  const { ask, errors } = await start(Object.fromEntries(facts));
  const sites = { first, second };
  for (const status of STATUSES) {
    const own = await fetch(leading(status, lead.to, lead.from), { method: "POST", headers: JSON.parse(HEADERS) });
    expect.soft(own.status).toBe(200);
    const byNode = sites[lead.at].requests.at(-1) as Seen;
    expect.soft(personal(byNode), `${status} Node`).toEqual(lead.keeps ? ALL : NONE);
    for (const way of Object.keys(WAYS)) {
      const what = `${status} ${way}`;
      for (const one of [first, second]) one.requests.length = 0;
      expect.soft(await ask(what), what).toBe(200);
      const began = first.requests[0] as Seen;
      const ended = sites[lead.at].requests.at(-1) as Seen;
      expect.soft([began.scheme, personal(began)], what).toEqual([lead.from ?? "https", ALL]);
      expect.soft(ended.scheme, what).toBe(new URL(placed(lead.to), "https://x").protocol.slice(0, -1));
      expect.soft(personal(ended), what).toEqual(personal(byNode));
      expect.soft([ended.method, ended.headers["x-mine"]], what).toEqual([byNode.method, "kept"]);
      expect.soft([began, ended].map(({ headers }) => headers["proxy-authorization"])).toEqual([undefined, undefined]);
      const others = [...first.requests, ...second.requests].filter((request) => request !== began);
      if (!lead.keeps) for (const { text } of others) expect.soft(text, what).not.toMatch(/secret/);
      for (const { headers } of others) expect.soft(headers.referer, what).toBeUndefined();
    }
  }
  expect(errors).toEqual([]);
});

test("node:http and node:https follow nothing: no other origin hears of a request", async () => {
  const { first, second, start, leading } = await twoSites();
  const asks = (from: string, to: string, options: string): string => `
    return new Promise<any>((done, fail) => {
      const request = ${from}.request(${JSON.stringify(leading(307, to, from))}, ${options}, (response: any) => {
        response.resume().on("end", () => done([response.statusCode, response.headers.location]));
      });
      request.on("error", fail).end();
    });`;
  const options = { headers: `{ headers: ${HEADERS} }`, auth: '{ auth: "me:secret-5" }' };
  const cases = [
    ["https", "http://127.0.0.1:{A}/there", options.headers, "Bearer secret-1"],
    ["https", "https://127.0.0.1:{B}/there", options.headers, "Bearer secret-1"],
    ["http", "https://127.0.0.1:{B}/there", options.headers, "Bearer secret-1"],
    ["https", "/there", options.headers, "Bearer secret-1"],
    ["https", "http://127.0.0.1:{B}/there", options.auth, `Basic ${btoa("me:secret-5")}`],
  ] as const;
  const { ask } = await start(
    Object.fromEntries(cases.map(([from, to, given], at) => [String(at), asks(from, to, given)])),
  );
  for (const [at, [from, to, , authorization]] of cases.entries()) {
    first.requests.length = 0;
    const where = to.replace("{A}", String(first.port)).replace("{B}", String(second.port));
    expect.soft(await ask(String(at)), to).toEqual([307, where]);
    expect
      .soft(first.requests.map(({ scheme, headers }) => [scheme, headers.authorization]))
      .toEqual([[from, authorization]]);
    expect.soft(second.requests, to).toEqual([]);
  }
});
