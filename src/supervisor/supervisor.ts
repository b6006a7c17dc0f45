import { setTimeout as delay } from "node:timers/promises";
import { type PriorityQuestion, type ToGuest, ToSandbox } from "../../sandbox/wire/messages.ts";
import { messageOf } from "../base/errors.ts";
import type { TextOrParts } from "../base/large-value.ts";
import { culpritsOf, isLoadable } from "./culprits.ts";
import { DispatchRun } from "./dispatch-run.ts";
import type { HostedIsolate } from "./hosted-isolate.ts";
import { Inbox } from "./inbox.ts";
import { Leaving } from "./leaving.ts";
import { Loading } from "./loading.ts";
import type { Failure, Outcome } from "./outcome.ts";
import type { PreparedEvent } from "./prepared-event.ts";
import { type PriorityAnswer, PriorityQuery } from "./priority-query.ts";
import type { Task } from "./task.ts";
import { Tasks } from "./tasks.ts";
import type { Exit, Transport } from "./transport.ts";
import { afterWaking } from "./waking-time.ts";
import { Watch } from "./watch.ts";

export type SupervisorState = "idle" | "starting" | "started" | "stopping" | "stopped";

/** Most waking time, in ms, for a process to start, and for each bundle to load. */
export const START_DEADLINE_MS = 10_000;

/** Wait before a restart, by the number of recent crashes. */
const BACK_OFF_MS = [0, 0, 250, 1000];

/** Keeps one sandbox process running with its isolates loaded, and carries events to them. */
export class Supervisor {
  readonly #acquire: () => Transport;
  readonly #isolates: HostedIsolate[] = [];
  readonly #tasks = new Tasks();
  #state: SupervisorState = "idle";
  #process: Transport | undefined;
  #leaving: Leaving | undefined;
  #loading: Loading | undefined;
  /** The isolate whose own fault made the supervisor kill the process. */
  #condemned: HostedIsolate | undefined;
  /** The one operation at a time: starting, restarting or stopping. */
  #operation: Promise<void> = Promise.resolve();

  constructor(acquire: () => Transport) {
    this.#acquire = acquire;
  }

  get state(): SupervisorState {
    return this.#state;
  }

  get isolates(): readonly HostedIsolate[] {
    return this.#isolates;
  }

  get pid(): number | undefined {
    return this.#process?.alive ? this.#process.pid : undefined;
  }

  add(isolate: HostedIsolate): void {
    this.#isolates.push(isolate);
  }

