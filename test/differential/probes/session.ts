import {
  agentEnd,
  agentStart,
  beforeCompact,
  emits,
  hook,
  on,
  type Reason,
  session,
  toolResult,
  turnEnd,
  turnStart,
} from "../events.ts";
import type { Probe, Step } from "../scenario.ts";

const REASONS: Reason[] = [
  "start",
  "before_switch",
  "switch",
  "before_clear",
  "clear",
  "before_branch",
  "branch",
  "compact",
  "shutdown",
];
const CANCELLABLE = ["before_switch", "before_clear", "before_branch"] as const;
const LEAVABLE: Step[] = CANCELLABLE.map((reason) => ({ emit: session(reason) }));

/** Shows all that a handler can see of its event, members in a fixed order. */
const MIRROR = `
const sorted = (value: any): any =>
  Array.isArray(value) ? value.map(sorted)
  : value && typeof value === "object" ? Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]))
  : typeof value === "function" ? "a function" : value;
const show = (event: any, ctx: any) => {
  const { signal, ...rest } = event;
  ctx.ui.notify(JSON.stringify({ signal: signal && [typeof signal.aborted, typeof signal.addEventListener], ...sorted(rest) }), "info");
};`;
const EVERY_TYPE = ["session", "agent_start", "agent_end", "turn_start", "turn_end", "tool_call", "tool_result"];

export const COMPACTION = `{ type: "compaction", timestamp: "t", summary: "short", firstKeptEntryIndex: event.entries.length, tokensBefore: event.tokensBefore }`;

// biome-ignore format: a table
export const SESSION: Probe[] = [
  ["every event arrives with every field",
    { mirror: hook(EVERY_TYPE.map((type) => [type, "show(event, ctx);"]), MIRROR) },
    [...REASONS.map((reason) => ({ emit: session(reason) })),
      { emit: session("start", { sessionFile: null, entries: [] }) }, { emit: beforeCompact() },
      { emit: beforeCompact({ previousSummary: undefined, customInstructions: "keep names" }) }, { emit: agentStart },
      { emit: turnStart(0) }, { call: { command: "ls", nested: { list: [1, "two", null, true] } } },
      { call: {}, tool: "a tool of the user's own" },
      { emit: toolResult("bash", "out", { details: { truncation: { truncated: true, totalLines: 9 } } }) },
      { emit: toolResult("read", "",
        { content: [{ type: "image", data: "AAAA", mimeType: "image/png" }], isError: true }) },
      { emit: turnEnd(0) }, { emit: agentEnd }], { grant: { model: ["anthropic"] } }],
  ["a cancel counts for each reason with which something can still be cancelled",
    { no: on("session", "return { cancel: true };") }, [...LEAVABLE, { emit: beforeCompact() }]],
  ["skipConversationRestore reaches the agent",
    { skip: on("session", 'if (event.reason === "before_branch") return { skipConversationRestore: true };') },
    LEAVABLE],
  ["a compaction of the hook's own reaches the agent",
    { compact: on("session", `if (event.reason === "before_compact") return { compactionEntry: ${COMPACTION} };`) },
    emits(beforeCompact(), session("compact"))],
  ["the last result wins as a whole object",
    { first: on("session", "return { skipConversationRestore: true };"),
      second: on("session", `if (event.reason === "before_compact") return { compactionEntry: ${COMPACTION} };`,
        "return undefined;"),
      third: on("session", "return event.reason === 'before_clear' ? { cancel: false } : null;") },
    [...LEAVABLE, { emit: beforeCompact() }]],
  ["an empty result takes back an earlier one, of the same hook",
    { one: on("session", "return { skipConversationRestore: true };", "return {};") }, emits(session("before_branch"))],
  ["an empty result takes back an earlier one, of another hook",
    { one: on("session", "return { skipConversationRestore: true };"), two: on("session", "return {};") },
    emits(session("before_branch"))],
  ["a cancel ends the round: later handlers and hooks are not asked",
    { one: on("session", 'ctx.ui.notify("one", "info");',
        'ctx.ui.notify("cancels", "warning"); return { cancel: true };', 'ctx.ui.notify("too late", "error");'),
      two: on("session", 'ctx.ui.notify("never", "info");') }, LEAVABLE],
  ["falsy results say nothing",
    { falsy: hook(["undefined", "null", "0", '""', "false", "NaN"].map((value): [string, string] => ["session",
      `return ${value} as any;`])) }, [...LEAVABLE, { emit: beforeCompact() }]],
  ["resolveApiKey asks the agent, and an unknown key is undefined",
    { keys: on("session",
      'const key = await event.resolveApiKey(event.model); const none = await event.resolveApiKey({ ...event.model, id: "unknown" }); ctx.ui.notify(`${key} ${typeof none}`, "info");') },
    emits(beforeCompact()), { grant: { model: ["anthropic"] } }],
  ["event.signal tells that the user gave up",
    { patient: on("session",
      'await ctx.ui.confirm("compact?", String(event.signal.aborted)); if (!event.signal.aborted) await new Promise((resolve) => event.signal.addEventListener("abort", resolve)); ctx.ui.notify(`aborted: ${event.signal.aborted}`, "info"); return { cancel: true };') },
    emits(beforeCompact())],
  ["event.signal ends a command", { patient: on("session", `
      const run = ctx.exec("sleep", ["600"], { signal: event.signal });
      await ctx.ui.confirm("compact?", "");
      const { killed } = await run;
      ctx.ui.notify(String(killed), "info");`) }, emits(beforeCompact()),
    { grant: { exec: [{ program: "sleep", args: [{ kind: "int" }], fullAccess: true }] } }],
  ["a handler keeps what it learnt between events",
    { counter: hook([["turn_start", "seen.push(event.turnIndex);"],
        ["agent_end", 'ctx.ui.notify(seen.splice(0).join(), "info");']],
      "const seen: number[] = [];") }, emits(turnStart(0), turnStart(1), agentEnd, turnStart(0), agentEnd)],
  ["several hooks hear an event in load order, each handler in the order it was registered",
    Object.fromEntries(["b", "a", "c"].map((name) => [name,
      hook([1, 2].map((n): [string, string] => ["turn_end",
        `await null; await ctx.ui.confirm("${name}${n}", String(event.turnIndex));`]))])), emits(turnEnd(3))],
  ["a handler can register another, for a later event",
    { late: on("agent_start", 'pi.on("turn_start", (event: any, ctx: any) => ctx.ui.notify("late", "info"));') },
    emits(turnStart(0), agentStart, turnStart(1))],
  ["a handler can register another, for the event at hand",
    { late: on("agent_start", 'pi.on("agent_start", (event: any, ctx: any) => ctx.ui.notify("late", "info"));') },
    emits(agentStart)],
  ["handlers of one hook share the event object",
    { notes: on("turn_start", "event.mine = 1; event.turnIndex = 41;",
      'ctx.ui.notify(`${event.mine} ${event.turnIndex}`, "info");') }, emits(turnStart(0))],
  ["a synchronous handler does as well as an async one", { plain: `
      export default function (pi: any) { pi.on("session", () => ({ cancel: true }));
      pi.on("agent_start", (_: any, ctx: any) => ctx.ui.notify("sync", "info"));
      }` }, [...LEAVABLE, { emit: agentStart }]],
  ["a result can be a thenable", { thenable: `
      export default function (pi: any) { pi.on("session", () => ({ then: (done: any) => done({ cancel: true }) }));
      }` }, LEAVABLE],
];
