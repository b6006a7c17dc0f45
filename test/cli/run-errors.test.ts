import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HookBlockedError } from "../../src/base/errors.ts";
import { wrapToolsWithHooks } from "../../src/host/wrap-tools.ts";
import { atTerminal } from "../market/hostile-terminal.ts";
import type { Machine } from "../market/world.ts";
import { cordon } from "../support/command.ts";
import { needs } from "../support/needs.ts";
import { onToolCall, startSession, temporaryFolder, writeFiles } from "../support/session.ts";

const GATE = `interface Only { types: 1 }
export default function (pi: any) {
  pi.on("tool_call", async (event: any) => {
    if (event.input.command === "throw") throw new Error("broke");
    if (event.input.command === "no") return { block: true, reason: "said no" };
    if (event.input.command === "typo") return { blocked: true };
  });
}
`;

test("an error in a handler of tool_call is reported with code, message and its TypeScript line", async () => {
  const { call, errors, folder } = await startSession({ gate: GATE });
  expect(await call("throw")).toMatchObject({ block: true, reason: "broke" });
  expect(errors).toMatchObject([
    {
      event: "tool_call",
      code: "HOOK_THREW",
      error: "broke",
      stack: expect.stringContaining(`${join(folder, "hooks/gate.ts")}:4:`),
    },
  ]);
});

test("run prints the line of a throw, in a handler and at load", async () => {
  const folder = temporaryFolder();
  writeFiles(folder, {
    "gate.ts": GATE,
    "bad.ts": 'const at: number = 1;\nthrow new Error("at load");\nexport default () => at;\n',
  });
  const event = JSON.stringify({ type: "tool_call", toolName: "bash", toolCallId: "1", input: { command: "throw" } });
  const run = (hook: string) =>
    cordon(["run", "--no-discover", "--hook", hook], { cwd: folder, home: join(folder, "home"), input: `${event}\n` });
  expect((await run("gate.ts")).stdout).toContain(`${join(folder, "gate.ts")}:4:`);
  expect((await run("bad.ts")).stderr).toContain(`${join(folder, "bad.ts")}:2:7`);
});

test.each([
  ["run", (hook: string, events: string) => ["run", "--no-discover", "--hook", hook, events]],
  ["dev", (hook: string, events: string) => ["dev", "--once", hook, "--events", events]],
])("%s tells once that a hook was ended in an event", async (_name, args) => {
  const folder = temporaryFolder();
  const event = JSON.stringify({ type: "tool_call", toolName: "bash", toolCallId: "1", input: {} });
  writeFiles(folder, { "loop.ts": onToolCall("for (;;) {}"), "events.jsonl": `${event}\n` });
  const { stdout } = await cordon(args("loop.ts", "events.jsonl"), { cwd: folder, home: join(folder, "home") });
  expect(stdout.match(/^ +error .*CPU_EXCEEDED/gm)).toHaveLength(1);
});

test("run waits a little for what hooks do later, and says which error came of no event", async () => {
  const folder = temporaryFolder();
  writeFiles(folder, {
    "gate.ts": `export default (pi: any) => {
  pi.on("tool_call", () => { setTimeout(() => { throw new Error("late"); }, 20); });
};`,
  });
  const event = JSON.stringify({ type: "tool_call", toolName: "bash", toolCallId: "1", input: {} });
  const run = (...more: string[]) =>
    cordon(["run", "--no-discover", "--hook", "gate.ts", ...more], {
      cwd: folder,
      home: join(folder, "home"),
      input: `${event}\n`,
    });
  expect((await run()).stdout).toMatch(/bash {2}passed .*\n {2}error later .*gate\.ts:2:55: late \(HOOK_THREW\)\n$/);
  const rows = (await run("--json")).stdout.trim().split("\n");
  expect(rows.map((row) => JSON.parse(row))).toMatchObject([
    { event: "tool_call", errors: [] },
    { event: "background", result: null, errors: [{ event: "background", error: "late" }] },
  ]);
});

test("run tells a refusal once in a session, and a hook's notices also without a terminal", async () => {
  const folder = temporaryFolder();
  writeFiles(folder, {
    "gate.ts": onToolCall('ctx.ui.notify("looks");\nawait require("node:fs").promises.readFile("notes.md");'),
    "notes.md": "",
  });
  const event = JSON.stringify({ type: "tool_call", toolName: "bash", toolCallId: "1", input: {} });
  const run = (...more: string[]) =>
    cordon(["run", "--no-discover", "--hook", "gate.ts", ...more], {
      cwd: folder,
      home: join(folder, "home"),
      input: `${event}\n${event}\n`,
    });
  const { stdout, stderr } = await run();
  expect(stdout.match(/blocked by/g)).toHaveLength(2);
  expect(stdout.match(/^ {2}error .*was not granted fs.*\(NOT_GRANTED\)$/gm)).toHaveLength(1);
  expect(stdout.match(/^ {2}error /gm)).toHaveLength(1);
  expect(stderr.match(/^\[hook gate\.ts\] looks$/gm)).toHaveLength(2);
  const verdicts = (await run("--json")).stdout.trim().split("\n");
  for (const verdict of verdicts) expect(JSON.parse(verdict).errors).toMatchObject([{ code: "NOT_GRANTED" }]);
  expect(JSON.parse(verdicts[0] ?? "").errors).toMatchObject([{ wanted: { capability: "fs" } }]);
});

