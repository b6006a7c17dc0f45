import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { on, onToolCall, startSession, writeFiles } from "../support/session.ts";
import { clearing } from "./clearing.ts";
import { namesAll } from "./containment.ts";
import { GroupWatch } from "./processes.ts";

const gate = onToolCall('if (event.input.command === "rm") return { block: true, reason: "no rm" };');
const grant = { limits: { cpuMs: 200 } };

interface Unloadable {
  name: string;
  source: string;
  codes: readonly string[];
}

const unloadable: readonly Unloadable[] = [
  { name: "with a syntax error", source: "export default function (pi) { {", codes: ["LOAD_FAILED"] },
  { name: "that is empty", source: "", codes: ["LOAD_FAILED"] },
  { name: "that throws when it is evaluated", source: `throw new Error("no");\n${gate}`, codes: ["LOAD_FAILED"] },
  { name: "that throws null when it is evaluated", source: `throw null;\n${gate}`, codes: ["LOAD_FAILED"] },
  {
    name: "that throws after a top-level await",
    source: `await null; throw new Error("no");\n${gate}`,
    codes: ["LOAD_FAILED"],
  },
  { name: "without a default export", source: "export const hook = () => {};", codes: ["LOAD_FAILED"] },
  { name: "whose default export is not a function", source: "export default { on: 5 };", codes: ["LOAD_FAILED"] },
  { name: "whose factory throws", source: 'export default () => { throw new Error("no"); };', codes: ["LOAD_FAILED"] },
  {
    name: "whose factory rejects",
    source: 'export default async () => { throw new Error("no"); };',
    codes: ["LOAD_FAILED"],
  },
  {
    name: "that imports a missing module",
    source: 'import "./gone.ts"; export default () => {};',
    codes: ["LOAD_FAILED"],
  },
  { name: "that loops when it is evaluated", source: `for (;;) {}\n${gate}`, codes: ["CPU_EXCEEDED"] },
  { name: "whose factory loops", source: "export default () => { for (;;) {} };", codes: ["CPU_EXCEEDED"] },
  {
    name: "whose factory loops after an await",
    source: "export default async () => { await null; for (;;) {} };",
    codes: ["CPU_EXCEEDED"],
  },
  {
    name: "that fills the memory when it is evaluated",
    source: `const map = new Map(); for (let at = 0; ; at++) map.set(at, { at });\n${gate}`,
    codes: ["OUT_OF_MEMORY", "CPU_EXCEEDED", "CRASHED"],
  },
  {
    name: "with 101 handlers for one event",
    source: 'export default (pi) => { for (let at = 0; at < 101; at++) pi.on("tool_call", () => {}); };',
    codes: ["LOAD_FAILED"],
  },
  {
    name: "with handlers for 65 events",
    source: 'export default (pi) => { for (let at = 0; at < 65; at++) pi.on("event" + at, () => {}); };',
    codes: ["LOAD_FAILED"],
  },
];

for (const { name, source, codes } of unloadable) {
  test(`a hook ${name} is failed and blocks, and a hook beside it keeps running`, async () => {
    const groups = new GroupWatch();
    const { host, call, errors, audit } = await startSession({
      bad: { source, grant },
      fine: on("session", "return { cancel: true };"),
    });
    expect(host.hooks.find(({ id }) => id === "bad")).toMatchObject({
      state: "failed",
      reason: expect.stringMatching(/./),
    });
    const failed = audit.filter(
      ({ hook, event, outcome }) => hook === "bad" && event === "load" && outcome === "failed",
    );
    expect(failed).toMatchObject([{ value: expect.stringMatching(/./) }]);
    expect(codes).toContain(failed[0]?.code);
    expect(await call()).toEqual({ block: true, hook: "bad", reason: expect.stringMatching(namesAll("bad", codes)) });
    expect(host.hooks.find(({ id }) => id === "fine")?.state).toBe("active");
    const cleared = await host.emit(clearing());
    expect(cleared).toEqual({ cancel: true });
    expect(await host.emit({ type: "turn_start", turnIndex: 0, timestamp: 0 })).toBeUndefined();
    expect(errors.filter(({ hookPath }) => hookPath.endsWith("fine.ts") && codes.includes("LOAD_FAILED"))).toEqual([]);
    await host.close();
    expect(await groups.left()).toEqual([]);
  });
}

