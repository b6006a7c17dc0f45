import { AsyncLocalStorage } from "node:async_hooks";
import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { AgentState } from "../../sandbox/wire/messages.ts";
import { CordonError, messageOf } from "../base/errors.ts";
import { cleanLine } from "../base/text.ts";
import { defaultHome } from "../disk/home.ts";
import type { HookEvent, HookUIContext, ToolCallEvent } from "../hook-api.ts";
import { HookHost } from "../host/host.ts";
import { takeWish } from "../recording/places.ts";
import type { HookError } from "../session/hook-error.ts";
import { logText } from "../session/log-line.ts";
import type { HookHostOptions } from "../session/options.ts";
import { afterWaking } from "../supervisor/waking-time.ts";
import { type Blocked, codeOfBlock } from "../verdicts/blocked.ts";
import { type Id, RpcConnection } from "./connection.ts";
import { CONTROL, control, reload } from "./control.ts";
import { OpenQuestions } from "./open-questions.ts";
import { checkParams, eventProblem } from "./params.ts";
import { refused, refuseFor } from "./refused.ts";
import { type RemoteOffer, remoteAgent, remoteConsent, remoteModel, remoteUi } from "./remote-agent.ts";
import { type Asked, askOffers, OFFERS, offersOf } from "./remote-offers.ts";
import { askProvider, PROVIDERS } from "./remote-providers.ts";
import { RemoteScreens } from "./remote-screens.ts";
import { typedAnswer } from "./typed-answer.ts";

const PROTOCOL_VERSION = 1;

/** Longest text of why a session did not start, in a block. */
const MAX_FAILURE = 500;

/** Time that calls under way get when the session ends, in ms of waking time. */
const DRAIN_MS = 5000;

/** `cordon serve`. Resolves when the session is over. */
export async function serve(options: () => HookHostOptions): Promise<void> {
  await new Promise<void>((done) => new Server(options, done));
  process.exit(0);
}

class Server {
  readonly #options: () => HookHostOptions;
  readonly #done: () => void;
  readonly #connection: RpcConnection;
  /** For each request that is not answered. */
  readonly #cancels = new Map<Id, AbortController>();
  /** Emits that are not answered yet. */
  readonly #answers = new Set<Promise<unknown>>();
  /** Errors during an emit are part of its result; others are notifications. */
  readonly #errors = new AsyncLocalStorage<{ errors: HookError[]; isAnswered: boolean }>();
  readonly #questions = new OpenQuestions();
  #host: Promise<HookHost> | undefined;
  /** Why the last `initialize` failed. */
  #failure: string | undefined;
  #state: AgentState = {};
  readonly #screens: RemoteScreens;
  #showsScreens = false;
  #saysWhatRuns = false;
  #over: Promise<void> | undefined;

