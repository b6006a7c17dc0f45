import { appendFileSync, chmodSync, lstatSync, rmSync, statSync, truncateSync } from "node:fs";
import type { Server } from "node:http";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { commandAgent } from "../agents/command/index.ts";
import type { Answer, CommandAgent, Reply, Spoken } from "../agents/command/spoken.ts";
import { Monitors } from "../agents/setup/monitor.ts";
import { Audit } from "../audit/audit.ts";
import { Blocks } from "../audit/blocks.ts";
import { attemptOr } from "../base/attempt.ts";
import { UNJUDGED } from "../base/daemon-wire.ts";
import { messageOf } from "../base/errors.ts";
import { RateLimit } from "../base/rate-limit.ts";
import { cleanLine, cleanText } from "../base/text.ts";
import { lockPath, logPath, makeRunFolder, placeFault, socketPath } from "../disk/daemon-places.ts";
import { acquire, isHeld, ownerElsewhere, put, release } from "../disk/lock-file.ts";
import { uniqueName, whereabouts } from "../disk/process-owner.ts";
import { agentProcess, processName } from "../disk/process-tree.ts";
import { type LogLine, logText } from "../session/log-line.ts";
import { listens } from "./listens.ts";
import { Questions } from "./questions.ts";
import { type Request, serverFor } from "./server.ts";
import { Sessions, VariablesWanted } from "./sessions.ts";

/** How often it looks whether it is still needed, in ms. */
const SWEEP_MS = 60_000;

/** How often it looks whether it can still be reached, in ms. */
const LOOK_MS = 5000;

/** Without sessions it ends after this time, in ms. */
const IDLE_MS = 10 * 60_000;

/** Calls that could not be judged, of which a record is kept in a minute: an agent may send any number. */
const MOST_UNJUDGED = 100;

const MAX_LOG_BYTES = 5 * 1024 * 1024;
const MAX_REASON = 8000;

/** The daemon of one home: it has the hooks of all sessions of agents that run a command for each event. */
export class Daemon {
  readonly #home: string;
  readonly #version: string;
  readonly #since = new Date();
  readonly #questions: Questions;
  readonly #sessions: Sessions;
  readonly #server: Server;
  readonly #agents = new Set<string>();
  readonly #monitors: Monitors;
  readonly #audit: Audit;
  readonly #blocks: Blocks;
  readonly #unjudged = new RateLimit();
  readonly #sweep: NodeJS.Timeout;
  #look: NodeJS.Timeout | undefined;
  /** Which file its socket is. */
  #socket: string | undefined;
  #lastUsed = Date.now();
  #over: Promise<void> | undefined;
  #ended: () => void = () => {};
  readonly ended = new Promise<void>((resolve) => {
    this.#ended = resolve;
  });

  /** Resolves when it listens; `undefined` if another one does. Throws if it cannot. */
  static async start(home: string, version: string): Promise<Daemon | undefined> {
    makeRunFolder(home);
    const fault = placeFault(home);
    if (fault !== undefined) throw new Error(fault);
    const lock = lockPath(home);
    const own = uniqueName();
    // Its container or machine may be gone. Whoever listens is heard from here, too: they share the socket with the home.
    const other = ownerElsewhere(lock);
    const silent = other !== undefined && !(await listens(socketPath(home))) ? other : undefined;
    const isGone = (owner: string): boolean => whereabouts(owner) === "gone" || owner === silent;
    try {
      acquire(lock, () => put(lock, own), 0, isGone);
    } catch (error) {
      // Whoever started this one hears nothing of it. A daemon that runs is no fault: several may be started at once.
      if (!isHeld(lock)) log(home, { level: "error", text: `cannot start: ${messageOf(error)}` });
      return undefined;
    }
    process.on("exit", () => attemptOr(() => release(lock, own), undefined));
    const daemon = new Daemon(home, version);
    await daemon.#listen();
    return daemon;
  }

