import { createHash } from "node:crypto";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { sampled } from "../support/length.ts";
import { forThisTest, tcpPeer } from "./net-peers.ts";
import { place, start } from "./net-socket-facts.ts";

const acceptFor = (request: string): string =>
  createHash("sha1")
    .update(`${/sec-websocket-key: (\S+)/i.exec(request)?.[1]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest("base64");

/** Answers the handshake, and never ends the connection itself. */
const says = (answer: (request: string) => string) => (socket: Socket) =>
  void socket.once("data", (part) => void socket.write(answer(String(part))));

const agreeing = (more: string) => (request: string) =>
  `HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${acceptFor(request)}\r\n${more}\r\n`;

/** Refused before anybody is dialled: what the hook asks past its module. */
const ASKED: readonly [name: string, url: string, given: object][] = [
  ["a header's value with a line in it", "ws://{P}/", { protocols: [], headers: [["x-a", "b\r\nc"]] }],
  ["a header's value that is no byte", "ws://{P}/", { protocols: [], headers: [["x-a", "\u0100"]] }],
  ["a header's name with a space", "ws://{P}/", { protocols: [], headers: [["x a", "b"]] }],
  ["an empty header's name", "ws://{P}/", { protocols: [], headers: [["", "b"]] }],
  ["a fragment", "ws://{P}/#x", { protocols: [], headers: [] }],
  ["a protocol that is none", "ws://{P}/", { protocols: ["a b"], headers: [] }],
  ["a protocol twice", "ws://{P}/", { protocols: ["a", "a"], headers: [] }],
];

test.each(ASKED)("a WebSocket that cannot be asked for is not dialled: %s", async (_name, url, given) => {
  let dialled = 0;
  const peer = await forThisTest(tcpPeer(() => void dialled++));
  const { ask } = await start(
    { connect: [place(peer.port)] },
    {
      bad: `return raw("net.websocket", ${JSON.stringify(url.replace("{P}", place(peer.port)))}, ${JSON.stringify(given)}).then(() => "made", (e) => e.message);`,
    },
  );
  expect(await ask("bad")).not.toBe("made");
  expect([dialled, peer.left()]).toEqual([0, 0]);
});

/** Peers that answer, and keep their side open. */
const ANSWERED: readonly [name: string, talk: (socket: Socket) => void, url?: string][] = [
  ["it agrees to nothing", says(() => "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")],
  ["it refuses, with a body without end", says(() => "HTTP/1.1 403 No\r\n\r\nno")],
  ["it redirects", says(() => "HTTP/1.1 302 x\r\nLocation: ws://127.0.0.1:1/\r\n\r\n")],
  ["its redirect is no URL", says(() => "HTTP/1.1 302 x\r\nLocation: http://[\r\n\r\n")],
  ["it agrees to another protocol", says(() => "HTTP/1.1 101 x\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n")],
  ["its key is wrong", says(() => agreeing("")("sec-websocket-key: other"))],
  ["it chooses a subprotocol that nobody offered", says(agreeing("Sec-WebSocket-Protocol: chat\r\n"))],
  ["it takes an extension that nobody offered", says(agreeing("Sec-WebSocket-Extensions: permessage-deflate\r\n"))],
  ["its extensions are none", says(agreeing("Sec-WebSocket-Extensions: ,,;;\r\n"))],
  ["it speaks no HTTP", says(() => "220 mail\r\n\r\n")],
  ["its head has no end", says(() => `HTTP/1.1 101 x\r\nX: ${"a".repeat(100_000)}`)],
  ["it ends at once", (socket) => void socket.end()],
  ["it resets", (socket) => void socket.once("data", () => socket.resetAndDestroy())],
  ["it speaks no TLS", says(() => "HTTP/1.1 400 x\r\n\r\n"), "wss"],
  ["it ends TLS at once", (socket) => void socket.end(), "wss"],
];

test.each(sampled(ANSWERED, 2))(
  "a WebSocket that does not come about leaves no connection: %s",
  async (_name, talk, scheme = "ws") => {
    const peer = await forThisTest(tcpPeer(talk));
    const { ask } = await start(
      { connect: [place(peer.port)] },
      {
        // More than a hook may have at once: what is left behind would keep its place.
        all: `const all = []; for (let at = 0; at < 20; at++) all.push(await raw("net.websocket", "${scheme}://${place(peer.port)}/", { protocols: [], headers: [] }).then(() => "made", (e) => e.code ?? "refused")); return [...new Set(all)];`,
      },
    );
    const told = await ask("all");
    expect(told).not.toContain("made");
    expect(told).not.toContain("RATE_LIMITED");
    await expect.poll(() => peer.left()).toBe(0);
  },
);

/** What happens while a peer is silent. */
const MEANWHILE = `globalThis.all = Array.from({ length: 8 }, () => raw("net.websocket", URL, { protocols: [], headers: [] }).then(() => "made", (e) => e.message)); await new Promise((r) => setTimeout(r, 300)); return 1;`;

test.each(["ws", "wss"])("while it is opened it ends with its grant, and with its hook: %s", async (scheme) => {
  const peer = await forThisTest(tcpPeer(() => {}));
  const facts = {
    begin: MEANWHILE.replace("URL", JSON.stringify(`${scheme}://${place(peer.port)}/`)),
    told: "return Promise.all(globalThis.all);",
  };
  const revoked = await start({ connect: [place(peer.port)] }, facts);
  await revoked.ask("begin");
  await expect.poll(() => peer.open.size).toBe(8);
  revoked.host.grants.revoke("teller", "net");
  expect(await revoked.ask("told")).not.toContain("made");
  await expect.poll(() => peer.left()).toBe(0);
  const closed = await start({ connect: [place(peer.port)] }, facts);
  await closed.ask("begin");
  await expect.poll(() => peer.open.size).toBe(8);
  await closed.host.close();
  await expect.poll(() => peer.left()).toBe(0);
});
