// Node adds symbols of its own when HTTP is first loaded.
import "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { ToSandbox } from "../../sandbox/wire/messages.ts";
import { AgentProcess } from "../../src/session/agent-process.ts";
import { onToolCall, scriptedUi, startSession } from "../support/session.ts";

/** Everything by which code in this realm could notice a change of its built-ins. */
function builtins(): unknown {
  const names = Reflect.ownKeys(globalThis).map(String);
  return names.sort().map((name) => {
    const value = Object.getOwnPropertyDescriptor(globalThis, name)?.value as unknown;
    if (typeof value !== "function") return name;
    const own = Object.entries(Object.getOwnPropertyDescriptors(value)).map(
      ([key, { writable, configurable }]) => `${key} ${writable} ${configurable}`,
    );
    const prototype = value.prototype as object | undefined;
    return [name, Object.isFrozen(value), prototype && Object.isFrozen(prototype), own];
  });
}

test("a trusted hook's runtime does not change the built-ins of the agent's realm", async () => {
  const before = builtins();
  const { call } = await startSession({ gate: { source: onToolCall("return { block: true };"), trust: "full" } });
  expect(await call()).toMatchObject({ block: true });
  expect(builtins()).toEqual(before);
});

test("a trusted hook has its module's own rights, and the agent's dialogs, programs and messages", async () => {
  const sent: unknown[] = [];
  const ui = scriptedUi({ confirm: true });
  const { call } = await startSession(
    {
      all: {
        source: onToolCall(
          `const { stdout } = await ctx.exec("node", ["-p", "1 + 1"]);
           const sure = await ctx.ui.confirm("Sure?", "really");
           pi.send("from the hook");
           return { block: true, reason: [process.pid, stdout.trim(), sure].join(" ") };`,
        ),
        trust: "full",
      },
    },
    { ui, onSend: (text) => sent.push(text) },
  );
  expect(await call()).toMatchObject({ reason: `${process.pid} 2 true` });
  expect(ui.shown).toEqual([{ kind: "confirm", title: "Sure?", rest: "really" }]);
  expect(sent).toEqual(["from the hook"]);
});

test("what a trusted hook does in the microtasks after its answer arrives before its verdict", async () => {
  const sent: unknown[] = [];
  const later = `let turns = Promise.resolve();
    for (let turn = 0; turn < 100; turn++) turns = turns.then(() => {});
    void turns.then(() => pi.send("after 100 turns"));
    return { block: true };`;
  const { call } = await startSession(
    { gate: { source: onToolCall(later), trust: "full" } },
    { onSend: (text) => sent.push(text) },
  );
  const known = await call().then(() => [...sent]);
  expect(known).toEqual(["after 100 turns"]);
});

test("what a trusted hook's event needed is collected without a collection of the whole heap", async () => {
  setFlagsFromString("--expose-gc");
  const collectYoung: () => void = runInNewContext("() => gc({ type: 'minor' })", { gc: runInNewContext("gc") });
  const { call } = await startSession({ gate: { source: onToolCall("ctx.mode;"), trust: "full" } });
  const text = "x".repeat(10_000);
  const judge = async (times: number): Promise<number> => {
    for (let at = 0; at < times; at++) expect(await call(`${at} ${text}`)).toBeUndefined();
    for (let at = 0; at < 3; at++) collectYoung();
    return process.memoryUsage().heapUsed;
  };
  const before = await judge(500);
  expect((await judge(2000)) - before).toBeLessThan(10_000_000);
});

const OTHERS = {
  openclaw: `export default { id: "gate", register(api: any) {
    api.on("before_tool_call", async () => ({ block: true, blockReason: "no" })); } };`,
  interceptors: `export default [{ id: "gate", name: "tool.before", handler: (_input: unknown, output: any) => {
    output.block = true; output.blockReason = "no"; } }];`,
};

test.each(Object.entries(OTHERS))("a trusted hook may be written in the dialect %s", async (dialect, source) => {
  const { call, host } = await startSession({ gate: { source, trust: "full" } });
  expect(host.hooks[0]).toMatchObject({ dialect, state: "active" });
  expect(await call()).toMatchObject({ block: true, reason: expect.stringContaining("no") });
});

test("a trusted hook that does not answer blocks the call after its deadline", async () => {
  const { call } = await startSession(
    { slow: { source: onToolCall("await new Promise(() => {});"), trust: "full" } },
    { hookTimeout: 200 },
  );
  expect(await call()).toMatchObject({ block: true, reason: expect.stringContaining("TIMEOUT") });
});

test("a trusted hook that is reloaded starts over", async () => {
  const { call, host } = await startSession({
    count: { source: onToolCall("return { block: true, reason: String(++calls) };", "let calls = 0;"), trust: "full" },
  });
  await call();
  expect(await call()).toMatchObject({ reason: "2" });
  await host.reload("count");
  expect(await call()).toMatchObject({ reason: "1" });
});

test("a trusted hook that does not load blocks, and says why", async () => {
  const { call, host } = await startSession({ bad: { source: 'throw new Error("no such luck");', trust: "full" } });
  expect(host.hooks[0]).toMatchObject({ state: "failed", reason: expect.stringContaining("no such luck") });
  expect(await call()).toMatchObject({ block: true, reason: expect.stringContaining("no such luck") });
});

test("a runtime that fails ends the trusted hook, and not the agent", async () => {
  const agent = new AgentProcess("/nowhere", () => null);
  const ended = new Promise((exit) => agent.listen({ frame: () => {}, exit }));
  agent.send(ToSandbox.load, 1, "not JSON");
  expect(await ended).toMatchObject({ code: "CRASHED", summary: expect.stringContaining("its runtime failed") });
  await agent.gone;
  expect(agent.alive).toBe(false);
});

// pi's modules stand in a bundle with Cordon's replacements of Node's, which need a sandbox.
test.each([
  [
    "a guard of pi's",
    'import { isToolCallEventType as is } from "@earendil-works/pi-coding-agent";',
    'is("bash", event)',
    "true",
  ],
  [
    "the same of pi 0.27",
    'import { isBashToolResult as is } from "@mariozechner/pi-coding-agent/hooks";',
    "is(event)",
    "true",
  ],
  [
    "all of its names",
    'import * as all from "@earendil-works/pi-coding-agent";',
    'Object.keys(all).includes("compact")',
    "true",
  ],
  ["what computes", 'import { visibleWidth } from "@earendil-works/pi-tui";', 'visibleWidth("語")', "2"],
  [
    "the same class twice",
    'import { Text } from "@earendil-works/pi-tui"; import * as tui from "@earendil-works/pi-tui";',
    "Text === tui.Text",
    "true",
  ],
  [
    "a name that needs a sandbox, once it is used",
    'import { Container } from "@earendil-works/pi-tui";',
    "(() => { try { return new Container(); } catch (error: any) { return error.message; } })()",
    expect.stringMatching(/^Container is for hooks in a sandbox .*; a trusted hook has Node itself$/),
  ],
  [
    "a name that there is not",
    'import * as all from "@earendil-works/pi-tui";',
    "(all as any).noSuchName",
    "undefined",
  ],
])("a trusted hook imports of pi's packages: %s", async (_claim, imports, expression, value) => {
  const source = `${imports}
    export default (pi: any) => pi.on("tool_call", async (event: any) => ({ block: true, reason: String(${expression}) }));`;
  const { call, errors } = await startSession({ gate: { source, trust: "full" } });
  expect([await call(), errors]).toEqual([expect.objectContaining({ block: true, reason: value }), []]);
});