  private constructor(home: string, version: string) {
    this.#home = home;
    this.#version = version;
    this.#monitors = new Monitors(home);
    this.#audit = new Audit(home, { report: (text) => this.#log({ level: "error", text }) });
    this.#blocks = new Blocks(home);
    this.#questions = new Questions(home);
    this.#sessions = new Sessions({
      home,
      questions: this.#questions,
      monitors: this.#monitors,
      log: (line) => this.#log(line),
    });
    this.#server = serverFor({
      event: (request) => this.#event(request),
      command: (name, body) => this.#command(name, body),
    });
    this.#sweep = setInterval(() => void this.#endIfIdle(), SWEEP_MS);
  }

  /** Ends all sessions, and keeps what guarded them. */
  stop(): Promise<void> {
    this.#over ??= this.#end();
    return this.#over;
  }

  async #listen(): Promise<void> {
    const path = socketPath(this.#home);
    // Whoever has the lock is the only daemon: what lies there was left by one that died.
    rmSync(path, { force: true });
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(path, () => {
        chmodSync(path, 0o600);
        resolve();
      });
    });
    this.#socket = identityOf(path);
    // Its home was removed, or its socket replaced: nobody can ask it any more, and its hooks would run on for nobody.
    this.#look = setInterval(() => identityOf(path) !== this.#socket && void this.stop(), LOOK_MS);
    this.#log({ level: "info", text: `started, version ${this.#version}` });
  }

  async #end(): Promise<void> {
    clearInterval(this.#sweep);
    clearInterval(this.#look);
    const path = socketPath(this.#home);
    // To close a server removes what lies at its path, and that may be the next daemon's.
    if (identityOf(path) === this.#socket) this.#server.close();
    else this.#server.unref();
    await this.#sessions.close();
    this.#audit.close();
    this.#server.closeAllConnections();
    if (identityOf(path) === this.#socket) rmSync(path, { force: true });
    this.#log({ level: "info", text: "ended" });
    this.#ended();
  }

  async #endIfIdle(): Promise<void> {
    const left = await this.#sessions.sweep();
    if (left === 0 && Date.now() - this.#lastUsed > IDLE_MS) await this.stop();
  }

  async #event(request: Request): Promise<Reply | undefined> {
    this.#lastUsed = Date.now();
    const agent = commandAgent(request.agent) as CommandAgent;
    const isGate = request.kind === "gate";
    try {
      const spoken = agent.read(request.text, { event: request.event, cwd: request.cwd, isGate });
      if (isGate && spoken.said.kind === "unknown")
        throw new Error(
          `${cleanLine(spoken.event, 100) || "what has no name"} is no event that Cordon knows for ${agent.name}; of one that decides nothing, cordon hook takes --note`,
        );
      const answer = await this.#answer(agent, spoken, request);
      if (answer === undefined) return undefined;
      const reply = agent.say(spoken, cleaned(answer));
      return answer.notice === undefined ? reply : { ...reply, note: answer.notice };
    } catch (error) {
      const event = cleanLine(request.event, 100) || "an event";
      const text = `${UNJUDGED} ${event}: ${messageOf(error)}`;
      if (isProbe(request)) this.#log({ level: "info", text: `asked by cordon doctor, for ${agent.name}` });
      else {
        this.#log({ level: "error", text });
        if (isGate) this.#keepUnjudged(`${agent.name} ${event}`, text);
      }
      return isGate ? agent.block(cleanText(text, MAX_REASON), request.event) : { exit: 0, text: "" };
    }
  }

  /** Of what no session judged, no host keeps a record. */
  #keepUnjudged(what: string, reason: string): void {
    if (!this.#unjudged.use(MOST_UNJUDGED)) return;
    this.#audit.write({ hook: "", event: "tool_call", value: `${what}: ${reason}`, outcome: "block" });
    this.#blocks.keep({ time: new Date().toISOString(), hook: "", tool: what, reason, input: undefined });
  }

  async #answer(agent: CommandAgent, spoken: Spoken, request: Request): Promise<Answer | undefined> {
    const entered = agentProcess(request.parent);
    const process = processName(entered ?? request.parent);
    if (entered !== undefined) this.#agents.add(process);
    if (spoken.said.kind === "end") {
      await this.#sessions.end(spoken, { agent, process });
      return { kind: "pass" };
    }
    const { signal, env } = request;
    try {
      return await this.#sessions.use(spoken, { agent, process, env, signal }, async (session) => {
        const began = Date.now();
        const answer = await session.answer(spoken, signal);
        if (answer.kind !== "block" || !signal.aborted) return answer;
        const waits = this.#questions.missedSince(session.key, began);
        return waits ? { kind: "block", reason: "a hook's question waits for you; run: cordon pending" } : answer;
      });
    } catch (error) {
      if (error instanceof VariablesWanted) return undefined;
      throw error;
    }
  }

  async #command(name: string, body: unknown): Promise<unknown> {
    switch (name) {
      case "status":
        return {
          version: this.#version,
          pid: process.pid,
          since: this.#since.toISOString(),
          sessions: this.#sessions.keys,
          agents: [...this.#agents],
          questions: this.#questions.waiting.length,
          monitors: this.#monitors.all,
          records: await this.#sessions.recordings(),
        };
      case "questions":
        return this.#questions.waiting;
      case "answer": {
        const { id, answer } = (body ?? {}) as Record<string, unknown>;
        return this.#questions.answer(String(id), String(answer));
      }
      case "stop":
        setImmediate(() => void this.stop());
        return true;
      default:
        throw new Error(`the daemon knows no ${cleanLine(name, 100)}`);
    }
  }

  #log(line: LogLine): void {
    log(this.#home, line);
  }
}

/** A log that cannot be written stops nothing. */
function log(home: string, line: LogLine): void {
  const path = logPath(home);
  try {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) truncateSync(path);
    appendFileSync(path, `${new Date().toISOString()} ${line.level} ${logText(line)}\n`, { mode: 0o600 });
  } catch {
    // A full disk.
  }
}

/** What `cordon doctor` sends to see whether an agent is answered: it is blocked, and says nothing of a session. */
const isProbe = ({ event, text }: Request): boolean =>
  event === "probe" ||
  (event === "tool.execute.before" &&
    attemptOr(() => (readJson(text) as { sessionID?: unknown }).sessionID === "probe", false));

function identityOf(path: string): string {
  const status = lstatSync(path, { throwIfNoEntry: false });
  return status ? `${status.dev} ${status.ino}` : "";
}

function cleaned(answer: Answer): Answer {
  if (answer.kind === "block") return { ...answer, reason: cleanText(answer.reason, MAX_REASON) || "blocked" };
  return answer;
}
