import {
  agentEnd,
  agentStart,
  beforeCompact,
  hook,
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

export const SESSION: Probe[] = [
  {
    name: "every event arrives with every field",
    hooks: {
      mirror: hook(
        EVERY_TYPE.map((type) => [type, "show(event, ctx);"]),
        MIRROR,
      ),
    },
    grant: { model: ["anthropic"] },
    script: [
      ...REASONS.map((reason) => ({ emit: session(reason) })),
      { emit: session("start", { sessionFile: null, entries: [] }) },
      { emit: beforeCompact() },
      { emit: beforeCompact({ previousSummary: undefined, customInstructions: "keep names" }) },
      { emit: agentStart },
      { emit: turnStart(0) },
      { call: { command: "ls", nested: { list: [1, "two", null, true] } } },
      { call: {}, tool: "a tool of the user's own" },
      { emit: toolResult("bash", "out", { details: { truncation: { truncated: true, totalLines: 9 } } }) },
      {
        emit: toolResult("read", "", {
          content: [{ type: "image", data: "AAAA", mimeType: "image/png" }],
          isError: true,
        }),
      },
      { emit: turnEnd(0) },
      { emit: agentEnd },
    ],
  },
  {
    name: "a cancel counts for each reason it is returned for",
    hooks: { no: hook([["session", "return { cancel: true };"]]) },
    script: [...LEAVABLE, { emit: beforeCompact() }, { emit: session("start") }, { emit: session("switch") }],
  },
  {
    name: "skipConversationRestore reaches the agent",
    hooks: {
      skip: hook([["session", 'if (event.reason === "before_branch") return { skipConversationRestore: true };']]),
    },
    script: LEAVABLE,
  },
  {
    name: "a compaction of the hook's own reaches the agent",
    hooks: {
      compact: hook([["session", `if (event.reason === "before_compact") return { compactionEntry: ${COMPACTION} };`]]),
    },
    script: [{ emit: beforeCompact() }, { emit: session("compact") }],
  },
  {
    name: "the last result wins as a whole object",
    hooks: {
      first: hook([["session", "return { skipConversationRestore: true };"]]),
      second: hook([
        ["session", `if (event.reason === "before_compact") return { compactionEntry: ${COMPACTION} };`],
        ["session", "return undefined;"],
      ]),
      third: hook([["session", "return event.reason === 'before_clear' ? { cancel: false } : null;"]]),
    },
    script: [...LEAVABLE, { emit: beforeCompact() }],
  },
  {
    name: "an empty result takes back an earlier one, of the same hook",
    hooks: {
      one: hook([
        ["session", "return { skipConversationRestore: true };"],
        ["session", "return {};"],
      ]),
    },
    script: [{ emit: session("before_branch") }],
  },
  {
    name: "an empty result takes back an earlier one, of another hook",
    hooks: {
      one: hook([["session", "return { skipConversationRestore: true };"]]),
      two: hook([["session", "return {};"]]),
    },
    script: [{ emit: session("before_branch") }],
  },
  {
    name: "a cancel ends the round: later handlers and hooks are not asked",
    hooks: {
      one: hook([
        ["session", 'ctx.ui.notify("one", "info");'],
        ["session", 'ctx.ui.notify("cancels", "warning"); return { cancel: true };'],
        ["session", 'ctx.ui.notify("too late", "error");'],
      ]),
      two: hook([["session", 'ctx.ui.notify("never", "info");']]),
    },
    script: LEAVABLE,
  },
  {
    name: "falsy results say nothing",
    hooks: {
      falsy: hook(
        ["undefined", "null", "0", '""', "false", "NaN"].map((value): [string, string] => [
          "session",
          `return ${value} as any;`,
        ]),
      ),
    },
    script: [...LEAVABLE, { emit: beforeCompact() }],
  },
  {
    name: "resolveApiKey asks the agent, and an unknown key is undefined",
    hooks: {
      keys: hook([
        [
          "session",
          'const key = await event.resolveApiKey(event.model); const none = await event.resolveApiKey({ ...event.model, id: "unknown" }); ctx.ui.notify(`${key} ${typeof none}`, "info");',
        ],
      ]),
    },
    grant: { model: ["anthropic"] },
    script: [{ emit: beforeCompact() }],
  },
  {
    name: "event.signal tells that the user gave up",
    hooks: {
      patient: hook([
        [
          "session",
          'await ctx.ui.confirm("compact?", String(event.signal.aborted)); if (!event.signal.aborted) await new Promise((resolve) => event.signal.addEventListener("abort", resolve)); ctx.ui.notify(`aborted: ${event.signal.aborted}`, "info"); return { cancel: true };',
        ],
      ]),
    },
    script: [{ emit: beforeCompact() }],
  },
  {
    name: "event.signal ends a command",
    hooks: {
      patient: hook([
        [
          "session",
          `
            const run = ctx.exec("sleep", ["600"], { signal: event.signal });
            await ctx.ui.confirm("compact?", "");
            const { killed } = await run;
            ctx.ui.notify(String(killed), "info");`,
        ],
      ]),
    },
    grant: { exec: [{ program: "sleep", args: [{ kind: "int" }], fullAccess: true }] },
    script: [{ emit: beforeCompact() }],
  },
  {
    name: "a handler keeps what it learnt between events",
    hooks: {
      counter: hook(
        [
          ["turn_start", "seen.push(event.turnIndex);"],
          ["agent_end", 'ctx.ui.notify(seen.splice(0).join(), "info");'],
        ],
        "const seen: number[] = [];",
      ),
    },
    script: [
      { emit: turnStart(0) },
      { emit: turnStart(1) },
      { emit: agentEnd },
      { emit: turnStart(0) },
      { emit: agentEnd },
    ],
  },
  {
    name: "several hooks hear an event in load order, each handler in the order it was registered",
    hooks: Object.fromEntries(
      ["b", "a", "c"].map((name) => [
        name,
        hook(
          [1, 2].map((n): [string, string] => [
            "turn_end",
            `await null; await ctx.ui.confirm("${name}${n}", String(event.turnIndex));`,
          ]),
        ),
      ]),
    ),
    script: [{ emit: turnEnd(3) }],
  },
  {
    name: "a handler can register another, for a later event",
    hooks: {
      late: hook([["agent_start", 'pi.on("turn_start", (event: any, ctx: any) => ctx.ui.notify("late", "info"));']]),
    },
    script: [{ emit: turnStart(0) }, { emit: agentStart }, { emit: turnStart(1) }],
  },
  {
    name: "a handler can register another, for the event at hand",
    hooks: {
      late: hook([["agent_start", 'pi.on("agent_start", (event: any, ctx: any) => ctx.ui.notify("late", "info"));']]),
    },
    script: [{ emit: agentStart }],
  },
  {
    name: "handlers of one hook share the event object",
    hooks: {
      notes: hook([
        ["turn_start", "event.mine = 1; event.turnIndex = 41;"],
        ["turn_start", 'ctx.ui.notify(`${event.mine} ${event.turnIndex}`, "info");'],
      ]),
    },
    script: [{ emit: turnStart(0) }],
  },
  {
    name: "a synchronous handler does as well as an async one",
    hooks: {
      plain: `
          export default function (pi: any) { pi.on("session", () => ({ cancel: true }));
          pi.on("agent_start", (_: any, ctx: any) => ctx.ui.notify("sync", "info"));
          }`,
    },
    script: [...LEAVABLE, { emit: agentStart }],
  },
  {
    name: "a result can be a thenable",
    hooks: {
      thenable: `
          export default function (pi: any) { pi.on("session", () => ({ then: (done: any) => done({ cancel: true }) }));
          }`,
    },
    script: LEAVABLE,
  },
];
