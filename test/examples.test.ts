import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { PACKAGE_ROOT } from "../src/base/package-root.ts";
// The example of a hook package brings its own tests.
import "../examples/hook-package/index.test.ts";
import { needs } from "./support/needs.ts";
import { onToolCall, temporaryFolder, writeFiles } from "./support/session.ts";

const run = promisify(execFile);

const GATE = onToolCall(`
  if (String(event.input.command).includes("rm -rf")) return { block: true, reason: "not with rm -rf" };`);

function workplace() {
  const folder = temporaryFolder();
  writeFiles(folder, { "gate.ts": GATE });
  const env = { ...process.env, HOME: folder, CORDON_HOME: join(folder, "home") };
  return { gate: join(folder, "gate.ts"), options: { cwd: folder, env } };
}

test("the agent in forty lines runs what its hook lets pass", async () => {
  const { gate, options } = workplace();
  const agent = join(PACKAGE_ROOT, "examples", "agent.ts");
  const { stdout } = await run(process.execPath, [agent, gate, "echo hello", "rm -rf build"], options);
  expect(stdout).toBe(`hello\n${gate} blocked rm -rf build: not with rm -rf\n`);
});

const python = (process.env.PATH ?? "")
  .split(delimiter)
  .map((folder) => join(folder, "python3"))
  .find((path) => existsSync(path));

test("the agent in Python does, over JSON-RPC", needs(!python && "Python"), async () => {
  const { gate, options } = workplace();
  const client = join(PACKAGE_ROOT, "examples", "serve_client.py");
  const main = join(PACKAGE_ROOT, "dist", "src", "cli", "start.js");
  const server = [process.execPath, main, "serve", "--no-discover", "--hook", gate]
    .map((word) => `'${word}'`)
    .join(" ");
  const { stdout } = await run(python as string, [client, server, "echo hello", "rm -rf build"], options);
  expect(stdout).toBe("hello\nblocked rm -rf build: not with rm -rf\n");
});
