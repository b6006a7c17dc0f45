import { agentEnd, agentStart, beforeCompact, hook, session, toolResult, turnEnd, turnStart } from "../events.ts";
import type { Probe, Step } from "../scenario.ts";

const THROWN = [
  'new Error("an error")',
  'new RangeError("a range")',
  'Object.assign(new Error("with a code"), { code: "EACCES" })',
  'new Error("two\\nlines")',
  '"a text"',
  "undefined",
  "null",
  "0",
  "{ message: 'no error' }",
  "[1, [2]]",
  'Symbol("s")',
  "10n",
  '{ toString: () => "its own text" }',
];
const EVERY: Step[] = [
  { emit: session("start") },
  { emit: beforeCompact() },
  { emit: agentStart },
  { emit: turnStart(0) },
  { emit: toolResult("bash", "x") },
  { emit: turnEnd(0) },
  { emit: agentEnd },
  { emit: session("shutdown") },
];
const TYPES = ["session", "agent_start", "agent_end", "turn_start", "turn_end", "tool_result"];

export const ERRORS: Probe[] = [
  {
    name: "whatever is thrown is reported in pi's words",
    hooks: {
      thrower: hook([
        [
          "turn_start",
          `switch (event.turnIndex) {\n${THROWN.map((value, index) => `case ${index}: throw ${value} as any;`).join("\n")}\n}`,
        ],
      ]),
    },
    script: THROWN.map((_, index) => ({ emit: turnStart(index) })),
  },
  {
    name: "a throw is reported for every type of event",
    hooks: { thrower: hook(TYPES.map((type) => [type, "throw new Error(`at ${event.type} ${event.reason ?? ''}`);"])) },
    script: EVERY,
  },
  {
    name: "a handler that is no function is reported for every type of event",
    hooks: {
      odd: `export default function (pi: any) { for (const type of ${JSON.stringify(TYPES)}) pi.on(type, "no function"); }`,
    },
    script: EVERY,
  },
  {
    name: "after a throw the other handlers and hooks still hear the event",
    hooks: {
      one: hook([
        ["agent_start", 'ctx.ui.notify("one", "info"); throw new Error("first");'],
        ["agent_start", 'ctx.ui.notify("two", "info");'],
        ["agent_start", 'throw "third";'],
      ]),
      two: hook([["agent_start", 'ctx.ui.notify("four", "info");']]),
    },
    script: [{ emit: agentStart }],
  },
  {
    name: "a throw in one handler leaves the result of another in force (session)",
    hooks: {
      one: hook([
        ["session", "return { skipConversationRestore: true };"],
        ["session", 'throw new Error("no");'],
      ]),
    },
    script: [{ emit: session("before_branch") }],
  },
  {
    name: "a throw in one handler leaves the result of another in force (tool_result)",
    hooks: {
      one: hook([
        ["tool_result", 'return { details: "kept" };'],
        ["tool_result", 'throw new Error("no");'],
      ]),
    },
    script: [{ emit: toolResult("bash", "x") }],
  },
  {
    name: "a throw in one hook leaves the result of another in force",
    hooks: {
      one: hook([["session", "return { cancel: false, skipConversationRestore: true };"]]),
      two: hook([["session", 'throw new Error("no");']]),
    },
    script: [{ emit: session("before_branch") }],
  },
  {
    name: "a handler that never settles is given up on after the deadline, the next one has its own",
    hooks: {
      stuck: hook([
        ["turn_end", "await new Promise(() => {});"],
        ["turn_end", 'ctx.ui.notify("next", "info");'],
        ["turn_end", "await new Promise(() => {});"],
      ]),
      other: hook([["turn_end", 'ctx.ui.notify("other", "info");']]),
    },
    hookTimeout: 1500,
    script: [{ emit: turnEnd(0) }],
  },
];