  constructor(options: () => HookHostOptions, done: () => void) {
    this.#options = options;
    this.#done = done;
    this.#connection = new RpcConnection(process.stdin, process.stdout, {
      request: (method, params, id) => this.#request(method, params, id),
      notification: (method, params) => {
        if (method === "cancel") this.#cancels.get(params.id as Id)?.abort();
      },
      closed: (isAsked) => {
        // Nobody answers any more: what hooks ask is no answer of a person's.
        if (isAsked) for (const cancel of this.#cancels.values()) cancel.abort();
        void this.#shutdown().then(() => this.#connection.flush().then(this.#done));
      },
    });
    this.#screens = new RemoteScreens(this.#connection);
  }

  /** A `cancel` may come with the request, before anything was done for it. */
  async #request(method: string, params: Record<string, unknown>, id: Id): Promise<unknown> {
    const cancel = new AbortController();
    this.#cancels.set(id, cancel);
    try {
      return await this.#answered(method, params, { id, signal: cancel.signal });
    } finally {
      this.#cancels.delete(id);
    }
  }

  async #answered(method: string, params: Record<string, unknown>, request: Asked): Promise<unknown> {
    const problem = checkParams(method, params);
    if (problem && method === "initialize") this.#failed(problem);
    if (problem) throw problem;
    switch (method) {
      case "initialize":
        return this.#initialize(params).catch((error: unknown) => this.#failed(error));
      case "emit": {
        const answer = this.#emit(params.event as HookEvent, request.signal, params);
        this.#answers.add(answer);
        return answer.finally(() => this.#answers.delete(answer));
      }
      case "shutdown":
        await this.#shutdown();
        // The answer goes out before the process ends.
        setImmediate(() => void this.#connection.flush().then(this.#done));
        return null;
    }
    const host = await this.#host?.catch(() => undefined);
    if (!host) throw refused("NOT_ACCEPTED", "initialize first");
    if (OFFERS.has(method)) return askOffers(host, this.#connection, method, params, request);
    if (PROVIDERS.has(method))
      return askProvider(host, this.#connection, method, params, request).catch(refuseFor("CRASHED"));
    if (CONTROL.has(method)) return control(host, method, params).catch(refuseFor("BAD_GRANT"));
    if (SCREENS.has(method)) return this.#screens.handle(method, params);
    if (method === "setState") this.#state = params.state as AgentState;
    else if (method === "setSessionFile") host.setSessionFile(params.sessionFile as string | null);
    else if (method === "setHasUI") host.setUIContext(this.#ui, params.hasUI as boolean);
    else await reload(host, params.id as string | undefined).catch(refuseFor("LOAD_FAILED"));
    return null;
  }

  get #ui(): HookUIContext {
    return remoteUi(this.#connection, this.#questions, this.#showsScreens ? this.#screens.ui : {});
  }

  async #initialize(params: Record<string, unknown>): Promise<unknown> {
    if (params.protocolVersion !== PROTOCOL_VERSION)
      throw refused("BAD_GRANT", `this is protocol version ${PROTOCOL_VERSION}, not ${params.protocolVersion}`);
    if (this.#host) throw refused("BAD_GRANT", "initialize was called before");
    const offer = (params.agent ?? {}) as RemoteOffer;
    this.#showsScreens = offer.screens === true;
    this.#saysWhatRuns = offer.canRun === true;
    const given = attempted(this.#options);
    const options: HookHostOptions = {
      ...given,
      ...wished(given),
      ...(typeof params.cwd === "string" ? { cwd: resolve(params.cwd) } : {}),
      ...namesIn(params),
      ui: this.#ui,
      hasUI: params.hasUI === true,
      sessionFile: (params.sessionFile as string | null | undefined) ?? null,
      consent: remoteConsent(this.#connection, this.#questions, params.consent === "person"),
      model: remoteModel(this.#connection),
      agent: remoteAgent(this.#connection, offer, () =>
        this.#screens.theme === undefined ? this.#state : { ...this.#state, theme: this.#screens.theme },
      ),
      onSend: (text, attachments, origin) =>
        this.#connection.notify("session/send", {
          hook: origin?.hook ?? "",
          text: origin?.text ?? text,
          attachments,
        }),
      log: (line) => process.stderr.write(`${line.level}: ${logText(line)}\n`),
    };
    const started = startIn(options).catch(refuseFor("BAD_GRANT"));
    // An event that came with the request waits for this, and is told why, too.
    this.#host = started.catch((error) => {
      this.#host = undefined;
      return this.#failed(error);
    });
    const host = await this.#host;
    this.#failure = undefined;
    host.onError((error) => {
      const emit = this.#errors.getStore();
      if (emit && !emit.isAnswered) emit.errors.push(error);
      else this.#connection.notify("hook/error", error);
    });
    host.onState(({ id, state, reason }) => this.#connection.notify("hook/state", { id, state, reason }));
    const offers = offersOf(host);
    let told = JSON.stringify(offers);
    host.onOffers(() => {
      const now = offersOf(host);
      // A hook that starts anew offers what it did.
      const text = JSON.stringify(now);
      if (text === told) return;
      told = text;
      this.#connection.notify("hook/offers", now);
    });
    return { protocolVersion: PROTOCOL_VERSION, hooks: host.hooks, offers };
  }

  /** Keeps why no session started, for the blocks that follow. Throws the error again. */
  #failed(error: unknown): never {
    if (!this.#host) this.#failure = cleanLine(messageOf(error), MAX_FAILURE);
    throw error;
  }

  /**
   * `tools`: those that the agent can run instead of the one that is called; `asks`: it puts questions about this call to the person
   * itself.
   */
  async #emit(
    event: HookEvent,
    signal: AbortSignal,
    { tools = [], asks = false }: { tools?: readonly string[]; asks?: boolean },
  ): Promise<unknown> {
    const problem = eventProblem(event);
    if (problem) throw problem;
    // What comes before the answer to an `initialize` that fails finds no host either.
    const isOver = this.#over;
    const started = await this.#host?.catch(() => undefined);
    const host = isOver ? undefined : started;
    if (!host) {
      const none = isOver ? "the session is over" : "initialize first";
      const why = this.#failure === undefined ? none : `initialize failed: ${this.#failure}`;
      if (event.type === "tool_call") return { result: { block: true, reason: `Cordon: ${why}` }, errors: [] };
      throw refused("NOT_ACCEPTED", why);
    }
    const errors: HookError[] = [];
    const told = { errors, isAnswered: false };
    try {
      return await this.#errors.run(told, async () => {
        if (event.type === "tool_result") {
          const { result, changedBy } = await host.emitToolResult(event);
          return { result: result ?? null, changedBy, errors };
        }
        const canRun = (tool: string) => tools.includes(tool) || this.#canRun(tool, event, signal);
        const judge = (call: ToolCallEvent) =>
          this.#questions.during(asks, (isQuestion) => host.emitToolCall(call, { signal, canRun, isQuestion }));
        const result =
          event.type !== "tool_call"
            ? await host.emit(withSignal(event, signal, this.#connection))
            : await judge(event);
        if (result && "block" in result) this.#tellFailure(host, errors, result as Blocked);
        return { result: result ?? null, errors };
      });
    } finally {
      told.isAnswered = true;
    }
  }

  /** Adds why a hook blocked that was down before the call: its failure was reported when it happened. */
  #tellFailure(host: HookHost, errors: HookError[], block: Blocked): void {
    const code = codeOfBlock(block);
    const hook = host.hooks.find(({ id }) => id === block.hook);
    if (code === undefined || !hook || errors.some((error) => error.hookPath === hook.path)) return;
    errors.push({ hookPath: hook.path, event: "tool_call", error: block.reason, code });
  }

  /** Asks an agent that said so whether it can run a tool that a hook chose. */
  async #canRun(tool: string, event: HookEvent, signal: AbortSignal): Promise<boolean> {
    if (!this.#saysWhatRuns || event.type !== "tool_call") return false;
    const answer = await this.#connection.ask("agent/canRun", { tool, toolCallId: event.toolCallId }, signal);
    return typedAnswer("agent/canRun", "boolean", answer) === true;
  }

  /** Tells the hooks, then ends their processes. */
  #shutdown(): Promise<void> {
    this.#over ??= (async () => {
      const host = await this.#host?.catch(() => undefined);
      if (!host) return;
      // Earlier requests are answered first, within a time limit.
      const stop = afterWaking(DRAIN_MS, () => {
        for (const cancel of this.#cancels.values()) cancel.abort();
      });
      await Promise.allSettled(this.#answers);
      stop();
      const ended = { entries: [], sessionFile: null, previousSessionFile: null };
      await host.emit({ type: "session", reason: "shutdown", ...ended });
      await host.close();
    })();
    return this.#over;
  }
}

