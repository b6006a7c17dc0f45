import { readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { sandboxesOf } from "../sandbox/proc.ts";
import { startSession } from "../support/session.ts";
import { ALL, REGISTRY } from "./interceptors-agent.ts";

type Session = Awaited<ReturnType<typeof startSession>>;

const grant = { capabilities: { events: { see: ["*"], ...ALL } } };
const texts = ({ log }: Session): string[] => log.splice(0).map(({ text }) => text);
const result = ({ host }: Session, toolName: string) =>
  host.emit({ type: "tool_result", toolName, toolCallId: "1", input: {}, content: [], isError: false });
const message = ({ host }: Session, agentId?: string) =>
  host.emit({ type: "message", text: "hi", metadata: {}, ...(agentId ? { agentId } : {}) });
const params = ({ host }: Session, agentId?: string) =>
  host.emit({ type: "params", provider: "p", model: "m", metadata: {}, ...(agentId ? { agentId } : {}) });

/** `asked(/x/)` logs each use of the expression, including the one at its registration. */
const ASKED = `${REGISTRY}
const asked = (expression: RegExp) => () => {
  console.log("asked " + expression.source);
  return expression;
};
const says = (id: string, name: string, more: Record<string, () => RegExp> = {}) => {
  const registration = { id, name, handler: () => console.log(id) };
  for (const [field, get] of Object.entries(more)) Object.defineProperty(registration, field, { enumerable: true, get });
  registry.add(registration as never);
};
`;

describe("a matcher that backtracks without end", () => {
  const NAME = `${"a".repeat(60)}!`;
  const other = `${REGISTRY}
registry.add({ id: "other", name: "tool.before", priority: 5, handler: (_input, output) => {
  if (output.args.command === "no") Object.assign(output, { block: true, blockReason: "other says no" });
} });`;
  const slow = {
    source: `${REGISTRY}
registry.add({ id: "slow", name: "tool.before", toolMatcher: /^(\\w+_?)*$/, handler: () => console.log("slow judged") });`,
    // With a power it runs in a process of its own.
    grant: { capabilities: { events: { see: ["*"], block: true }, env: ["CI"] }, limits: { cpuMs: 150 } },
  };

  test("blocks its call, is restarted, and affects no other hook", async () => {
    const session = await startSession({ slow, other });
    const states = () => session.host.hooks.map(({ id, state }) => [id, state]);
    expect(await session.call("ls")).toBeUndefined();
    expect(texts(session)).toEqual(["slow judged"]);

    expect(await session.call("no", NAME)).toEqual({ block: true, reason: "other says no", hook: "other" });
    expect(session.errors.splice(0).map(({ code, hookPath }) => [code, hookPath.endsWith("slow.ts")])).toEqual([
      ["CPU_EXCEEDED", true],
      ["CPU_EXCEEDED", true],
    ]);
    expect(await session.call("ls")).toBeUndefined();
    expect(texts(session)).toEqual(["slow judged"]);

    expect(await session.call("ls", NAME)).toMatchObject({
      block: true,
      hook: "slow",
      reason: expect.stringContaining("CPU time"),
    });
    expect(states()).toContainEqual(["other", "active"]);
    expect(session.errors.filter(({ hookPath }) => hookPath.endsWith("other.ts"))).toEqual([]);
  });

  test("blocks all calls once it is stopped, until a person restarts it", async () => {
    const session = await startSession({ slow });
    for (let at = 0; at < 2; at++) expect(await session.call("ls", NAME)).toMatchObject({ block: true, hook: "slow" });
    expect(session.host.hooks[0]?.state).toBe("stopped");
    expect(await session.call("ls")).toMatchObject({ reason: expect.stringMatching(/cordon restart \S*slow/) });
    await session.host.reload("slow");
    expect(await session.call("ls")).toBeUndefined();
  });
});

describe("a call that matches no interceptor", () => {
  const source = `${REGISTRY}
const block = (_input: unknown, output: any) => { output.block = true; };
registry.add({ id: "gate", name: "tool.before", toolMatcher: /^exec$/, handler: block });
registry.add({ id: "after", name: "tool.after", toolMatcher: /^web/, handler: () => {} });
registry.add({ id: "coder", name: "message.before", agentMatcher: /^coder$/, handler: (_input, output) => { output.message += "!"; } });
registry.add({ id: "levels", name: "params.before", agentMatcher: /^coder$/, handler: (_input, output) => { output.thinkLevel = "high"; } });`;
  const stopped = (pid: number) => / T /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));

  test("needs only one first round trip: it passes while the sandbox is stopped", async () => {
    // If the sandbox were asked, the deadline would expire.
    const session = await startSession({ hook: { source, grant } }, { hookTimeout: 15_000 });
    const unwanted = async () => [
      await session.call({ path: "x" }, "read"),
      await session.call({}, "plugin_tool"),
      await result(session, "bash"),
      await message(session, "writer"),
      await message(session),
      await params(session, "writer"),
    ];
    const nothing = Array(6).fill(undefined);
    expect(await unwanted()).toEqual(nothing);

    const sandboxes = sandboxesOf();
    expect(sandboxes.length).toBeGreaterThan(0);
    const wake = () => {
      for (const pid of sandboxes) process.kill(pid, "SIGCONT");
    };
    onTestFinished(wake);
    for (const pid of sandboxes) process.kill(pid, "SIGSTOP");
    await expect.poll(() => sandboxes.every(stopped)).toBe(true);
    expect(await unwanted()).toEqual(nothing);
    expect(sandboxes.every(stopped)).toBe(true);
    wake();

    expect(await session.call()).toEqual({ block: true, reason: "Blocked by interceptor", hook: "hook" });
    expect(await message(session, "coder")).toEqual({ text: "hi!" });
    expect(await params(session, "coder")).toEqual({ thinkLevel: "high" });
    expect(session.errors).toEqual([]);
  });

  test("has no pass on record, and a matching call has one", async () => {
    const session = await startSession({ hook: { source, grant } });
    await session.call({}, "read");
    await result(session, "bash");
    await message(session, "writer");
    expect(session.audit.filter(({ outcome }) => outcome === "pass")).toEqual([]);
    await result(session, "web_search");
    expect(session.audit.at(-1)).toMatchObject({ hook: "hook", event: "tool_result", outcome: "pass" });
  });
});

