import { MAX_UNSUPPORTED } from "../../../wire/messages.ts";
import { copyOf, forHook, isArray } from "../../core/primordials.ts";
import type { GuestEnvironment } from "../dialect.ts";
import { piExec } from "./context.ts";

/** What an extension of pi's adds to the agent. Left out here: what else it registers goes on to work. */
const REGISTRATIONS = [
  "registerTool",
  "registerCommand",
  "registerShortcut",
  "registerFlag",
  "registerProvider",
  "unregisterProvider",
  "registerMessageRenderer",
  "registerEntryRenderer",
];

/** What it does to the agent. It would go on with a wrong answer: these throw. */
const ACTIONS = [
  "sendMessage",
  "appendEntry",
  "setSessionName",
  "getSessionName",
  "setLabel",
  "getActiveTools",
  "getAllTools",
  "setActiveTools",
  "getCommands",
  "setModel",
  "getThinkingLevel",
  "setThinkingLevel",
];

/** What pi's hooks hear here. */
const HEARD = new Set([
  "session",
  "agent_start",
  "agent_end",
  "turn_start",
  "turn_end",
  "tool_call",
  "tool_result",
  "message",
  "params",
]);

/** Later pi's names for a session's changes: the event here with its `reason`, and the one that such a handler is told. */
const SESSION_EVENTS: Record<string, Record<string, string | undefined>> = {
  session_start: { start: "startup", switch: "resume", clear: "new", branch: "fork" },
  session_shutdown: { shutdown: "quit" },
  session_before_switch: { before_switch: "resume", before_clear: "new" },
  session_before_fork: { before_branch: undefined },
  session_before_compact: { before_compact: undefined },
  session_compact: { compact: undefined },
};

type Handler = (event: unknown, context: unknown) => unknown;

/** The parts of later pi's extension API beside its hooks: few work here, and the rest is named. */
export interface Extension {
  readonly api: Record<string, unknown>;
  /** What was asked for and left out, as a person reads it. */
  readonly unsupported: Set<string>;
  /** The event and handler that stand for those of later pi's. */
  translate(type: string, handler: unknown): [type: string, handler: unknown];
}

export function piExtension(environment: GuestEnvironment, send: (text: string) => void): Extension {
  const { port } = environment;
  const unsupported = new Set<string>();
  const leaveOut = (name: string): void => {
    if (unsupported.has(name) || unsupported.size >= MAX_UNSUPPORTED) return;
    unsupported.add(name);
    port.message({ t: "log", level: "warn", text: `${name} is not supported here, and left out` });
  };
  const flags = new Map<unknown, unknown>();
  const api: Record<string, unknown> = {
    exec: piExec(environment, 0),
    getFlag: (name: unknown) => flags.get(name),
    sendUserMessage: (content: unknown) => send(textOf(content)),
    events: bus(),
  };
  for (const name of REGISTRATIONS) api[name] = () => leaveOut(`pi.${name}`);
  api.registerFlag = (name: unknown, options?: { default?: unknown }) => {
    flags.set(name, options?.default);
    leaveOut("pi.registerFlag");
  };
  for (const name of ACTIONS) {
    api[name] = () => {
      leaveOut(`pi.${name}`);
      throw new TypeError(`pi.${name} cannot be offered to a hook: only hooks of an extension run here`);
    };
  }
  return {
    api: Object.freeze(forHook(api)),
    unsupported,
    translate(type, handler) {
      const reasons = Object.hasOwn(SESSION_EVENTS, type) ? SESSION_EVENTS[type] : undefined;
      if (!reasons) {
        if (!HEARD.has(type)) leaveOut(`pi.on("${type}")`);
        return [type, handler];
      }
      if (typeof handler !== "function") return ["session", handler];
      return ["session", translated(type, reasons, handler as Handler)];
    },
  };
}

function translated(type: string, reasons: Record<string, string | undefined>, handler: Handler): Handler {
  return (event, context) => {
    const { reason: was, ...rest } = event as { reason: string };
    if (!Object.hasOwn(reasons, was)) return undefined;
    const reason = reasons[was];
    return handler(forHook({ ...rest, type, ...(reason === undefined ? {} : { reason }) }), context);
  };
}

/** The extensions of one agent share a bus there. Here each bundle has its own. */
function bus(): object {
  const listeners = new Map<unknown, Set<(data: unknown) => unknown>>();
  return Object.freeze({
    on(channel: unknown, listener: (data: unknown) => unknown) {
      const known = listeners.get(channel) ?? new Set();
      listeners.set(channel, known.add(listener));
      return () => void known.delete(listener);
    },
    emit(channel: unknown, data: unknown) {
      for (const listener of listeners.get(channel) ?? []) listener(data);
    },
  });
}

/** The text of a message, which may come in parts. */
function textOf(content: unknown): string {
  if (!isArray(content)) return content as string;
  const parts = copyOf(content as { type?: unknown; text?: unknown }[]);
  if (!parts.every(({ type }) => type === "text"))
    throw new TypeError("pi.sendUserMessage takes texts here, no images");
  return parts.map(({ text }) => String(text)).join("\n");
}
