import { rmSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { onToolCall, startSession, type TestSession, writeFiles } from "../support/session.ts";
import { clearing } from "./clearing.ts";
import { namesAll } from "./containment.ts";
import { sandboxes } from "./processes.ts";

const gate = onToolCall(`
  if (event.input.command === "loop") for (;;) {}
  if (event.input.command === "rm") return { block: true, reason: "no rm" };`);
const grant = { limits: { cpuMs: 100 } };
/** Shares the gate's folder, and so its process. */
const neighbour = `export default (pi: any) => {
  pi.on("tool_call", (event: any) => (event.input.command === "mv" ? { block: true, reason: "no mv" } : undefined));
  pi.on("session", () => ({ cancel: true }));
};`;
const stateOf = ({ host }: TestSession, id: string) => host.hooks.find((hook) => hook.id === id)?.state;

async function crashThreeTimes(session: TestSession): Promise<void> {
  for (let times = 0; times < 3; times++) {
    expect(await session.call("loop")).toMatchObject({ block: true, reason: expect.stringContaining("CPU_EXCEEDED") });
  }
}

test("a hook that crashed is restarted and judges the next call", async () => {
  const session = await startSession({ gate: { source: gate, grant } });
  expect(await session.call("loop")).toEqual({
    block: true,
    hook: "gate",
    reason: expect.stringMatching(namesAll("gate", ["CPU_EXCEEDED"])),
  });
  expect(await session.call("ls")).toBeUndefined();
  expect(await session.call("rm")).toEqual({ block: true, hook: "gate", reason: "no rm" });
});

test("who caused the end of a shared sandbox has its own code, and its neighbour CRASHED", async () => {
  const session = await startSession({ gate: { source: gate, grant }, neighbour });
  await session.call("loop");
  await session.host.emit(clearing());
  const crashes = session.errors.filter(({ event }) => event === "crash");
  const told = Object.fromEntries(crashes.map(({ hookPath, code, error }) => [basename(hookPath), { code, error }]));
  expect(told).toEqual({
    "gate.ts": { code: "CPU_EXCEEDED", error: expect.not.stringContaining("restarted, since") },
    "neighbour.ts": {
      code: "CRASHED",
      error: expect.stringMatching(/^restarted, since the sandbox it shares ended: /),
    },
  });
});

test("a hook that crashed three times is stopped and blocks every call until it is reloaded", async () => {
  const session = await startSession({ gate: { source: gate, grant } });
  await crashThreeTimes(session);
  expect(stateOf(session, "gate")).toBe("stopped");
  expect(await session.call("ls")).toEqual({
    block: true,
    hook: "gate",
    reason: expect.stringMatching(namesAll("gate", ["CPU_EXCEEDED"])),
  });
  await session.host.reload("gate");
  expect(stateOf(session, "gate")).toBe("active");
  expect(await session.call("ls")).toBeUndefined();
  expect(await session.call("rm")).toEqual({ block: true, hook: "gate", reason: "no rm" });
});

test("a reload restarts a stopped hook whose neighbour in the same folder keeps running", async () => {
  const session = await startSession({ gate: { source: gate, grant }, neighbour });
  await crashThreeTimes(session);
  // Answers once its process has restarted.
  expect(await session.host.emit(clearing())).toEqual({ cancel: true });
  expect(stateOf(session, "gate")).toBe("stopped");
  expect(stateOf(session, "neighbour")).not.toBe("stopped");
  await session.host.reload("gate");
  expect(stateOf(session, "gate")).toBe("active");
  expect(await session.call("rm")).toEqual({ block: true, hook: "gate", reason: "no rm" });
  expect(await session.call("mv")).toEqual({ block: true, hook: "neighbour", reason: "no mv" });
  expect(await session.call("ls")).toBeUndefined();
});

test("an active hook is reloaded from its changed file while a neighbour runs in the same process", async () => {
  const session = await startSession({ gate, neighbour });
  writeFiles(session.folder, { "hooks/gate.ts": onToolCall('return { block: true, reason: "the new one" };') });
  await session.host.reload("gate");
  expect(stateOf(session, "gate")).toBe("active");
  expect(await session.call("ls")).toEqual({ block: true, hook: "gate", reason: "the new one" });
});

test("calls while a hook is being reloaded wait for it or are blocked, but never pass unjudged", async () => {
  const session = await startSession({ gate: { source: gate, grant } });
  for (let round = 0; round < 5; round++) {
    // The source changes, so that the reload has to build.
    writeFiles(session.folder, { "hooks/gate.ts": `${gate}\n// ${round}` });
    const reloaded = session.host.reload("gate");
    let over = false;
    const watched = reloaded.then(() => {
      over = true;
    });
    let calls = 0;
    while (!over && calls < 200) {
      expect(await session.call("rm"), `call ${calls} of round ${round}`).toMatchObject({ block: true });
      calls++;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await watched;
    expect(calls).toBeGreaterThan(0);
    expect(await session.call("rm")).toEqual({ block: true, hook: "gate", reason: "no rm" });
  }
});

test("a guarded result is withheld while its guard is being reloaded", async () => {
  const source = `export default (pi: any) => pi.on("tool_result", () => ({ content: [{ type: "text", text: "redacted" }] }));`;
  const session = await startSession({
    redactor: {
      source,
      grant: { capabilities: { events: { see: ["*"], block: true, guardResult: ["*"], rewriteResult: ["*"] } } },
    },
  });
  const result = () =>
    session.host.emit({
      type: "tool_result",
      toolName: "read",
      toolCallId: "1",
      input: {},
      content: [{ type: "text", text: "the content" }],
      isError: false,
    });
  expect(JSON.stringify(await result())).toContain("redacted");
  writeFiles(session.folder, { "hooks/redactor.ts": `${source}\n// changed` });
  const reloaded = session.host.reload("redactor");
  expect(JSON.stringify((await result()) ?? "let through")).toMatch(/redacted|withheld/);
  await reloaded;
  expect(JSON.stringify(await result())).toContain("redacted");
});

test("a hook whose file is deleted keeps running, and blocks after a reload", async () => {
  const session = await startSession({ gate });
  rmSync(join(session.folder, "hooks", "gate.ts"));
  expect(await session.call("ls")).toBeUndefined();
  expect(await session.call("rm")).toMatchObject({ block: true, reason: "no rm" });
  await session.host.reload("gate");
  expect(stateOf(session, "gate")).toBe("failed");
  expect(await session.call("ls")).toEqual({
    block: true,
    hook: "gate",
    reason: expect.stringMatching(/no such file .*; to go on: mend the path that names it/),
  });
});

test("several reloads at once leave one instance of the hook", async () => {
  const session = await startSession({ gate: `console.log("loaded");\n${gate}` });
  const loads = () => session.log.filter(({ text }) => text === "loaded").length;
  await Promise.all([session.host.reload("gate"), session.host.reload("gate"), session.host.reload("gate")]);
  expect(stateOf(session, "gate")).toBe("active");
  const before = loads();
  for (const pid of sandboxes()) process.kill(pid, "SIGKILL");
  await expect.poll(() => session.errors.map(({ event }) => event)).toContain("crash");
  expect(await session.call("rm")).toMatchObject({ block: true });
  await expect.poll(() => stateOf(session, "gate")).toBe("active");
  expect(loads()).toBe(before + 1);
});
