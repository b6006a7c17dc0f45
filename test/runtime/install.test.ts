import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { installRuntime } from "../../src/runtime/install.ts";
import { locateRuntime } from "../../src/runtime/locate.ts";
import { onToolCall, startSession, temporaryFolder } from "../support/session.ts";

test("cordon runtime install fetches a runtime that takes precedence and runs hooks", {
  timeout: 240_000,
}, async () => {
  const home = join(temporaryFolder(), "home");
  const steps: string[] = [];
  const installed = await installRuntime(home, (step) => steps.push(step));
  expect(steps).toHaveLength(2);
  expect(installed.node.startsWith(join(home, "runtime"))).toBe(true);
  expect(await locateRuntime({ home, workspaces: [] })).toMatchObject({
    node: installed.node,
    major: 26,
    origin: join(home, "runtime"),
  });

  const { call } = await startSession(
    { gate: onToolCall('return { block: true, reason: "from the installed runtime" };') },
    { home },
  );
  expect(await call("ls")).toMatchObject({ reason: "from the installed runtime" });

  // A second installation replaces the whole first one.
  writeFileSync(join(home, "runtime", "stale"), "");
  await installRuntime(home, () => {});
  expect(existsSync(join(home, "runtime", "stale"))).toBe(false);
  expect(readFileSync(installed.node).length).toBeGreaterThan(10_000_000);
});
