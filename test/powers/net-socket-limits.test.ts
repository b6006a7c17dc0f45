import { describe, expect, test } from "vitest";
import { sampled } from "../support/length.ts";
import { forThisTest, tcpPeer, webPeer } from "./net-peers.ts";
import { place, start } from "./net-socket-facts.ts";

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

  const ENDLESS: [name: string, make: () => ReturnType<typeof tcpPeer>][] = [
    ["a peer that accepts and never answers", () => tcpPeer(() => {})],
    [
      "a peer that says its handshake byte by byte",
      () =>
        tcpPeer((socket) => {
          const timer = setInterval(() => socket.write("H"), 500);
          socket.on("close", () => clearInterval(timer));
        }),
    ],
  ];
  test.each(sampled(ENDLESS, 2))("a handshake that never ends is given up: %s", async (_name, make) => {
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
    ["pongs without end", Buffer.alloc(0), repeated([0x8a, 0], 20_000), 1006],
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

  test.each(sampled(FLOODS, 3))("floods of the server cost the agent little: %s", async (_name, first, again, ends) => {
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
