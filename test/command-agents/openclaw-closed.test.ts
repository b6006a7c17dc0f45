import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { builtForHost, PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { sampled } from "../support/length.ts";
import { onToolCall, temporaryFolder } from "../support/session.ts";
import { DAEMON_FAILURES, type Failure } from "./failures.ts";
import { CONTEXT, PLUGIN, PluginProcess } from "./plugin-process.ts";
import { World } from "./world.ts";

const HOOKS = {
  gate: onToolCall(
    'if (event.input.command === "no") return { block: true, reason: "no" }; if (event.input.command === "wait") await new Promise(() => {});',
  ),
};
const LATEST_MS = 2500;

const world = new World(HOOKS);
const plugin = new PluginProcess(world, { latestMs: LATEST_MS });
const beside = join(PLUGIN.folder(world.home), "cordon.json");

/** Changes what the plugin has beside it. */
async function settle(change: (written: Record<string, string>) => unknown): Promise<void> {
  await world.stop();
  // Another one may be starting for an event of the test before.
  await new Promise((done) => setTimeout(done, 500));
  await world.stop();
  const before = readFileSync(beside, "utf8");
  const text = change(JSON.parse(before));
  if (text === undefined) rmSync(beside);
  else writeFileSync(beside, typeof text === "string" ? text : JSON.stringify(text));
  onTestFinished(() => writeFileSync(beside, before));
}

const FAILURES: Failure[] = [
  ...DAEMON_FAILURES,
  { name: "what it asks is not named", arrange: () => settle(() => undefined) },
  { name: "what it asks is nonsense", arrange: () => settle(() => "{") },
  { name: "what it asks has no home", arrange: () => settle(({ home: _home, ...others }) => others) },
  { name: "what it asks is no path", arrange: () => settle((written) => ({ ...written, node: "node" })) },
  { name: "Node is gone", arrange: () => settle((written) => ({ ...written, node: "/nowhere/node" })) },
  { name: "Cordon is gone", arrange: () => settle((written) => ({ ...written, start: "/nowhere/start.js" })) },
];

test("a call passes when nothing is wrong", async () => {
  // A daemon may take its time to start.
  expect(await new PluginProcess(world).call("fine")).toEqual({ ran: { command: "fine" } });
  expect(await plugin.call("fine")).toEqual({ ran: { command: "fine" } });
  expect(await plugin.call("no")).toEqual({ reason: expect.stringContaining(": no") });
});

describe.each(sampled(FAILURES, 2))("when $name", ({ arrange }) => {
  test("a call is blocked, a result withheld, and what decides nothing goes on", async () => {
    await arrange(world);
    const { ran, reason } = await plugin.call("fine");
    expect([ran, reason]).toEqual([
      undefined,
      expect.stringMatching(/cordon (doctor|install openclaw|pending)|chmod|grants/),
    ]);
    expect(await plugin.result({ content: [{ type: "text", text: "secret" }] })).toEqual({
      failed: expect.any(String),
    });
    for (const name of ["before_agent_run", "agent_end", "session_start"])
      expect(await plugin.ask({ kind: "note", name, event: { prompt: "p" }, context: CONTEXT })).toEqual({});
  });
});

test("a call that hooks are judging is blocked when the daemon dies, and the next one is judged", async () => {
  const other = new PluginProcess(world);
  await other.call("fine");
  const waits = other.call("wait");
  await new Promise((done) => setTimeout(done, 500));
  await world.kill();
  expect(await waits).toEqual({ reason: expect.stringContaining("before it answered") });
  await expect.poll(() => world.status().catch(() => "dying")).toBeUndefined();
  expect(await other.call("no")).toEqual({ reason: expect.stringContaining(": no") });
});

test("a hook that waits for ever is a block before OpenClaw gives up", async () => {
  expect(await plugin.call("wait")).toEqual({ reason: "Cordon did not answer in time; run: cordon doctor" });
});

test("an agent's variables for Node and the loader are not the daemon's", async () => {
  await world.stop();
  const other = new PluginProcess(world, { env: { NODE_OPTIONS: "--no-warnings", NODE_DEBUG: "nothing" } });
  expect(await other.call("no")).toEqual({ reason: expect.stringContaining(": no") });
});

test("the package is packed, and installed from there it blocks until Cordon is entered", () => {
  const folder = temporaryFolder();
  const run = (...args: string[]) => execFileSync("npm", args, { cwd: folder, encoding: "utf8", stdio: "pipe" });
  const packages = join(PACKAGE_ROOT, "packages", "openclaw-cordon");
  const [{ filename, files }] = JSON.parse(run("pack", packages, "--json", "--ignore-scripts"));
  expect(files.map(({ path }: { path: string }) => path).sort()).toEqual([
    "LICENSE",
    "README.md",
    "dist/index.js",
    "openclaw.plugin.json",
    "package.json",
  ]);
  mkdirSync(join(folder, "user"));
  writeFileSync(join(folder, "package.json"), '{"private":true}');
  run("install", "--ignore-scripts", "--no-audit", "--no-fund", "--offline", join(folder, filename));
  const installed = join(folder, "node_modules", "openclaw-cordon");
  expect(readFileSync(join(installed, "dist", "index.js"), "utf8")).toBe(
    readFileSync(builtForHost("openclaw-cordon", "dist", "index.js"), "utf8"),
  );
  const { version, dependencies } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  const own = JSON.parse(readFileSync(join(PACKAGE_ROOT, "package.json"), "utf8"));
  expect([version, dependencies]).toEqual([own.version, undefined]);
});

test("the installed package without Cordon blocks every call, and says what to do", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "dist", "index.js");
  mkdirSync(join(folder, "dist"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  writeFileSync(path, readFileSync(PLUGIN.loaded(world.home)));
  const alone = new PluginProcess(world, { plugin: path });
  expect(await alone.call("fine")).toEqual({ reason: expect.stringContaining("run: cordon install openclaw") });
});
