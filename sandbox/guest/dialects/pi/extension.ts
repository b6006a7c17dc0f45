import { EVENT_NAMES } from "../../../wire/events.ts";
import type { GuestEnvironment } from "../../core/environment.ts";
import { checkLength } from "../../core/limits.ts";
import { copyOf, define, forHook, ignoreRejection, isArray, offered, parse } from "../../core/primordials.ts";
import type { Registrations } from "../registrations.ts";
import type { Unsupported } from "../unsupported.ts";
import { Agent } from "./agent.ts";
import type { Bus } from "./bus.ts";
import { type ExecOptions, exec } from "./context.ts";
import type { Providers } from "./providers.ts";

/**
 * Functions that hand the agent code that it calls synchronously, or what it starts and connects to by itself.
 * They do nothing here; the rest of the extension still works.
 */
const LEFT_OUT = ["registerMcpServer", "unregisterMcpServer"];

/**
 * Session events of later versions of pi. Each has the reasons of our `session` event that fire it, and the reason that
 * its handlers get.
 */
const SESSION_EVENTS: Record<string, Record<string, string | undefined>> = {
  session_start: { start: "startup", switch: "resume", clear: "new", branch: "fork" },
  session_shutdown: { shutdown: "quit" },
  session_before_switch: { before_switch: "resume", before_clear: "new" },
  session_before_fork: { before_branch: undefined },
  session_before_compact: { before_compact: undefined },
  session_compact: { compact: undefined },
};

/** Events that pi once had: an extension for pi of then and now names both, and pi itself says nothing of them. */
const FORMER_EVENTS: ReadonlySet<string> = new Set(
  "session_switch session_fork session_branch session_directory session_before_branch session_clear".split(" "),
);

/** The host cuts messages at a far lower length. */
export const MAX_SENT = 1_000_000;

type Handler = (event: unknown, context: unknown) => unknown;

/** The extension API of later versions of pi, besides hooks. Few parts work here; uses of the others are reported. */
export interface Extension {
  /** The hook's own: an extension may put a function of its own around one of these, as it can in pi. */
  readonly api: Record<string, unknown>;
  /** Converts an event type of later versions of pi, and its handler, to ours. */
  translate(type: string, handler: unknown): [type: string, handler: unknown];
}

export function piExtension(
  environment: GuestEnvironment,
  registrations: Registrations,
  bus: Bus,
  providers: Providers,
  unsupported: Unsupported,
): Extension {
  const { remote } = environment;
  const leaveOut = (name: string): void => unsupported.add(name);
  const api: Record<string, unknown> = {
    exec: (command: unknown, args?: unknown, options?: ExecOptions) =>
      offered(exec, [environment, 0, command, args, options]),
    ...registrations.api,
    sendUserMessage(content: unknown, options: { deliverAs?: unknown; expandPromptTemplates?: unknown } = {}): void {
      const { deliverAs, expandPromptTemplates } = options;
      const how = {
        ...(deliverAs === undefined ? {} : { deliverAs }),
        ...(expandPromptTemplates === undefined ? {} : { expandPromptTemplates }),
      };
      ignoreRejection(remote.call("send.user", 0, [checkLength(textOf(content), MAX_SENT, "a message"), how]));
    },
    events: bus.api,
    registerProvider: (name: unknown, config: unknown) => providers.register(name, config, leaveOut),
    unregisterProvider: (name: unknown) => providers.unregister(name),
    registerVirtualModel: (model: Record<string, unknown>) => providers.registerVirtual(model),
    unregisterVirtualModel: (provider: unknown, id: unknown) => providers.unregisterVirtual(provider, id),
  };
  for (const name of LEFT_OUT) api[name] = () => leaveOut(`pi.${name}`);
  api.getMcpServers = () => parse("[]");
  Object.assign(api, actions(environment));
  return {
    api: forHook(api),
    translate(type, handler) {
      const reasons = Object.hasOwn(SESSION_EVENTS, type) ? SESSION_EVENTS[type] : undefined;
      if (!reasons) {
        if (!EVENT_NAMES.includes(type) && !FORMER_EVENTS.has(type)) leaveOut(`pi.on("${type}")`);
        return [type, handler];
      }
      if (typeof handler !== "function") return ["session", handler];
      return ["session", translated(type, reasons, handler as Handler)];
    },
  };
}

/** Functions with which an extension reads and controls the agent outside of `ctx`. */
function actions(environment: GuestEnvironment): Record<string, unknown> {
  const agent = new Agent(environment, 0);
  const { remote } = environment;
  return {
    sendMessage(message: object, options: object = {}): void {
      ignoreRejection(remote.call("send.message", 0, [message, options]));
    },
    appendEntry: (type: unknown, data: unknown) => agent.tell("appendEntry", type, data),
    setSessionName: (name: unknown) => agent.tell("setSessionName", name),
    getSessionName: () => agent.session("sessionName"),
    setLabel: (entryId: unknown, label: unknown) => agent.tell("setLabel", entryId, label),
    getActiveTools: () => agent.read("activeTools"),
    getAllTools: () => agent.read("allTools"),
    setActiveTools: (names: unknown) => agent.tell("setActiveTools", names),
    getCommands: () => agent.read("commands"),
    getSettings: () => agent.read("settings"),
    setModel: (model: unknown) => agent.act("setModel", model),
    getThinkingLevel: () => agent.read("thinkingLevel"),
    setThinkingLevel: (level: unknown) => agent.tell("setThinkingLevel", level),
  };
}

function translated(type: string, reasons: Record<string, string | undefined>, handler: Handler): Handler {
  return (event, context) => {
    const { reason: was, cause } = event as { reason: string; cause?: unknown };
    if (!Object.hasOwn(reasons, was)) return undefined;
    const { reason: _reason, cause: _cause, fromHook, ...fields } = Object.getOwnPropertyDescriptors(event as object);
    // A field that is fetched when it is read stays one.
    const names = Object.keys(fields).filter((name) => fields[name]?.value !== null);
    const shown = Object.defineProperties(forHook({}), fieldsOf(event as Record<string, unknown>, fields, names));
    const reason = typeof cause === "string" ? cause : reasons[was];
    return handler(
      define(shown, {
        type,
        ...(reason === undefined ? {} : { reason }),
        ...(fromHook ? { fromExtension: fromHook.value } : {}),
      }),
      context,
    );
  };
}

function fieldsOf(
  event: Record<string, unknown>,
  fields: Record<string, PropertyDescriptor>,
  names: readonly string[],
): PropertyDescriptorMap {
  const entries = names.map((name): [string, PropertyDescriptor] => {
    const { get, enumerable, ...rest } = fields[name] as PropertyDescriptor;
    if (!get) return [name, { ...rest, enumerable: enumerable ?? false }];
    return [name, { get: () => event[name], configurable: true, enumerable: enumerable ?? false }];
  });
  return Object.fromEntries(entries);
}

/** The text of a message, which may have several parts. */
function textOf(content: unknown): string {
  if (!isArray(content)) return content as string;
  const parts = copyOf(content as { type?: unknown; text?: unknown }[]);
  if (!parts.every(({ type }) => type === "text"))
    throw new TypeError("pi.sendUserMessage takes only texts here, not images");
  return parts.map(({ text }) => String(text)).join("\n");
}
