import { createServer, connect as dial, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { HookHostOptions } from "../../src/session/options.ts";
import { startFacts } from "../guest/facts.ts";

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as { port: number };
  await new Promise((closed) => server.close(closed));
  return port;
}

/** A connection that is written to and read as text. */
export interface Wire {
  socket: Socket;
  /** Everything received so far. */
  text(): string;
  write(text: string): void;
  /** Everything until the other side ends the connection, or the code of the error. */
  ended: Promise<string>;
}

export function wire(port: number, host = "127.0.0.1"): Promise<Wire> {
  return new Promise((resolve, reject) => {
    const socket = dial({ port, host });
    onTestFinished(() => void socket.destroy());
    let text = "";
    const ended = new Promise<string>((done) => {
      socket.on("error", (error: NodeJS.ErrnoException) => done(text || String(error.code)));
      socket.on("close", () => done(text));
    });
    socket.on("error", reject).on("data", (part) => {
      text += part.toString("latin1");
    });
    socket.once("connect", () =>
      resolve({ socket, text: () => text, write: (more) => void socket.write(more, "latin1"), ended }),
    );
  });
}

/** Sends one request unchanged, and returns the whole answer. */
export async function exchanged(port: number, request: string): Promise<string> {
  const { write, ended } = await wire(port);
  write(request);
  return ended;
}

export const GET = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
export const post = (length: number): string =>
  `POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`;

/** The status code of an answer. */
export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);

/** True if a server listens there. */
export const isOpen = (port: number, host?: string): Promise<boolean> =>
  wire(port, host).then(
    ({ socket }) => {
      socket.destroy();
      return true;
    },
    () => false,
  );

const SCOPE = `
  const http: any = await import("node:http");
  const raw = (method: string, ...args: any[]): Promise<any> => (globalThis as any)[Symbol.for("cordon.host")].call(method, args);
  const started = (handler: any, ...place: any[]) => new Promise<any>((done, fail) => {
    const server = http.createServer(handler);
    server.on("error", fail).listen(...place, () => done(server));
  });
`;

/** A hook that may listen at these endpoints, and knows these facts. */
export function startServing(
  listen: readonly (number | string)[],
  facts: Record<string, string>,
  { limits = {}, ...options }: Partial<HookHostOptions> & { limits?: { cpuMs?: number } } = {},
) {
  const places = listen.map((one) => (typeof one === "number" ? `127.0.0.1:${one}` : one));
  const capabilities = { events: { see: ["*"], block: true }, net: { listen: places } };
  const scoped = Object.entries(facts).map(([name, body]) => [name, SCOPE + body]);
  return startFacts(Object.fromEntries(scoped), { grant: { capabilities, limits }, ...options });
}
