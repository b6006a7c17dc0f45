import type { ChildProcess } from "node:child_process";
import { FrameReader } from "../../sandbox/wire/frame.ts";
import { MAX_FRAME_BYTES, MAX_FRAME_TO_SANDBOX_BYTES, ToHost, ToSandbox } from "../../sandbox/wire/messages.ts";
import type { TextOrParts } from "../base/large-value.ts";
import { textOf } from "../base/utf8.ts";
import type { Runtime } from "../runtime/locate.ts";
import { HostTime } from "./host-time.ts";
import { type LaunchOptions, launch } from "./launch.ts";
import { type ChildSocket, Pipe } from "./pipe.ts";
import { Progress } from "./progress.ts";
import type { Exit, Transport, TransportListener } from "./transport.ts";

/** Most frames that a process may send in one second: more than a burst of answers needs. */
const MAX_FRAMES_PER_SECOND = 4000;

/** Most bytes that may wait for a process that does not read. Honest traffic stays far below until a deadline ends it. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

interface Frame {
  readonly kind: number;
  readonly number: number;
  readonly text: string;
}

/** Frames that answer what was sent, or wait for an answer. */
const ANSWERS: ReadonlySet<number> = new Set([ToHost.verdict, ToHost.passed, ToHost.pong, ToHost.sync]);

/** Frames are read for this long before the agent's own work gets its turn. */
const SLICE_MS = 5;

