import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { HookRunner, loadHooks } from "@mariozechner/pi-coding-agent/hooks";
import { describe, expect, onTestFinished, test } from "vitest";
import { HookHost } from "../../src/host/host.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";
import { expectSame } from "./compare.ts";
import { agentStart, on } from "./events.ts";
import { ERRORS } from "./probes/errors.ts";
import { scenarioOf } from "./scenario.ts";

describe("errors are reported in Cordon as in pi", () => {
  test.each(ERRORS)("%s", async (...probe) => {
    const { steps, loading } = await expectSame(scenarioOf(probe));
    expect(loading).toEqual([]);
    expect(steps.flatMap(({ errors }) => errors).length).toBeGreaterThan(0);
  });
});

test("an error names the hook as it was configured, on both sides", async () => {
  const folder = temporaryFolder();
  const cwd = join(folder, "work");
  mkdirSync(cwd);
  writeFiles(folder, { "hooks/one.ts": on("agent_start", 'throw new Error("x");') });
  const configured = ["../hooks/one.ts"];

  const runner = new HookRunner((await loadHooks(configured, cwd)).hooks, cwd);
  const pi: unknown[] = [];
  runner.onError((error) => pi.push(error));
  await runner.emit(agentStart as never);

  const host = await HookHost.start({
    spare: false,
    cwd,
    home: join(folder, "home"),
    discover: false,
    hooks: configured,
    log: () => {},
  });
  onTestFinished(() => host.close());
  const cordon: unknown[] = [];
  const forget = host.onError(({ hookPath, event, error }) => cordon.push({ hookPath, event, error }));
  await host.emit(agentStart as never);

  expect(pi).toEqual([{ hookPath: "../hooks/one.ts", event: "agent_start", error: "x" }]);
  expect(cordon).toEqual(pi);
  expect(host.getHookPaths()).toEqual(runner.getHookPaths());
  forget();
  await host.emit(agentStart as never);
  expect(cordon).toHaveLength(1);
});
