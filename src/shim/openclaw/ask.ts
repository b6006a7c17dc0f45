import { readFileSync } from "node:fs";
import { isAbsolute } from "node:path";
import { readJson } from "../../../sandbox/wire/read-json.ts";
import { isRecord } from "../../agents/command/fields.ts";
import { attemptOr } from "../../base/attempt.ts";
import { type AskOptions, askEvent } from "../ask-event.ts";
import type { Context, PluginApi } from "./plugin-api.ts";

const SETTINGS = new URL("../cordon.json", import.meta.url);

/** Longest wait for a decision, in ms: longer than hooks may take, and a person may be asked meanwhile. */
export const GATE_MS = 300_000;
const NOTE_MS = 30_000;

/** Time before the end of the wait in which the plugin answers by itself. */
const AHEAD_MS = 1000;

/** What is handed to the daemon. */
interface Told {
  kind: "gate" | "note";
  /** OpenClaw's name for the event. */
  name: string;
  event: object;
  context: Context;
  /** The question that the person allowed. */
  allowed?: string;
}

/** The answer, in OpenClaw's words. Rejects, with one line that says what to do, for anything but a whole answer. */
export type Ask = (told: Told) => Promise<Record<string, unknown>>;

/** Asks the daemon that the file beside the plugin names. Without it nothing can be asked, and every call is blocked. */
export function asker(api: PluginApi): Ask {
  return async ({ kind, name, event, context, allowed }) => {
    const { agentId, sessionKey, sessionId, runId, abortSignal } = context;
    const about = { agentId, sessionKey, sessionId, runId };
    const cwd = workspaceOf(api, agentId);
    const text = JSON.stringify({ event, context: about, ...(cwd ? { cwd } : {}), ...(allowed ? { allowed } : {}) });
    const wait = kind === "gate" ? GATE_MS : NOTE_MS;
    const late = AbortSignal.timeout(wait - AHEAD_MS);
    const signal = abortSignal ? AbortSignal.any([late, abortSignal]) : late;
    try {
      signal.throwIfAborted();
      const options: AskOptions = { ...settings(), agent: "openclaw", kind, event: name, parent: process.pid, wait };
      const { text: answer } = await unless(signal, askEvent(options, Buffer.from(text), signal));
      const words: unknown = answer === "" ? {} : readJson(answer);
      if (isRecord(words)) return words;
      throw new Error("Cordon's daemon answered nonsense");
    } catch (error) {
      const why = late.aborted ? "Cordon did not answer in time" : abortSignal?.aborted ? "cancelled" : textOf(error);
      throw new Error(`${why}; run: cordon doctor`);
    }
  };
}

/** Rejects as soon as nobody waits, whatever the daemon does. */
function unless<T>(signal: AbortSignal, done: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    done.then(resolve, reject);
  });
}

/** What `cordon install openclaw` wrote beside the plugin. It may change while OpenClaw runs. */
function settings(): Pick<AskOptions, "home" | "daemon"> {
  const written: unknown = attemptOr(() => readJson(readFileSync(SETTINGS, "utf8")), undefined);
  const { home, node, start } = isRecord(written) ? written : {};
  const isPath = (value: unknown): value is string => typeof value === "string" && isAbsolute(value);
  if (isPath(home) && isPath(node) && isPath(start)) return { home, daemon: [node, start] };
  throw new Error("Cordon's plugin is not set up (run: cordon install openclaw)");
}

/** The folder whose hooks a session has. */
function workspaceOf({ runtime, config }: PluginApi, agentId: string | undefined): string | undefined {
  return agentId === undefined ? undefined : runtime?.agent?.resolveAgentWorkspaceDir?.(config, agentId);
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