/** The options of the command line. What is wrong with them is refused as what is wrong with the params. */
function attempted(options: () => HookHostOptions): HookHostOptions {
  try {
    return options();
  } catch (error) {
    return refuseFor("BAD_GRANT")(error);
  }
}

/** A `cwd` without a folder would leave out the hooks of the folder that was meant. */
async function startIn(options: HookHostOptions): Promise<HookHost> {
  if (!statSync(options.cwd, { throwIfNoEntry: false })?.isDirectory())
    throw new CordonError("BAD_GRANT", `cwd: there is no folder ${options.cwd}`);
  return HookHost.start(options);
}

/** How the agent calls itself, its tools and its ways out. The host checks them. */
const namesIn = ({ agentName, agentVersion, toolNames, remedy }: Record<string, unknown>): Partial<HookHostOptions> =>
  Object.fromEntries(
    Object.entries({ agentName, agentVersion, toolNames, remedy }).filter(([, value]) => value !== undefined),
  );

/** Requests about hooks' components. */
const SCREENS = new Set(["drawScreen", "screenInput", "setEditorText", "closeScreen", "setTheme"]);

/** A person who said `cordon record` meant the next session of an agent. */
function wished({ home = defaultHome(), record }: HookHostOptions): Pick<HookHostOptions, "record"> {
  const wish = record === undefined ? takeWish(home) : undefined;
  return wish === undefined ? {} : { record: wish };
}

/** `before_compact` has a function and a signal, which no message can carry: they are made here. */
function withSignal(event: HookEvent, signal: AbortSignal, connection: RpcConnection): HookEvent {
  if (event.type !== "session" || event.reason !== "before_compact") return event;
  const { resolveApiKey } = remoteModel(connection);
  return { ...event, signal, resolveApiKey };
}
