import type { GuestInit } from "../../../wire/messages.ts";
import { OPENCLAW_HOOKS } from "../../../wire/openclaw-hooks.ts";
import { copyOf, forHook } from "../../core/primordials.ts";
import { normalizeToolName } from "../../interceptors/registry.ts";
import { known } from "../known.ts";
import { decides } from "./decisions.ts";

export interface PluginHook {
  readonly hookName: string;
  readonly handler: (event: unknown, context: unknown) => unknown;
  readonly priority: number;
}

type Event = { readonly type: string; readonly [field: string]: unknown };

/** A plugin hook's name and the arguments of its handlers. */
export interface Shown {
  readonly hookName: string;
  readonly event: object;
  readonly context: object;
}

/** The types of events that can fire plugin hooks. */
export const EVENT_TYPES: readonly string[] = Object.keys(OPENCLAW_HOOKS);

/** All plugin hooks that Cordon's events can fire. */
export const HOOK_NAMES: ReadonlySet<string> = new Set(Object.values(OPENCLAW_HOOKS).flat());

/** No hooks of OpenClaw's: services start before all hooks of a session, and stop after them. */
export const SERVICE_START = "service start";
export const SERVICE_STOP = "service stop";
const SERVICES = [SERVICE_START, SERVICE_STOP];
export const isOfService = (hookName: string): boolean => SERVICES.includes(hookName);

/** The plugin hooks that an event of this type can fire. */
export const hooksFor = (type: string): readonly string[] => {
  const names = Object.hasOwn(OPENCLAW_HOOKS, type) ? (OPENCLAW_HOOKS[type] as string[]) : [];
  return type === "session" ? [...names, ...SERVICES] : names;
};

/** Its handlers run one after the other. */
export const inOrder = (hookName: string): boolean => isOfService(hookName) || decides(hookName);

/**
 * Converts a canonical event for plugins. It becomes several where a session begins, ends or takes the place of another.
 *
 * @param sessionFile of the session that it belongs to
 */
export function shown(event: Event, init: GuestInit, sessionFile: string | null): Shown[] {
  const origin = known({
    agentId: event.agentId,
    sessionKey: event.sessionKey,
    sessionId: sessionFile ?? undefined,
  });
  const one = (event: object, context: object): Shown[] => [
    { hookName: hooksFor(type)[0] as string, event: forHook(event), context: forHook(context) },
  ];
  const { type } = event;
  switch (type) {
    case "tool_call":
    case "tool_result": {
      const tool = { toolName: normalizeToolName(String(event.toolName)), toolCallId: event.toolCallId };
      const call = { ...tool, params: event.input };
      const context = { ...tool, ...origin };
      if (type === "tool_call") return one(call, context);
      return [...one({ ...call, ...resultOf(event) }, context), persisted(event, tool, context)];
    }
    case "before_agent_start":
      // Both of them: the second is the older name. The prompt needs a power, so it is fetched only when a handler reads it.
      return hooksFor(type).map((hookName) => ({
        hookName,
        event: Object.defineProperty(forHook({ messages: [] }), "prompt", {
          get: () => event.prompt,
          enumerable: init.session.includes("prompt"),
        }),
        context: forHook({ ...origin, workspaceDir: init.cwd }),
      }));
    case "message":
      return one(
        { from: "user", content: event.text, timestamp: Date.now(), metadata: event.metadata },
        { ...origin, channelId: "" },
      );
    case "session":
      return sessionEvents(event, origin, init);
    default:
      // `messages` need a power, so they are fetched only when a handler reads them.
      return one(
        Object.defineProperty({ success: true }, "messages", {
          get: () => event.messages,
          enumerable: init.session.includes("messages"),
        }),
        { ...origin, workspaceDir: init.cwd },
      );
  }
}

/** `error` is set if the tool threw, `result` if it returned. */
function resultOf(event: Event): object {
  const { content, details, error, durationMs } = event;
  const result = error === undefined ? forHook(known({ content, details })) : undefined;
  return known({ result, error, durationMs });
}

/** The result as a message of the session. */
function persisted({ content = [], details, isError }: Event, tool: object, context: object): Shown {
  const message = { role: "toolResult", ...tool, ...known({ content, details }), isError: isError === true };
  return {
    hookName: "tool_result_persist",
    event: forHook({ ...tool, message: forHook(message), isSynthetic: false }),
    context: forHook({ ...context }),
  };
}

/** A session is identified by its file. A session without a file has no id. */
const idOf = (file: unknown): string => (typeof file === "string" ? file : "");

function sessionEvents(event: Event, origin: object, init: GuestInit): Shown[] {
  const { reason, sessionFile, previousSessionFile } = event;
  const make = (hookName: string, file: unknown, more: PropertyDescriptorMap): Shown => ({
    hookName,
    event: Object.defineProperties(forHook({ sessionId: idOf(file) }), more),
    context: forHook({ ...origin, sessionId: idOf(file) }),
  });
  // The entries need a power, so they are fetched only when a plugin reads the count.
  const counted = {
    messageCount: {
      get: () => copyOf(event.entries as { type?: unknown }[]).filter((entry) => entry.type === "message").length,
      enumerable: init.session.includes("entries"),
    },
  };
  const start = (resumed: PropertyDescriptorMap): Shown => make("session_start", sessionFile, resumed);
  // OpenClaw's gateway has many sessions. The sandbox has one agent's, so its gateway is there as long.
  const gateway = (hookName: string, event: object): Shown => ({
    hookName,
    event: forHook(event),
    context: forHook({ workspaceDir: init.cwd }),
  });
  switch (reason) {
    case "start":
      return [gateway(SERVICE_START, {}), gateway("gateway_start", { port: 0 }), start({})];
    case "shutdown":
      return [
        make("session_end", sessionFile, counted),
        gateway("gateway_stop", { reason: "shutdown" }),
        gateway(SERVICE_STOP, {}),
      ];
    case "before_compact":
      return [make("before_compaction", sessionFile, counted)];
    case "compact":
      return [make("after_compaction", sessionFile, counted)];
    case "before_clear":
      return [make("before_reset", sessionFile, {})];
    case "switch":
    case "clear":
    case "branch":
      return [
        make("session_end", previousSessionFile, {}),
        start(reason === "branch" ? { resumedFrom: { value: idOf(previousSessionFile), enumerable: true } } : {}),
      ];
    default:
      return [];
  }
}
