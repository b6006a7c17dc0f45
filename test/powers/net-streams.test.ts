import { createServer, type IncomingMessage, type RequestListener, request } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { ArrivingBody } from "../../src/powers/net-socket.ts";
import { place, start } from "./net-socket-facts.ts";

/** A server, and how many of its responses nobody has ended. */
async function site(answer: RequestListener) {
  let open = 0;
  const server = createServer((asked, response) => {
    open++;
    response.on("close", () => open--);
    answer(asked, response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, left: () => open };
}

const beginning: RequestListener = (_asked, response) => void response.write("a");

/** Writes for as long as somebody reads. */
const endless: RequestListener = (_asked, response) => {
  const more = (): void => {
    while (!response.destroyed && response.write(Buffer.alloc(65_536)));
  };
  response.on("drain", more);
  more();
};

test("a body that nobody reads gives way to the ninth, and for one that is read the ninth waits", async () => {
  const { port, left } = await site(beginning);
  const { ask } = await start(
    { connect: [place(port)] },
    {
      forgotten: `for (let at = 0; at < 20; at++) await fetch("http://${place(port)}/"); return "all answered";`,
      together: `await new Promise((r) => setTimeout(r, 1500)); const began = Date.now(); await Promise.all(Array.from({ length: 8 }, () => fetch("http://${place(port)}/"))); return Date.now() - began;`,
      read: `globalThis.readers = []; const own = () => fetch("http://${place(port)}/").then(async (r) => { const reader = r.body.getReader(); await reader.read(); readers.push(reader); });
        for (let at = 0; at < 8; at++) await own();
        const ninth = own().then(() => "answered"); const first = await Promise.race([ninth, new Promise((r) => setTimeout(r, 1500, "waits"))]); await readers[0].cancel(); return [first, await ninth];`,
      lost: `await Promise.all(readers.map((reader) => reader.cancel())); const first = await fetch("http://${place(port)}/");
        for (let at = 0; at < 8; at++) await fetch("http://${place(port)}/"); return first.text().then((text) => "read " + text, ({ cause }) => cause.code + " " + cause.message);`,
    },
  );
  expect(await ask("forgotten")).toBe("all answered");
  // Of a body that nothing holds any more, the connection may be closed before.
  await expect.poll(left).toBeLessThanOrEqual(8);
  // Each takes the connection of another.
  expect(await ask("together")).toBeLessThan(900);
  expect(await ask("read")).toEqual(["waits", "answered"]);
  expect(await ask("lost")).toMatch(/^RATE_LIMITED .*was not read/);
});

test("a body of more than 2 MB is refused whole, and read as a stream while the server waits", async () => {
  const { port, left } = await site(endless);
  const { ask } = await start(
    { connect: [place(port)] },
    {
      whole: `return (await fetch("http://${place(port)}/")).text();`,
      parts: `let bytes = 0; for await (const part of (await fetch("http://${place(port)}/")).body) if ((bytes += part.length) > 3_000_000) break; return bytes > 3_000_000;`,
    },
  );
  expect(await ask("whole")).toMatchObject({ code: "ERR_BODY_TOO_LARGE" });
  expect(await ask("parts")).toBe(true);
  await expect.poll(left).toBe(0);
});

test("a body ends with its hook", async () => {
  const { port, left } = await site(beginning);
  const { ask, host } = await start(
    { connect: [place(port)] },
    { open: `(globalThis as any).kept = (await fetch("http://${place(port)}/")).body; return "open";` },
  );
  expect(await ask("open")).toBe("open");
  expect(left()).toBe(1);
  await host.close();
  await expect.poll(left).toBe(0);
});

test("a redirect to a place that was not granted brings no stream", async () => {
  const other = await site(beginning);
  const { port } = await site((_asked, response) =>
    response.writeHead(307, { location: `http://${place(other.port)}/` }).end(),
  );
  const { ask } = await start(
    { connect: [place(port)] },
    { away: `return fetch("http://${place(port)}/").then(() => "answered", (e) => e.code);` },
  );
  expect(await ask("away")).toBe("NOT_GRANTED");
  expect(other.left()).toBe(0);
});

test("a body that says nothing for too long is ended", async () => {
  const { port, left } = await site(beginning);
  const answer = await new Promise<IncomingMessage>((done) => {
    const asked = request({ port, host: "127.0.0.1" }, done);
    asked.on("error", () => {}).end();
  });
  let isClosed = false;
  const body = new ArrivingBody(answer, () => (isClosed = true), 100);
  expect(await body.read()).toEqual({ parts: [["base64", "YQ=="]] });
  await expect(body.read()).rejects.toMatchObject({ code: "ETIMEDOUT" });
  expect(isClosed).toBe(true);
  await expect.poll(left).toBe(0);
});
