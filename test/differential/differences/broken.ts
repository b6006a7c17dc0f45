import { expect } from "vitest";
import { agentStart, on, session, toolResult } from "../events.ts";
import { bash, blocked, type Difference, outcomes } from "./difference.ts";

// biome-ignore format: a table
const BROKEN: [what: string, source: string, error: string][] = [
  ["a default export that is missing", "export const nothing = 1;", "Hook must export a default function"],
  ["a default export that is not a function", "export default 7;", "Hook must export a default function"],
  ["a throw while loading", 'throw new Error("not today");', "not today"],
  ["a throw in the factory", 'export default function () { throw new Error("not today"); }', "not today"],
  ["a syntax error", "export default function (pi {", ""],
  ["an import of a missing file", 'import "./missing.ts";\nexport default function () {}', "missing"],
];

export const LOADING = BROKEN.map(
  ([what, source, error]): Difference => ({
    claim: `${what} keeps the gate shut`,
    rule: "pi 0.27.9 skips what does not load, so a mistyped path removes a gate; Cordon blocks guarded calls until the hook loads or is removed",
    hooks: { gate: source },
    hasUI: false,
    script: [bash("ls"), { emit: agentStart }],
    see: (trace) => [trace.loading[0]?.error, trace.hears.tool_call, outcomes(trace), trace.paths.length],
    pi: [expect.stringContaining(error), false, [{ runs: { command: "ls" } }, null], 0],
    cordon: [expect.stringContaining(error), true, [blocked("LOAD_FAILED"), null], 1],
  }),
);

const passes = { runs: { command: "ls" } };

/** Return values that are not results: pi uses their truthiness, and Cordon refuses them. */
// biome-ignore format: a table
const WRONG_SHAPES: [type: "tool_call" | "session" | "tool_result", value: string, pi: unknown][] = [
  ["tool_call", "true", passes],
  ["tool_call", '"yes"', passes],
  ["tool_call", "7", passes],
  ["tool_call", "[{ block: true }]", passes],
  ["tool_call", "() => ({ block: true })", passes],
  ["tool_call", "{ blocked: true }", passes],
  ["tool_call", "{ block: true, reason: 42 }", { blocked: "42" }],
  ["session", '"yes"', "yes"],
  ["session", "true", true],
  ["session", "[1]", [1]],
  ["session", "{ stop: true }", { stop: true }],
  ["session", '{ compactionEntry: "short" }', { compactionEntry: "short" }],
  ["tool_result", '"text"', "text"],
  ["tool_result", '{ content: "text" }', { content: "text" }],
  ["tool_result", '{ content: [{ type: "sound" }] }', { content: [{ type: "sound" }] }],
  ["tool_result", '{ isError: "yes" }', { isError: "yes" }],
  ["tool_result", "{ text: 1 }", { text: 1 }],
];
const STEPS = {
  tool_call: bash("ls"),
  session: { emit: session("before_branch") },
  tool_result: { emit: toolResult("bash", "x") },
} as const;

export const SHAPES = WRONG_SHAPES.map(
  ([type, value, pi]): Difference => ({
    claim: `${type} returns ${value}`,
    rule: "a throw of any kind and a result of the wrong shape block while the hook guards, and are reported while it observes",
    hooks: { odd: on(type, `return (${value}) as any;`) },
    hasUI: false,
    script: [STEPS[type]],
    see: (trace) => [outcomes(trace), trace.steps[0]?.errors.length],
    pi: [[pi], 0],
    cordon: type === "tool_call" ? [[blocked("BAD_RESULT")], 0] : [[null], 1],
  }),
);