/** One sandbox process, from start to death. It is never started again. */
export class SandboxProcess implements Transport {
  readonly #child: ChildProcess;
  readonly #input: Pipe;
  readonly #output: Pipe;
  readonly #reader = new FrameReader(
    (kind, number, text) => this.#backlog.push({ kind, number, text }),
    MAX_FRAME_BYTES,
    textOf,
  );
  /** Frames that have arrived and are not read yet. */
  #backlog: Frame[] = [];
  #isDraining = false;
  readonly #hostTime = new HostTime();
  #hostMs = 0;
  #listener: TransportListener | undefined;
  readonly #progress: Progress | undefined;
  #lastEntered: number | undefined;
  #condemned: number | undefined;
  #end: Exit | undefined;
  #second = 0;
  #frames = 0;
  readonly #ready = Promise.withResolvers<void>();
  /** Resolves when the sandbox has dropped its permissions; rejects if it dies first. */
  readonly ready = this.#ready.promise;
  readonly #gone = Promise.withResolvers<void>();
  /** Resolves once the process and its descriptors are gone. */
  readonly gone = this.#gone.promise;
  #layers: readonly string[] | undefined;

  constructor(runtime: Runtime, options: LaunchOptions) {
    this.#progress = Progress.create();
    try {
      this.#child = launch(runtime, options, this.#progress);
    } catch (error) {
      this.#progress?.close();
      throw error;
    }
    // When no descriptors are left, the child has no pipes, and an error event follows.
    this.#child.on("error", () => {});
    const [, , , input, output, life] = (this.#child.stdio ?? []) as readonly (ChildSocket | undefined)[];
    if (!input || !output) {
      this.#progress?.close();
      throw new Error("its sandbox could not be started: no descriptors or processes left");
    }
    this.#input = new Pipe(input);
    this.#output = new Pipe(output, (bytes, length) => this.#receive(bytes, length));
    const pipes = [this.#input, this.#output, ...(life ? [new Pipe(life)] : [])];
    this.ready.catch(() => {});
    const ended = (exit: Exit): void => {
      this.#end ??= exit;
      for (const pipe of pipes) pipe.destroy();
      this.#lastEntered = this.#progress?.read();
      this.#progress?.close();
      this.#ready.reject(new Error(this.#end.summary));
      this.#listener?.exit(this.#end);
      this.#listener = undefined;
      this.#gone.resolve();
    };
    this.#child.on("error", (error) =>
      ended({ code: "NO_RUNTIME", summary: `its sandbox could not be started: ${error.message}` }),
    );
    this.#child.on("exit", (code, signal) => ended(deathOf(code, signal)));
    this.#child.unref();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get lastEntered(): number | undefined {
    return this.#lastEntered;
  }

  get condemned(): number | undefined {
    return this.#condemned;
  }

  /** When ready: the kernel's layers that confine it, such as `seccomp`, as it reported before any hook ran. */
  get layers(): readonly string[] {
    return this.#layers ?? [];
  }

  /** Time that the host has spent on its frames, in ms. */
  get hostMs(): number {
    return this.#hostMs;
  }

  get unread(): number {
    return this.#input.waiting;
  }

  get alive(): boolean {
    return this.#end === undefined;
  }

  /** From now on frames and the exit go here. */
  listen(listener: TransportListener): void {
    this.#listener = listener;
    if (this.#end) listener.exit(this.#end);
  }

  send(kind: number, number: number, text: TextOrParts): void {
    if (this.#end) return;
    const most = kind === ToSandbox.load ? MAX_FRAME_TO_SANDBOX_BYTES : MAX_FRAME_BYTES;
    this.#input.send(kind, number, text, most);
    this.#refuseUnread(this.#input);
  }

  #refuseUnread({ waiting }: Pipe): void {
    if (waiting > MAX_UNREAD_BYTES) this.kill({ code: "CRASHED", summary: "its sandbox stopped reading" });
  }

  /** The answer that the process blocks for. */
  answer(number: number, text: TextOrParts): void {
    if (this.#end) return;
    this.#output.send(ToSandbox.text, number, text);
    this.#refuseUnread(this.#output);
  }

  ping(number: number): void {
    this.send(ToSandbox.ping, number, "");
  }

  /** Creates an isolate now for a bundle that may come, with a heap of this size in MB. */
  prepare(memoryMb: number): void {
    this.send(ToSandbox.prepare, memoryMb, "");
  }

  /**
   * Ends the process and everything in its group. The listener hears `exit` with this reason once it is dead. `number`: the
   * isolate whose frame is the reason.
   */
  kill(exit: Exit, number?: number): void {
    if (this.#end) return;
    this.#end = exit;
    this.#condemned = number;
    // Keeps the event loop alive for those who wait for its end.
    this.#child.ref();
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      // Its own group, except on Windows, where there is none.
      process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
    } catch {
      this.#child.kill("SIGKILL");
    }
  }

  #receive(bytes: Buffer, length: number): void {
    // Whatever arrives after a kill is ignored.
    if (this.#end) return;
    const started = performance.now();
    this.#keeping(() => this.#reader.push(bytes, length));
    const spent = performance.now() - started;
    this.#spend(spent);
    if (this.#isDraining) return;
    if (spent > SLICE_MS) this.#drainLater();
    else this.#drain();
  }

  #drainLater(): void {
    this.#isDraining = true;
    this.#output.pause();
    setImmediate(() => this.#drain());
  }

  /** Counts time that its frames took. `number`: the isolate of the frame. */
  #spend(ms: number, number?: number): void {
    this.#hostMs += ms;
    if (!this.#hostTime.spend(ms)) return;
    const summary = `it made its host work for more than ${HostTime.limitMs} ms in a minute`;
    this.kill({ code: "CPU_EXCEEDED", summary }, number);
  }

  /** Reads what has arrived, in slices: the agent's own work goes on in between. */
  #drain(): void {
    const started = performance.now();
    let before = started;
    this.#isDraining = false;
    for (let at = 0; at < this.#backlog.length && !this.#end; at++) {
      const { kind, number, text } = this.#backlog[at] as Frame;
      if (before - started > SLICE_MS) {
        this.#backlog.splice(0, at);
        this.#drainLater();
        return;
      }
      this.#keeping(() => this.#frame(kind, number, text), number);
      const after = performance.now();
      const spent = after - before;
      before = after;
      // The number and size of verdicts are bounded by the events that were sent.
      if (kind === ToHost.verdict || kind === ToHost.passed) this.#hostMs += spent;
      else this.#spend(spent, number);
    }
    this.#backlog = [];
    if (this.#output.isPaused) this.#output.resume();
  }

  #keeping(act: () => void, number?: number): void {
    try {
      act();
    } catch (error) {
      const summary = `its sandbox broke the protocol (${(error as Error).message})`;
      this.kill({ code: "PROTOCOL_VIOLATION", summary }, number);
    }
  }

  #frame(kind: number, number: number, text: string): void {
    if (this.#end) return;
    if (kind === ToHost.ready) {
      if (this.#layers) throw new Error("ready twice");
      this.#layers = text.split(",").filter((layer) => layer !== "");
      this.#ready.resolve();
      return;
    }
    if (!ANSWERS.has(kind)) {
      const second = Math.floor(performance.now() / 1000);
      if (second !== this.#second) this.#frames = 0;
      this.#second = second;
      if (++this.#frames > MAX_FRAMES_PER_SECOND)
        throw new Error(`more than ${MAX_FRAMES_PER_SECOND} frames in a second`);
    }
    this.#listener?.frame(kind, number, text);
  }
}

function deathOf(code: number | null, signal: NodeJS.Signals | null): Exit {
  // V8 aborts the process when an allocation fails.
  if (signal === "SIGABRT" || signal === "SIGTRAP" || signal === "SIGILL") {
    return { code: "OUT_OF_MEMORY", summary: "its sandbox ran out of memory" };
  }
  return { code: "CRASHED", summary: `its sandbox died (${signal ?? `exit code ${code}`})` };
}