test("a hook whose top-level await or factory never settles is failed and blocks", async () => {
  const { host, call } = await startSession({
    waiting: {
      source: `await new Promise(() => {});\n${gate}`,
      grant: { capabilities: { events: { see: ["*"], block: true }, send: {} } },
    },
    factory: { source: "export default () => new Promise(() => {});", grant: {} },
  });
  expect(host.hooks.map(({ state }) => state)).toEqual(["failed", "failed"]);
  expect(await call()).toEqual({
    block: true,
    hook: "waiting",
    reason: expect.stringMatching(namesAll("waiting", ["TIMEOUT", "LOAD_FAILED"])),
  });
});

test("a hook whose file is missing blocks, with a reason that says so", async () => {
  const { host, call } = await startSession({}, { hooks: [{ path: "/nowhere/gate.ts", id: "gate" }] });
  expect(host.hooks).toMatchObject([{ id: "gate", state: "failed" }]);
  // No command finds what is not there.
  const reason = expect.stringMatching(
    /^hook gate .*no such file \(LOAD_FAILED\); to go on: mend the path that names it, or leave that out$/,
  );
  for (let time = 0; time < 2; time++) expect(await call()).toEqual({ block: true, hook: "gate", reason });
});

test("a hook whose path is a folder blocks", async () => {
  const { folder, host, call } = await startSession({ gate });
  rmSync(join(folder, "hooks", "gate.ts"));
  mkdirSync(join(folder, "hooks", "gate.ts"));
  await host.reload("gate");
  expect(await call()).toEqual({
    block: true,
    hook: "gate",
    reason: expect.stringMatching(namesAll("gate", ["LOAD_FAILED"])),
  });
});

test("a hook that is down and sees tool calls blocks all of them", async () => {
  const { host, call } = await startSession({ gate: "export default 5;", other: onToolCall("return undefined;") });
  expect(host.hasHandlers("tool_call")).toBe(true);
  for (const tool of ["bash", "read", "no such tool"]) {
    expect(await call({ path: "x" }, tool)).toMatchObject({ block: true, hook: "gate" });
  }
});

test("a hook that is down and sees no tool calls blocks nothing", async () => {
  const { host, call } = await startSession({
    gate: { source: "export default 5;", grant: { capabilities: { events: { see: ["session"], block: true } } } },
  });
  expect(host.hooks[0]?.state).toBe("failed");
  expect(await call()).toBeUndefined();
});

test("a hook that is down and has a grant to fail open blocks nothing, and its failure is reported", async () => {
  const { host, call } = await startSession({ gate: { source: "export default 5;", grant: { failure: "open" } } });
  expect(host.hooks[0]?.state).toBe("failed");
  expect(await call()).toBeUndefined();
});

test("a handler that is not a function blocks", async () => {
  const { call } = await startSession({ gate: 'export default (pi) => pi.on("tool_call", 5);' });
  expect(await call()).toMatchObject({ block: true, hook: "gate" });
});

test("a reload repairs a hook that failed to load", async () => {
  const { host, folder, call } = await startSession({ gate: "export default () => { throw 1; };" });
  expect(await call()).toMatchObject({ block: true });
  writeFiles(folder, { "hooks/gate.ts": gate });
  await host.reload("gate");
  expect(host.hooks[0]?.state).toBe("active");
  expect(await call("ls")).toBeUndefined();
  expect(await call("rm")).toEqual({ block: true, reason: "no rm", hook: "gate" });
});
