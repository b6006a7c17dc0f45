import { join } from "node:path";
import { expect, test } from "vitest";
import { requestRestart } from "../../src/session/restart-request.ts";
import { onToolCall, startSession } from "../support/session.ts";
import { eventually, sandboxesOf } from "./proc.ts";

const HOOK = onToolCall(
  'if (event.input.command === "hang") for (;;);\n    return { block: true, reason: String(++calls) };',
  "let calls = 0;",
);
const gate = { source: HOOK, grant: { limits: { cpuMs: 50 } } };
const stateOf = (session: Awaited<ReturnType<typeof startSession>>) => session.host.hooks[0]?.state;

async function stoppedSession() {
  const session = await startSession({ gate });
  for (let crash = 0; crash < 3; crash++) {
    expect(await session.call("hang")).toMatchObject({ block: true, hook: "gate" });
  }
  expect(stateOf(session)).toBe("stopped");
  return session;
}

test("a hook whose process died restarts with fresh state", async () => {
  const session = await startSession({ gate: HOOK });
  await session.call();
  expect(await session.call()).toMatchObject({ reason: "2" });
  for (const pid of sandboxesOf()) process.kill(pid, "SIGKILL");
  await eventually("the crash to be told", () => session.errors.some(({ code }) => code === "CRASHED"));
  expect(await session.call()).toMatchObject({ reason: "1" });
  expect(stateOf(session)).toBe("active");
});

test("a hook that crashed three times within a minute is stopped and blocks, naming the command that helps", async () => {
  const session = await stoppedSession();
  const verdict = await session.call();
  expect(verdict).toMatchObject({ block: true, hook: "gate", reason: expect.stringMatching(/cordon restart \S*gate/) });
  expect(verdict).toMatchObject({ reason: expect.stringContaining("CPU_EXCEEDED") });
  expect(session.host.hasHandlers("tool_call")).toBe(true);
});

test("reload restarts a stopped hook", async () => {
  const session = await stoppedSession();
  await session.host.reload("gate");
  expect(stateOf(session)).toBe("active");
  expect(await session.call()).toMatchObject({ reason: "1" });
});

test("reload without an id restarts the hooks that are down", async () => {
  const session = await stoppedSession();
  await session.host.reload();
  expect(stateOf(session)).toBe("active");
});

test("a restarted hook may crash three times again", async () => {
  const session = await stoppedSession();
  await session.host.reload("gate");
  await session.call("hang");
  expect(await session.call()).toMatchObject({ reason: "1" });
  expect(stateOf(session)).toBe("active");
});

test("the request of `cordon restart` in the home folder restarts a stopped hook of a running host", async () => {
  const session = await stoppedSession();
  await new Promise((resolve) => setTimeout(resolve, 5));
  requestRestart(join(session.folder, "home"), "gate");
  expect(await session.call()).toMatchObject({ reason: "1" });
  expect(stateOf(session)).toBe("active");
});

test("a restart requested before the hook went down changes nothing", async () => {
  const session = await startSession({ gate });
  requestRestart(join(session.folder, "home"), "gate");
  await new Promise((resolve) => setTimeout(resolve, 5));
  for (let crash = 0; crash < 3; crash++) await session.call("hang");
  expect(await session.call()).toMatchObject({ reason: expect.stringContaining("cordon restart") });
});

test("a restart requested for another hook changes nothing", async () => {
  const session = await stoppedSession();
  await new Promise((resolve) => setTimeout(resolve, 5));
  requestRestart(join(session.folder, "home"), "other");
  expect(await session.call()).toMatchObject({ reason: expect.stringContaining("cordon restart") });
});

test("three crashes of one hook stop that hook, not those that share its process", async () => {
  const well = onToolCall('return { block: true, reason: "well" };');
  const session = await startSession({ gate, well });
  for (let crash = 0; crash < 3; crash++) await session.call("hang");
  await expect
    .poll(() => session.host.hooks.map(({ state }) => state), { timeout: 20_000 })
    .toEqual(["stopped", "active"]);
});
