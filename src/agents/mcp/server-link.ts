import type { Id } from "./message.ts";

/** Longest message that is taken from a server, in bytes: a result with a large image fits. */
export const MAX_MESSAGE = 32 * 1024 * 1024;

/** The connection to an MCP server. */
export interface ServerLink {
  /** `id`: of a request, which is answered with an error if it cannot be sent. */
  send(text: string, id?: Id): void;
  /** The client and the server agreed on this version of the protocol. */
  agreed(version: string): void;
  /** Ends the connection, and the server if Cordon started it. */
  close(): Promise<void>;
}

export interface LinkListener {
  message(text: string): void;
  /** A request did not get there, or what came back is no answer. The reason may have the server's own words. */
  failed(id: Id, reason: string): void;
  /** Something went wrong that no request waits for. */
  trouble(text: string): void;
  /** The server is gone, or sent what cannot be read. */
  closed(reason: string): void;
  /** Set while the client reads more slowly than the server sends: then nothing more is read. */
  readonly behind: Promise<void> | undefined;
}
