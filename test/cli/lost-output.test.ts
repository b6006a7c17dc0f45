import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { cordon, startCordon } from "../support/command.ts";
import { sampled } from "../support/length.ts";
import { needs } from "../support/needs.ts";
import { onToolCall, temporaryFolder, writeFiles } from "../support/session.ts";

let folder: string;
let home: string;

beforeEach(() => {
  folder = temporaryFolder();
  home = join(folder, "home");
  mkdirSync(home);
  writeFiles(folder, {
    "gate.ts": onToolCall('return { block: true, reason: "no" };'),
    "syntax.ts": "export default (",
    "bad.json": '{"version": 1, "sorces": []}',
    "good.json": '{"version": 1}',
    "call.jsonl": `${JSON.stringify({ type: "tool_call", toolName: "bash", toolCallId: "1", input: {} })}\n`,
  });
});

const MAIN = join(PACKAGE_ROOT, "dist", "src", "cli", "start.js");

/** Runs a command whose standard output, or both outputs, nobody reads. */
async function unread(args: string[], both: boolean): Promise<{ code: number | null; stderr: string }> {
  const child = startCordon(args, { cwd: folder, home });
  let stderr = "";
  child.stdin.end();
  child.stdout.destroy();
  if (both) child.stderr.destroy();
  else child.stderr.on("data", (chunk) => (stderr += chunk));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, stderr };
}

// biome-ignore format: a table
const PRINTS: [args: string[], code: number][] = [
  [["add", "./gate.ts", "--grant", "ui"], 0],
  [["policy", "check", "bad.json"], 1],
  [["policy", "check", "good.json"], 0],
  [["dev", "syntax.ts", "--once"], 1],
  [["dev", "gate.ts", "--once", "--events", "call.jsonl"], 0],
  [["run", "--hook", "gate.ts", "call.jsonl"], 0],
  [["list", "--cwd", "."], 0],
  [["--help"], 0],
  [["list", "--nothing"], 2],
  [["serve"], 0],
];
test.each(sampled(PRINTS, 3))(
  "nobody reads what cordon %j prints: it does its work, and its exit code says how that went",
  async (args, code) => {
    for (const both of [false, true]) {
      const ended = await unread(args, both);
      expect([ended.code, ended.stderr.match(/^ +at |EPIPE/m)]).toEqual([code, null]);
    }
  },
);

test("what was asked for before the reader went is done", async () => {
  await unread(["add", "./gate.ts", "--grant", "ui"], true);
  expect(readFileSync(join(home, "hooks.lock"), "utf8")).toContain('"gate"');
});

test.each([[["audit", "--follow"]], [["dev", "gate.ts", "--events", "call.jsonl"]]])(
  "cordon %j does nothing but print, and ends once nobody reads",
  async (args) => {
    await cordon(["run", "--hook", "gate.ts", "call.jsonl"], { cwd: folder, home });
    expect((await unread(args, false)).code).toBe(0);
  },
);

const isFullHere = existsSync("/dev/full");

/** Runs a command whose standard output lies on a full disk. */
async function onFullDisk(args: string[], input: string): Promise<{ code: number | null; stderr: string }> {
  const full = openSync("/dev/full", "w");
  onTestFinished(() => closeSync(full));
  const env = { ...process.env, CORDON_HOME: home, PI_CODING_AGENT_DIR: join(home, "agent") };
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: folder, env, stdio: ["pipe", full, "pipe"] });
  let stderr = "";
  child.stderr?.on("data", (chunk) => (stderr += chunk));
  child.stdin?.on("error", () => {});
  child.stdin?.end(input);
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, stderr };
}

const HELLO = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } })}\n`;

// biome-ignore format: a table
const FULL: [args: string[], input?: string][] = [
  [["list"]],
  [["list", "--json"]],
  [["audit"]],
  [["audit", "--json"]],
  [["audit", "--verify"]],
  [["audit", "--follow"]],
  [["doctor", "--json"]],
  [["check", "gate.ts"]],
  [["run", "--hook", "gate.ts", "call.jsonl"]],
  [["dev", "gate.ts", "--events", "call.jsonl"]],
  [["policy", "check", "good.json"]],
  [["completion", "bash"]],
  [["--help"]],
  [["serve"], HELLO],
];
test.each(sampled(FULL, 3))(
  "on a full disk, cordon %j says so in one line and exits with 1",
  needs(!isFullHere && "/dev/full"),
  async (args, input = "") => {
    await cordon(["run", "--hook", "gate.ts", "call.jsonl"], { cwd: folder, home });
    const { code, stderr } = await onFullDisk(args, input);
    expect(code).toBe(1);
    expect(stderr.split("\n").filter((line) => line.includes("ENOSPC"))).toEqual([
      expect.stringMatching(
        /^cordon: standard output cannot be written: ENOSPC.*; the disk is full: free some space and run it again$/,
      ),
    ]);
    expect(stderr).not.toMatch(/^ +at /m);
  },
);
