import { expect } from "vitest";
import { agentStart, session, toolResult } from "../events.ts";
import { bash, blocked, type Difference, on, outcomes } from "./difference.ts";

export const LOADING: Difference[] = [
  ...[
    ["a default export that is missing", "export const nothing = 1;", "Hook must export a default function"],
    ["a default export that is no function", "export default 7;", "Hook must export a default function"],
    ["a throw while loading", 'throw new Error("not today");', "not today"],
    ["a throw in the factory", 'export default function () { throw new Error("not today"); }', "not today"],
    ["a syntax error", "export default function (pi {", ""],
    ["an import that is not there", 'import "./missing.ts";\nexport default function () {}', "missing"],
  ].map(
    ([name, source, words]): Difference => ({
      rule: "NOTES, Errors: Load failures are skipped in 0.27.9, so a mistyped path removes a gate. *Cordon blocks guarded calls until the hook loads or is removed.*",
      scenario: {
        name: `${name} keeps the gate shut`,
        hooks: { gate: source as string },
        hasUI: false,
        script: [bash("ls"), { emit: agentStart }],
      },
      see: (trace) => [
        trace.loading.map(({ error }) => error),
        trace.hears.tool_call,
        outcomes(trace),
        trace.paths.length,
      ],
      pi: [[expect.stringContaining(words as string)], false, [{ runs: { command: "ls" } }, null], 0],
      cordon: [[expect.stringContaining(words as string)], true, [blocked("LOAD_FAILED"), null], 1],
    }),
  ),
];
/** What handlers return that is no result: pi takes its truth, Cordon refuses it. */
const WRONG_SHAPES: { type: "tool_call" | "session" | "tool_result"; value: string; pi: unknown }[] = [
  ...["true", '"yes"', "7", "[{ block: true }]", "() => ({ block: true })", "{ blocked: true }"].map((value) => ({
    type: "tool_call" as const,
    value,
    pi: { runs: { command: "ls" } },
  })),
  { type: "tool_call", value: "{ block: true, reason: 42 }", pi: { blocked: "42" } },
  { type: "session", value: '"yes"', pi: "yes" },
  { type: "session", value: "true", pi: true },
  { type: "session", value: "[1]", pi: [1] },
  { type: "session", value: "{ stop: true }", pi: { stop: true } },
  { type: "session", value: '{ compactionEntry: "short" }', pi: { compactionEntry: "short" } },
  { type: "tool_result", value: '"text"', pi: "text" },
  { type: "tool_result", value: '{ content: "text" }', pi: { content: "text" } },
  { type: "tool_result", value: '{ content: [{ type: "sound" }] }', pi: { content: [{ type: "sound" }] } },
  { type: "tool_result", value: '{ isError: "yes" }', pi: { isError: "yes" } },
  { type: "tool_result", value: "{ text: 1 }", pi: { text: 1 } },
];
const STEPS = {
  tool_call: bash("ls"),
  session: { emit: session("before_branch") },
  tool_result: { emit: toolResult("bash", "x") },
} as const;

export const SHAPES: Difference[] = WRONG_SHAPES.map(({ type, value, pi }) => ({
  rule: "issue, 6: each row shown by a test: … throw of every kind, results of the wrong shape; DESIGN, 11: throw, wrong result … ⇒ **block** … Observing: reported through `onError`",
  scenario: {
    name: `${type} returns ${value}`,
    hooks: { odd: on(type, `return (${value}) as any;`) },
    hasUI: false,
    script: [STEPS[type]],
  },
  see: (trace) => [outcomes(trace), trace.steps[0]?.errors.length],
  pi: [[pi], 0],
  cordon: type === "tool_call" ? [[blocked("BAD_RESULT")], 0] : [[null], 1],
}));
