import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { readJson } from "../../../sandbox/wire/read-json.ts";
import { messageOf } from "../../base/errors.ts";
import type { Id } from "./message.ts";
import { type LinkListener, MAX_MESSAGE, type ServerLink } from "./server-link.ts";

const NEWLINE = 0x0a;

/** An MCP server that is reached over streamable HTTP. */
export class HttpServer implements ServerLink {
  readonly #transport: StreamableHTTPClientTransport;
  readonly #listener: LinkListener;

  constructor(url: URL, headers: Readonly<Record<string, string>>, listener: LinkListener) {
    this.#listener = listener;
    this.#transport = new StreamableHTTPClientTransport(url, {
      requestInit: { headers: { ...headers } },
      fetch: async (to, init) => bounded(await fetch(to, init), listener),
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

/** The response, with a limit for each line, and read no faster than the client reads. */
function bounded(response: Response, listener: LinkListener): Response {
  if (!response.body) return response;
  let length = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    async transform(chunk, controller) {
      await listener.behind;
      const last = chunk.lastIndexOf(NEWLINE);
      length = last < 0 ? length + chunk.length : chunk.length - last - 1;
      if (length <= MAX_MESSAGE) controller.enqueue(chunk);
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
