import { expect } from "vitest";
import { agentEnd, beforeCompact, hook, session, toolResult, turnEnd } from "../events.ts";
import { bash, blocked, type Difference, events, on, outcomes, titles } from "./difference.ts";

export const EVENTS_AND_RESULTS: Difference[] = [
  {
    rule: "DESIGN 17: a verdict is said, never implied: a result without `block` decides nothing, and a mistyped one must not open the gate",
    scenario: {
      name: "a result of tool_call without a block is a mistake",
      hooks: { typo: on("tool_call", 'return { blocked: true, reason: "never" } as any;') },
      script: [bash("ls")],
    },
    see: outcomes,
    pi: [{ runs: { command: "ls" } }],
    cordon: [blocked("did you mean block?")],
  },
  {
    rule: "NOTES, Combination: tool_result in 0.27.9 is not chained, so a later `{details}` discards an earlier hook's redacted `content`; later pi chains. *Cordon chains.*",
    scenario: {
      name: "results of several hooks fold",
      hooks: {
        redactor: on("tool_result", 'return { content: [{ type: "text", text: "…" }] };'),
        counter: on("tool_result", 'ctx.ui.notify(event.content[0].text, "info"); return { details: { length: 1 } };'),
      },
      script: [{ emit: toolResult("bash", "a secret") }],
    },
    see: (trace) => [outcomes(trace), titles(trace)],
    pi: [[{ details: { length: 1 } }], ["a secret"]],
    cordon: [[{ content: [{ type: "text", text: "…" }], details: { length: 1 } }], ["…"]],
  },
  {
    rule: "NOTES, Combination: tool_result in 0.27.9 is not chained … *Cordon chains.*",
    scenario: {
      name: "results of several handlers of one hook fold",
      hooks: {
        one: on(
          "tool_result",
          "return { isError: true };",
          'ctx.ui.notify(String(event.isError), "info"); return { details: 1 };',
        ),
      },
      script: [{ emit: toolResult("bash", "x") }],
    },
    see: (trace) => [outcomes(trace), titles(trace)],
    pi: [[{ details: 1 }], ["false"]],
    cordon: [[{ isError: true, details: 1 }], ["true"]],
  },
  {
    rule: "NOTES, Mutation: Mutating `event.input` in tool_call changes what runs. *Cordon: only with `events.rewriteInput` for that tool; otherwise the change is dropped and audited.*",
    scenario: {
      name: "a rewrite without the right to it is dropped",
      hooks: { rewriter: on("tool_call", 'event.input.command = "changed";') },
      grant: events({ rewriteInput: ["write"] }),
      script: [bash("ls"), { call: { command: "ls" }, tool: "write" }],
    },
    see: (trace) => [outcomes(trace), trace.steps.flatMap(({ errors }) => errors.map(({ error }) => error))],
    pi: [[{ runs: { command: "changed" } }, { runs: { command: "changed" } }], []],
    cordon: [
      [{ runs: { command: "ls" } }, { runs: { command: "changed" } }],
      [expect.stringContaining("rewriteInput for bash")],
    ],
  },
  {
    rule: "INTERFACE, 4 and issue, 4: `rewriteResult` and `compact` are powers of their own; DESIGN: blocking and cancelling by default, rewriting never; a refused rewrite is reported once and asked",
    scenario: {
      name: "results and compactions without the right to them are dropped",
      hooks: {
        eager: hook([
          ["tool_result", "return { details: 1 };"],
          ["session", 'return { compactionEntry: { type: "compaction" } };'],
        ]),
      },
      grant: events(),
      script: [{ emit: toolResult("bash", "x") }, { emit: beforeCompact() }, { emit: beforeCompact() }],
    },
    see: (trace) => [outcomes(trace), trace.steps.map(({ errors }) => errors.length)],
    pi: [
      [{ details: 1 }, { compactionEntry: { type: "compaction" } }, { compactionEntry: { type: "compaction" } }],
      [0, 0, 0],
    ],
    cordon: [
      [null, null, null],
      [1, 1, 0],
    ],
  },
  {
    rule: "DESIGN, 12: Bundles that may rewrite this tool's input run first, each on the result of the one before; then the rest judge",
    scenario: {
      name: "who only judges, judges what will run",
      hooks: {
        judge: on("tool_call", 'if (event.input.command.includes("rm")) return { block: true, reason: "no rm" };'),
        rewriter: on("tool_call", 'event.input.command = "rm x";'),
      },
      script: [bash("ls")],
    },
    see: outcomes,
    pi: [{ runs: { command: "rm x" } }],
    cordon: [{ blocked: "no rm" }],
  },
  {
    rule: "DESIGN, 12: a bundle that judged an input which was rewritten afterwards judges the final one again with its rewriting off",
    scenario: {
      name: "who judged before a rewrite is asked again",
      hooks: {
        first: on("tool_call", 'ctx.ui.notify(`first: ${event.input.command}`, "info"); event.input.command += "1";'),
        second: on("tool_call", 'ctx.ui.notify(`second: ${event.input.command}`, "info"); event.input.command += "2";'),
      },
      script: [bash("x")],
    },
    see: (trace) => [outcomes(trace), titles(trace)],
    pi: [[{ runs: { command: "x12" } }], ["first: x", "second: x1"]],
    cordon: [[{ runs: { command: "x12" } }], ["first: x", "second: x1", "first: x12"]],
  },
  {
    rule: "DESIGN, 11: no `cancel` prevents exit",
    scenario: {
      name: "a shutdown cannot be cancelled",
      hooks: { clingy: on("session", "return { cancel: true };") },
      script: [{ emit: session("shutdown") }],
    },
    see: outcomes,
    pi: [{ cancel: true }],
    cordon: [null],
  },
  {
    rule: "INTERFACE, 4: messages and entries inside events need `session` (without it they are not enumerable and reading them is `NOT_GRANTED`)",
    scenario: {
      name: "entries and messages without the right to read them",
      hooks: {
        reader: hook([
          ["session", 'ctx.ui.notify(String(Object.keys(event).includes("entries")), "info"); event.entries.length;'],
          ["agent_end", "event.messages.length;"],
          ["turn_end", "event.message.role;"],
        ]),
      },
      grant: { session: [] },
      script: [{ emit: session("start") }, { emit: agentEnd }, { emit: turnEnd(0) }],
    },
    see: (trace) => [titles(trace), trace.steps.map(({ errors }) => errors.map(({ error }) => error))],
    pi: [["true"], [[], [], []]],
    cordon: [
      ["false", expect.stringContaining("Cordon asks: hook reader wants to use session: entries")],
      // The refusal, and the error that the hook let through.
      ["entries", "messages", "message"].map((field) =>
        Array(2).fill(expect.stringContaining(`reader was not granted session: ${field}`)),
      ),
    ],
  },
  {
    rule: "issue, 4: `before_compact` with a working `resolveApiKey` (refused without a grant)",
    scenario: {
      name: "a key without the right to it",
      hooks: { keys: on("session", 'ctx.ui.notify(await event.resolveApiKey(event.model), "info");') },
      hasUI: false,
      script: [{ emit: beforeCompact() }],
    },
    see: (trace) => [trace.steps[0]?.notes, trace.steps[0]?.errors.map(({ error }) => error)],
    pi: [["asked for the key of anthropic/m"], []],
    cordon: [[], expect.arrayContaining([expect.stringContaining("not granted model: anthropic")])],
  },
];
