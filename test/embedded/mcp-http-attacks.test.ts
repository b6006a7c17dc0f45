/** An MCP server over HTTP says what it likes, in the parts of HTTP beside its messages, too. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { REDACT } from "./mcp-hostile.ts";
import { cordonMcp, RawClient, workplace } from "./mcp-process.ts";

type Answer = (response: ServerResponse, id: unknown) => void;

/** A client of `cordon mcp`, with a hook that redacts, before a server that answers each call so. */
async function before(answer: Answer): Promise<RawClient> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id } = JSON.parse(Buffer.concat(parts).toString());
    if (id === undefined) response.writeHead(202).end();
    else answer(response, id);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close().closeAllConnections());
  await once(server, "listening");
  const place = workplace({ redact: REDACT });
  const { port } = server.address() as AddressInfo;
  return new RawClient(cordonMcp(place, "--url", `http://127.0.0.1:${port}/mcp`), place);
}

const json = { "content-type": "application/json" };

// biome-ignore format: a table
const FAILURES: Record<string, Answer> = {
  "the body of an error": (response) => response.writeHead(400).end("hunter2"),
  "a message in the body of an error": (response, id) => response.writeHead(500, json).end(JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "hunter2" }] } })),
  "a type of content": (response) => response.writeHead(200, { "content-type": "text/hunter2" }).end("x"),
  "what is no JSON": (response) => response.writeHead(200, json).end("hunter2"),
  "a name in what is no message": (response, id) => response.writeHead(200, json).end(JSON.stringify({ jsonrpc: "2.0", id, result: {}, hunter2: 1 })),
  "where a redirect leads": (response) => response.writeHead(307, { location: "http://hunter2.invalid/" }).end(),
};

test.each(Object.keys(FAILURES))("hooks are shown %s, before the client", async (what) => {
  const client = await before(FAILURES[what] as Answer);
  const read = await client.call(1, "ls");
  expect(read).not.toContain("hunter2");
  expect(read).toContain("***");
});
