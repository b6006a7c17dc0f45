import type { Worker } from "node:worker_threads";
import { messageOf } from "../base/errors.ts";
import { builtForHost } from "../base/package-root.ts";
import { exportState, MOST_WAITING } from "./export-settings.ts";
import type { Exported, FromExporter, ToExporter } from "./exported.ts";

/** How long items are gathered before the thread gets them, in ms. */
const GATHER_MS = 50;

/** How long the end of the last session waits for what is still to be sent, in ms. */
const FLUSH_MS = 1000;

/** How long it waits for a thread that has not begun yet, in ms. */
const BEGIN_MS = 10_000;

/** Most memory of the thread, in MB. */
const MEMORY_MB = 256;

/** What of the environment the thread sees: the standard's variables, and those of Node's own TLS and proxies. */
const SEEN = /^(OTEL_.*|TRACEPARENT|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|(HTTPS?|NO|ALL)_PROXY)$/i;

/** How many items could not be exported, and why the last ones could not. */
export interface Loss {
  count: number;
  why: string;
}

/**
 * Sends the audit to an OpenTelemetry receiver, from a thread of its own: nothing that decides waits for it. All hosts of a process
 * with the same variables share one.
 */
export class AuditExport {
  /** Those in use, by their variables. */
  static readonly #shared = new Map<string, AuditExport>();
  readonly #key: string;
  readonly #env: NodeJS.ProcessEnv;
  #worker: Worker | undefined;
  readonly #listeners = new Set<(loss: Loss) => void>();
  #users = 0;
  #gathered: Exported[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** Items that were taken, and of which nothing is known yet. */
  #waiting = 0;
  /** It has loaded the SDK. */
  #hasBegun = false;
  /** Set while the last session ends. */
  #ending: { drained(): void; begun(): void } | undefined;
  #isDead = false;
  #loss: Loss = { count: 0, why: "" };

  /** `undefined` unless the environment asks for it and the SDK is there. Close it as often as it was opened. */
  static open(env: NodeJS.ProcessEnv): AuditExport | undefined {
    if (!exportState(env).isOn) return undefined;
    const seen = Object.entries(env).filter(([name]) => SEEN.test(name));
    const key = JSON.stringify(seen.sort());
    const shared = AuditExport.#shared.get(key) ?? new AuditExport(key, Object.fromEntries(seen));
    AuditExport.#shared.set(key, shared);
    shared.#users++;
    return shared;
  }

  private constructor(key: string, env: NodeJS.ProcessEnv) {
    this.#key = key;
    this.#env = env;
  }

  #start(): Worker {
    // Few export: nobody else loads what Node has for threads.
    const threads = process.getBuiltinModule("node:worker_threads");
    const worker = new threads.Worker(builtForHost("audit", "export-worker.js"), {
      env: this.#env,
      execArgv: [],
      // What the SDK prints of its own is not the agent's output.
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    worker.unref();
    worker.stdout.resume();
    worker.stderr.resume();
    worker.on("message", (told: FromExporter) => this.#hear(told));
    worker.on("error", (error) => this.#die(messageOf(error)));
    worker.on("exit", () => this.#die("its thread ended"));
    return worker;
  }

  /** How many items are lost so far. */
  get loss(): Loss {
    return this.#loss;
  }

  /** Hears of the first loss. Returns the function that ends this. */
  onLoss(listener: (loss: Loss) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes an item to be exported. Never waits and never throws: what there is no room for is lost. */
  add(item: Exported): void {
    if (this.#isDead || this.#waiting >= MOST_WAITING) {
      this.#lose(1, this.#isDead ? "its thread ended" : "the receiver is too slow");
      return;
    }
    this.#waiting++;
    this.#gathered.push(item);
    this.#timer ??= setTimeout(() => this.#send(), GATHER_MS).unref();
  }

  /** Resolves when what was added is sent or lost, or soon after: a receiver that does not answer is not waited for. */
  async close(): Promise<void> {
    if (--this.#users > 0) return;
    AuditExport.#shared.delete(this.#key);
    this.#send();
    if (!this.#isDead && this.#waiting > 0) await this.#flushed();
    this.#lose(this.#waiting, "the receiver is too slow");
    this.#isDead = true;
    this.#waiting = 0;
    await this.#worker?.terminate();
  }

  /** Resolves when all is sent or lost, or when that takes too long. */
  #flushed(): Promise<void> {
    this.#post("flush");
    return new Promise<void>((resolve) => {
      let timer = setTimeout(resolve, this.#hasBegun ? FLUSH_MS : BEGIN_MS);
      const drained = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const begun = (): void => {
        clearTimeout(timer);
        timer = setTimeout(resolve, FLUSH_MS);
      };
      this.#ending = { drained, begun };
    });
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const items = this.#gathered;
    this.#gathered = [];
    if (items.length > 0) this.#post({ items });
  }

  #post(message: ToExporter): void {
    if (this.#isDead) return;
    this.#worker ??= this.#start();
    this.#worker.postMessage(message);
  }

  #hear({ sent, lost, why = "" }: FromExporter): void {
    if (this.#isDead) return;
    if (!this.#hasBegun) this.#ending?.begun();
    this.#hasBegun = true;
    this.#waiting -= sent + lost;
    this.#lose(lost, why);
    if (this.#waiting <= 0) this.#ending?.drained();
  }

  #die(why: string): void {
    if (this.#isDead) return;
    this.#isDead = true;
    this.#lose(this.#waiting, why);
    this.#waiting = 0;
    this.#ending?.drained();
  }

  #lose(count: number, why: string): void {
    if (count <= 0) return;
    const isFirst = this.#loss.count === 0;
    this.#loss = { count: this.#loss.count + count, why };
    if (isFirst) for (const listener of this.#listeners) listener(this.#loss);
  }
}
