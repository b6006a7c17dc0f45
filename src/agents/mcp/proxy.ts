import type { Readable, Writable } from "node:stream";
import { HookBlockedError, messageOf } from "../../base/errors.ts";
import { readLines } from "../../base/lines.ts";
import { cleanLine } from "../../base/text.ts";
import type { HookHost } from "../../host/host.ts";
import type { ConsentHandler } from "../../session/consent.ts";
import type { Call, ToolNameOptions } from "../tool-gates.ts";
import { LineFlow } from "./flow.ts";
import { InOrder } from "./in-order.ts";
import { BadMessage, fromClient, fromServer, type Id, type McpMessage, type Params } from "./message.ts";
import { OWN_ID, Questions, showsForms } from "./questions.ts";
import type { Answer } from "./results.ts";
import { type LinkListener, MAX_MESSAGE, type ServerLink } from "./server-link.ts";
import { failed, ToolCalls } from "./tool-calls.ts";

/** Most complaints on standard error: a server may send nonsense without end. */
const MAX_LOGGED = 100;
/** Most cancelled requests whose ids are kept. A server need not answer them. */
const MAX_CANCELLED = 10_000;

/** A request of the client that has no answer yet. */
interface Asked {
  method: string;
  params: Params;
  started: number;
  /** Set while hooks judge the call: the server has not got it. */
  judging?: AbortController;
  /** What the server got. */
  call?: Call;
}

export interface ProxyOptions {
  input: Readable;
  output: Writable;
  host: Promise<HookHost>;
  connect(listener: LinkListener): ServerLink;
  names: ToolNameOptions;
  log(text: string): void;
}

/** Stands between an MCP client and a server: hooks judge `tools/call`, and all else passes. */
export class McpProxy {
  readonly #host: Promise<HookHost>;
  readonly #calls: ToolCalls;
  readonly #client: LineFlow;
  readonly #questions: Questions;
  readonly #server: ServerLink;
  readonly #log: (text: string) => void;
  /** What begins tasks, and what the server pushes about them: hooks look at it first. */
  readonly #ofTasks = new InOrder();
  readonly #asked = new Map<Id, Asked>();
  /** Requests that the client cancelled when the server had them. */
  readonly #cancelled = new Set<Id>();
  readonly #done = Promise.withResolvers<number>();
  #logged = 0;
  #isOver = false;

