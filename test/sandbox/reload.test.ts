import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { onToolCall, startSession, temporaryFolder } from "../support/session.ts";
import { isAlive } from "./proc.ts";

const BLOCKS = onToolCall('return { block: true, reason: "blocked " + ++calls };', "let calls = 0;");
const HANGS = onToolCall('if (event.input.command === "hang") for (;;);\n    return { block: true, reason: "well" };');

test("a reloaded active hook guards again, with fresh state", async () => {
  const { host, call } = await startSession({ gate: BLOCKS });
  await call();
  await host.reload("gate");
  expect(host.hooks[0]?.state).toBe("active");
  expect(await call()).toMatchObject({ block: true, reason: "blocked 1" });
});

test("a hook that is reloaded while another one keeps their process running guards again", async () => {
  const { host, call } = await startSession({ gate: BLOCKS, other: onToolCall("return undefined;") });
  await call();
  await host.reload("gate");
  expect(host.hooks.map(({ state }) => state)).toEqual(["active", "active"]);
  expect(await call()).toMatchObject({ block: true, hook: "gate", reason: "blocked 1" });
});

test("a stopped hook restarts in the process that it shared before", async () => {
  const gate = { source: HANGS, grant: { limits: { cpuMs: 50 } } };
  const { host, call } = await startSession({ gate, other: onToolCall("return undefined;") });
  for (let crash = 0; crash < 3; crash++) await call("hang");
  expect(host.hooks[0]?.state).toBe("stopped");
  await host.reload("gate");
  expect(host.hooks[0]?.state).toBe("active");
  expect(await call()).toMatchObject({ block: true, hook: "gate", reason: "well" });
});

test("a hook whose file was repaired is loaded in its new form", async () => {
  const { host, call, folder } = await startSession({ gate: "export default 1;" });
  expect(host.hooks[0]?.state).toBe("failed");
  expect(await call()).toMatchObject({ block: true });
  writeFileSync(join(folder, "hooks", "gate.ts"), BLOCKS);
  await host.reload("gate");
  expect(await call()).toMatchObject({ reason: "blocked 1" });
});

test("a call in flight when its hook is reloaded gets a verdict soon, and the hook's programs are ended", async () => {
  const pidFile = join(temporaryFolder(), "pid");
  const exec = [{ program: "sh", args: ["-c", { kind: "text" as const }], fullAccess: true }];
  const { host, call } = await startSession({
    gate: {
      source: onToolCall(`await ctx.exec("sh", ["-c", "echo $$ > ${pidFile}; exec sleep 600"]);`),
      grant: { capabilities: { exec } },
    },
  });
  const verdict = call();
  await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, "utf8") !== "", { timeout: 20_000 }).toBe(true);
  const pid = Number(readFileSync(pidFile, "utf8"));
  onTestFinished(() => void (isAlive(pid) && process.kill(pid, "SIGKILL")));
  await host.reload("gate");
  expect(await Promise.race([verdict, delay(15_000, "no verdict")])).toMatchObject({ block: true });
  await expect.poll(() => isAlive(pid)).toBe(false);
});

test("a call during the reload of its guard does not bypass the guard", async () => {
  const { host, call } = await startSession({ gate: BLOCKS });
  const reloaded = host.reload("gate");
  expect(await call()).toMatchObject({ block: true, hook: "gate" });
  await reloaded;
});
