import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { dial } from "../../src/powers/net-dial.ts";
import { nameServer } from "./net-attack-dns.ts";
import { forThisTest, tcpPeer, webPeer } from "./net-peers.ts";
import { place, start } from "./net-socket-facts.ts";

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
        servers: `return ["createServer", "Server", "SocketAddress"].flatMap((n) => [() => net[n](), () => new net[n]()]).map((act) => { try { act(); } catch (e) { return e.message; } });`,
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

  test("when the peer ends, so does the hook's side", async () => {
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
