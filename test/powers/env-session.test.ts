import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startSession, temporaryFolder, writeFiles } from "../support/session.ts";

const TELLS = `
  import { execFileSync } from "node:child_process";
  export default (pi) => pi.on("tool_call", () => ({
    block: true,
    reason: JSON.stringify({
      token: process.env.TOKEN,
      secret: process.env.CORDON_TEST_SECRET,
      names: Object.keys(process.env).filter((name) => /TOKEN|SECRET/.test(name)),
      tool: execFileSync("tool", []).toString(),
    }),
  }));`;

const GRANT = {
  capabilities: {
    events: { see: ["tool_call"], block: true },
    env: ["TOKEN", "CORDON_TEST_*"],
    exec: [{ program: "tool", args: [], fullAccess: true }],
  },
};

/** A folder with a program that says which one it is, and what it was given. */
function programs(name: string): string {
  const folder = temporaryFolder();
  writeFiles(folder, { tool: `#!/bin/sh\nprintf '${name} %s %s' "$LANG" "$CORDON_TEST_SECRET"\n` });
  chmodSync(join(folder, "tool"), 0o755);
  return folder;
}

async function told(env: NodeJS.ProcessEnv): Promise<unknown> {
  const { call } = await startSession({ tells: { source: TELLS, grant: GRANT } }, { env });
  const verdict = await call();
  return verdict && "reason" in verdict ? JSON.parse(verdict.reason) : verdict;
}

test("each session has the variables and the programs that it was given, and none of the process", async () => {
  process.env.CORDON_TEST_SECRET = "of the process";
  onTestFinished(() => {
    delete process.env.CORDON_TEST_SECRET;
  });
  const [one, two] = [programs("one"), programs("two")];
  const given = (name: string, path: string) => ({ TOKEN: name, PATH: path, LANG: `lang-${name}` });
  const sessions = await Promise.all([told(given("first", one)), told(given("second", two))]);
  expect(sessions).toEqual([
    { token: "first", names: ["TOKEN"], tool: "one lang-first " },
    { token: "second", names: ["TOKEN"], tool: "two lang-second " },
  ]);
});

test("a session without variables has no program by its name", async () => {
  const { call } = await startSession({ tells: { source: TELLS, grant: GRANT } }, { env: {} });
  expect(await call()).toMatchObject({ block: true, reason: expect.stringContaining("spawnSync tool ENOENT") });
});
