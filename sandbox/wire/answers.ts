import type { OperationName } from "./operations.ts";

/** Text, or bytes in base64. */
export type WireBytes = readonly [encoding: "utf8" | "base64", data: string];
/** Names and values. */
export type Headers = readonly (readonly [name: string, value: string])[];

/** The result of a program. `code` is above 128 if a signal ended it. */
export interface ProgramResult {
  stdout: string;
  stderr: string;
  code: number;
  killed: boolean;
  /** Its input was closed from the start: the grant does not let the hook write to it. */
  closed?: boolean;
  /** There is no such program: `ctx.exec` says so by its code and in `stderr`, and `node:child_process` by an error. */
  missing?: boolean;
}

/** A web server's response. `headers`: names and values in turn, as received. */
export interface HttpAnswer {
  /** The connection that its body is read from, which is empty here. */
  stream?: number;
  status: number;
  statusText: string;
  headers: string[];
  url: string;
  redirected: boolean;
  body: WireBytes;
}

/** A TCP connection. */
export interface SocketOpened {
  socket: number;
  remoteAddress: string;
  remotePort: number;
  localAddress: string;
  localPort: number;
}

/** What came in over a connection, and that it ended: as a WebSocket says it, if it is one. */
export interface SocketRead {
  parts: WireBytes[];
  ended?: { code?: number; reason?: string };
}

/** A request to a server of the hook's. */
export interface HttpRequest {
  id: number;
  method: string;
  url: string;
  httpVersion: string;
  headers: string[];
  body: WireBytes;
}

/** What a file or folder is. Times are in ms. */
export interface FileFacts {
  type: string;
  mode: number;
  size: number;
  atimeMs: number;
  mtimeMs: number;
  ctimeMs: number;
  birthtimeMs: number;
  [name: string]: unknown;
}

/** What came of a call of the agent's tool. For one that failed, or was blocked, `isError` is true and the content says why. */
export interface ToolCalled {
  toolCall: { type: "toolCall"; id: string; name: string; arguments: unknown };
  result: { content: unknown[]; details?: unknown };
  isError: boolean;
}

/** An agent of a hook's own. */
export interface AgentMade {
  agent: number;
  sessionId: string;
  systemPrompt: string;
  /** The names of the tools that it has. */
  tools: string[];
  model: unknown;
  thinkingLevel: string;
}

/** What happened in an agent of a hook's own, in order. `count`: of all events up to the last of these. */
export interface AgentHappened {
  events: Record<string, unknown>[];
  count: number;
  /** Why there will be no more. */
  ended?: string;
}

/** The answer to a read of the session: a value, or a part of a list and where the next part begins. */
export type SessionPage = { value: unknown } | { items: unknown[]; next: number | null };

/** What the process of a database said, as JSON of `database.ts`: an answer, or a fault. */
export interface DatabaseSaid {
  readonly fault: boolean;
  readonly text: string;
}

/** Types of answers, for those that are used. */
interface Answers {
  exec: ProgramResult;
  "exec.late": null;
  "exec.write": null;
  "ui.select": string | null;
  "ui.confirm": boolean;
  "ui.input": string | null;
  "ui.editor": string | null;
  "ui.editorText": string;
  "session.query": SessionPage;
  "calls.run": ToolCalled;
  "agents.create": AgentMade;
  "agents.messages": null;
  "agents.conversation": { items: unknown[]; next: number | null };
  "agents.change": Pick<AgentMade, "systemPrompt" | "tools" | "model" | "thinkingLevel">;
  "agents.prompt": { count: number };
  "agents.read": AgentHappened;
  "env.get": string | null;
  "env.names": string[];
  "fs.read": { text: string } | { base64: string };
  "fs.stat": FileFacts;
  "fs.lstat": FileFacts;
  "fs.readlink": string;
  "fs.writable": null;
  "fs.look": string;
  "fs.changed": string;
  "fs.realpath": string;
  "fs.readdir": { name: string; type: string }[];
  /** How many folders were made. */
  "fs.mkdir": number | null;
  /** `path`: of its file, or null. */
  "sqlite.open": { database: number; path: string | null } | DatabaseSaid;
  "sqlite.exec": DatabaseSaid;
  "sqlite.prepare": DatabaseSaid;
  "sqlite.query": DatabaseSaid;
  "sqlite.rows": DatabaseSaid;
  "net.request": HttpAnswer;
  "providers.tell": string | null;
  "net.listen": { server: number; host: string; port: number };
  "net.accept": HttpRequest | null;
  "net.resolve": { address: string; family: number; ttl?: number }[];
  "net.connect": SocketOpened;
  "net.websocket": { socket: number; protocol: string };
  "net.read": SocketRead;
}

export type AnswerOf<Name extends OperationName> = Name extends keyof Answers ? Answers[Name] : unknown;
