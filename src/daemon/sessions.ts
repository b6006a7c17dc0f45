import type { CommandAgent, Spoken } from "../agents/command/spoken.ts";
import type { Monitors } from "../agents/setup/monitor.ts";
import type { LogLine } from "../session/log-line.ts";
import { AgentSession } from "./agent-session.ts";
import { Guarded } from "./guarded.ts";
import type { Questions } from "./questions.ts";

/** Most sessions at once. The one that was idle longest ends for another one; what guarded it is kept. If none is, that one waits. */
const MAX_SESSIONS = 32;

/** A session that nothing was heard of for this long ends, in ms; its next event begins it anew. */
const IDLE_MS = 60 * 60_000;

export interface SessionsDeps {
  home: string;
  questions: Questions;
  monitors: Monitors;
  log(line: LogLine): void;
}

/** Who an event comes from, beyond what it says. */
export interface Caller {
  agent: CommandAgent;
  /** The process of the agent, for agents whose events name no session. */
  process: string;
  /** The agent's variables, if they were sent. A session begins with them alone: a policy may be named there. */
  env: NodeJS.ProcessEnv | undefined;
  /** Nobody waits any more. */
  signal: AbortSignal;
}

/** The event begins a session, and the agent's variables were not sent. */
export class VariablesWanted extends Error {}

/** The sessions that this daemon serves. */
export class Sessions {
  readonly #deps: SessionsDeps;
  readonly #open = new Map<string, Promise<AgentSession>>();
  /** How many events of each session are judged now. */
  readonly #busy = new Map<string, number>();
  #freed = Promise.withResolvers<void>();

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
  }

  get keys(): string[] {
    return [...this.#open.keys()];
  }

  /** Which sessions are recorded now, each with its file. */
  async recordings(): Promise<string[]> {
    const begun = await Promise.all([...this.#open.values()].map((open) => open.catch(() => undefined)));
    return begun.flatMap((one) => (one?.recording ? [`${one.key} in ${one.recording.path}`] : []));
  }

  /**
   * Lends the session of an event, begun if need be: it stays open until `act` is done. Rejects if its hooks cannot be started;
   * the next event tries again. Rejects with {@link VariablesWanted} before anything was done.
   */
  async use<T>(spoken: Spoken, caller: Caller, act: (session: AgentSession) => Promise<T>): Promise<T> {
    const key = keyOf(spoken, caller.agent, caller.process);
    this.#busy.set(key, (this.#busy.get(key) ?? 0) + 1);
    try {
      return await act(await this.#of(key, spoken, caller));
    } finally {
      const left = (this.#busy.get(key) ?? 1) - 1;
      if (left > 0) this.#busy.set(key, left);
      else {
        this.#busy.delete(key);
        this.#freed.resolve();
        this.#freed = Promise.withResolvers();
      }
    }
  }

  async #of(key: string, spoken: Spoken, caller: Caller): Promise<AgentSession> {
    const { agent, env } = caller;
    const open = this.#open.get(key);
    const known = open && (await open);
    // Others wait beside this one: it may have ended meanwhile, and another one may have begun.
    if (this.#open.get(key) !== open) return this.#of(key, spoken, caller);
    if (open && known && isIn(known.cwd, spoken)) {
      // The one that was used last stands last.
      this.#open.delete(key);
      this.#open.set(key, open);
      return known;
    }
    if (env === undefined) throw new VariablesWanted();
    // A session that begins elsewhere has other hooks. What guarded it guards it there, too: its end alone takes that away.
    if (open && known) {
      await this.#close(key, open);
      this.#deps.questions.forget(key);
      return this.#of(key, spoken, caller);
    }
    while (!this.#makeRoom()) {
      await this.#untilFreed(caller.signal);
      if (this.#open.has(key)) return this.#of(key, spoken, caller);
    }
    const guarded = new Guarded(this.#deps.home, key);
    const before = guarded.read();
    const cwd = before && isIn(before.cwd, spoken) ? before.cwd : spoken.cwd;
    const guards = before?.guards ?? [];
    // Written meanwhile, the record can end this and not begin it: what blocks in a session goes on to.
    let monitors = true;
    const monitor = (): boolean => {
      monitors &&= this.#deps.monitors.isOn(agent.name, cwd);
      return monitors;
    };
    monitor();
    const begun = AgentSession.begin({ ...this.#deps, key, agent, cwd, env, guards, guarded, monitor });
    this.#open.set(key, begun);
    // It may have ended meanwhile, and another one of this name may have begun.
    begun.catch(() => this.#open.get(key) === begun && this.#open.delete(key));
    return begun;
  }

  /** Ends the session of an event, for good. */
  async end(spoken: Spoken, { agent, process }: Pick<Caller, "agent" | "process">): Promise<void> {
    const key = keyOf(spoken, agent, process);
    const open = this.#open.get(key);
    this.#open.delete(key);
    // At once: a session of the same name may begin while this one ends.
    new Guarded(this.#deps.home, key).forget();
    this.#deps.questions.forget(key);
    await open?.then((session) => session.end());
  }

  /** Ends those that were idle. Returns how many are left. */
  async sweep(now = Date.now()): Promise<number> {
    for (const [key, open] of this.#open) {
      const session = await open.catch(() => undefined);
      if (session && !this.#busy.has(key) && now - session.lastUsed > IDLE_MS) await this.#close(key, open);
    }
    return this.#open.size;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map(([key, open]) => this.#close(key, open)));
  }

  async #close(key: string, open: Promise<AgentSession>): Promise<void> {
    this.#open.delete(key);
    await open.then(
      (session) => session.end(),
      () => {},
    );
  }

  /** Ends idle sessions until there is room for another. False if all are busy. */
  #makeRoom(): boolean {
    for (const [key, open] of this.#open) {
      if (this.#open.size < MAX_SESSIONS) break;
      if (!this.#busy.has(key)) void this.#close(key, open);
    }
    return this.#open.size < MAX_SESSIONS;
  }

  /** Resolves when a session may have become idle. */
  async #untilFreed(signal: AbortSignal): Promise<void> {
    const gone = Promise.withResolvers<never>();
    const giveUp = (): void => gone.reject(new Error(`${MAX_SESSIONS} sessions judge calls: no other can begin`));
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      await Promise.race([this.#freed.promise, gone.promise]);
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }
}

/** Whether an event is one of a session that began in this folder, and not the start of one elsewhere. */
const isIn = (folder: string, { said, cwd }: Spoken): boolean =>
  said.kind !== "start" || said.goesOn === true || cwd === folder;

const keyOf = ({ session }: Spoken, agent: CommandAgent, process: string): string =>
  `${agent.name} ${session ?? `process ${process}`}`;