  constructor({ input, output, host, connect, names, log }: ProxyOptions) {
    this.#host = host;
    this.#calls = new ToolCalls(host, names);
    this.#log = log;
    this.#client = new LineFlow(output, () => this.#end(0));
    this.#questions = new Questions((text) => this.#client.write(text), log);
    const [client, ofTasks] = [this.#client, this.#ofTasks];
    this.#server = connect({
      message: (text) => this.#fromServer(text),
      failed: (id, reason) => this.#failed(id, reason),
      trouble: (text) => this.#complain(text),
      closed: (reason) => this.#serverGone(reason),
      get behind() {
        return client.behind ?? ofTasks.behind;
      },
    });
    readLines(input, MAX_MESSAGE, {
      line: (bytes) => this.#fromClient(bytes.toString("utf8")),
      tooLong: () => this.#refuse(new BadMessage(`a message of more than ${MAX_MESSAGE} bytes`)),
      end: () => this.#end(0),
    });
  }

  /** Asks the client's person about a power. */
  get consent(): ConsentHandler {
    return this.#questions.consent;
  }

  /** Resolves when the session is over, with an exit code: 1 if the server ended it. */
  whenOver(): Promise<number> {
    return this.#done.promise;
  }

  #fromClient(text: string): void {
    if (text.trim() === "" || this.#isOver) return;
    try {
      const message = fromClient(text);
      if (message.kind === "request") this.#request(message);
      else if (message.kind === "notification") this.#notification(message);
      else if (!this.#questions.take(message.id, message.kind === "result" ? message.result : undefined))
        this.#server.send(text);
    } catch (error) {
      this.#refuse(error instanceof BadMessage ? error : new BadMessage(messageOf(error)));
    }
  }

  #request(message: Extract<McpMessage, { kind: "request" }>): void {
    const { id, method, params, text } = message;
    // Its answer would be taken for that of the first.
    if (this.#asked.has(id)) throw new BadMessage("this id is of a request that is not answered yet", id);
    if (this.#cancelled.has(id))
      throw new BadMessage("this id is of a request that was cancelled, whose answer may still come", id);
    const asked: Asked = { method, params, started: performance.now() };
    this.#asked.set(id, asked);
    if (method === "tools/call") {
      void this.#judge(id, asked, text);
      return;
    }
    if (method === "initialize") this.#meet(params);
    this.#server.send(text, id);
  }

  /** Learns what the client can show. */
  #meet(params: Params): void {
    this.#questions.showsForms = showsForms(params);
    const { ui, showsForms: hasUI } = this.#questions;
    void this.#host.then(
      (host) => host.setUIContext(ui, hasUI),
      () => {},
    );
  }

  #notification({ method, params, text }: Extract<McpMessage, { kind: "notification" }>): void {
    // A server might run it all the same.
    if (method === "tools/call") throw new BadMessage("a tools/call needs an id");
    if (method === "notifications/initialized") this.#tellHooks("start");
    const cancelled = method === "notifications/cancelled" ? (params.requestId as Id) : undefined;
    const asked = cancelled === undefined ? undefined : this.#asked.get(cancelled);
    // Nobody waits for its answer any more.
    if (cancelled !== undefined) this.#asked.delete(cancelled);
    if (asked?.judging) {
      asked.judging.abort();
      return;
    }
    if (cancelled !== undefined && asked) this.#forgetLater(cancelled);
    this.#server.send(text);
  }

  /** Its answer may still come: that of a tool no hook was shown, and it would be taken for another request's of this id. */
  #forgetLater(id: Id): void {
    this.#cancelled.add(id);
    const [oldest] = this.#cancelled;
    if (this.#cancelled.size > MAX_CANCELLED && oldest !== undefined) this.#cancelled.delete(oldest);
  }

  async #judge(id: Id, asked: Asked, text: string): Promise<void> {
    asked.judging = new AbortController();
    const { signal } = asked.judging;
    try {
      const { call, params } = await this.#calls.judge(String(id), asked.params, signal);
      if (signal.aborted || this.#isOver) return;
      delete asked.judging;
      asked.call = call;
      asked.started = performance.now();
      this.#server.send(params ? JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }) : text, id);
    } catch (error) {
      if (signal.aborted || this.#isOver) return;
      const block = error instanceof HookBlockedError ? error : new HookBlockedError("", messageOf(error));
      this.#answer(id, failed(block.message));
    }
  }

  #fromServer(text: string): void {
    if (text.trim() === "" || this.#isOver) return;
    try {
      for (const message of fromServer(text)) this.#serverSaid(message);
    } catch (error) {
      this.#complain(`the MCP server sent what is no message: ${messageOf(error)}`);
    }
  }

  #serverSaid(message: McpMessage): void {
    if (message.kind === "notification" || message.kind === "request") {
      if (message.kind === "request" && String(message.id).startsWith(OWN_ID))
        this.#complain("the MCP server sent a request with an id of Cordon's");
      else if (this.#calls.tellOfTasks(message.method, message.params))
        this.#ofTasks.add(() => this.#passPushed(message));
      else this.#client.write(message.text);
      return;
    }
    const { id } = message;
    if (message.kind === "error" && id === null) {
      this.#client.write(message.text);
      return;
    }
    if (id !== null && this.#cancelled.has(id)) return;
    const asked = id === null ? undefined : this.#asked.get(id);
    if (id === null || !asked || asked.judging) {
      this.#complain(`the MCP server answered ${JSON.stringify(id)}, which nobody asked it`);
      return;
    }
    this.#asked.delete(id);
    // What is pushed about a task comes after the answer that begins it.
    if (asked.call && this.#calls.begin(asked.call, message))
      this.#ofTasks.add(() => this.#passAnswer(id, asked, message));
    else void this.#passAnswer(id, asked, message);
  }

  /** Why is in the server's words, which may be those of a result: hooks see them first. */
  #failed(id: Id, message: string): void {
    const error = { code: -32000, message };
    this.#serverSaid({ kind: "error", id, error, text: JSON.stringify({ jsonrpc: "2.0", id, error }) });
  }

  async #passPushed(message: Extract<McpMessage, { kind: "notification" | "request" }>): Promise<void> {
    const { method } = message;
    const params = await this.#calls.showTasks(message.params, undefined, performance.now());
    const id = message.kind === "request" ? { id: message.id } : {};
    this.#client.write(params ? JSON.stringify({ jsonrpc: "2.0", ...id, method, params }) : message.text);
  }

  async #passAnswer(id: Id, asked: Asked, answer: Answer): Promise<void> {
    if (asked.method === "initialize" && answer.kind === "result")
      this.#server.agreed(String(answer.result.protocolVersion));
    const changed = await this.#changed(asked, answer);
    this.#client.write(changed ? JSON.stringify({ jsonrpc: "2.0", id, ...changed }) : answer.text);
  }

  /** The `result` or `error` that takes the place of an answer's, if one does. */
  async #changed({ method, params, call, started }: Asked, answer: Answer): Promise<Params | undefined> {
    if (call) return this.#calls.answered(call, answer, started);
    const isAboutTasks = this.#calls.tellOfTasks(method, answer.kind === "result" ? answer.result : {});
    return isAboutTasks ? this.#calls.answeredOfTasks(method, params, answer, started) : undefined;
  }

  #answer(id: Id, result: Params): void {
    this.#asked.delete(id);
    this.#client.write(JSON.stringify({ jsonrpc: "2.0", id, result }));
  }

  #answerError(id: Id, message: string): void {
    if (this.#asked.delete(id))
      this.#client.write(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32000, message } }));
  }

  #refuse({ id, message }: BadMessage): void {
    this.#client.write(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32600, message: `Cordon: ${message}` } }));
  }

  #complain(text: string): void {
    if (++this.#logged <= MAX_LOGGED) this.#log(cleanLine(text, 500));
  }

  #serverGone(reason: string): void {
    if (this.#isOver) return;
    this.#log(cleanLine(reason, 500));
    for (const id of [...this.#asked.keys()]) this.#answerError(id, reason);
    this.#end(1);
  }

  #tellHooks(reason: "start" | "shutdown"): Promise<unknown> {
    const event = { type: "session" as const, reason, entries: [], sessionFile: null, previousSessionFile: null };
    return this.#host.then((host) => host.emit(event)).catch(() => {});
  }

  #end(code: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const { judging } of this.#asked.values()) judging?.abort();
    this.#questions.end();
    void Promise.all([this.#server.close(), this.#closeHost(), this.#client.flush()]).finally(() =>
      this.#done.resolve(code),
    );
  }

  async #closeHost(): Promise<void> {
    await this.#tellHooks("shutdown");
    await this.#host.then(
      (host) => host.close(),
      () => {},
    );
  }
}
