import type { AsyncResource } from "node:async_hooks";
import type { ToolCalled } from "../../sandbox/wire/answers.ts";
import { EXTENSION_EVENTS } from "../../sandbox/wire/events.ts";
import type { Envelope } from "../../sandbox/wire/messages.ts";
import type { LoginStep, StreamNote } from "../../sandbox/wire/providers.ts";
import type { Suggest } from "../hook-screen.ts";

/** Parts of the session that need the `session` power, by event type. They are fetched when read, not sent with each event. */
const WITHHELD: ReadonlyMap<string, readonly string[]> = new Map([
  [
    "session",
    [
      "entries",
      "messagesToSummarize",
      "messagesToKeep",
      "previousSummary",
      "compactionEntry",
      "preparation",
      "branchEntries",
    ],
  ],
  ["agent_end", ["messages"]],
  ["turn_end", ["message", "toolResults", "entries", "context"]],
  ...Object.entries(EXTENSION_EVENTS).map(([type, { texts }]): [string, readonly string[]] => [type, texts]),
]);

/** Fields with entries of the session file; the others hold messages. */
const ENTRY_FIELDS = new Set(["entries", "compactionEntry", "branchEntries"]);

/** Which fields a hook with these `session` grants may read. `entries` hold the messages too. */
export function readableFields(grants: readonly string[]): string[] {
  const all = [...new Set([...WITHHELD.values()].flat())];
  return grants.includes("entries")
    ? all
    : grants.includes("messages")
      ? all.filter((field) => !ENTRY_FIELDS.has(field))
      : [];
}

/** API key of a model, or undefined; `origin` says which hook wants it. */
export type ResolveApiKey = (model: unknown, origin?: { hook: string }) => unknown;

/** What the code of a provider says while it answers or signs in. Each rejects with why that is wrong. */
export interface ProviderTold {
  /** JSON of a list of `AnswerPart`. */
  answer?(text: string): Promise<void>;
  /** JSON of a value, as in pi's callbacks. Resolves with JSON, or null for nothing. */
  tell?(step: StreamNote | LoginStep, text: string, signal: AbortSignal): Promise<string | null>;
}
/** Runs a tool of the agent's. Rejects for no failure of the tool's: the result says so. */
export type CallTool = (name: string, args: unknown, signal: AbortSignal) => Promise<ToolCalled>;

/** An event as hooks see it, and the parts that the host withholds. */
export interface PreparedEvent {
  readonly type: string;
  /** The JSON of an {@link Envelope}. */
  readonly text: string;
  readonly withheld: ReadonlyMap<string, unknown>;
  /** The context of those who wait for it: what is reported of it is reported in its scope. Made once the event is on its way. */
  context?: AsyncResource;
  readonly resolveApiKey?: ResolveApiKey;
  readonly signal?: AbortSignal;
  /** Receives parts of the result of a tool that runs. */
  readonly onUpdate?: (partial: object) => void;
  /** Receives what a provider's code says while it runs. */
  readonly provider?: ProviderTold;
  /** Runs another tool of the agent's for a tool that runs, after the gates judged the call. */
  readonly callTool?: CallTool;
  /** What the agent itself suggests, for a completer. */
  readonly suggest?: Suggest;
}

const NONE: ReadonlyMap<string, unknown> = new Map();

/** Splits an event into what is sent to the sandbox and what stays in the host. */
export function prepareEvent(
  event: { type: string },
  session: Pick<Envelope, "hasUI" | "sessionFile" | "state">,
): PreparedEvent {
  const { type } = event;
  // The common case: all of a tool call and its result is sent.
  if (!WITHHELD.has(type))
    return { type, text: JSON.stringify({ event, ...session } satisfies Envelope), withheld: NONE };
  const withheld = new Map<string, unknown>();
  const shown: Record<string, unknown> & { type: string } = { ...event };
  for (const field of WITHHELD.get(type) ?? []) {
    if (shown[field] === undefined) continue;
    withheld.set(field, shown[field]);
    delete shown[field];
  }
  const { resolveApiKey, signal } = shown;
  const live: Pick<PreparedEvent, "resolveApiKey" | "signal"> = {
    ...(typeof resolveApiKey === "function" ? { resolveApiKey: resolveApiKey as ResolveApiKey } : {}),
    ...(signal instanceof AbortSignal ? { signal } : {}),
  };
  const liveNames = Object.keys(live) as (keyof typeof live)[];
  for (const name of liveNames) delete shown[name];
  const envelope: Envelope = { event: shown, added: { withheld: [...withheld.keys()], live: liveNames }, ...session };
  return { type, text: JSON.stringify(envelope), withheld, ...live };
}
