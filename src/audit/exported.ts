import type { AuditLine } from "./line.ts";

/** A piece of work that hooks did, for a span. Times are in ms since 1970. */
export interface Timed {
  /** What was done, as `tool_call` or `exec`. */
  name: string;
  start: number;
  end: number;
  /** The hook's id, if it is one hook's. */
  hook?: string;
  outcome: string;
  /** Of an event about a tool. */
  tool?: { name: string; callId?: string };
  /** Of a power: what was asked for. */
  value?: string;
}

/** What is sent to the thread that exports. */
export type Exported = { line: AuditLine } | { timed: Timed };

/** Sent to the thread. */
export type ToExporter = { items: Exported[] } | "flush";

/** Sent by the thread when it has begun, and then: so many items arrived, or are lost and why. */
export interface FromExporter {
  sent: number;
  lost: number;
  why?: string;
}

type Attributes = Record<string, string | number | boolean>;

const EXECUTE_TOOL = "execute_tool";

/** The attributes of an audit line. Those without `cordon.` are OpenTelemetry's own conventions. */
export function attributesOf({
  hook,
  digest,
  event,
  capability,
  value,
  grant,
  policy,
  code,
  wanted,
  outcome,
  seq,
  prev,
  monitor,
  trial,
}: AuditLine): Attributes {
  return {
    "cordon.seq": seq,
    "cordon.prev": prev,
    "cordon.hook.id": hook,
    "cordon.outcome": outcome,
    ...(digest === undefined ? {} : { "cordon.hook.digest": digest }),
    ...(event === undefined ? {} : { "cordon.event": event }),
    ...(capability === undefined ? {} : { "cordon.power": capability }),
    ...(value === undefined ? {} : { "cordon.value": value }),
    ...(grant === undefined ? {} : { "cordon.grant": grant }),
    ...(policy === undefined ? {} : { "cordon.policy": policy }),
    ...(code === undefined ? {} : { "cordon.code": code }),
    ...(wanted === undefined ? {} : { "cordon.wanted": wanted }),
    ...(monitor === undefined ? {} : { "cordon.monitor": monitor }),
    ...(trial === undefined ? {} : { "cordon.trial": trial }),
    ...(capability === undefined ? ofTool(event, value?.split(": ", 1)[0]) : ofPower(capability, value ?? "")),
  };
}

/** The attributes of a span. */
export function spanAttributesOf({ name, hook, outcome, tool, value }: Timed): Attributes {
  return {
    "cordon.outcome": outcome,
    ...(hook === undefined ? {} : { "cordon.hook.id": hook }),
    ...(tool ? { "cordon.event": name, ...ofTool(name, tool.name) } : {}),
    ...(tool?.callId === undefined ? {} : { "gen_ai.tool.call.id": tool.callId }),
    ...(value === undefined ? {} : { "cordon.power": name, "cordon.value": value, ...ofPower(name, value) }),
  };
}

const ofTool = (event: string | undefined, tool: string | undefined): Attributes =>
  (event === "tool_call" || event === "tool_result") && tool
    ? { "gen_ai.operation.name": EXECUTE_TOOL, "gen_ai.tool.name": tool }
    : {};

/** What a power was used on, where there is a convention for it. */
function ofPower(power: string, value: string): Attributes {
  const kind = power.replace(/\..*/, "");
  if (kind === "exec" || kind === "spawn") return { "process.command_line": value };
  const place = /(?:^| )(\[[^\]]+\]|[^\s:]+):(\d+)$/.exec(value);
  if (kind === "net" && place) return { "server.address": place[1] as string, "server.port": Number(place[2]) };
  if (kind === "model") return { "gen_ai.provider.name": value.split(/[ /]/, 1)[0] as string };
  return {};
}
