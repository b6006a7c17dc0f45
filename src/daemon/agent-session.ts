import { randomUUID } from "node:crypto";
import { resultsOf, toJudge } from "../agents/command/canonical-tools.ts";
import type { Answer, CommandAgent, Spoken, ToolUse } from "../agents/command/spoken.ts";
import { cleanLine, cleanText } from "../base/text.ts";
import type { HookHost } from "../host/host.ts";
import { takeWish } from "../recording/places.ts";
import type { RecordingState } from "../recording/recorder.ts";
import type { LogLine } from "../session/log-line.ts";
import type { HookHostOptions } from "../session/options.ts";
import { type Blocked, codeOfBlock } from "../verdicts/blocked.ts";
import { changedCall } from "./changed-call.ts";
import { type Guarded, isGuard, isGuarded } from "./guarded.ts";
import { Handed } from "./handed.ts";
import { sayLacking } from "./lacking.ts";
import { askedAgain, askedByAgent, askedElsewhere, type HandedBack, isAboutPowers, questionOf } from "./person.ts";
import type { Questions } from "./questions.ts";
import { startRecorded } from "./start-recorded.ts";
import { PASS, tellHooks } from "./tell-hooks.ts";

const MAX_NOTICE = 2000;

export interface SessionDeps {
  key: string;
  agent: CommandAgent;
  cwd: string;
  home: string;
  env: NodeJS.ProcessEnv;
  /** Hooks that guarded this session under an earlier daemon, or in another folder. */
  guards: readonly string[];
  guarded: Guarded;
  questions: Questions;
  /** Whether hooks only monitor now. */
  monitor(): boolean;
  log(line: LogLine): void;
}

/** What a dialog has of the reason of a block, in which a question about a power stands. */
const MAX_BLOCK_REASON = 300;

/** Agents that ask have one call judged at a time, so that each question is of its call. Beside it nobody waits for a person. */
const nothing = (): HandedBack => ({ beside: 0, asked: new Map(), allowed: new Map(), patience: AbortSignal.abort() });

/** The hooks of one session of an agent that runs a command for each event. */
export class AgentSession {
  readonly #deps: SessionDeps;
  readonly #host: HookHost;
  /** The call that is being judged. */
  readonly #current: HandedBack;
  readonly #handed: Handed;
  #turn: Promise<unknown> = Promise.resolve();
  #hasSaidRecording = false;
  lastUsed = Date.now();

  /** Starts the session's hooks, and tells them. Rejects if there is no runtime, or a file of grants is broken. */
  static async begin(deps: SessionDeps): Promise<AgentSession> {
    const { cwd, home, env, monitor, log } = deps;
    const current = nothing();
    const handed = new Handed();
    const person = personOf(deps, current, handed);
    const wish = takeWish(home);
    const options: HookHostOptions = {
      cwd,
      home,
      env,
      discover: "own",
      hasUI: true,
      spare: false,
      monitor,
      ...(wish === undefined ? {} : { record: wish }),
      log,
      ui: person.ui,
      consent: person.consent,
    };
    const host = await startRecorded(options, log);
    try {
      const session = new AgentSession(deps, host, current, handed);
      await host.emit({ type: "session", reason: "start", entries: [], sessionFile: null, previousSessionFile: null });
      session.#keepGuards();
      return session;
    } catch (error) {
      await host.close();
      throw error;
    }
  }

  private constructor(deps: SessionDeps, host: HookHost, current: HandedBack, handed: Handed) {
    this.#deps = deps;
    this.#host = host;
    this.#current = current;
    this.#handed = handed;
    host.onError(({ hookPath, event, error, code }) =>
      deps.log({ level: "error", hook: hookPath, text: `${event}: ${error}${code ? ` (${code})` : ""}` }),
    );
    sayLacking(host, deps);
  }

  get key(): string {
    return this.#deps.key;
  }

  /** The recording of this session, while there is one. */
  get recording(): RecordingState | undefined {
    return this.#host.recording;
  }

  get cwd(): string {
    return this.#deps.cwd;
  }

