import { hook, session } from "../events.ts";
import type { Probe, Step } from "../scenario.ts";

const bash = (command: string): Step => ({ call: { command } });
const onCall = (...bodies: string[]): string => hook(bodies.map((body) => ["tool_call", body]));

export const TOOL_CALL: (Probe & { blocks: boolean })[] = [
  {
    name: "a block with and without a reason",
    hooks: {
      gate: onCall(
        `
          switch (event.input.command) { case "a": return { block: true, reason: "not a" };
          case "b": return { block: true };
          case "c": return { block: true, reason: "" };
          }`,
      ),
    },
    script: ["a", "b", "c", "d"].map(bash),
    blocks: true,
  },
  {
    name: "block counts by its truth, not its type",
    hooks: {
      gate: onCall(
        `
          const values: any = { one: 1, text: "yes", zero: 0, no: false, none: null };
          return { block: values[event.input.command], reason: event.input.command };`,
      ),
    },
    script: ["one", "text", "zero", "no", "none"].map(bash),
    blocks: true,
  },
  {
    name: "a block ends the round",
    hooks: {
      one: onCall(
        'ctx.ui.notify("one", "info");',
        'if (event.input.command === "x") return { block: true, reason: "two" };',
        'ctx.ui.notify("three", "info");',
      ),
      two: onCall('ctx.ui.notify("four", "info"); return { block: true, reason: "five" };'),
    },
    script: ["x", "y"].map(bash),
    blocks: true,
  },
  {
    name: "the last word of those that do not block changes nothing",
    hooks: {
      one: onCall('return { block: false, reason: "fine" };'),
      three: onCall("return {};"),
    },
    script: [bash("x")],
    blocks: false,
  },
  {
    name: "falsy results let the call pass",
    hooks: {
      falsy: onCall(...["undefined", "null", "0", '""', "false", "NaN"].map((value) => `return ${value} as any;`)),
    },
    script: [bash("x")],
    blocks: false,
  },
  {
    name: "whatever is thrown blocks, in pi's words",
    hooks: {
      thrower: onCall(`
        switch (event.input.command) {
          case "error": throw new Error("an error");
          case "type": throw new TypeError("a type error");
          case "own": throw new (class Own extends Error {})("of its own class");
          case "text": throw "a text";
          case "undefined": throw undefined;
          case "null": throw null;
          case "number": throw 7;
          case "object": throw { message: "no error" };
          case "array": throw [1, 2];
          case "symbol": throw Symbol("s");
          case "function": throw () => 1;
          case "rejects": return Promise.reject(new Error("rejected"));
          case "late": await null; throw new Error("late");
        }`),
    },
    script: [
      "error",
      "type",
      "own",
      "text",
      "undefined",
      "null",
      "number",
      "object",
      "array",
      "symbol",
      "function",
      "rejects",
      "late",
      "none",
    ].map(bash),
    hasUI: false,
    blocks: true,
  },
  {
    name: "an error of the engine's has the engine's words",
    hooks: {
      sloppy: onCall(
        `
          if (event.input.command === "property") event.input.missing.field;
          if (event.input.command === "call") event.input.missing();
          if (event.input.command === "name") (undefined as any).x;
          JSON.parse(event.input.command);`,
      ),
    },
    script: ["property", "call", "name", "{", "1"].map(bash),
    hasUI: false,
    blocks: true,
  },
  {
    name: "a throw ends the round",
    hooks: {
      one: onCall('throw new Error("one");', 'ctx.ui.notify("two", "info");'),
      two: onCall('ctx.ui.notify("three", "info");'),
    },
    script: [bash("x")],
    hasUI: false,
    blocks: true,
  },
  ...["undefined", "null", '"text"', "7", "{}"].map((value) => ({
    name: `a handler that is no function (${value}) blocks`,
    hooks: { odd: `export default function (pi: any) { pi.on("tool_call", ${value}); }` },
    script: [bash("x")],
    hasUI: false,
    blocks: true,
  })),
  {
    name: "a changed input is what runs",
    hooks: {
      wrap: onCall(
        "event.input.command = `nice ${event.input.command}`; event.input.timeout = 5;",
        "delete event.input.other;",
        'ctx.ui.notify(JSON.stringify(event.input), "info");',
      ),
    },
    script: [{ call: { command: "make", other: 1 } }],
    blocks: false,
  },
  {
    name: "each hook sees the input as the one before left it",
    hooks: {
      one: onCall('event.input.command += "1";'),
      two: onCall('event.input.command += "2"; event.input.list.push({ by: "two" });'),
    },
    script: [{ call: { command: "x", list: [] } }],
    blocks: false,
  },
  {
    name: "a change by a handler that then blocks does not run",
    hooks: { one: onCall('event.input.command = "changed"; return { block: true, reason: event.input.command };') },
    script: [bash("x")],
    blocks: true,
  },
  {
    name: "a dialog decides, and its answer reaches the hook",
    hooks: {
      asks: onCall(
        'const choice = await ctx.ui.select(`Run ${event.input.command}?\\n\\tsure?`, ["yes", "no", "yes, always"]); if (choice !== "yes") return { block: true, reason: String(choice) };',
      ),
    },
    answers: ({ title }) => (title.includes("good") ? "yes" : title.includes("odd") ? null : "yes, always"),
    script: ["good", "odd", "bad"].map(bash),
    blocks: true,
  },
  {
    name: "a command's outcome decides",
    hooks: {
      clean: onCall(
        `
          const { stdout, code } = await ctx.exec("git", ["status", "--porcelain"]);
          if (stdout || code) return { block: true, reason: stdout };`,
      ),
    },
    grant: { exec: [{ program: "git", args: ["status", "--porcelain"] }] },
    script: [bash("x")],
    blocks: false,
  },
  {
    name: "calls, sessions and other tools do not mix",
    hooks: {
      pair: hook(
        [
          ["session", "reason = event.reason;"],
          [
            "tool_call",
            'if (event.toolName === "write") return { block: true, reason: `${reason} ${event.toolCallId}` };',
          ],
        ],
        'let reason = "none";',
      ),
    },
    script: [
      { call: {}, tool: "write" },
      { emit: session("start") },
      { call: { path: "x" }, tool: "write" },
      bash("x"),
    ],
    blocks: true,
  },
];
