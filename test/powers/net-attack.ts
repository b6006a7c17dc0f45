import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished } from "vitest";
import type { NetGrant } from "../../src/powers/net-grant.ts";
import { startFacts } from "../guest/facts.ts";

/** What a hook tries: the body of its handler. `{G}` and `{V}` stand for the ports of the two servers, here and in grants. */
interface Try {
  /** In scope: `http`, `raw` (a direct request to the host), `text` and `echo` of a fetch, and `heard` of http. */
  body: string;
  /** The expected outcome: a matcher or a value. */
  answer?: unknown;
}

/** One way to reach an endpoint without a grant, and the closest request that works. */
export interface NetAttack extends Try {
  name: string;
  grant?: NetGrant;
  /** Requests that the granted server still gets: those before a redirect. None, if left out. */
  asks?: number;
  works: Try & { answer: unknown; grant?: NetGrant };
}

/** The grant of most attacks. */
export const GRANTED: NetGrant = { connect: ["127.0.0.1:{G}"] };
const REFUSED = { code: "NOT_GRANTED" };
export const failing = (code: string) => expect.objectContaining({ code });
export const saying = (text: string) => expect.objectContaining({ threw: expect.stringContaining(text) });

/** A real web server that records each connection, and each request as received. */
export interface Site {
  port: number;
  connections: number;
  requests: { method: string; url: string; headers: string[]; body: string }[];
  /** Connections that are open now. */
  open: number;
}

/** All addresses of this machine. The port is taken at each of them, so that no spelling reaches another server. */
const SELVES = ["127.0.0.1", "127.0.0.2", "::1"];

async function bind(listener: RequestListener, port: number, host: string): Promise<Server | undefined> {
  const server = createServer({ keepAliveTimeout: 60_000 }, listener);
  return new Promise((resolve) => {
    server.once("error", () => resolve(undefined));
    server.listen(port, host, () => resolve(server));
  });
}

export async function site(): Promise<Site> {
  const mine: Site = { port: 0, connections: 0, requests: [], open: 0 };
  for (let attempt = 0; ; attempt++) {
    const servers: Server[] = [];
    let port = 0;
    for (const host of SELVES) {
      const server = await bind((request, response) => void answer(mine, request, response), port, host);
      if (!server) continue;
      servers.push(server);
      port = (server.address() as AddressInfo).port;
      server.on("connection", (socket) => {
        mine.connections++;
        mine.open++;
        socket.on("error", () => {}).on("close", () => void mine.open--);
      });
    }
    onTestFinished(() => {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    });
    // A machine without IPv6 has one address less; otherwise another program has the port there.
    if (servers.length >= SELVES.length - (attempt < 5 ? 0 : 1)) return Object.assign(mine, { port });
  }
}

async function answer(mine: Site, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = "";
  for await (const part of request.setEncoding("latin1")) body += part;
  const { method = "", url = "", rawHeaders } = request;
  mine.requests.push({ method, url, headers: rawHeaders, body });
  const { pathname, searchParams } = new URL(url, "http://site");
  const number = (name: string): number => Number(searchParams.get(name));
  const send = (status: number, headers: Record<string, string | string[]>, content: string | Buffer = ""): void =>
    void response.writeHead(status, headers).end(content);
  if (pathname === "/to") send(number("status"), { location: searchParams.get("where") as string }, "moved");
  // So many redirects more, and then to its target.
  else if (pathname === "/hops" && number("n") > 1)
    send(302, {
      location: `/hops?n=${number("n") - 1}&where=${encodeURIComponent(searchParams.get("where") as string)}`,
    });
  else if (pathname === "/hops") send(302, { location: searchParams.get("where") as string });
  else if (pathname === "/size")
    send(200, { "content-length": searchParams.get("n") as string }, Buffer.alloc(number("n"), "x"));
  else if (pathname === "/chunks") {
    for (let left = number("n"); left > 0; left -= 65_536) response.write(Buffer.alloc(Math.min(left, 65_536), "x"));
    response.end();
  } else if (pathname === "/bomb") send(200, { "content-encoding": "gzip" }, gzipSync(Buffer.alloc(number("n"))));
  else if (pathname === "/endless") {
    const more = (): void => {
      while (!response.destroyed && response.write("x".repeat(65_536)));
    };
    response.on("drain", more);
    more();
  } else if (pathname === "/slow") response.write("a");
  else if (pathname === "/upgrade")
    request.socket.end("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nraw");
  else if (pathname === "/cookie") send(200, { "set-cookie": ["a=1; Path=/", "b=2; Domain=127.0.0.1"] }, "set");
  else if (pathname === "/page")
    send(200, { refresh: `0; url=${searchParams.get("where")}`, "content-type": "text/html" }, "page");
  else send(200, {}, "ok");
}

