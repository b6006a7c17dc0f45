import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { commandAgent } from "../agents/command/index.ts";
import type { Reply } from "../agents/command/spoken.ts";
import { type Entry, HEADERS, MAX_BODY_BYTES, replyText } from "../base/daemon-wire.ts";
import { messageOf } from "../base/errors.ts";
import { exactText } from "../base/exact-json.ts";
import { cleanText } from "../base/text.ts";
import { PROTOCOL } from "../disk/daemon-places.ts";

/** One event of an agent, as a shim passed it on. */
export interface Request extends Entry {
  cwd: string;
  parent: number;
  /** Variables of the session; undefined if the shim did not send them. */
  env: NodeJS.ProcessEnv | undefined;
  /** What the agent wrote. */
  text: string;
  /** Aborted when the agent waits no more. */
  signal: AbortSignal;
}

/** What the daemon does for others. */
export interface Services {
  /** Never rejects. `undefined`: it needs the variables of the session. */
  event(request: Request): Promise<Reply | undefined>;
  /** Of commands: `status`, `questions`, `answer`, `stop`. Throws for what it does not know. */
  command(name: string, body: unknown): unknown;
}

const MAX_REASON = 8000;
const LOOK_AT_PARENT_MS = 500;

/** Longest wait that an agent can have, in ms. */
const MAX_WAIT_MS = 24 * 60 * 60_000;

/** Time before the agent's own end of waiting in which a call is refused, so that the refusal arrives. */
const AHEAD_MS = 2000;

/** Of what decides nothing any text is taken: a tool could keep its result from those that guard it. */
const lenient = new TextDecoder();

/** Serves shims and commands. It never answers with anything but a whole reply: a shim takes all else for a failure. */
export function serverFor(services: Services): Server {
  return createServer({ maxHeaderSize: 64 * 1024, requestTimeout: 30_000 }, (request, response) => {
    void respond(services, request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(400, { "content-type": "text/plain" });
      response.end(cleanText(messageOf(error), MAX_REASON));
    });
  });
}

async function respond(services: Services, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, protocol, what = "", ...rest] = (request.url ?? "").split("/").map(decodeURIComponent);
  if (request.method !== "POST" || protocol !== String(PROTOCOL))
    throw new Error(`this daemon speaks version ${PROTOCOL}; run: cordon daemon stop`);
  const body = await bodyOf(request);
  if (what !== "hook") {
    const answer = await services.command(what, body.length === 0 ? undefined : readJson(body.toString("utf8")));
    send(response, 200, `${JSON.stringify(answer ?? null)}\n`);
    return;
  }
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const event = eventOf(request, rest, body, gone.signal);
  // An agent that gave the call up may leave its command behind, which goes on waiting.
  const isSeen = isThere(event.parent);
  const watch = setInterval(() => isSeen && !isThere(event.parent) && gone.abort(), LOOK_AT_PARENT_MS);
  try {
    const reply = await services.event(event);
    if (reply) send(response, 200, replyText(reply));
    else send(response, 428, "the variables of the session are wanted");
  } finally {
    clearInterval(watch);
  }
}

/** False also for a process of another container, which cannot be seen from here. */
function isThere(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function send(response: ServerResponse, status: number, text: string): void {
  const bytes = Buffer.from(text);
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", "content-length": bytes.length });
  response.end(bytes);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > MAX_BODY_BYTES) throw new Error(`an event of more than ${MAX_BODY_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function eventOf(
  { headers }: IncomingMessage,
  [agent = "", kind, event = ""]: string[],
  body: Buffer,
  gone: AbortSignal,
) {
  if (!commandAgent(agent)) throw new Error(`there is no agent ${agent}`);
  if (kind !== "gate" && kind !== "note") throw new Error("an event is of a gate or of a note");
  const header = (name: string): string => String(headers[name] ?? "");
  const wait = Math.min(Number(header(HEADERS.wait)) || 0, MAX_WAIT_MS);
  const bytes = Number(header(HEADERS.environment)) || 0;
  if (!Number.isSafeInteger(bytes) || bytes < 0 || bytes > body.length) throw new Error("the variables are cut off");
  const request: Request = {
    agent,
    kind,
    event,
    cwd: decodeURIComponent(header(HEADERS.cwd)),
    parent: Number(header(HEADERS.parent)) || 0,
    env: bytes === 0 ? undefined : variablesIn(body.subarray(0, bytes).toString("utf8")),
    text: kind === "gate" ? exactText(body.subarray(bytes)) : lenient.decode(body.subarray(bytes)),
    signal: AbortSignal.any([gone, AbortSignal.timeout(Math.max(0, wait - AHEAD_MS))]),
  };
  return request;
}

function variablesIn(text: string): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = Object.create(null);
  for (const [name, value] of Object.entries(readJson(text))) if (typeof value === "string") env[name] = value;
  return env;
}
