import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { dial } from "../../src/powers/net-dial.ts";
import type { NetGrant } from "../../src/powers/net-grant.ts";
import { startFacts } from "../guest/facts.ts";
import { nameServer } from "./net-attack-dns.ts";
import { forThisTest, tcpPeer, webPeer } from "./net-peers.ts";

const SCOPE = `const net = require("node:net");
const raw = (method, ...args) => globalThis[Symbol.for("cordon.host")].call(method, args);
const told = (socket) => new Promise((done) => socket.on("error", (e) => done({ code: e.code, message: e.message })).on("connect", () => { done("connected"); socket.destroy(); }));
const web = (url, p) => new Promise((done) => { const s = new WebSocket(url, p); let why; s.onerror = (e) => { why = e.message; }; s.onclose = ({ code }) => done({ code, why }); s.onopen = () => { done("connected"); s.close(); }; });
const until = async (is, ms = 20000) => { for (const end = Date.now() + ms; Date.now() < end && !is(); ) await new Promise((r) => setTimeout(r, 20)); return is(); };
`;

const start = (net: NetGrant | undefined, facts: Record<string, string>) =>
  startFacts(Object.fromEntries(Object.entries(facts).map(([name, body]) => [name, SCOPE + body])), {
    grant: { capabilities: net ? { net } : {}, limits: { cpuMs: 20_000 } },
  });
const place = (port: number): string => `127.0.0.1:${port}`;
const NOT_GRANTED = expect.objectContaining({ code: "NOT_GRANTED" });
const REFUSED = expect.objectContaining({
  code: 1006,
  why: expect.stringMatching(/not granted|NOT_GRANTED|not on the internet/),
});

