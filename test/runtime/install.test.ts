import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { installRuntime, runtimeMegabytes } from "../../src/runtime/install.ts";
import { locateRuntime } from "../../src/runtime/locate.ts";
import { needsTime } from "../support/needs.ts";
import { onToolCall, startSession, temporaryFolder, writeFiles } from "../support/session.ts";

test("what was fetched whole before a failure is there for the next attempt, which needs no network for it", {
  ...needsTime(),
  timeout: 240_000,
}, async () => {
  const home = join(temporaryFolder(), "home");
  const broken = (step: string): void => {
    if (step.includes("isolated-vm")) throw new Error("the connection broke");
  };
  await expect(installRuntime(home, broken)).rejects.toMatchObject({ code: "NO_RUNTIME" });
  const again: string[] = [];
  const offline = installRuntime(home, (step, percent) => again.push(`${step} ${percent}`), { offline: true });
  await expect(offline).rejects.toMatchObject({ code: "NO_RUNTIME", message: expect.stringContaining("isolated-vm") });
  expect(again.filter((step) => step.startsWith("fetching node") && step.endsWith(" 100"))).toHaveLength(1);
  expect(existsSync(join(home, "runtime"))).toBe(false);
});

test("cordon runtime install fetches a runtime that takes precedence and runs hooks", {
  timeout: 240_000,
}, async () => {
  const home = join(temporaryFolder(), "home");
  // An installation replaces the whole one before.
  writeFiles(home, { "runtime/stale": "" });
  const steps: [step: string, percent: number][] = [];
  const installed = await installRuntime(home, (...step) => steps.push(step));
  // Each package says its size before its first byte, and how far it is until all is there.
  const packages = [...Map.groupBy(steps, ([step]) => step)];
  expect(packages.map(([step]) => step)).toEqual([
    expect.stringMatching(/^fetching node-\S+@\d\S* \(\d\d MB\)$/),
    expect.stringMatching(/^unpacking node-\S+@\d\S*$/),
    expect.stringMatching(/^fetching isolated-vm@\S+ \(\d\d MB\)$/),
    expect.stringMatching(/^unpacking isolated-vm@\S+$/),
  ]);
  const megabytes = packages
    .filter(([step]) => step.startsWith("fetching"))
    .map(([step]) => Number(/(\d+) MB/.exec(step)?.[1]));
  expect(runtimeMegabytes()).toBe(megabytes.reduce((sum, one) => sum + one, 0));
  for (const [, told] of packages) {
    const percents = told.map(([, percent]) => percent);
    expect([percents[0], percents.at(-1), percents.length]).toEqual([0, 100, new Set(percents).size]);
    expect(percents.toSorted((a, b) => a - b)).toEqual(percents);
  }
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

  expect(existsSync(join(home, "runtime", "stale"))).toBe(false);
  expect(readFileSync(installed.node).length).toBeGreaterThan(10_000_000);
});
