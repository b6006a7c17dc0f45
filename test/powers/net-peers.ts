import { createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";

/** A peer on this machine, and the connections that it has now. */
export interface Peer {
  readonly port: number;
  readonly open: Set<unknown>;
  /** How many there still are, when what they were sent is read: only then their end is seen. */
  left(): number;
  close(): void;
}

/** A TCP server. Its connections are dropped when it is closed. */
export async function tcpPeer(talk: (socket: Socket) => void, host = "127.0.0.1"): Promise<Peer> {
  const open = new Set<Socket>();
  const server: Server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => {}).on("close", () => open.delete(socket));
    talk(socket);
  });
  await new Promise<void>((listening) => server.listen(0, host, listening));
  const close = (): void => {
    for (const socket of open) socket.destroy();
    server.close();
  };
  const left = (): number => {
    for (const socket of open) socket.resume();
    return open.size;
  };
  return { port: (server.address() as { port: number }).port, open, left, close };
}

/** A server of WebSockets, which agrees to the protocol `chat`. */
export async function webPeer(talk: (peer: WebSocket, headers: NodeJS.Dict<string | string[]>) => void): Promise<Peer> {
  const open = new Set<WebSocket>();
  const server = new WebSocketServer({
    host: "127.0.0.1",
    port: 0,
    perMessageDeflate: true,
    handleProtocols: (names) => (names.has("chat") ? "chat" : false),
  });
  server.on("connection", (peer, request) => {
    open.add(peer);
    peer.on("error", () => {}).on("close", () => open.delete(peer));
    talk(peer, request.headers);
  });
  await new Promise((listening) => server.once("listening", listening));
  const close = (): void => {
    for (const peer of open) peer.terminate();
    server.close();
  };
  return { port: (server.address() as { port: number }).port, open, left: () => open.size, close };
}

/** Closes it with the test. */
export async function forThisTest(peer: Promise<Peer>): Promise<Peer> {
  const made = await peer;
  onTestFinished(() => made.close());
  return made;
}
