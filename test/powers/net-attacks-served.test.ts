import { createServer } from "node:http";
import { networkInterfaces } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { sandboxesOf } from "../sandbox/proc.ts";
import { exchanged, freePort, GET, isOpen, post, startServing, statusOf, wire } from "./net-attack-server.ts";

const ECHO = `(request: any, response: any) => {
  let body = ""; request.setEncoding("utf8").on("data", (part: any) => (body += part)).on("end", () => response.end(String(body.length)));
}`;

const listens = (...place: unknown[]): string =>
  `const server = await started(${ECHO}, ...${JSON.stringify(place)}); return server.address();`;

test("a hook listens only at the granted endpoint, in whatever way it asks", async () => {
  const [port, other] = [await freePort(), await freePort()];
  const places = {
    "another port": [other, "127.0.0.1"],
    "any port": [0, "127.0.0.1"],
    "every address": [port, "0.0.0.0"],
    "every address of IPv6": [port, "::"],
    "every address, written as 0": [port, "0"],
    "this machine in IPv6": [port, "::1"],
    "another address of this machine": [port, "127.0.0.2"],
    "a name": [port, "localhost.localdomain"],
    "a name with a dot": [port, "localhost."],
    "a port of the system's": [80, "127.0.0.1"],
    "an address in an object": [{ port, host: "0.0.0.0" }],
  };
  const works = {
    "no address": [port],
    "an empty address": [port, ""],
    localhost: [port, "localhost"],
    "the address in another spelling": [port, "0x7f.1"],
    "the address inside IPv6": [{ port, host: "::ffff:7f00:1" }],
  };
  const facts = Object.entries({ ...places, ...works }).map(([name, place]) => [name, listens(...place)]);
  const { ask } = await startServing([port], {
    ...Object.fromEntries(facts),
    raw: `return raw("net.listen", "0.0.0.0", ${port});`,
  });
  for (const name of [...Object.keys(places), "raw"]) {
    expect.soft(await ask(name), name).toMatchObject({ code: "NOT_GRANTED" });
    expect
      .soft(await Promise.all([isOpen(port), isOpen(port, "::1"), isOpen(other)]), name)
      .toEqual([false, false, false]);
  }
  for (const [name, body] of facts.slice(Object.keys(places).length)) {
    const hook = await startServing([port], { works: body as string });
    expect.soft(await hook.ask("works"), name).toMatchObject({ address: "127.0.0.1", port });
    await hook.host.close();
  }
});

test("no other machine reaches a hook's server", async () => {
  const port = await freePort();
  const { ask } = await startServing([port], { start: listens(port) });
  await ask("start");
  expect(await isOpen(port)).toBe(true);
  const outer = Object.values(networkInterfaces()).flatMap((all) => all?.filter(({ internal }) => !internal) ?? []);
  for (const { address, scopeid } of outer)
    expect.soft(await isOpen(port, scopeid ? `${address}%${scopeid}` : address), address).toBe(false);
});

test.for(["0.0.0.0:3333", "[::]:3333", "192.168.0.1:3333", "localhost:3333", "*:3333", "127.0.0.1", "127.0.0.1:65536"])(
  "a grant to listen at %s is invalid",
  async (place) => {
    const start = startServing([place], { fact: "return 1;" });
    await expect(start).rejects.toMatchObject({ code: "BAD_GRANT", message: expect.stringContaining(place) });
  },
);

test("a port of another program stays with that program", async () => {
  const server = createServer((_request, response) => response.end("mine")).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await new Promise((listening) => server.on("listening", listening));
  const { port } = server.address() as { port: number };
  const free = await freePort();
  const { ask } = await startServing([port, free], { start: listens(port), works: listens(free) });
  expect(await ask("start")).toMatchObject({ code: "EADDRINUSE" });
  expect(await ask("works")).toMatchObject({ port: free });
  expect(await exchanged(port, GET("/"))).toContain("mine");
});

test("a hook has at most four servers at once, and a fifth after one is closed", async () => {
  const top = `const all = ((globalThis as any).all ??= []);`;
  const { ask } = await startServing(["127.0.0.1:0"], {
    one: `${top} all.push(await started(undefined, 0)); return all.length;`,
    less: `${top} await new Promise((closed) => all.shift().close(closed)); return all.length;`,
  });
  for (let number = 1; number <= 4; number++) expect(await ask("one")).toBe(number);
  expect(await ask("one")).toMatchObject({ code: "RATE_LIMITED" });
  expect(await ask("less")).toBe(3);
  expect(await ask("one")).toBe(4);
});

