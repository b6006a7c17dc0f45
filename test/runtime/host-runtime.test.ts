import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { runtimeAddon, runtimeNode } from "../../src/runtime/locate.ts";
import { onToolCall, startSession, temporaryFolder } from "../support/session.ts";

afterEach(() => vi.unstubAllEnvs());

const PASS = onToolCall("return undefined;");

test("without a runtime every hook is failed with NO_RUNTIME, and guarded calls are blocked with the remedy", async () => {
  vi.stubEnv("CORDON_RUNTIME", join(temporaryFolder(), "none"));
  const { host, call } = await startSession({ a: PASS, b: PASS });
  expect(host.hooks.map(({ state }) => state)).toEqual(["failed", "failed"]);
  expect(host.hooks[0]?.reason).toContain("cordon runtime install");
  const verdict = await call();
  expect(verdict).toMatchObject({ block: true, hook: "a", reason: expect.stringContaining("NO_RUNTIME") });
  expect(verdict).toMatchObject({ reason: expect.stringContaining("cordon runtime install") });
});

/** A runtime whose Node claims to be another version, and otherwise is this one. */
function runtimeCalled(version: string): string {
  const folder = temporaryFolder();
  const file = runtimeNode(folder);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    `#!/bin/sh\nif [ "$1" = --version ]; then echo v${version}; else exec '${process.execPath}' "$@"; fi\n`,
  );
  chmodSync(file, 0o755);
  symlinkSync(join(PACKAGE_ROOT, "node_modules", "isolated-vm"), runtimeAddon(folder));
  return folder;
}

test("a sandbox on Node 24 is announced with the protections it lacks", async () => {
  vi.stubEnv("CORDON_RUNTIME", runtimeCalled("24.3.0"));
  const { log } = await startSession({ a: PASS });
  expect(log).toContainEqual({
    level: "warn",
    text: expect.stringMatching(/Node 24.*network.*cordon runtime install/),
  });
});

test("a sandbox on Node 26 is not announced", async () => {
  vi.stubEnv("CORDON_RUNTIME", runtimeCalled("26.1.0"));
  const { log, call } = await startSession({ a: PASS });
  expect(await call()).toBeUndefined();
  expect(log).toEqual([]);
});

test("with a runtime whose addon does not fit its Node, guarded calls are blocked, and the host still starts", async () => {
  vi.stubEnv("CORDON_RUNTIME", runtimeCalled("24.3.0"));
  const { call, host } = await startSession({ a: PASS });
  expect(host.hooks[0]?.state).not.toBe("active");
  expect(await call()).toMatchObject({ block: true, hook: "a" });
});