describe("the answer of a matcher", () => {
  test("is remembered by name, and requested again when registrations change", async () => {
    const source = `${ASKED}
registry.add({ id: "switch", name: "tool.before", toolMatcher: /^cron$/, handler: (_input, output) => {
  if (output.args.do === "add") says("late", "tool.before", { toolMatcher: asked(/^read$/) });
  if (output.args.do === "add after") says("after", "tool.after", { toolMatcher: asked(/^read$/) });
  if (output.args.do === "remove") registry.remove("late");
  if (output.args.do === "clear") registry.clear();
} });
says("first", "tool.before", { toolMatcher: asked(/^exec$/) });`;
    const session = await startSession({ hook: { source, grant } });
    texts(session);
    const heard = async (tool: string, input = {}) => {
      await session.call(input, tool);
      return texts(session);
    };
    expect(await heard("bash")).toEqual(["asked ^exec$", "first"]);
    expect(await heard("bash")).toEqual(["first"]);
    expect(await heard("read")).toEqual(["asked ^exec$"]);
    expect(await heard("read")).toEqual([]);
    expect(await heard("Bash")).toEqual(["first"]);

    await heard("cron", { do: "add" });
    expect(await heard("read")).toEqual(["asked ^exec$", "asked ^read$", "late"]);
    expect(await heard("read")).toEqual(["late"]);
    expect(await heard("bash")).toEqual(["asked ^exec$", "asked ^read$", "first"]);

    await heard("cron", { do: "remove" });
    expect(await heard("read")).toEqual(["asked ^exec$"]);
    expect(await heard("read")).toEqual([]);

    expect(session.host.hasHandlers("tool_result")).toBe(false);
    await heard("cron", { do: "add after" });
    expect(session.host.hasHandlers("tool_result")).toBe(true);
    await result(session, "read");
    expect(texts(session)).toEqual(["asked ^read$", "after"]);

    await heard("cron", { do: "clear" });
    expect(session.host.hasHandlers("tool_call")).toBe(false);
    expect(await heard("bash")).toEqual([]);
  });

  test("is remembered by agent for messages and for parameters, separately", async () => {
    const source = `${ASKED}
says("message", "message.before", { agentMatcher: asked(/^co/) });
says("params", "params.before", { agentMatcher: asked(/der$/) });`;
    const session = await startSession({ hook: { source, grant } });
    texts(session);
    const heard = async (agent?: string) => {
      await message(session, agent);
      await params(session, agent);
      return texts(session);
    };
    expect(await heard("coder")).toEqual(["asked ^co", "message", "asked der$", "params"]);
    expect(await heard("coder")).toEqual(["message", "params"]);
    expect(await heard("corer")).toEqual(["asked ^co", "message", "asked der$"]);
    expect(await heard("bash")).toEqual(["asked ^co", "asked der$"]);
    expect(await heard("exec")).toEqual(["asked ^co", "asked der$"]);
    expect(await heard()).toEqual(["asked ^co", "asked der$"]);
    expect(await heard()).toEqual([]);
  });

  test("is not kept for 1,500 names at once, and every one of them is judged", async () => {
    const source = `${REGISTRY}
let asked = 0;
let judged = 0;
const get = () => (asked++, /7$|^cron$/);
registry.add(Object.defineProperty({ id: "counts", name: "tool.before", handler: (input, output) => {
  if (input.toolName === "cron") Object.assign(output, { block: true, blockReason: JSON.stringify({ asked, judged }) });
  else judged++;
} }, "toolMatcher", { get }) as never);`;
    const session = await startSession({ hook: source });
    const counts = async () => JSON.parse(((await session.call({}, "cron")) as { reason: string }).reason);
    const start = await counts();
    for (let at = 0; at < 1500; at++) await session.call({}, `tool-${at}`);
    const full = await counts();
    // `cron` itself was forgotten meanwhile.
    expect(full).toEqual({ asked: start.asked + 1500 + 1, judged: 150 });
    await session.call({}, "tool-1497");
    expect(await counts()).toEqual({ asked: full.asked, judged: 151 });
    await session.call({}, "tool-0");
    expect(await counts()).toEqual({ asked: full.asked + 1, judged: 151 });
    for (const name of ["constructor", "__proto__ 7", "a b", "tool_call 7"]) await session.call({}, name);
    expect(await counts()).toEqual({ asked: full.asked + 5, judged: 153 });
    expect(session.errors).toEqual([]);
  });
});

