import { createServer, type RequestListener } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { Connections } from "../../src/powers/net-connections.ts";
import { type Asked, exchange } from "../../src/powers/net-exchange.ts";
import { sampled } from "../support/length.ts";
import { forThisTest, tcpPeer } from "./net-peers.ts";
import { place, start } from "./net-socket-facts.ts";

/** A web server, and its connections: how many there are, and were at most. */
async function site(answer: RequestListener) {
  const seen = { port: 0, open: 0, most: 0, asked: 0 };
  const server = createServer((request, response) => {
    seen.asked++;
    answer(request, response);
  });
  server.on("connection", (socket) => {
    seen.most = Math.max(seen.most, ++seen.open);
    socket.on("error", () => {}).on("close", () => seen.open--);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  seen.port = (server.address() as AddressInfo).port;
  return seen;
}

const MEGABYTES = Buffer.alloc(2 * 1024 * 1024, "a");
const whole: RequestListener = (_request, response) =>
  void setTimeout(() => response.writeHead(200, { "content-length": 5 }).end("whole"), 30);
/** Says not how long it is, and does not end its connection. */
const inParts: RequestListener = (_request, response) => {
  response.setHeader("transfer-encoding", "chunked");
  response.write("wh");
  setTimeout(() => response.end("ole"), 30);
};

const HTTP = `const http = require("node:http"); const get = (url) => new Promise((done, fail) => { http.get(url, (r) => { let text = ""; r.on("data", (d) => { text += d; }); r.on("end", () => done(text)); }).on("error", fail); });`;
const TWENTY: readonly [name: string, answer: RequestListener, body: string][] = [
  ["fetch", whole, "return Promise.all(all.map(() => fetch(URL).then((r) => r.text())));"],
  ["fetch of chunks", inParts, "return Promise.all(all.map(() => fetch(URL).then((r) => r.text())));"],
  [
    "fetch of chunks, read when all are there",
    inParts,
    "const got = await Promise.all(all.map(() => fetch(URL))); return Promise.all(got.map((r) => r.text()));",
  ],
  ["http", whole, `${HTTP} return Promise.all(all.map(() => get(URL)));`],
];
test.each(TWENTY)(
  "of twenty requests at once eight are open, and all are answered: %s",
  async (_name, answer, body) => {
    const seen = await site(answer);
    const url = JSON.stringify(`http://${place(seen.port)}/`);
    const { ask } = await start(
      { connect: [place(seen.port)] },
      { twenty: `const URL = ${url}; const all = Array.from({ length: 20 }); ${body}` },
    );
    expect(await ask("twenty")).toEqual(Array(20).fill("whole"));
    expect([seen.asked, seen.most]).toEqual([20, 8]);
    await expect.poll(() => seen.open).toBe(0);
  },
);

test("requests and sockets share the eight places: a socket is refused, and a request waits", async () => {
  const peer = await forThisTest(tcpPeer(() => {}));
  const silent = await site(() => {});
  const { ask } = await start(
    { connect: [place(peer.port), place(silent.port)] },
    {
      full: `globalThis.stop = new AbortController(); globalThis.asked = Array.from({ length: 8 }, () => fetch("http://${place(silent.port)}/", { signal: globalThis.stop.signal }).catch((e) => e.name)); await new Promise((r) => setTimeout(r, 300)); return [await told(net.connect(${peer.port}, "127.0.0.1")), await web("ws://${place(peer.port)}/")];`,
      free: `globalThis.stop.abort(); await Promise.all(globalThis.asked); await new Promise((r) => setTimeout(r, 100)); return told(net.connect(${peer.port}, "127.0.0.1"));`,
      sockets: `globalThis.all = Array.from({ length: 8 }, () => net.connect(${peer.port}, "127.0.0.1")); await Promise.all(globalThis.all.map((s) => new Promise((done) => s.on("connect", done)))); globalThis.waiting = fetch("http://${place(silent.port)}/").catch(() => {}); await new Promise((r) => setTimeout(r, 300)); return 1;`,
      turn: `globalThis.all[0].destroy(); await new Promise((r) => setTimeout(r, 300)); return 1;`,
    },
  );
  expect(await ask("full")).toMatchObject([{ code: "RATE_LIMITED" }, { code: 1006 }]);
  await expect.poll(() => silent.open).toBe(8);
  expect(await ask("free")).toBe("connected");
  await expect.poll(() => silent.open).toBe(0);
  await ask("sockets");
  expect(silent.open).toBe(0);
  await ask("turn");
  expect(silent.open).toBe(1);
});

const SILENT = (port: number): string =>
  `globalThis.stop = new AbortController(); globalThis.all = Array.from({ length: 30 }, () => fetch("http://${place(port)}/", { signal: globalThis.stop.signal }).catch(() => {})); await new Promise((r) => setTimeout(r, 300)); return 1;`;

test.each(["aborted", "revoked", "gone"])("nothing of requests goes on that are %s", async (how) => {
  const silent = await site(() => {});
  const { ask, host } = await start(
    { connect: [place(silent.port)] },
    { begin: SILENT(silent.port), aborted: "globalThis.stop.abort(); return 1;" },
  );
  await ask("begin");
  expect(silent.open).toBe(8);
  if (how === "aborted") await ask("aborted");
  else if (how === "revoked") host.grants.revoke("teller", "net");
  else await host.close();
  // Requests are aborted one after the other: a place that is free for a moment may be taken by one whose turn comes.
  const most = how === "aborted" ? 30 : 8;
  await delay(300);
  expect(silent.open).toBe(0);
  const { asked } = silent;
  expect(asked).toBeLessThanOrEqual(most);
  await delay(300);
  expect([silent.open, silent.asked]).toEqual([0, asked]);
});

const asked = (port: number, more: Partial<Asked> = {}, scheme = "http"): Asked => ({
  method: "GET",
  url: `${scheme}://${place(port)}/`,
  headers: [],
  redirect: "follow",
  ...more,
});
const ask = (about: Asked, connections = new Connections(), mostMs = 60_000) =>
  exchange(about, { connect: [new URL(about.url).host] }, new AbortController().signal, connections, { mostMs });

test("what all requests of a hook take, and what they send, is two megabytes a second", async () => {
  const taken = await site((_request, response) =>
    response.writeHead(200, { "content-length": MEGABYTES.length }).end(MEGABYTES),
  );
  const connections = new Connections();
  const took = performance.now();
  await Promise.all(Array.from({ length: 4 }, () => ask(asked(taken.port), connections)));
  expect(performance.now() - took).toBeGreaterThan(3500);
  const given = await site((request, response) => void request.resume().on("end", () => response.end()));
  const sent = performance.now();
  const body: Asked["body"] = ["utf8", String(MEGABYTES.subarray(0, 1_000_000))];
  await Promise.all(Array.from({ length: 4 }, () => ask(asked(given.port, { method: "POST", body }), connections)));
  expect(performance.now() - sent).toBeGreaterThan(1400);
});

const informing = (count: number) =>
  tcpPeer((socket: Socket) => {
    socket.once("data", () => {
      socket.write("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".repeat(count));
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    });
  });
test("twenty informational answers may come before an answer, and one more is an error", async () => {
  const [few, many, endless] = await Promise.all([20, 21, 20_000].map((count) => forThisTest(informing(count))));
  expect(await ask(asked(few?.port ?? 0))).toMatchObject({ status: 200, body: ["utf8", "ok"] });
  for (const peer of [many, endless])
    await expect(ask(asked(peer?.port ?? 0))).rejects.toMatchObject({
      code: "ERR_TOO_MANY_INFORMATIONAL",
      message: "more than 20 informational answers",
    });
  for (const peer of [few, many, endless]) await expect.poll(() => peer?.left()).toBe(0);
});

test("a connection that does not come about in ten seconds is given up", async () => {
  const peer = await forThisTest(tcpPeer(() => {}));
  await expect(ask(asked(peer.port, {}, "https"))).rejects.toMatchObject({
    code: "ETIMEDOUT",
    message: "no connection within 10 s",
  });
  await expect.poll(() => peer.left()).toBe(0);
});

/** Peers that keep their side open after what they said. */
const STAYING: readonly [name: string, answer: string, more: Partial<Asked>][] = [
  ["a whole answer", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", {}],
  ["no body", "HTTP/1.1 204 No\r\n\r\n", {}],
  ["a redirect", "HTTP/1.1 302 x\r\nLocation: /\r\n\r\n", { redirect: "error" }],
  ["a redirect to no URL", "HTTP/1.1 302 x\r\nLocation: http://[\r\nContent-Length: 9\r\n\r\n", {}],
  ["a redirect elsewhere", "HTTP/1.1 302 x\r\nLocation: http://127.0.0.1:1/\r\n\r\n", {}],
  ["too long a body", "HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n", { method: "POST" }],
  ["another protocol", "HTTP/1.1 101 x\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", {}],
  ["no HTTP", "220 mail\r\n\r\n", {}],
];
test.each(sampled(STAYING, 2))("no connection stays after %s", async (_name, answer, more) => {
  const peer = await forThisTest(
    tcpPeer((socket) => {
      socket.on("error", () => {}).once("data", () => socket.write(answer));
    }),
  );
  await ask(asked(peer.port, more), new Connections(), 500).catch(() => {});
  await expect.poll(() => peer.left(), { timeout: 5000 }).toBe(0);
});

test("no connection stays to a peer that answers, and takes no more of the request", async () => {
  const sockets = (): number => process.getActiveResourcesInfo().filter((one) => one === "TCPSocketWrap").length;
  const before = sockets();
  const peer = await forThisTest(
    tcpPeer((socket) => {
      socket.once("data", () => {
        socket.pause();
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      });
    }),
  );
  const body: Asked["body"] = ["utf8", "a".repeat(20_000_000)];
  expect(await ask(asked(peer.port, { method: "POST", body }))).toMatchObject({ status: 200 });
  // The peer's own end.
  await expect.poll(() => sockets() - before).toBe(1);
});