  /** What hooks say of an event. `signal`: nobody waits for the answer any more. */
  async answer(spoken: Spoken, signal: AbortSignal): Promise<Answer> {
    this.lastUsed = Date.now();
    const { said } = spoken;
    const would: string[] = [];
    if (said.kind === "call") {
      const judge = () => this.#whileWaiting(signal, () => this.#answerCall(said, signal, would));
      return this.#noticed(await this.#inTurn(judge), would);
    }
    const missing = isGuarded(said) ? this.#missingGuard() : undefined;
    if (missing !== undefined)
      return said.kind === "result" && this.#deps.agent.replacesResults
        ? { kind: "result", text: `Result withheld: ${missing}` }
        : { kind: "block", reason: missing };
    if (said.kind === "result") return this.#beside(() => this.#pass(said));
    if (said.kind === "tell") return this.#beside(() => tellHooks(this.#host, this.#deps, said.event, spoken.event));
    return said.kind === "start" ? this.#noticed(PASS, would) : PASS;
  }

  /**
   * Says that hooks only monitor, where they do, and what they would have blocked this call for; and once, that the session is
   * recorded.
   */
  #noticed(answer: Answer, would: readonly string[]): Answer {
    const monitors = this.#deps.monitor() ? ["Cordon only monitors here", ...would] : [];
    const { recording } = this.#host;
    const records = recording && !this.#hasSaidRecording ? [`Cordon records this session in ${recording.path}`] : [];
    if (records.length > 0) this.#hasSaidRecording = true;
    const notice = [...monitors, ...records];
    return notice.length === 0 ? answer : { ...answer, notice: cleanText(notice.join("; "), MAX_NOTICE) };
  }

  /** Tells the hooks that it is over, and ends their processes. */
  async end(): Promise<void> {
    await this.#host.emit({
      type: "session",
      reason: "shutdown",
      entries: [],
      sessionFile: null,
      previousSessionFile: null,
    });
    await this.#host.close();
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    if (!this.#deps.agent.asks) return act();
    const done = this.#turn.then(act);
    this.#turn = done.catch(() => {});
    return done;
  }

  async #beside<T>(act: () => Promise<T>): Promise<T> {
    this.#current.beside++;
    try {
      return await act();
    } finally {
      this.#current.beside--;
    }
  }

  async #whileWaiting(signal: AbortSignal, act: () => Promise<Answer>): Promise<Answer> {
    const over = new AbortController();
    const { beside } = this.#current;
    Object.assign(this.#current, nothing(), { beside, patience: AbortSignal.any([signal, over.signal]) });
    try {
      return await act();
    } finally {
      over.abort();
      this.#current.allowed = new Map();
    }
  }

  /**
   * A call that the person allowed is judged once more, and must come out as it was shown: it cannot be asked about twice. `would`:
   * receives what does not block since hooks only monitor.
   */
  async #answerCall(
    { use, allowed }: Extract<Spoken["said"], { kind: "call" }>,
    signal: AbortSignal,
    would: string[],
  ): Promise<Answer> {
    if (allowed !== undefined) this.#current.allowed = this.#handed.take(allowed, { tool: use.tool, input: use.input });
    const answer = await this.#judge(use, signal, would);
    if (allowed === undefined) return answer;
    if (answer.kind === "ask") return { kind: "block", reason: `hooks ask again after the answer: ${answer.question}` };
    if (answer.kind === "change") return { kind: "block", reason: "hooks changed this call after it was allowed" };
    return answer;
  }

  async #judge(use: ToolUse, signal: AbortSignal, would: string[]): Promise<Answer> {
    const { agent } = this.#deps;
    const missing = this.#missingGuard();
    if (missing !== undefined) return { kind: "block", reason: missing };
    const parts = toJudge(agent.tools, use);
    let question: { input?: Record<string, unknown> } | undefined;
    const reasons = new Set<string>();
    for (const part of parts) {
      const guard = agent.replacesResults ? undefined : this.#host.resultGuard(part.tool);
      if (guard !== undefined) {
        const reason = `hook ${guard} guards the results of ${part.tool}, which ${agent.title} gives to the model as they are`;
        if (this.#host.holds(part.tool, { hook: guard, reason })) return { kind: "block", reason };
        would.push(`${reason}: it would have been blocked`);
      }
      const outcome = await this.#host.emitToolCall(
        { type: "tool_call", toolName: part.tool, toolCallId: part.id ?? randomUUID(), input: part.input },
        {
          signal,
          isQuestion: (hook) => agent.asks && this.#current.asked.has(hook),
          onWouldBlock: ({ hook, reason }) => would.push(`hook ${hook} would have blocked this call: ${reason}`),
        },
      );
      this.#keepGuards();
      if (outcome && "block" in outcome) {
        if (!outcome.question) return { kind: "block", reason: reasonOf(outcome) };
        question = { ...question, ...outcome.question };
        // Where yes runs the call, the person must see what the hook forbids it for: it may have asked about something else.
        const isSeen = agent.longestQuestion === undefined || isAboutPowers(this.#current.asked.get(outcome.hook));
        if (isSeen && codeOfBlock(outcome) !== "NOT_GRANTED")
          reasons.add(cleanLine(`hook ${outcome.hook} blocks this call: ${outcome.reason}`, MAX_BLOCK_REASON));
      } else if (outcome) {
        const changed = changedCall(agent, { use, parts, part }, outcome.input);
        if (!question || changed.kind === "block") return changed;
      }
    }
    if (!question) return PASS;
    const changed = question.input && changedCall(agent, { use, parts, part: parts[0] as ToolUse }, question.input);
    if (changed?.kind === "block") return changed;
    const input = changed?.input;
    const { asked } = this.#current;
    const asks: Answer = {
      kind: "ask",
      question: [questionOf(asked), ...reasons].join("\n"),
      ...(input ? { input } : {}),
    };
    if (agent.longestQuestion === undefined) return asks;
    return { ...asks, id: this.#handed.put({ tool: use.tool, input: input ?? use.input }, asked) };
  }

  /** Hooks are shown the result under each name, and the later ones as those before left it. */
  async #pass({ use, text: given, isError }: Extract<Spoken["said"], { kind: "result" }>): Promise<Answer> {
    const { agent } = this.#deps;
    let text = given;
    // True also for an unchanged text: the agent then drops everything else of its own result.
    let isReplaced = false;
    for (const part of resultsOf(agent, use)) {
      const { result } = await this.#host.emitToolResult({
        type: "tool_result",
        toolName: part.tool,
        toolCallId: part.id ?? randomUUID(),
        input: part.input,
        content: [{ type: "text", text }],
        isError,
      });
      if (!result?.content) continue;
      isReplaced = true;
      text = result.content.map((one) => (one.type === "text" ? one.text : "")).join("\n");
    }
    return isReplaced && agent.replacesResults ? { kind: "result", text } : PASS;
  }

  /** Why nothing passes: a hook that guarded this session before, and is not here now: it was taken away meanwhile, or is of another folder. */
  #missingGuard(): string | undefined {
    // A pending hook judges nothing.
    const here = new Set(this.#host.hooks.filter(({ state }) => state !== "pending").map(({ id }) => id));
    const gone = this.#deps.guards.find((id) => !here.has(id));
    if (gone === undefined) return undefined;
    return `hook ${gone} guarded this session, and is not there for ${this.cwd}; if that is right, start a new session`;
  }

  #keepGuards(): void {
    const guards = this.#host.hooks.filter(isGuard);
    const ids = new Set([...this.#deps.guards, ...guards.map(({ id }) => id)]);
    this.#deps.guarded.write(this.cwd, [...ids].sort());
  }
}

function personOf({ key, agent, questions }: SessionDeps, current: HandedBack, handed: Handed) {
  const now = (): HandedBack => current;
  const longest = agent.longestQuestion;
  if (longest !== undefined) return askedAgain(key, questions, { handed, longest, now });
  return agent.asks ? askedByAgent(key, questions, now) : askedElsewhere(key, questions, () => current.patience);
}

const reasonOf = ({ hook, reason }: Blocked): string => (hook === "" ? reason : `Blocked by hook ${hook}: ${reason}`);