describe("places", () => {
  test("a place that was not granted is refused by every name, and never dialled", async () => {
    const granted = await forThisTest(tcpPeer(() => {}));
    let dialled = 0;
    const other = await forThisTest(tcpPeer(() => void dialled++));
    const NAMES = [
      "127.0.0.1",
      "localhost",
      "127.1",
      "0x7f.1",
      "2130706433",
      "::1",
      "::ffff:127.0.0.1",
      "0.0.0.0",
      "127.0.0.2",
      "LOCALHOST",
    ];
    const { ask, audit } = await start(
      { connect: [place(granted.port)] },
      {
        plain: `return Promise.all(${JSON.stringify(NAMES)}.map((host) => told(net.connect(${other.port}, host))));`,
        web: `return Promise.all(${JSON.stringify(NAMES)}.map((host) => web("ws://" + (host.includes(":") ? "[" + host + "]" : host) + ":${other.port}/")));`,
        granted: `return [await told(net.connect(${granted.port}, "127.0.0.1")), await told(net.connect(${granted.port}, "127.1")), await told(net.connect(${granted.port}, "localhost"))];`,
      },
    );
    expect(await ask("plain")).toEqual(NAMES.map(() => NOT_GRANTED));
    expect(await ask("web")).toEqual(NAMES.map(() => REFUSED));
    expect(dialled).toBe(0);
    // A name is granted as a name.
    expect(await ask("granted")).toEqual(["connected", "connected", NOT_GRANTED]);
    expect(audit).toContainEqual(
      expect.objectContaining({
        capability: "net.connect",
        value: `connect ${place(other.port)}`,
        outcome: "NOT_GRANTED",
      }),
    );
  });

  test("a granted name that leads to this machine or its network is not dialled", async () => {
    const peer = await forThisTest(tcpPeer(() => {}));
    const { lookup } = await nameServer([["127.0.0.1"], ["169.254.169.254"], ["10.0.0.1", "::1"]]);
    for (let turn = 0; turn < 3; turn++)
      await expect(
        dial(
          { host: "rebind.example", port: peer.port },
          { connect: [`rebind.example:${peer.port}`] },
          AbortSignal.timeout(5000),
          lookup,
        ),
      ).rejects.toThrow("not on the internet");
    expect(peer.open.size).toBe(0);
  });

  test("hosts that are none, ports that are none, and sockets of files are refused", async () => {
    const { ask } = await start(
      { connect: ["127.0.0.1:1"] },
      {
        hosts: `return Promise.all(["a/b", "a b", "a@b", "a:1", "%00", "a#b", "", "x".repeat(300)].map((h) => raw("net.connect", h, 1).then(() => "made", (e) => e.code ?? e.name)));`,
        ports: `return Promise.all([0, -1, 65536, 1.5, "1"].map((p) => raw("net.connect", "127.0.0.1", p).then(() => "made", (e) => typeof e.message)));`,
        path: `return ["/tmp/x.sock", { path: "/tmp/x.sock" }].map((p) => { try { net.connect(p); } catch (e) { return e.message; } });`,
        servers: `return ["createServer", "Server", "BlockList", "SocketAddress"].map((n) => { try { net[n](); } catch (e) { return e.message; } });`,
        options: `return [{ fd: 3 }, { lookup() {} }, { localAddress: "1.1.1.1" }, { allowHalfOpen: true }].map((o) => { try { new net.Socket(o); } catch (e) { return e.message; } });`,
      },
    );
    expect(await ask("hosts")).not.toContain("made");
    expect(await ask("ports")).toEqual(Array(5).fill("string"));
    for (const [fact, what] of [
      ["path", "path"],
      ["servers", "is not offered"],
      ["options", "is not offered"],
    ] as const)
      for (const message of (await ask(fact)) as string[]) expect(message).toContain(what);
  });

  test("a redirect is not followed, whatever the place that it names", async () => {
    let followed = 0;
    const target = await forThisTest(webPeer(() => void followed++));
    const from = await forThisTest(
      tcpPeer(
        (socket) =>
          void socket.once("data", () =>
            socket.end(`HTTP/1.1 302 Found\r\nLocation: ws://127.0.0.1:${target.port}/\r\n\r\n`),
          ),
      ),
    );
    const { ask } = await start(
      { connect: [place(from.port), place(target.port)] },
      { act: `return web("ws://${place(from.port)}/");` },
    );
    expect(await ask("act")).toEqual({ code: 1006, why: "Unexpected server response: 302" });
    expect(followed).toBe(0);
  });

  test("headers of the handshake itself stay Cordon's, and a URL has no password", async () => {
    const heard: NodeJS.Dict<string | string[]>[] = [];
    const peer = await forThisTest(webPeer((_socket, headers) => void heard.push(headers)));
    const given = {
      "x-mine": "1",
      Host: "evil",
      "Sec-WebSocket-Version": "0",
      Connection: "close",
      Authorization: "Bearer t",
    };
    const { ask } = await start(
      { connect: [place(peer.port)] },
      {
        act: `return web("ws://${place(peer.port)}/", { headers: ${JSON.stringify(given)} });`,
        password: `return web("ws://a:b@${place(peer.port)}/");`,
        lines: `return web("ws://${place(peer.port)}/", { headers: { "x-a": "1\\r\\nx-b: 2" } });`,
      },
    );
    expect(await ask("act")).toBe("connected");
    expect(heard[0]).toMatchObject({
      "x-mine": "1",
      host: place(peer.port),
      authorization: "Bearer t",
      "sec-websocket-version": "13",
    });
    expect(heard[0]?.["sec-websocket-extensions"]).toBeUndefined();
    expect(await ask("password")).toMatchObject({ code: 1006, why: expect.stringContaining("name or password") });
    expect(await ask("lines")).toMatchObject({ code: 1006 });
    expect(heard).toHaveLength(1);
  });
});

