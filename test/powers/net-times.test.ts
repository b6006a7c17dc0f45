import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { Connections } from "../../src/powers/net-connections.ts";
import { exchange } from "../../src/powers/net-exchange.ts";
import { HookServer } from "../../src/powers/net-serve.ts";

/** The time limits, short enough for a test. */
const MOST_MS = 300;

async function site(answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const get = (port: number, mostMs: number) =>
  exchange(
    { method: "GET", url: `http://127.0.0.1:${port}/`, headers: [], redirect: "follow" },
    { connect: [`127.0.0.1:${port}`] },
    new AbortController().signal,
    new Connections(),
    { mostMs },
  );

const slow: [name: string, answer: RequestListener][] = [
  ["never answers", () => {}],
  ["never ends its body", (_request, response) => void response.write("a")],
  [
    "sends one byte at a time",
    (_request, response) => {
      const timer = setInterval(() => response.write("a"), 20);
      response.on("close", () => clearInterval(timer));
    },
  ],
  [
    "redirects to itself, slowly",
    (_request, response) => void setTimeout(() => response.writeHead(302, { location: "/" }).end(), 50),
  ],
];

test.each(slow)("a request to a server that %s is aborted, and its connection ended", async (_name, answer) => {
  let closed: () => void = () => {};
  const ended = new Promise<void>((done) => {
    closed = done;
  });
  const port = await site((request, response) => {
    request.socket.on("close", closed);
    answer(request, response);
  });
  await expect(get(port, MOST_MS)).rejects.toMatchObject({ code: "ETIMEDOUT" });
  await ended;
});

test("a server that answers in time is heard", async () => {
  const port = await site((_request, response) => void setTimeout(() => response.end("late"), 100));
  expect(await get(port, 60_000)).toMatchObject({ status: 200, body: ["utf8", "late"] });
});

async function served(mostMs: number) {
  const server = new HookServer(() => {}, mostMs);
  onTestFinished(() => server.close());
  const { port } = await server.listen({ host: "127.0.0.1", port: 0 });
  return { server, port };
}

test("the host answers a request that a hook takes and never answers", async () => {
  const { server, port } = await served(MOST_MS);
  const answered = fetch(`http://127.0.0.1:${port}/`);
  expect(await server.next()).toMatchObject({ id: 1 });
  expect((await answered).status).toBe(504);
});

test("a request that never ends is dropped", async () => {
  const { port } = await served(MOST_MS);
  const client = connect(port, "127.0.0.1");
  client.on("error", () => {});
  client.resume();
  client.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
  await new Promise((done) => client.on("close", done));
});

test("a server that is closed before it listens does not listen", async () => {
  const server = new HookServer(() => {});
  const listening = server.listen({ host: "localhost", port: 0 });
  server.close();
  await expect(listening).rejects.toThrow("the server was closed");
});