const SCOPE = `
  const http: any = await import("node:http");
  const raw = (method: string, ...args: any[]): Promise<any> => (globalThis as any)[Symbol.for("cordon.host")].call(method, args);
  const asked = (url: string, more: any = {}) => raw("net.request", { method: "GET", url, headers: [], redirect: "follow", ...more });
  const text = async (url: any, init?: any) => (await fetch(url, init)).text();
  const heard = (...given: any[]) => new Promise<any>((done, fail) => {
    const request = http.request(...given, (response: any) => {
      let body = ""; response.on("data", (part: any) => (body += part)).on("end", () => done(body)).on("error", fail);
    });
    request.on("error", fail); request.end();
  });
`;

/** The cause of a failed fetch explains the failure. */
const shownCause = (body: string): string => `${SCOPE}
  return await (async () => { ${body} })().catch((error: any) => {
    throw error.cause ? Object.assign(new Error(error.message + ": " + error.cause.message), { name: error.name, code: error.cause.code }) : error;
  });`;

/** Number of attacks per hook: its requests and log lines per minute are limited. */
const AT_ONCE = 20;

/** Tries each attack on two new sites: it fails as expected, and the other site hears nothing. Then its neighbour works. */
export async function attemptAll(attacks: readonly NetAttack[]): Promise<void> {
  const [granted, victim] = [await site(), await site()];
  for (let at = 0; at < attacks.length; at += AT_ONCE)
    await attemptSome(attacks.slice(at, at + AT_ONCE), granted, victim);
}

async function attemptSome(attacks: readonly NetAttack[], granted: Site, victim: Site): Promise<void> {
  const placed = (text: string): string =>
    text.replaceAll("{G}", String(granted.port)).replaceAll("{V}", String(victim.port));
  const bodies = new Map<string, Record<string, string>>();
  const add = (grant: NetGrant, name: string, body: string): string => {
    const key = placed(JSON.stringify(grant));
    bodies.set(key, { ...bodies.get(key), [name]: shownCause(placed(body)) });
    return key;
  };
  const plan = attacks.map((attack) => {
    const { name, body, grant = GRANTED, works } = attack;
    return { attack, hook: add(grant, name, body), other: add(works.grant ?? grant, `${name}: works`, works.body) };
  });
  const hooks = new Map<string, Awaited<ReturnType<typeof startFacts>>>();
  for (const [grant, facts] of bodies) {
    const capabilities = { events: { see: ["*"], block: true }, net: JSON.parse(grant) as NetGrant };
    hooks.set(grant, await startFacts(facts, { grant: { capabilities } }));
  }
  const ask = (hook: string, fact: string) =>
    hooks
      .get(hook)
      ?.ask(fact)
      .catch((error: Error) => ({ failed: error.message }));
  const fresh = (): void => {
    for (const one of [granted, victim]) Object.assign(one, { connections: 0, requests: [] });
  };
  const withPorts = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(withPorts) : typeof value === "string" ? placed(value) : value;

  for (const { attack, hook, other } of plan) {
    fresh();
    const answer = await ask(hook, attack.name);
    if (attack.answer === undefined) expect.soft(answer, attack.name).toMatchObject(REFUSED);
    else expect.soft(answer, attack.name).toEqual(withPorts(attack.answer));
    const seen = { victim: victim.connections, requests: granted.requests.length };
    expect.soft(seen, attack.name).toEqual({ victim: 0, requests: attack.asks ?? 0 });
    // A refusal that opened a connection has already revealed that a server listens.
    if (!attack.asks) expect.soft(granted.connections, attack.name).toBe(0);
    const worked = await ask(other, `${attack.name}: works`);
    expect.soft(worked, `${attack.name}: works`).toEqual(withPorts(attack.works.answer));
  }
  for (const { errors } of hooks.values())
    expect.soft(errors.filter(({ code }) => code !== "NOT_GRANTED" && code !== "RATE_LIMITED")).toEqual([]);
}
