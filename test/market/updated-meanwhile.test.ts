import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { HookHost } from "../../dist/src/index.js";
import { sha256 } from "../../src/bundle/digest.ts";
import { writeFiles } from "../support/session.ts";
import { HOOK, manifestOf } from "./hostile-tar.ts";
import { atTerminal, remove } from "./hostile-terminal.ts";
import { Machine } from "./world.ts";

const UPDATED =
  "hook gate was updated since this session looked for it: it goes on as it was accepted; the next session has the other version";

/** A package that blocks with its version. Its hook is not at its top. */
function gate(machine: Machine, version: string): string {
  const source = HOOK.replace("'no'", `'gate ${version}'`);
  return machine.package("gate", { version, cordon: { hooks: ["./src/gate.ts"] } }, { "src/gate.ts": source });
}

/** A session that goes on while packages change. */
async function open(machine: Machine): Promise<{ host: HookHost; told: string[] }> {
  const { host, told } = await machine.open();
  onTestFinished(() => host.close());
  return { host, told };
}

async function said(host: HookHost): Promise<unknown> {
  const call = { type: "tool_call", toolName: "bash", toolCallId: "1", input: { command: "ls" } } as const;
  return (await host.emitToolCall(call)) ?? "passed";
}

async function update(machine: Machine, version: string): Promise<void> {
  gate(machine, version);
  expect(await machine.run(["update"])).toMatchObject({ code: 0, stderr: "" });
}

const bundles = (machine: Machine): string[] =>
  readdirSync(join(machine.home, "bundles")).filter((name) => name.endsWith(".json"));

test("a session that runs while its hook is updated goes on with what it had, also when the hook is restarted", async () => {
  const machine = new Machine();
  await machine.install(gate(machine, "1.0.0"));
  const { host, told } = await open(machine);
  await update(machine, "2.0.0");
  expect(await said(host)).toMatchObject({ block: true, reason: "gate 1.0.0" });
  await host.reload("gate");
  expect(host.hooks).toMatchObject([{ id: "gate", state: "changed" }]);
  expect(told).toEqual([UPDATED]);
  expect(await said(host)).toMatchObject({ block: true, reason: "gate 1.0.0" });
  const next = await open(machine);
  expect({ hooks: next.host.hooks, told: next.told }).toMatchObject({ hooks: [{ state: "active" }], told: [] });
  expect(await said(next.host)).toMatchObject({ block: true, reason: "gate 2.0.0" });
});

test("a hook that was disabled when the session began, and is enabled after an update, goes on as the session knows it", async () => {
  const machine = new Machine();
  await machine.install(gate(machine, "1.0.0"));
  expect((await atTerminal(machine, ["disable", "gate"], [[/Disable/, "y"]])).code).toBe(0);
  const { host, told } = await open(machine);
  expect(host.hooks).toMatchObject([{ id: "gate", state: "stopped" }]);
  await update(machine, "2.0.0");
  expect((await atTerminal(machine, ["enable", "gate"], [[/Enable/, "y"]])).code).toBe(0);
  await expect.poll(() => host.hooks).toMatchObject([{ id: "gate", state: "changed" }]);
  expect(told).toEqual([UPDATED]);
  expect(await said(host)).toMatchObject({ block: true, reason: "gate 1.0.0" });
});

test("what is kept of a version is gone after the next one", async () => {
  const machine = new Machine();
  await machine.install(gate(machine, "1.0.0"));
  const { host, told } = await open(machine);
  for (const version of ["2.0.0", "3.0.0", "4.0.0"]) {
    await update(machine, version);
    expect(bundles(machine)).toHaveLength(2);
  }
  expect(readdirSync(join(machine.home, "installed"))).toHaveLength(1);
  await host.reload("gate");
  expect(host.hooks).toMatchObject([{ id: "gate", state: "failed" }]);
  expect(told.join("\n")).toContain(
    "it was updated since this session looked for it, and its accepted form is not kept; the next session has the other version",
  );
  expect(await said(host)).toMatchObject({ block: true });
});

test("what an update that failed had built is not kept in place of the version before", async () => {
  const machine = new Machine();
  const inside = join(machine.work, "tools", "gate");
  const write = (version: string): void =>
    writeFiles(inside, {
      "package.json": manifestOf({ name: "gate", version, cordon: { hooks: ["./index.ts"] } }),
      "index.ts": HOOK.replace("'no'", `'gate ${version}'`),
    });
  write("1.0.0");
  expect((await machine.run(["add", "./tools/gate", "--project", "--grant", "none"])).code).toBe(0);
  const { host, told } = await open(machine);
  write("2.0.0");
  expect((await machine.run(["update"])).code).toBe(0);
  const kept = bundles(machine);
  expect(kept).toHaveLength(2);
  writeFileSync(join(machine.work, ".cordon", "hooks.lock"), "{");
  write("3.0.0");
  expect(await machine.run(["update"])).toMatchObject({ code: 1, stdout: expect.stringContaining("hooks.lock") });
  expect(bundles(machine)).toEqual(kept);
  await host.reload("gate");
  expect(host.hooks).toMatchObject([{ id: "gate", state: "changed" }]);
  expect(told).toEqual([UPDATED]);
  expect(await said(host)).toMatchObject({ block: true, reason: "gate 1.0.0" });
});

/** Changes the code of a bundle as somebody would who can write to the cache: what the file says of itself is right again. */
function tamper(path: string): void {
  const { bundle } = JSON.parse(readFileSync(path, "utf8")) as { bundle: string };
  const text = bundle.replace("gate 1.0.0", "gate 6.6.6");
  expect(text).not.toBe(bundle);
  writeFileSync(path, JSON.stringify({ sha256: sha256(text), bundle: text }));
}

test.each([
  ["changed", tamper],
  ["gone", (path: string) => rmSync(path)],
])("a kept version whose build is %s does not run, and blocks", async (_what, harm) => {
  const machine = new Machine();
  await machine.install(gate(machine, "1.0.0"));
  const { host } = await open(machine);
  const [before = ""] = bundles(machine);
  await update(machine, "2.0.0");
  harm(join(machine.home, "bundles", before));
  await host.reload("gate");
  expect(host.hooks).toMatchObject([{ id: "gate", state: "failed" }]);
  expect(await said(host)).toMatchObject({ block: true, reason: expect.not.stringContaining("gate 6.6.6") });
});

test("nothing is kept of a package that was removed, of whatever version, and all of one whose name begins like it", async () => {
  const machine = new Machine();
  await machine.install(machine.package("gate-0123456789abcdef", { cordon: { hooks: ["./index.ts"] } }));
  const others = { bundles: bundles(machine), installed: readdirSync(join(machine.home, "installed")) };
  await machine.install(gate(machine, "1.0.0"));
  const { host } = await open(machine);
  await update(machine, "2.0.0");
  expect((await remove(machine, "gate")).code).toBe(0);
  expect({ bundles: bundles(machine), installed: readdirSync(join(machine.home, "installed")) }).toEqual(others);
  await host.reload("gate");
  expect(host.hooks.find(({ id }) => id === "gate")).toMatchObject({
    state: "failed",
    reason:
      "it was removed since this session looked for it, and its accepted form is not kept; the next session is without it",
  });
  expect(await said(host)).toMatchObject({ block: true, hook: "gate" });
});
