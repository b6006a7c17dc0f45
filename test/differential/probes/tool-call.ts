import { hook, on, session } from "../events.ts";
import type { Probe, Step } from "../scenario.ts";

const bash = (command: string): Step => ({ call: { command } });
const onCall = (...bodies: string[]): string => on("tool_call", ...bodies);

/** Probes in which a call is blocked, at least once. */
// biome-ignore format: a table
export const BLOCKS: Probe[] = [
  ["a block with and without a reason", { gate: onCall(`
      switch (event.input.command) { case "a": return { block: true, reason: "not a" };
      case "b": return { block: true };
      case "c": return { block: true, reason: "" };
      }`) }, ["a", "b", "c", "d"].map(bash)],
  ["block counts by its truth, not its type", { gate: onCall(`
      const values: any = { one: 1, text: "yes", zero: 0, no: false, none: null };
      return { block: values[event.input.command], reason: event.input.command };`) },
    ["one", "text", "zero", "no", "none"].map(bash)],
  ["a block ends the round",
    { one: onCall('ctx.ui.notify("one", "info");',
        'if (event.input.command === "x") return { block: true, reason: "two" };', 'ctx.ui.notify("three", "info");'),
      two: onCall('ctx.ui.notify("four", "info"); return { block: true, reason: "five" };') }, ["x", "y"].map(bash)],
  ["whatever is thrown blocks, in pi's words", { thrower: onCall(`
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
      }`) },
    ["error", "type", "own", "text", "undefined", "null", "number", "object", "array", "symbol", "function", "rejects", "late", "none"].map(bash),
    { hasUI: false }],
  ["an error of the engine's has the engine's words", { sloppy: onCall(`
      if (event.input.command === "property") event.input.missing.field;
      if (event.input.command === "call") event.input.missing();
      if (event.input.command === "name") (undefined as any).x;
      JSON.parse(event.input.command);`) }, ["property", "call", "name", "{", "1"].map(bash), { hasUI: false }],
  ["a throw ends the round",
    { one: onCall('throw new Error("one");', 'ctx.ui.notify("two", "info");'),
      two: onCall('ctx.ui.notify("three", "info");') }, [bash("x")], { hasUI: false }],
  ...["undefined", "null", '"text"', "7", "{}"].map((value): Probe =>
    [`a handler that is no function (${value}) blocks`,
    { odd: `export default function (pi: any) { pi.on("tool_call", ${value}); }` }, [bash("x")], { hasUI: false }]),
  ["a change by a handler that then blocks does not run",
    { one: onCall('event.input.command = "changed"; return { block: true, reason: event.input.command };') },
    [bash("x")]],
  ["a dialog decides, and its answer reaches the hook",
    { asks: onCall('const choice = await ctx.ui.select(`Run ${event.input.command}?\\n\\tsure?`, ["yes", "no", "yes, always"]); if (choice !== "yes") return { block: true, reason: String(choice) };') },
    ["good", "odd", "bad"].map(bash),
    { answers: ({ title }) => (title.includes("good") ? "yes" : title.includes("odd") ? null : "yes, always") }],
  ["calls, sessions and other tools do not mix",
    { pair: hook([["session", "reason = event.reason;"],
        ["tool_call",
          'if (event.toolName === "write") return { block: true, reason: `${reason} ${event.toolCallId}` };']],
      'let reason = "none";') },
    [{ emit: session("start") }, { call: {}, tool: "write" }, { emit: session("clear") }, { call: { path: "x" }, tool: "write" }, bash("x")]],
];

/** Probes in which every call passes. */
// biome-ignore format: a table
export const PASSES: Probe[] = [
  ["the last word of those that do not block changes nothing",
    { one: onCall('return { block: false, reason: "fine" };'), three: onCall("return {};") }, [bash("x")]],
  ["falsy results let the call pass",
    { falsy: onCall(...["undefined", "null", "0", '""', "false", "NaN"].map((value) => `return ${value} as any;`)) },
    [bash("x")]],
  ["a changed input is what runs",
    { wrap: onCall("event.input.command = `nice ${event.input.command}`; event.input.timeout = 5;",
      "delete event.input.other;", 'ctx.ui.notify(JSON.stringify(event.input), "info");') },
    [{ call: { command: "make", other: 1 } }]],
  ["each hook sees the input as the one before left it",
    { one: onCall('event.input.command += "1";'),
      two: onCall('event.input.command += "2"; event.input.list.push({ by: "two" });') },
    [{ call: { command: "x", list: [] } }]],
  ["a command's outcome decides", { clean: onCall(`
      const { stdout, code } = await ctx.exec("git", ["status", "--porcelain"]);
      if (stdout || code) return { block: true, reason: stdout };`) }, [bash("x")],
    { grant: { exec: [{ program: "git", args: ["status", "--porcelain"] }] } }],
];
