import { type IncomingMessage, request as send } from "node:http";
import type { HttpAnswer, WireBytes } from "../../sandbox/wire/answers.ts";
import type { ArgumentsOf } from "../../sandbox/wire/operations.ts";
import { CordonError } from "../base/errors.ts";
import type { Connections } from "./net-connections.ts";
import { within } from "./net-deadline.ts";
import { dial, dialSecurely } from "./net-dial.ts";
import { endpointOf } from "./net-endpoint.ts";
import { type Endpoint, type NetGrant, names, showEndpoint } from "./net-grant.ts";
import { OURS } from "./net-limits.ts";

/** A request as a hook makes it. `bytes`: the answer's body is wanted as bytes, also where it is text. */
export type Asked = ArgumentsOf<"net.request">[0];

/** A whole exchange, from the wait for its turn to its last redirect: as long as a slow model takes to answer. */
const MAX_MS = 120_000;

/** Bytes of an answer: several of them one after the other fit a hook's memory. */
const MAX_BODY_BYTES = 2 * 1024 * 1024;

/** As in fetch's standard. */
const MAX_REDIRECTS = 20;

/** "Still at work", "more will follow" and their kind, before an answer. */
const MAX_INFORMATIONAL = 20;

/** Meant for one endpoint, and not for another that it points to. */
const PERSONAL = new Set(["authorization", "cookie"]);

const METHOD = /^[A-Za-z][A-Za-z-]{0,31}$/;
/** They would make something else of the connection, or show what others added on the way. */
const REFUSED_METHODS = new Set(["CONNECT", "TRACE", "TRACK"]);

interface How {
  /** For all of it together, to the end of the body, or to its beginning if that is kept. */
  mostMs?: number;
  /** Takes a body that arrives little by little, and resolves with the number that its parts are asked for by. */
  keep?: (body: IncomingMessage) => number;
  /** Hears of each endpoint that a redirect leads to, before it is asked. What it throws ends the exchange. */
  onRedirect?: (method: string, endpoint: Endpoint) => void;
}

/**
 * Asks a web server, and those it points to, as far as the grant names them. Each of its connections is one of the hook's, and
 * what it sends and takes is paced with theirs.
 */
export const exchange = (
  asked: Asked,
  grant: NetGrant,
  given: AbortSignal,
  connections: Connections,
  { mostMs = MAX_MS, keep, onRedirect }: How = {},
): Promise<HttpAnswer> =>
  within(mostMs, given, "no whole answer", (signal) => follow(asked, { grant, signal, connections, keep, onRedirect }));

interface Exchange {
  readonly grant: NetGrant;
  readonly signal: AbortSignal;
  readonly connections: Connections;
  readonly keep: How["keep"];
  readonly onRedirect: How["onRedirect"];
}

async function follow(asked: Asked, about: Exchange): Promise<HttpAnswer> {
  const { grant, keep, onRedirect } = about;
  let now = asked;
  for (let hops = 0; ; hops++) {
    const { url, endpoint } = endpointOf(now.url);
    if (!names(grant.connect, endpoint))
      throw new CordonError("NOT_GRANTED", `a redirect to ${showEndpoint(endpoint)}, which net.connect does not name`);
    if (hops > 0) onRedirect?.(now.method, endpoint);
    const answer = await once(now, url, endpoint, about);
    const next = now.redirect === "manual" ? undefined : redirectOf(answer, now, url);
    url.hash = "";
    if (!next) {
      const isKept = keep !== undefined && isEndless(answer, now.method);
      const got = isKept ? kept(answer, keep) : await whole(answer, now.bytes === true, about);
      return { ...got, url: url.href, redirected: hops > 0 };
    }
    answer.destroy();
    if (now.redirect === "error") throw new TypeError("unexpected redirect");
    if (hops === MAX_REDIRECTS) throw new TypeError("redirect count exceeded");
    now = next;
  }
}

