import { statusOf } from "../disk/process-status.ts";
import type { HostedIsolate } from "./hosted-isolate.ts";
import type { Task } from "./task.ts";
import type { Exit, Transport } from "./transport.ts";

/** How often open tasks are checked. */
const TICK_MS = 50;

/**
 * Most waking time that one tick counts for. If a tick comes later, this process did not run, because a laptop slept or the
 * machine was overloaded. The sandbox may not have run either, so the rest of the gap does not count.
 */
const MAX_TICK_MS = 100;

/** An isolate that is told that its time is up has this long to answer. Then its process is killed. */
const GRACE_MS = 1000;

/** Wall time for unanswered pings, in multiples of the CPU limit: under load, 200 ms of CPU took 659 ms. */
const WALL_PER_CPU = 30;

/** CPU time that a process may use in a rolling minute while it handles no event, for timers and late promises. */
const IDLE_CPU_MS_PER_MINUTE = 3000;
const IDLE_TICK_MS = 1000;
const IDLE_TICKS_PER_MINUTE = 60;

export interface Watched {
  readonly process: Transport;
  /** The open tasks. */
  tasks(): Task[];
  /** The isolate that blocks the process until the host answers its question. */
  asking(): HostedIsolate | undefined;
  /** The current hook of a task used up its time, while its process answers pings. */
  expire(task: Task, why: string): void;
}

const outwaitedText = ({ waitLimitMs }: Task): string =>
  `it waited more than ${waitLimitMs} ms in all for programs, the network or a model`;

/** The host's clock on one process: pings and deadlines while tasks are open, a CPU budget otherwise. */
export class Watch {
  readonly #watched: Watched;
  readonly #idle: NodeJS.Timeout;
  #busy: NodeJS.Timeout | undefined;
  #working = false;
  #last = 0;
  #lastHostMs = 0;
  #ping = 0;
  #answered = 0;
  #lastPong = 0;
  /** CPU time when the process last answered, and waking time since then. */
  #cpuAtSign: number | undefined;
  #silentMs = 0;
  /** CPU time at the last tick. */
  #cpuAtTick: number | undefined;
  #idleCpu: number | undefined;
  #idleUse: number[] = [];

  constructor(watched: Watched) {
    this.#watched = watched;
    this.#idle = setInterval(() => this.#idleTick(), IDLE_TICK_MS);
    this.#idle.unref();
  }

