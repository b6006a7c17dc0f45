import { setTimeout as pause } from "node:timers/promises";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { readJson } from "../../../sandbox/wire/read-json.ts";
import { messageOf } from "../../base/errors.ts";
import type { Id } from "./message.ts";
import { type LinkListener, MAX_MESSAGE, type ServerLink } from "./server-link.ts";

const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d];

/** Shortest time from one wish for a stream to the next, in ms: a server may end each at once, and say to come back at once. */
const STREAM_MS = 100;

/** An MCP server that is reached over streamable HTTP. */
export class HttpServer implements ServerLink {
  readonly #transport: StreamableHTTPClientTransport;
  readonly #listener: LinkListener;
  #nextStream = 0;

  constructor(url: URL, headers: Readonly<Record<string, string>>, listener: LinkListener) {
    this.#listener = listener;
    this.#transport = new StreamableHTTPClientTransport(url, {
      requestInit: { headers: { ...headers } },
      fetch: async (to, init) => {
        if (init?.method === "GET") await this.#mayStream();
        return bounded(await fetch(to, init), listener);
      },
    });
    this.#transport.onmessage = (message) => listener.message(JSON.stringify(message));
    this.#transport.onerror = (error) => listener.trouble(`${url.origin}: ${reasonOf(error)}`);
    void this.#transport.start();
  }

  send(text: string, id?: Id): void {
    this.#transport.send(readJson(text)).catch((error: unknown) => {
      if (id !== undefined) this.#listener.failed(id, `the MCP server cannot be reached: ${reasonOf(error)}`);
    });
  }

  async #mayStream(): Promise<void> {
    const now = performance.now();
    const begins = Math.max(now, this.#nextStream);
    this.#nextStream = begins + STREAM_MS;
    if (begins > now) await pause(begins - now, undefined, { ref: false });
  }

  agreed(version: string): void {
    this.#transport.setProtocolVersion(version);
  }

  async close(): Promise<void> {
    await this.#transport.terminateSession().catch(() => {});
    await this.#transport.close();
  }
}

/** `fetch` says of each failure that it failed, and its cause why. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  return cause instanceof Error
    ? `${messageOf(error)} (${messageOf(cause) || (cause as NodeJS.ErrnoException).code})`
    : messageOf(error);
}

/** The response, with a limit for each message, and read no faster than the client reads. */
function bounded(response: Response, listener: LinkListener): Response {
  if (!response.body) return response;
  const isStream = /^\s*text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
  const lengthAfter = isStream ? eventLengths() : ofAll();
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    async transform(chunk, controller) {
      await listener.behind;
      if (lengthAfter(chunk) <= MAX_MESSAGE) controller.enqueue(chunk);
      else controller.error(new Error(`the MCP server sent a message of more than ${MAX_MESSAGE} bytes`));
    },
  });
  const { status, statusText, headers } = response;
  const copy = new Response(response.body.pipeThrough(limit), { status, statusText, headers });
  // The SDK looks where a redirect led.
  Object.defineProperty(copy, "url", { value: response.url });
  Object.defineProperty(copy, "redirected", { value: response.redirected });
  return copy;
}

/** Counts the bytes of all chunks. */
function ofAll(): (chunk: Uint8Array) => number {
  let length = 0;
  return (chunk) => {
    length += chunk.length;
    return length;
  };
}

/** Says how long the longest event of a stream is that a chunk has a part of: a line without anything ends one. */
function eventLengths(): (chunk: Uint8Array) => number {
  let length = 0;
  let isEmptyLine = true;
  let before = 0;
  return (chunk) => {
    let longest = 0;
    for (const byte of chunk) {
      length++;
      const isSameEnd = byte === LINE_FEED && before === CARRIAGE_RETURN;
      const isEnd = byte === LINE_FEED || byte === CARRIAGE_RETURN;
      if (isEnd && isEmptyLine && !isSameEnd) {
        longest = Math.max(longest, length);
        length = 0;
      }
      isEmptyLine = isEnd;
      before = byte;
    }
    return Math.max(longest, length);
  };
}