describe("limits", () => {
  test("eight connections are open at once, and a ninth is refused until one of them is closed", async () => {
    const peer = await forThisTest(tcpPeer(() => {}));
    const { ask } = await start(
      { connect: [place(peer.port)] },
      {
        eight: `globalThis.all = Array.from({ length: 8 }, () => net.connect(${peer.port}, "127.0.0.1")); await Promise.all(globalThis.all.map((s) => new Promise((done) => s.on("connect", done)))); return globalThis.all.length;`,
        ninth: `return told(net.connect(${peer.port}, "127.0.0.1"));`,
        less: `globalThis.all[0].destroy(); await new Promise((r) => setTimeout(r, 200)); return told(net.connect(${peer.port}, "127.0.0.1"));`,
      },
    );
    expect(await ask("eight")).toBe(8);
    expect(await ask("ninth")).toMatchObject({ code: "RATE_LIMITED" });
    expect(await ask("less")).toBe("connected");
  });

  test.each([
    ["a peer that accepts and never answers", () => tcpPeer(() => {})],
    [
      "a peer that says its handshake byte by byte",
      () =>
        tcpPeer((socket) => {
          const timer = setInterval(() => socket.write("H"), 500);
          socket.on("close", () => clearInterval(timer));
        }),
    ],
  ])("a handshake that never ends is given up: %s", async (_name, make) => {
    const peer = await forThisTest(make());
    const { ask } = await start({ connect: [place(peer.port)] }, { act: `return web("ws://${place(peer.port)}/");` });
    const started = performance.now();
    expect(await ask("act")).toMatchObject({ code: 1006 });
    expect(performance.now() - started).toBeLessThan(13_000);
    await expect.poll(() => peer.left()).toBe(0);
  });

  /** A frame's head that promises a number of bytes. */
  const frame = (opcode: number, bytes: number): Buffer => {
    const head = Buffer.alloc(10);
    head[0] = opcode;
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(bytes), 2);
    return head;
  };
  const ACCEPT = "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ";
  /** A peer that shakes hands, and then says these bytes over and over, as fast as they are taken. */
  const flooding = (first: Buffer, again: Buffer) =>
    tcpPeer((socket) => {
      let text = "";
      socket.on("data", (part) => {
        if (text.includes("\r\n\r\n")) return;
        text += part;
        const key = /sec-websocket-key: (\S+)/i.exec(text)?.[1];
        if (!text.includes("\r\n\r\n") || !key) return;
        const { createHash } = process.getBuiltinModule("node:crypto");
        const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
        socket.write(`${ACCEPT}${accept}\r\n\r\n`);
        socket.write(first);
        const more = (): void => {
          while (!socket.destroyed && again.length > 0 && socket.write(again));
        };
        socket.on("drain", more);
        more();
      });
    });

  const repeated = (bytes: number[], times: number): Buffer =>
    Buffer.from(Array.from({ length: times }, () => bytes).flat());
  const FLOODS: readonly [name: string, first: Buffer, again: Buffer, ends: unknown][] = [
    ["one frame of a gigabyte", frame(0x82, 1e9), Buffer.alloc(65_536), 1006],
    ["messages of a megabyte and a byte", frame(0x82, 1024 * 1024 + 1), Buffer.alloc(65_536), 1006],
    ["one message in fragments without end", Buffer.from([0x02, 1, 1]), repeated([0x00, 1, 1], 20_000), 1006],
    ["empty fragments without end", Buffer.from([0x02, 0]), repeated([0x00, 0], 20_000), expect.anything()],
    ["pings without end", Buffer.alloc(0), repeated([0x89, 0], 20_000), 1006],
    ["tiny messages without end", Buffer.alloc(0), repeated([0x81, 1, 0x61], 20_000), expect.anything()],
    [
      "large messages without end",
      Buffer.alloc(0),
      Buffer.concat([frame(0x82, 500_000), Buffer.alloc(500_000)]),
      expect.anything(),
    ],
    ["frames with wrong bits", Buffer.from([0xff, 0xff]), Buffer.alloc(0), 1006],
  ];

  test.each(FLOODS)("floods of the server cost the agent little: %s", async (_name, first, again, ends) => {
    const peer = await forThisTest(flooding(first, again));
    const { ask, host } = await start(
      { connect: [place(peer.port)] },
      {
        act: `const s = new WebSocket("ws://${place(peer.port)}/"); let count = 0; let code = "open"; s.onmessage = () => count++; s.onclose = (e) => { code = e.code; }; await until(() => code !== "open", 3000); s.close(); return { code, count };`,
        after: "return 5;",
      },
    );
    const before = process.memoryUsage().rss;
    const seen = (await ask("act")) as { code: unknown };
    expect(seen.code).toEqual(ends);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
    await expect.poll(() => peer.left(), { timeout: 5000 }).toBe(0);
    expect(await ask("after")).toBe(5);
    expect(host.hooks[0]?.state).toBe("active");
  });

  test("a TCP peer that floods waits: only what the hook reads is taken", async () => {
    let sent = 0;
    const peer = await forThisTest(
      tcpPeer((socket) => {
        const bytes = Buffer.alloc(65_536);
        const more = (): void => {
          while (!socket.destroyed && socket.write(bytes)) sent += bytes.length;
        };
        socket.on("drain", more);
        more();
      }),
    );
    const { ask } = await start(
      { connect: [place(peer.port)] },
      {
        unread: `globalThis.s = net.connect(${peer.port}, "127.0.0.1"); await new Promise((r) => setTimeout(r, 1500)); return globalThis.s.bytesRead;`,
        read: `globalThis.s.on("data", () => {}); await new Promise((r) => setTimeout(r, 2000)); globalThis.s.destroy(); return globalThis.s.bytesRead;`,
      },
    );
    expect(await ask("unread")).toBeLessThan(200_000);
    expect(sent).toBeLessThan(8_000_000);
    const got = (await ask("read")) as number;
    expect(got).toBeGreaterThan(500_000);
    // Two megabytes a second.
    expect(got).toBeLessThan(6_000_000);
    await expect.poll(() => peer.left()).toBe(0);
  });

  test("a hook that floods waits for its peer, and for the limit", async () => {
    let received = 0;
    const reader = await forThisTest(
      tcpPeer(
        (socket) =>
          void socket.on("data", (part) => {
            received += part.length;
          }),
      ),
    );
    const deaf = await forThisTest(tcpPeer((socket) => void socket.pause()));
    const { ask } = await start(
      { connect: [place(reader.port), place(deaf.port)] },
      {
        flood: `const s = net.connect(${reader.port}, "127.0.0.1"); s.on("error", () => {}); s.write(Buffer.alloc(20000000)); await new Promise((r) => setTimeout(r, 2000)); s.destroy(); return s.bytesWritten;`,
        deaf: `const s = net.connect(${deaf.port}, "127.0.0.1"); s.on("error", () => {}); for (let at = 0; at < 40; at++) s.write(Buffer.alloc(500000)); await new Promise((r) => setTimeout(r, 3000)); const sent = s.bytesWritten; s.destroy(); return sent;`,
        parallel: `const { socket } = await raw("net.connect", "127.0.0.1", ${deaf.port}); const all = await Promise.allSettled(Array.from({ length: 100 }, () => raw("net.write", socket, [["utf8", "x"]], false))); await raw("net.close", socket, {}); return all.filter((one) => one.status === "rejected").map((one) => one.reason.code)[0];`,
        strangers: `return Promise.all([1, 2, 99].map(async (n) => [await raw("net.read", n), await raw("net.write", n, [["utf8", "x"]], false).catch((e) => e.code), await raw("net.close", n, {})]));`,
      },
    );
    expect(await ask("flood")).toBeLessThan(6_000_000);
    expect(received).toBeLessThan(8_000_000);
    expect(await ask("deaf")).toBeLessThan(12_000_000);
    expect(await ask("parallel")).toBe("RATE_LIMITED");
    expect(await ask("strangers")).toEqual([1, 2, 99].map(() => [{ parts: [], ended: {} }, "EPIPE", null]));
    await expect.poll(() => reader.left() + deaf.left()).toBe(0);
  });

  test("the largest message goes out, and one byte more is refused before it is sent", async () => {
    const lengths: number[] = [];
    const peer = await forThisTest(
      webPeer((socket) => void socket.on("message", (data: Buffer) => void lengths.push(data.length))),
    );
    const { ask } = await start(
      { connect: [place(peer.port)] },
      {
        act: `const s = new WebSocket("ws://${place(peer.port)}/"); await new Promise((done) => { s.onopen = done; }); s.send(new Uint8Array(1048576)); let why; try { s.send(new Uint8Array(1048577)); } catch (e) { why = e.message; } await until(() => s.bufferedAmount === 0); s.close(); return why;`,
      },
    );
    expect(await ask("act")).toContain("over the limit of 1048576");
    await expect.poll(() => lengths).toEqual([1_048_576]);
  });
});