  /** A task has begun: check from now on. */
  begin(): void {
    if (this.#working) return;
    this.#working = true;
    this.#last = performance.now();
    this.#lastHostMs = this.#watched.process.hostMs;
    this.#silentMs = 0;
    this.#cpuAtSign = undefined;
    this.#cpuAtTick = undefined;
    this.#answered = this.#ping;
    // The timer is kept over short pauses: making one for each event would cost more than the event.
    this.#busy ??= setInterval(() => this.#tick(), TICK_MS);
    this.#busy.ref();
  }

  /** All tasks are over. */
  end(): void {
    this.#working = false;
    this.#busy?.unref();
  }

  pong(number: number): void {
    // Each ping is answered once, in order.
    if (number > this.#ping || number <= this.#lastPong) throw new Error("a pong to no ping");
    this.#lastPong = number;
    this.#answered = Math.max(this.#answered, number);
  }

  close(): void {
    this.#working = false;
    clearInterval(this.#busy);
    clearInterval(this.#idle);
  }

  #tick(): void {
    if (!this.#working) {
      clearInterval(this.#busy);
      this.#busy = undefined;
      return;
    }
    const now = performance.now();
    // Time that the host spent on this process counts as waking time.
    const { hostMs } = this.#watched.process;
    const elapsed = Math.min(now - this.#last, MAX_TICK_MS + hostMs - this.#lastHostMs);
    this.#last = now;
    this.#lastHostMs = hostMs;
    const asking = this.#watched.asking();
    const waiting = this.#watched.tasks().filter((task) => (asking && task.current === asking) || task.waiting);
    if (this.#outwaited(waiting, elapsed, asking) || asking) return;
    const cpu = this.#cpu();
    const used = cpu === undefined || this.#cpuAtTick === undefined ? 0 : cpu - this.#cpuAtTick;
    this.#cpuAtTick = cpu;
    // Whoever was told that its time is up has no time to wait.
    const running = this.#watched.tasks().filter((task) => !task.waiting || task.expired);
    if (running.length === 0) {
      // All tasks wait for a person or another program: CPU time that the process uses meanwhile is idle use.
      this.#answered = this.#ping;
      return;
    }
    if (this.#answered === this.#ping) {
      this.#silentMs = 0;
      this.#cpuAtSign = cpu;
      this.#watched.process.ping(++this.#ping);
    } else {
      this.#silentMs += elapsed;
      const exit = this.#overrun(cpu);
      if (exit) {
        this.#watched.process.kill(exit);
        return;
      }
    }
    for (const task of running) {
      task.elapsedMs += elapsed;
      task.cpuMs += used / running.length;
      if (task.cpuMs > task.cpuLimitMs) {
        const summary = `it used more than ${task.cpuLimitMs} ms of CPU time in all`;
        this.#watched.process.kill({ code: "CPU_EXCEEDED", summary });
        return;
      }
      const isUp = task.elapsedMs >= task.limitMs && !task.expired;
      if (isUp && this.#silentMs <= MAX_TICK_MS) this.#expire(task, `Hook timed out after ${task.limitMs}ms`);
      else if (this.#exceedsGrace(task)) return;
    }
  }

  /** Counts a tick of waiting. True if the process was killed: one that blocks cannot be told that its time is up. */
  #outwaited(waiting: readonly Task[], elapsed: number, asking: HostedIsolate | undefined): boolean {
    for (const task of waiting) {
      const isBlocking = asking !== undefined && task.current === asking;
      if (task.expired) {
        task.elapsedMs += isBlocking ? elapsed : 0;
        if (this.#exceedsGrace(task)) return true;
      }
      if (task.expired || task.waitsForPerson) continue;
      task.waitedMs += elapsed;
      if (task.waitedMs < task.waitLimitMs) continue;
      if (isBlocking) {
        this.#watched.process.kill({ code: "TIMEOUT", summary: outwaitedText(task) });
        return true;
      }
      this.#expire(task, outwaitedText(task));
    }
    return false;
  }

  #expire(task: Task, why: string): void {
    task.expired = true;
    task.elapsedMs = Math.max(task.elapsedMs, task.limitMs);
    this.#watched.expire(task, why);
  }

  /** True if the process was killed, since a hook did not answer when its time was up. */
  #exceedsGrace(task: Task): boolean {
    if (task.elapsedMs <= task.limitMs + GRACE_MS) return false;
    this.#watched.process.kill({ code: "TIMEOUT", summary: `it did not answer within ${task.limitMs} ms` });
    return true;
  }

  #overrun(cpu: number | undefined): Exit | undefined {
    // The limit of whatever is running now.
    const limit = Math.min(...this.#watched.tasks().map(({ current }) => current?.cpuMs ?? Number.POSITIVE_INFINITY));
    this.#cpuAtSign ??= cpu;
    const used = cpu === undefined ? this.#silentMs / WALL_PER_CPU : cpu - (this.#cpuAtSign ?? cpu);
    return used > limit ? { code: "CPU_EXCEEDED", summary: `it used more than ${limit} ms of CPU time` } : undefined;
  }

  #idleTick(): void {
    const cpu = this.#cpu();
    const busy = this.#watched.tasks().some((task) => !task.waiting);
    const used = cpu === undefined || this.#idleCpu === undefined || busy ? 0 : cpu - this.#idleCpu;
    this.#idleCpu = cpu;
    this.#idleUse = [...this.#idleUse, used].slice(-IDLE_TICKS_PER_MINUTE);
    if (this.#idleUse.reduce((sum, ms) => sum + ms, 0) > IDLE_CPU_MS_PER_MINUTE) {
      this.#watched.process.kill({
        code: "CPU_EXCEEDED",
        summary: `it used more than ${IDLE_CPU_MS_PER_MINUTE} ms of CPU time in a minute outside of events`,
      });
    }
  }

  #cpu(): number | undefined {
    const { pid } = this.#watched.process;
    return pid === undefined ? undefined : statusOf(pid)?.cpuMs;
  }
}