test("a request of 1 MiB reaches the hook, and one byte more is 413", async () => {
  const port = await freePort();
  const { ask } = await startServing([port], { start: listens(port) });
  await ask("start");
  const MIB = 1024 * 1024;
  expect(await exchanged(port, post(MIB) + "x".repeat(MIB))).toMatch(/^HTTP\/1\.1 200 .*1048576/s);
  expect(statusOf(await exchanged(port, post(MIB + 1) + "x".repeat(MIB + 1)))).toBe(413);
  const chunked = `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`;
  expect(statusOf(await exchanged(port, `${chunked}180000\r\n${"x".repeat(0x180000)}\r\n0\r\n\r\n`))).toBe(413);
});

test("64 requests wait for a hook that takes none, and the next one is 503", async () => {
  const port = await freePort();
  const { ask } = await startServing([port], {
    start: `return raw("net.listen", "127.0.0.1", ${port});`,
    take: `return (await raw("net.accept", 1)).url;`,
  });
  await ask("start");
  const first = await wire(port);
  for (let number = 0; number < 64; number++) first.write(`GET /${number} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await expect.poll(async () => statusOf(await exchanged(port, GET("/more")))).toBe(503);
  expect(await ask("take")).toBe("/0");
  const next = await wire(port);
  next.write(GET("/next"));
  expect(statusOf(await exchanged(port, GET("/more")))).toBe(503);
  expect([first.text(), next.text()]).toEqual(["", ""]);
});

test("a client that never ends its request, and a handler that never answers, do not delay others", async () => {
  const port = await freePort();
  const { ask } = await startServing([port], {
    start: `await started((request: any, response: any) => { if (request.url !== "/never") response.end("answered"); }, ${port});`,
  });
  await ask("start");
  for (let number = 0; number < 20; number++) {
    (await wire(port)).write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
    (await wire(port)).write("GET / HTTP/1.1\r\nHo");
    (await wire(port)).write(GET("/never"));
  }
  expect(await exchanged(port, GET("/"))).toContain("answered");
});

test("a malformed request reaches no hook", async () => {
  const port = await freePort();
  const { ask } = await startServing([port], {
    start: `(globalThis as any).seen = []; await started((request: any, response: any) => { (globalThis as any).seen.push(request.method + request.url); response.end(); }, ${port});`,
    seen: `return (globalThis as any).seen;`,
  });
  await ask("start");
  const smuggled =
    "\r\nContent-Length: 30\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
  expect(statusOf(await exchanged(port, `POST /a HTTP/1.1\r\nHost: x${smuggled}`))).toBe(400);
  expect(statusOf(await exchanged(port, "GET / HTTP/1.1\r\n\r\n"))).toBe(400);
  expect(statusOf(await exchanged(port, `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${"y".repeat(20_000)}\r\n\r\n`))).toBe(431);
  expect(statusOf(await exchanged(port, GET("/well")))).toBe(200);
  expect(await ask("seen")).toEqual(["GET/well"]);
});

const DEATHS: Record<string, (hook: Awaited<ReturnType<typeof startServing>>) => unknown> = {
  "the sandbox is killed": () => {
    for (const pid of sandboxesOf()) process.kill(pid, "SIGKILL");
  },
  "the host is closed": ({ host }) => host.close(),
  "the hook is loaded anew": ({ host }) => host.reload("teller"),
  "the hook breaks its limits": ({ ask }) => ask("burn").catch(() => {}),
};

test.for(Object.keys(DEATHS))("when %s its port is closed, and clients do not wait", async (how) => {
  const port = await freePort();
  const facts = {
    start: `await started((request: any, response: any) => { if (request.url === "/ok") response.end(); }, ${port});`,
    burn: "for (;;);",
  };
  const hook = await startServing([port], facts, { limits: { cpuMs: 500 } });
  await hook.ask("start");
  expect(statusOf(await exchanged(port, GET("/ok")))).toBe(200);
  const waiting = await wire(port);
  waiting.write(GET("/never"));
  await DEATHS[how]?.(hook);
  expect(statusOf(await waiting.ended)).toBeNaN();
  await expect.poll(() => isOpen(port), { timeout: 20_000 }).toBe(false);
});