describe("the end", () => {
  const KEEP = (port: number): string =>
    `globalThis.s = net.connect(${port}, "127.0.0.1"); await new Promise((done) => globalThis.s.on("connect", done)); return 1;`;

  test("connections end when their power is revoked, and with the host", async () => {
    const peer = await forThisTest(tcpPeer(() => {}));
    const webs = await forThisTest(webPeer(() => {}));
    const { ask, host } = await start(
      { connect: [place(peer.port), place(webs.port)] },
      {
        keep: KEEP(peer.port),
        web: `globalThis.w = new WebSocket("ws://${place(webs.port)}/"); await new Promise((done) => { globalThis.w.onopen = done; }); return 1;`,
      },
    );
    await ask("keep");
    await ask("web");
    expect([peer.open.size, webs.open.size]).toEqual([1, 1]);
    host.grants.revoke("teller", "net");
    await expect.poll(() => peer.left() + webs.open.size).toBe(0);
    const second = await start({ connect: [place(peer.port)] }, { keep: KEEP(peer.port) });
    await second.ask("keep");
    await second.host.close();
    await expect.poll(() => peer.left()).toBe(0);
  });

  test("half-open: when the peer ends, so does the hook's side; one that vanished ends with the hook", async () => {
    const ending = await forThisTest(tcpPeer((socket) => void setTimeout(() => socket.end("bye"), 50)));
    const { ask } = await start(
      { connect: [place(ending.port)] },
      {
        act: `const s = net.connect(${ending.port}, "127.0.0.1"); let text = ""; s.on("data", (d) => { text += d; }); await new Promise((done) => s.on("close", done)); return [text, s.writableEnded, s.destroyed];`,
      },
    );
    expect(await ask("act")).toEqual(["bye", true, true]);
    await delay(100);
    expect(ending.open.size).toBe(0);
  });
});