  /** Removes an isolate: it is dropped, and what waits for its verdict fails. */
  remove(isolate: HostedIsolate): void {
    const at = this.#isolates.indexOf(isolate);
    if (at >= 0) this.#isolates.splice(at, 1);
    isolate.owner.requests.forget();
    if (this.#process?.alive) this.#leaving?.begin(isolate);
    const failure: Failure = { code: "CRASHED", summary: "it was removed or restarted meanwhile" };
    for (const task of this.#tasks.all()) task.remove(isolate, failure);
  }

  /** Starts the process, or loads what was added since. Resolves when each isolate is active, failed or stopped. */
  start(): Promise<void> {
    this.#operation = this.#operation.then(() => this.#start());
    return this.#operation;
  }

  /** No isolate is still to be loaded. */
  get hasStarted(): boolean {
    return this.#state === "started" && !this.#isolates.some((isolate) => isolate.state === "starting");
  }

  /** Resolves when no start is under way. */
  whenStarted(): Promise<void> {
    return this.#operation;
  }

  /** Kills the process and resolves once it is gone. Final. */
  async close(): Promise<void> {
    this.#state = "stopping";
    for (const isolate of this.#isolates) isolate.owner.requests.forget();
    const process = this.#process;
    process?.kill({ code: "CRASHED", summary: "the host was closed" });
    await process?.gone;
    await this.#operation;
    await this.#process?.gone;
    this.#state = "stopped";
  }

  /** Sends one event to `isolates` in order, until one says stop. Resolves with one outcome for each isolate reached. Never rejects. */
  dispatch(
    isolates: readonly HostedIsolate[],
    event: PreparedEvent,
    limitMs: number,
    onRun?: (run: DispatchRun) => void,
  ): Promise<Outcome[]> {
    const process = this.#processOf(isolates);
    if (!process) return Promise.resolve(isolates.map((isolate) => ({ failure: notRunning(isolate) })));
    return new Promise((settle) => {
      const run = new DispatchRun({ tasks: this.#tasks, limitMs, isolates, event, settle });
      const text = `E${run.id}:${event.text}`;
      const [only, second] = isolates;
      if (only && !second) process.send(ToSandbox.text, only.number, text);
      else process.send(ToSandbox.run, run.id, `${isolates.map((isolate) => isolate.number).join(",")}\n${text}`);
      // No answer comes before this turn ends, and the process works meanwhile.
      this.#tasks.begin(run);
      // What is said of the run, such as that it is cancelled already, comes after it.
      onRun?.(run);
    });
  }

  /** Asks a bundle for its priority for such events. Never rejects. */
  askPriority(isolate: HostedIsolate, about: PriorityQuestion, limitMs: number): Promise<PriorityAnswer> {
    const process = this.#processOf([isolate]);
    if (!process) return Promise.resolve({ failure: notRunning(isolate) });
    return new Promise((settle) => {
      const query = new PriorityQuery({ tasks: this.#tasks, limitMs, isolate, settle });
      this.#tasks.begin(query);
      process.send(ToSandbox.text, isolate.number, `Q${query.id}:${JSON.stringify(about)}`);
    });
  }

  /** Cancels a run's requests and tells its handler. The outcome still comes. */
  cancel(run: DispatchRun): void {
    const isolate = run.current;
    if (!isolate) return;
    isolate.owner.requests.release(run.id);
    this.tell(isolate, { t: "cancel", id: run.id });
  }

  /** Bytes of an isolate, as its process reports; `undefined` if it does not answer within a second. */
  async measure(isolate: HostedIsolate): Promise<number | undefined> {
    if (!this.#process?.alive || isolate.state !== "active") return undefined;
    const answered = new AbortController();
    const size = isolate.nextSize().finally(() => answered.abort());
    this.#process.send(ToSandbox.measure, isolate.number, "");
    return Promise.race([size, delay(1000, undefined, { signal: answered.signal }).catch(() => undefined)]);
  }

  task(id: number): Task | undefined {
    return this.#tasks.get(id);
  }

  /** The task that this isolate is working on, if there is exactly one. */
  onlyTask(isolate: HostedIsolate): Task | undefined {
    const mine = this.#tasks.all().filter((task) => task.current === isolate);
    return mine.length === 1 ? mine[0] : undefined;
  }

  tell(isolate: HostedIsolate, message: ToGuest): void {
    this.pass(isolate, JSON.stringify(message));
  }

  /** `json`: that of a {@link ToGuest}. */
  pass(isolate: HostedIsolate, json: TextOrParts): void {
    this.#process?.send(ToSandbox.text, isolate.number, json);
  }

  /** Bytes sent to its process that it has not read yet. */
  get unread(): number {
    return this.#process?.unread ?? 0;
  }

  /** The process, if all these isolates are active in it. */
  #processOf(isolates: readonly HostedIsolate[]): Transport | undefined {
    const answers = this.#state === "started" && isolates.every((isolate) => isolate.state === "active");
    return answers ? this.#process : undefined;
  }

  async #start(): Promise<void> {
    while (this.#isolates.some((isolate) => isolate.state === "starting")) {
      if (this.#state === "started") await this.#loadAdded();
      if (this.#state !== "idle") return;
      this.#state = "starting";
      const worst = Math.max(...this.#isolates.map((isolate) => isolate.recentCrashes));
      await delay(BACK_OFF_MS[Math.min(worst, BACK_OFF_MS.length - 1)]);
      if (!this.#is("starting")) return;
      if ((await this.#bringUp()) && this.#is("starting")) this.#state = "started";
    }
  }

  /** Checked again after each `await`: `close` may have been called meanwhile. */
  #is(state: SupervisorState): boolean {
    return this.#state === state;
  }

  async #bringUp(): Promise<boolean> {
    let process: Transport;
    try {
      process = this.#acquire();
    } catch (error) {
      this.#couldNotStart({ code: "CRASHED", summary: messageOf(error) });
      return false;
    }
    this.#process = process;
    this.#condemned = undefined;
    const leaving = new Leaving(process);
    this.#leaving = leaving;
    const inbox = new Inbox({
      process,
      tasks: this.#tasks,
      // A hook that was just removed may still have frames under way.
      isolate: (number) => this.#isolates.find((isolate) => isolate.number === number),
      loadingOf: (isolate) => (this.#loading?.isolate === isolate ? this.#loading : undefined),
      condemn: (isolate, exit) => {
        this.#condemned = isolate;
        process.kill(exit);
      },
      pong: (number) => watch.pong(number),
      dropped: (number) => leaving.dropped(number),
    });
    const watch = new Watch({
      process,
      tasks: () => this.#tasks.all(),
      asking: () => inbox.asking,
      expire: (task, why) => this.#expire(task, why),
    });
    this.#tasks.watch = watch;
    process.listen({
      frame: (kind, number, text) => inbox.frame(kind, number, text),
      exit: (exit) => {
        watch.close();
        leaving.close();
        if (this.#process === process) this.#exited(process, leaving, exit);
      },
    });
    const stop = afterWaking(START_DEADLINE_MS, () =>
      process.kill({ code: "TIMEOUT", summary: "its sandbox did not start in time" }),
    );
    try {
      await process.ready;
    } catch {
      return false;
    } finally {
      stop();
    }
    await this.#loadAdded();
    return process.alive;
  }

  /** No process could be started: there are no descriptors or no memory left, or the host is closing. */
  #couldNotStart(failure: Failure): void {
    for (const isolate of this.#isolates) {
      if (isolate.state === "starting" && isolate.crash()) isolate.become("stopped", failure);
    }
    if (this.#state === "starting") this.#state = "idle";
  }

  /** Loads isolates one at a time, so that a crash tells which of them caused it. */
  async #loadAdded(): Promise<void> {
    const process = this.#process;
    for (;;) {
      const isolate = this.#isolates.find((one) => one.state === "starting");
      if (!isolate || !process?.alive) return;
      await this.#load(process, isolate);
    }
  }

  #load(process: Transport, isolate: HostedIsolate): Promise<void> {
    return new Promise((resolve) => {
      const settle = (): void => {
        this.#loading = undefined;
        resolve();
      };
      const loading = new Loading({ tasks: this.#tasks, limitMs: START_DEADLINE_MS, isolate, process, settle });
      this.#loading = loading;
      this.#tasks.begin(loading);
      loading.begin();
    });
  }

  #expire(task: Task, message: string): void {
    if (task instanceof Loading) {
      this.#leaving?.begin(task.isolate);
      task.expire();
      return;
    }
    const isolate = task.current;
    isolate?.owner.requests.release(task.id);
    if (isolate) this.tell(isolate, { t: "expire", id: task.id, message });
  }

  #exited(process: Transport, leaving: Leaving, exit: Exit): void {
    const closing = this.#state === "stopping" || this.#state === "stopped";
    const { lastEntered } = process;
    const condemned = this.#condemned ?? this.#isolates.find(({ number }) => number === process.condemned);
    const tasks = this.#tasks.all();
    const culprits = culpritsOf({ isolates: this.#isolates, tasks, condemned, leaving, lastEntered });
    const loading = this.#loading;
    for (const isolate of this.#isolates) {
      if (closing || !isLoadable(isolate)) continue;
      const culprit = culprits.includes(isolate);
      // A bundle that breaks a limit while it loads would do so again. A process that merely died is started again.
      if (culprit && loading?.isolate === isolate && exit.code !== "CRASHED") isolate.become("failed", exit);
      else if (culprit && isolate.crash()) isolate.become("stopped", exit);
      else if (isolate.state === "active") isolate.become("starting");
      isolate.owner.requests.forget();
      isolate.owner.crashed(exit, culprit);
    }
    const names = (culprits.length > 0 ? culprits.map((isolate) => isolate.name) : leaving.names).join(", ");
    const shared: Failure = {
      code: exit.code,
      summary: `the sandbox it shares with ${names} ended: ${exit.summary}`,
      shared: true,
    };
    for (const task of tasks) task.fail((isolate) => (culprits.includes(isolate) ? exit : shared));
    if (closing) return;
    const restarting = this.#state === "starting";
    this.#state = "idle";
    if (!restarting) void this.start();
  }
}

const notRunning = ({ state }: HostedIsolate): Failure => ({
  code: "CRASHED",
  summary: `it is ${state === "active" ? "not running" : state}`,
});
