/** An MCP server over HTTP says what it likes, in the parts of HTTP beside its messages, too. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { REDACT } from "./mcp-hostile.ts";
import { cordonMcp, RawClient, workplace } from "./mcp-process.ts";

type Answer = (response: ServerResponse, id: unknown) => void;

/** A client of `cordon mcp`, with a hook that redacts, before a server that answers each call so, and each wish for a stream. */
async function before(answer: Answer, stream?: (response: ServerResponse) => void): Promise<RawClient> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    if (request.method !== "POST") return stream ? stream(response) : void response.writeHead(405).end();
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

const TOO_LONG = "the MCP server sent a message of more than 33554432 bytes";

/** Sends this until nobody reads it any more. */
function endless(response: ServerResponse, part: string): void {
  const more = (): void => {
    while (!response.destroyed && response.write(part));
    response.once("drain", more);
  };
  more();
}

// biome-ignore format: a table
const ENDLESS: Record<string, [answer: Answer, said: string]> = {
  "an answer of many lines": [(response) => endless(response.writeHead(200, json), "\n".repeat(100_000)), TOO_LONG],
  "the body of an error": [(response) => endless(response.writeHead(500), "x\n".repeat(50_000)), "Error POSTing to endpoint"],
  "an event of many lines": [(response) => endless(response.writeHead(200, { "content-type": "text/event-stream" }), `data: ${"x".repeat(10_000)}\n`.repeat(10)), TOO_LONG],
};

test.each(Object.keys(ENDLESS))("%s that does not end takes no more memory than one message", async (what) => {
  const [answer, said] = ENDLESS[what] as (typeof ENDLESS)[string];
  const client = await before(answer);
  client.write({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "bash", arguments: {} } });
  await expect.poll(() => client.stderr, { timeout: 20_000 }).toContain(said);
  expect(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${client.process.pid}/status`, "utf8"))?.[1])).toBeLessThan(
    600_000,
  );
});

test("events at the limit pass, however many there are", async () => {
  const text = "x".repeat(12 * 1024 * 1024);
  const client = await before((response, id) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const end of ["\n", "\r\n", "\r"])
      response.write(
        `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"${text}"}}${end}${end}`,
      );
    response.end(
      `data: ${JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "mine" }] } })}\n\n`,
    );
  });
  expect(await client.call(1, "ls")).toBe("mine");
});

test("a server that ends its stream again and again is asked ten times in a second", async () => {
  let count = 0;
  const client = await before(
    (response, id) => response.writeHead(200, json).end(JSON.stringify({ jsonrpc: "2.0", id, result: {} })),
    (response) => {
      count++;
      response.writeHead(200, { "content-type": "text/event-stream" }).end("retry: 0\n\n");
    },
  );
  client.write({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} });
  await client.answerTo(1);
  client.write({ jsonrpc: "2.0", method: "notifications/initialized" });
  await delay(3000);
  expect(count).toBeGreaterThan(1);
  expect(count).toBeLessThan(40);
});
