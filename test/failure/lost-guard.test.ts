import { expect, test } from "vitest";
import type { HookEvent } from "../../src/hook-api.ts";
import { onToolCall, scriptedUi, startSession } from "../support/session.ts";

/** Registers its guard when the session starts, as many hooks that read a configuration do. */
const LATE = `export default function (pi: any) {
  pi.on("session", (event: any) => {
    console.log("told " + event.reason);
    pi.on("tool_call", (call: any) => (call.input.command === "rm -rf /" ? { block: true, reason: "no" } : undefined));
  });
}`;
/** Registers its guard only in its first isolate: a file remembers that there was one. */
const ONCE = `export default async function (pi: any) {
  const { stdout } = await pi.exec("sh", ["-c", "if [ -e mark ]; then echo again; else touch mark; echo first; fi"]);
  if (stdout.trim() === "first") pi.on("tool_call", () => undefined);
  pi.on("session", () => undefined);
}`;
const CRASHER = onToolCall(`if (event.input.command === "crash") for (;;) {}`);
const START = {
  type: "session" as const,
  reason: "start" as const,
  entries: [],
  sessionFile: null,
  previousSessionFile: null,
} satisfies HookEvent;
const shell = {
  capabilities: {
    events: { see: ["*"], block: true, cancel: true },
    exec: [{ program: "sh", args: ["-c", { kind: "text" as const }], fullAccess: true }],
  },
};

test("a guard that was registered at the session's start is registered again after a neighbour's crash", async () => {
  const session = await startSession({
    late: LATE,
    crasher: { source: CRASHER, grant: { limits: { cpuMs: 200 } } },
  });
  await session.host.emit(START);
  expect(await session.call("rm -rf /")).toMatchObject({ block: true, hook: "late" });
  expect(await session.call("crash")).toMatchObject({ block: true, hook: "crasher" });
  expect(await session.call("rm -rf /")).toMatchObject({ block: true, hook: "late", reason: "no" });
  expect(await session.call("ls")).toBeUndefined();
  expect(session.log.map(({ text }) => text)).toEqual(["told start", "told start"]);
});

test("a reloaded hook is told of the current session, not of an earlier one", async () => {
  const session = await startSession({ late: LATE });
  await session.host.emit(START);
  await session.host.emit({ ...START, reason: "switch" });
  await session.host.reload("late");
  await session.host.emit({ type: "agent_start" });
  expect(await session.call("rm -rf /")).toMatchObject({ block: true, hook: "late" });
  expect(session.log.map(({ text }) => text)).toEqual(["told start", "told switch", "told switch"]);
});

test("a hook that restarts without its guard blocks, says so, and offers a remedy", async () => {
  const session = await startSession({ once: { source: ONCE, grant: shell } });
  await session.host.emit(START);
  expect(await session.call("ls")).toBeUndefined();
  await session.host.reload("once");
  expect(session.host.hooks[0]).toMatchObject({ state: "active", events: ["session"] });
  expect(session.host.hasHandlers("tool_call")).toBe(true);
  expect(await session.call("ls")).toMatchObject({
    block: true,
    hook: "once",
    reason: expect.stringMatching(/guarded tool calls before.*cordon restart (\S*once\S*) or cordon disable \1/),
  });
});

test("a person may disable such a hook for the session", async () => {
  const ui = scriptedUi({
    select: (_title, options) => options.find((option) => option.startsWith("Disable")) ?? null,
  });
  const session = await startSession({ once: { source: ONCE, grant: shell } }, { ui, hasUI: true });
  await session.host.emit(START);
  await session.host.reload("once");
  expect(await session.call("ls")).toBeUndefined();
  expect(ui.shown.map(({ title }) => title)).toEqual([expect.stringContaining("guarded tool calls before")]);
});

test("a hook that never guarded, or that takes its own guard away, blocks nothing", async () => {
  const session = await startSession({
    observer: `export default (pi: any) => { pi.on("session", () => undefined); };`,
  });
  await session.host.emit(START);
  await session.host.reload("observer");
  // It might register one when it hears of the session.
  expect(session.host.hasHandlers("tool_call")).toBe(true);
  expect(await session.call("ls")).toBeUndefined();
  expect(session.host.hasHandlers("tool_call")).toBe(false);
});