test(
  "the time of a verdict is without that in which a person thought",
  needs(process.platform !== "linux" && "Linux"),
  async () => {
    const folder = temporaryFolder();
    const event = JSON.stringify({ type: "tool_call", toolName: "bash", toolCallId: "1", input: {} });
    writeFiles(folder, {
      "gate.ts": onToolCall('if (await ctx.ui.confirm("Go on?", "")) return { block: true, reason: "yes" };'),
      events: event,
    });
    const machine = { work: folder, home: join(folder, "home"), env: {} } as unknown as Machine;
    const args = ["run", "--no-discover", "--hook", "gate.ts", "events"];
    const { shown } = await atTerminal(machine, args, [[/Go on\?/, "y"]], {}, 5000);
    const ms = Number(/: yes {2}([\d.]+) ms/.exec(shown)?.[1]);
    expect(ms).toBeLessThan(4000);
  },
);

test(
  "run does not end under a question that came after a refusal",
  needs(process.platform !== "linux" && "Linux"),
  async () => {
    const folder = temporaryFolder();
    const home = join(folder, "home");
    const event = JSON.stringify({ type: "tool_call", toolName: "bash", toolCallId: "1", input: {} });
    writeFiles(folder, {
      "gate.ts": onToolCall('try { require("node:fs").readFileSync("notes.md"); } catch {}'),
      "notes.md": "",
      events: event,
    });
    const machine = { work: folder, home, env: {} } as unknown as Machine;
    const args = ["run", "--no-discover", "--hook", "gate.ts", "events"];
    // The third answer is the one for later sessions, too.
    const { code, shown } = await atTerminal(machine, args, [[/wants to use fs/, "\u001b[B\u001b[B\r"]], {}, 600);
    expect(code, shown).toBe(0);
    const { hooks } = JSON.parse(readFileSync(join(home, "grants.json"), "utf8"));
    expect(hooks[join(folder, "gate.ts")].capabilities.fs, shown).toEqual({ read: ["$CWD/notes.md"] });
  },
);

test("a tool that is blocked throws a HookBlockedError with hook, reason and code", async () => {
  const { host } = await startSession({ gate: { source: GATE }, other: onToolCall("") });
  const [tool] = wrapToolsWithHooks(
    [{ name: "bash", execute: async (_id: string, _params: never) => ({ content: [] }) }],
    host,
  );
  const blocked = async (input: unknown) => {
    const error = await tool?.execute("1", input as never).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HookBlockedError);
    const { name, hook, reason, code, message } = error as HookBlockedError;
    return { name, hook, reason, code, message };
  };
  const own = { name: "HookBlockedError", hook: "gate" };
  expect(await blocked({ command: "no" })).toEqual({
    ...own,
    reason: "said no",
    code: undefined,
    message: "Blocked by hook gate: said no",
  });
  expect(await blocked({ command: "throw" })).toMatchObject({ ...own, reason: "broke", code: "HOOK_THREW" });
  expect(await blocked({ command: "typo" })).toMatchObject({ ...own, code: "BAD_RESULT" });
  expect(await blocked({ n: Number.NaN })).toMatchObject({
    hook: "",
    code: undefined,
    message: expect.stringMatching(/^Blocked: the tool's input\.n is NaN/),
  });
});

const LINUX = needs(process.platform !== "linux" && "Linux");

test("a verdict is printed below the question that its handler left open", LINUX, async () => {
  const folder = temporaryFolder();
  writeFiles(folder, {
    "gate.ts": onToolCall('void ctx.ui.confirm("Sure?", "It runs anyway").catch(() => {});'),
    "events.jsonl": '{"type":"tool_call","toolName":"bash","toolCallId":"1","input":{"command":"ls"}}\n',
  });
  const machine = { work: folder, home: temporaryFolder(), env: {} } as unknown as Machine;
  const args = ["run", "events.jsonl", "--hook", "gate.ts"];
  const { code, shown } = await atTerminal(machine, args, [[/Sure\?/, "y"]], {}, 500);
  expect([code, shown.includes("tool_call bash  passed")]).toEqual([0, true]);
  expect(shown.indexOf("tool_call bash  passed")).toBeGreaterThan(shown.lastIndexOf("Sure?"));
});