async function once(
  { method, headers, body }: Asked,
  url: URL,
  endpoint: Endpoint,
  { grant, signal, connections }: Exchange,
): Promise<IncomingMessage> {
  const upper = method.toUpperCase();
  if (!METHOD.test(method) || REFUSED_METHODS.has(upper))
    throw new TypeError(`the method ${method.slice(0, 32)} is not offered to hooks`);
  const bytes = body && Buffer.from(body[1], body[0]);
  const sent = headers.filter(([name]) => !OURS.has(name.toLowerCase()));
  const given = new Set(sent.map(([name]) => name.toLowerCase()));
  const own: [string, string][] = [["host", url.host]];
  if (!given.has("accept")) own.push(["accept", "*/*"]);
  // Unless the hook asks for it, no compression: a response could decompress to more than the limit.
  if (!given.has("accept-encoding")) own.push(["accept-encoding", "identity"]);
  if (bytes || ["POST", "PUT", "PATCH"].includes(upper)) own.push(["content-length", String(bytes?.length ?? 0)]);
  own.push(["connection", "close"]);
  if (bytes) await connections.writing.take(bytes.length, signal);
  return new Promise((resolve, reject) => {
    const open = url.protocol === "https:" ? dialSecurely : dial;
    const request = send({
      method: upper,
      path: `${url.pathname}${url.search}`,
      headers: [...sent, ...own].flat(),
      signal,
      // Instead of an agent: nothing is shared, kept open or sent by way of a proxy.
      createConnection: (_options, connected) => {
        const dialled = connections.dialInTurn(signal, (limited) => open(endpoint, grant, limited, connections.lookup));
        dialled.then(
          (socket) => connected(null, socket),
          // Node's type always wants a socket, which there is none of after an error.
          connected as (error: Error) => void,
        );
        return undefined;
      },
    });
    request.on("error", reject);
    request.on("response", (answer) => {
      if (!request.destroyed) resolve(answer);
    });
    let informational = 0;
    request.on("information", () => {
      if (++informational <= MAX_INFORMATIONAL) return;
      const what = `more than ${MAX_INFORMATIONAL} informational answers`;
      request.destroy(Object.assign(new Error(what), { code: "ERR_TOO_MANY_INFORMATIONAL" }));
    });
    // It is no answer to what was asked, and whoever sends it would go on in another protocol.
    request.on("upgrade", (_answer, socket) => {
      socket.destroy();
      reject(Object.assign(new Error("the server changes the protocol"), { code: "ERR_UPGRADE" }));
    });
    // Whatever ends it, it must not be waited for.
    request.on("close", () => reject(Object.assign(new Error("socket hang up"), { code: "ECONNRESET" })));
    request.end(bytes);
  });
}

/** The request that follows a redirect, if the answer is one. */
function redirectOf(answer: IncomingMessage, asked: Asked, from: URL): Asked | undefined {
  const { statusCode = 0 } = answer;
  const { location } = answer.headers;
  if (![301, 302, 303, 307, 308].includes(statusCode) || location === undefined) return undefined;
  const to = URL.parse(location, from.href);
  if (!to) {
    answer.destroy();
    throw new TypeError("a redirect to no URL");
  }
  const upper = asked.method.toUpperCase();
  const reads = (statusCode === 303 && upper !== "GET" && upper !== "HEAD") || (statusCode < 303 && upper === "POST");
  const headers = asked.headers.filter(
    ([name]) =>
      !(to.origin !== from.origin && PERSONAL.has(name.toLowerCase())) &&
      !(reads && name.toLowerCase().startsWith("content-")),
  );
  const { body: _body, ...rest } = asked;
  return { ...(reads ? { ...rest, method: "GET" } : asked), url: to.href, headers };
}

type Got = Omit<HttpAnswer, "url" | "redirected">;

const headOf = (answer: IncomingMessage): Omit<Got, "body"> => ({
  status: answer.statusCode ?? 0,
  statusText: answer.statusMessage ?? "",
  headers: answer.rawHeaders,
});

async function whole(answer: IncomingMessage, asBytes: boolean, { connections, signal }: Exchange): Promise<Got> {
  try {
    const paced = (bytes: number): Promise<void> => connections.reading.take(bytes, signal);
    const bytes = await readAll(answer, MAX_BODY_BYTES, "the answer", paced);
    return { ...headOf(answer), body: asBytes ? ["base64", bytes.toString("base64")] : bodyOf(bytes) };
  } finally {
    // A server that does not take the rest of the request would keep it.
    answer.socket.destroy();
  }
}

/** Its body may come little by little, as nobody said how long it is, or it is longer than what crosses at once. */
function isEndless({ headers, statusCode = 0 }: IncomingMessage, method: string): boolean {
  const length = headers["content-length"];
  const hasBody = method.toUpperCase() !== "HEAD" && statusCode !== 204 && statusCode !== 304;
  return hasBody && (length === undefined || Number(length) > MAX_BODY_BYTES);
}

const kept = (answer: IncomingMessage, keep: NonNullable<How["keep"]>): Got => {
  try {
    return { ...headOf(answer), body: ["utf8", ""], stream: keep(answer) };
  } catch (error) {
    answer.destroy();
    throw error;
  }
};

/** Everything a message carries, if that is not more than `most` bytes. `paced`: waits after each part. */
export async function readAll(
  message: IncomingMessage,
  most: number,
  what: string,
  paced?: (bytes: number) => Promise<void>,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of message as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > most)
      throw Object.assign(new Error(`${what} has more than ${most} bytes`), { code: "ERR_BODY_TOO_LARGE" });
    parts.push(part);
    await paced?.(part.length);
  }
  return Buffer.concat(parts);
}

/** Text crosses as it is where that is what the bytes are, and what JSON makes of it fits a frame. */
function bodyOf(bytes: Buffer): WireBytes {
  const text = bytes.toString("utf8");
  const isText = Buffer.byteLength(text) === bytes.length && Buffer.from(text).equals(bytes);
  return isText && Buffer.byteLength(JSON.stringify(text)) <= MAX_TEXT_BYTES
    ? ["utf8", text]
    : ["base64", bytes.toString("base64")];
}

const MAX_TEXT_BYTES = 7 * 1024 * 1024;
