import { spawn } from "node:child_process";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { entryCommand, entryScript } from "../../src/agents/command/entry-script.ts";
import { type Asker, quickTools } from "../../src/agents/command/quick-tools.ts";
import { builtForHost } from "../../src/base/package-root.ts";
import { askDaemon } from "../../src/shim/ask-daemon.ts";
import { onToolCall, writeFiles } from "../support/session.ts";
import { inTurns, print, type Row, round, type Times, type Variant } from "./measure.ts";

const ROUNDS = 5;
const PER_ROUND = 20;
const NODE = "`node -e 0`";

const EVENT = JSON.stringify({
  session_id: "bench",
  cwd: "/",
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "git status --short" },
  tool_use_id: "toolu_1",
});

/** A command that an agent runs for an event, from its start to its end. */
function command(name: string, program: string, args: readonly string[]): Variant {
  const once = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const child = spawn(program, args, { stdio: ["pipe", "ignore", "pipe"], env: { PATH: "/usr/bin:/bin" } });
      child.stderr?.on("data", (text) => reject(new Error(String(text))));
      child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`it ended with ${code}`))));
      child.stdin?.on("error", () => {});
      child.stdin?.end(EVENT);
    });
  return { name, once, close: async () => {} };
}

/** A home whose hooks all hear calls, and the command of an entry there. `asker`: what it asks by. */
function entry(
  name: string,
  folder: string,
  hooks: number,
  asker: Asker | "Node" = "curl",
): Variant & { home: string } {
  const home = join(folder, `home-${hooks}-${asker}`);
  mkdirSync(home, { recursive: true });
  const paths = {
    home,
    node: process.execPath,
    shim: builtForHost("shim.mjs"),
    start: builtForHost("cli", "start.js"),
    quick: asker === "Node" ? undefined : quickTools([asker]),
  };
  writeFiles(home, {
    "bin/hook": entryScript(paths),
    ...Object.fromEntries(Array.from({ length: hooks }, (_, at) => [`hooks/hook-${at}.ts`, onToolCall("")])),
  });
  const script = join(home, "bin", "hook");
  chmodSync(script, 0o755);
  const line = entryCommand(script, "claude-code", "gate", "PreToolUse", 60_000);
  return { ...command(name, "/bin/sh", ["-c", line]), home };
}

/** What an agent waits for its hooks, beside a Node that does nothing. */
export async function commands(folder: string): Promise<boolean> {
  const entries = [
    entry("one hook", folder, 1),
    entry("ten hooks", folder, 10),
    entry("one hook, by Perl where curl is missing", folder, 1, "perl"),
    entry("one hook, without either", folder, 1, "Node"),
  ];
  const times = new Map<string, Times>();
  await inTurns([command(NODE, process.execPath, ["-e", "0"]), ...entries], ROUNDS, PER_ROUND, times);
  for (const { home } of entries) await askDaemon(home, "stop");
  const at = (name: string, part: number): number => times.get(name)?.quantile(part) ?? Number.NaN;
  const row = (name: string, part: number, goal: number): Row => ({
    what: `${name}, ${part === 0.5 ? "median" : "99 of 100"}`,
    value: `${round(at(name, part) / 1000, 1)} ms`,
    beside: `${round(at(NODE, part) / 1000, 1)} ms ${NODE}`,
    ratio: at(name, part) / at(NODE, part),
    goal,
  });
  return print(
    "An event of an agent that runs a command: its whole wait",
    entries.flatMap(({ name }) => [row(name, 0.5, 1.25), row(name, 0.99, 2)]),
  );
}