test("plugins' tools reach catch-all matchers and handlers without one, under their own names", async () => {
  const source = `${REGISTRY}
registry.add({ id: "all", name: "tool.before", toolMatcher: /[^]*/, handler: (input) => console.log("all", input.toolName) });
registry.add({ id: "none", name: "tool.before", handler: (input) => console.log("none", input.toolName) });
registry.add({ id: "known", name: "tool.before", toolMatcher: /^(exec|my_tool)$/, handler: (input) => console.log("known", input.toolName) });`;
  const session = await startSession({ hook: source });
  for (const name of ["my_tool", "mcp__server__Do-It", "ünï.çode", "constructor"]) await session.call({}, name);
  expect(texts(session)).toEqual([
    "all my_tool",
    "none my_tool",
    "known my_tool",
    ...["mcp__server__do-it", "ünï.çode", "constructor"].flatMap((name) => [`all ${name}`, `none ${name}`]),
  ]);
});

test("a hook may register more than 100 handlers for one point: each of them runs, in order", async () => {
  const source = `${REGISTRY}
for (let at = 0; at < 250; at++) {
  registry.add({ id: "b" + at, name: "tool.before", priority: -at, handler: async (_input, output) => {
    output.args.trace.push(at);
    if (at === 249 && output.args.last) output.block = true;
  } });
  registry.add({ id: "m" + at, name: "message.before", handler: (_input, output) => { output.message += "."; } });
}`;
  const session = await startSession({ hook: { source, grant } });
  expect(await session.call({ trace: [] })).toEqual({ input: { trace: Array.from({ length: 250 }, (_, at) => at) } });
  expect(await session.call({ trace: [], last: true })).toMatchObject({ block: true });
  expect(await message(session)).toEqual({ text: `hi${".".repeat(250)}` });
  expect([session.host.hooks[0]?.state, session.errors]).toEqual(["active", []]);
});
