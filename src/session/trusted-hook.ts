import { fileURLToPath } from "node:url";
import { createJiti } from "jiti";
import type { GuestError, Verdict } from "../../sandbox/wire/messages.ts";
import { offeredModule } from "../bundle/offered-modules.ts";
import { childEnvironment } from "../powers/exec-environment.ts";
import type { Session } from "../powers/lent-session.ts";
import { runProgram } from "../powers/run-program.ts";
import { findProgram } from "../runtime/find-program.ts";
import type { Outcome } from "../supervisor/outcome.ts";

type Handler = (event: unknown, context: unknown) => unknown;

/** What pi gives a command that names no limit: none. */
const NO_LIMIT = { timeoutMs: Number.POSITIVE_INFINITY, maxOutputBytes: 64 * 1024 * 1024 };

const HOOKS_MODULE = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../hook-api.ts" : "../hook-api.js", import.meta.url),
);

/** What a sandboxed hook may import by these names, a trusted one may too. */
const ALIASES = ["@mariozechner/", "@earendil-works/"]
  .flatMap((scope) => ["pi-coding-agent/hooks", "pi-coding-agent", "pi-ai", "pi-tui"].map((name) => scope + name))
  .concat("@sinclair/typebox", "typebox");

/**
 * The user's own hook, run in this process with all its rights: for debugging under Node's own debugger, and for code
 * one trusts. Nothing protects the agent from it.
 */
export class TrustedHook {
  readonly #handlers = new Map<string, Handler[]>();
  readonly #session: Session;
  readonly #changed: (events: ReadonlyMap<string, number>) => void;

  /** `changed`: hears of the handlers whenever one is added. */
  constructor(session: Session, changed: (events: ReadonlyMap<string, number>) => void) {
    this.#session = session;
    this.#changed = changed;
  }

  async load(path: string): Promise<void> {
    const jiti = createJiti(import.meta.url, {
      moduleCache: false,
      alias: Object.fromEntries([
        ...ALIASES.map((name) => [name, offeredModule(name) as string]),
        ["cordon/hooks", HOOKS_MODULE],
      ]),
    });
    const factory = await jiti.import<unknown>(path, { default: true });
    if (typeof factory !== "function") throw new Error("Hook must export a default function");
    await factory({
      on: (type: string, handler: Handler) => {
        const list = this.#handlers.get(type) ?? [];
        list.push(handler);
        this.#handlers.set(type, list);
        this.#changed(this.events());
      },
      send: (text: string, attachments?: unknown[]) => this.#session.send?.(text, attachments),
    });
  }

  events(): ReadonlyMap<string, number> {
    return new Map([...this.#handlers].map(([type, list]) => [type, list.length]));
  }

  /** Runs the handlers on the agent's own event object. A handler that never settles is given up on after `limitMs`. */
  async dispatch(event: { type: string; [field: string]: unknown }, limitMs: number): Promise<Outcome> {
    const before = event.type === "tool_call" ? JSON.stringify(event.input) : "";
    const verdict: Verdict = {};
    for (const handler of this.#handlers.get(event.type) ?? []) {
      try {
        if (typeof handler !== "function") throw new TypeError("handler is not a function");
        const returned = await this.#limited(
          () => handler(event, this.#context()),
          event.type === "tool_call" ? undefined : limitMs,
        );
        if (!returned) continue;
        const result = known(event.type, returned);
        if (CHAINED.has(event.type)) {
          verdict.result = { ...(verdict.result as object), ...(result as object) };
          Object.assign(event, result);
        } else if (event.type === "tool_call" || event.type === "session") {
          verdict.result = result;
        }
        const { block, cancel } = result as { block?: unknown; cancel?: unknown };
        if (block || cancel) break;
      } catch (thrown) {
        verdict.errors = [...(verdict.errors ?? []), describe(thrown)];
        if (event.type === "tool_call") break;
      }
    }
    if (event.type === "tool_call" && JSON.stringify(event.input) !== before)
      verdict.input = event.input as Record<string, unknown>;
    return { verdict };
  }

  #context() {
    const { cwd, workspaces, ui, hasUI, sessionFile } = this.#session;
    return {
      ui,
      hasUI,
      cwd,
      sessionFile,
      exec: (command: string, args: string[], options: { timeout?: number; signal?: AbortSignal } = {}) =>
        runProgram(findProgram(command, workspaces) ?? command, args, {
          cwd,
          env: { ...process.env, ...childEnvironment(workspaces) },
          ...NO_LIMIT,
          ...(options.timeout ? { timeoutMs: options.timeout } : {}),
          signal: options.signal ?? new AbortController().signal,
        }),
    };
  }

  async #limited(work: () => unknown, limitMs: number | undefined): Promise<unknown> {
    if (limitMs === undefined) return work();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(Object.assign(new Error(`Hook timed out after ${limitMs}ms`), { code: "TIMEOUT" })),
        limitMs,
      );
    });
    try {
      return await Promise.race([work(), late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

const KNOWN: ReadonlyMap<string, readonly string[]> = new Map([
  ["tool_call", ["block", "reason"]],
  ["tool_result", ["content", "details", "isError"]],
  ["session", ["cancel", "skipConversationRestore", "compactionEntry"]],
  ["message", ["text", "metadata"]],
  ["params", ["thinkLevel", "reasoningLevel", "temperature"]],
]);
/** Events that each handler sees as the one before left them. */
const CHAINED = new Set(["tool_result", "message", "params"]);
const YES_OR_NO = new Set(["block", "cancel", "skipConversationRestore"]);

/** The members of a result that mean something, as pi takes them; what is no object is left for the check of results. */
function known(type: string, returned: unknown): unknown {
  if (typeof returned !== "object" || returned === null) return returned;
  const members = (KNOWN.get(type) ?? []).flatMap((name) => {
    const value = (returned as Record<string, unknown>)[name];
    return value === undefined ? [] : [[name, YES_OR_NO.has(name) ? Boolean(value) : value]];
  });
  return Object.fromEntries(members);
}

function describe(thrown: unknown): GuestError {
  if (!(thrown instanceof Error)) return { message: String(thrown) };
  const { code } = thrown as { code?: unknown };
  return { message: thrown.message, stack: thrown.stack ?? "", ...(typeof code === "string" ? { code } : {}) };
}
