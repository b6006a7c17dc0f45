import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { install, planOfInstall } from "../../src/agents/setup/install.ts";
import { SETUPS } from "../../src/agents/setup/setups.ts";
import { attemptOr } from "../../src/base/attempt.ts";
import { statusOf } from "../../src/disk/process-status.ts";
import { askDaemon, type DaemonStatus } from "../../src/shim/ask-daemon.ts";
import { atTerminal } from "../market/hostile-terminal.ts";
import { Terminal } from "../market/journey-terminal.ts";
import { Machine } from "../market/world.ts";
import { needs } from "../support/needs.ts";
import { onToolCall, writeFiles } from "../support/session.ts";

const hasTmux = attemptOr(() => execFileSync("tmux", ["-V"]) !== undefined, false);

/** A machine whose person entered Cordon in Claude Code, has a hook of their own and a file that is not Cordon's. */
function machineInUse(): { machine: Machine; settings: string } {
  const machine = new Machine();
  const user = join(machine.folder, "user");
  const setup = SETUPS.find(({ name }) => name === "claude-code") as (typeof SETUPS)[number];
  writeFiles(machine.folder, { "user/.claude/settings.json": '{"model": "opus"}\n' });
  const place = { setup, home: machine.home, places: { user, env: {} }, project: undefined };
  install(place, planOfInstall(place), { node: process.execPath, monitor: false });
  writeFiles(machine.home, {
    "hooks/gate.ts": onToolCall(""),
    "grants.json": '{"version":1,"hooks":{"a":{},"b":{}}}',
    "runtime/node/bin/node": "x".repeat(1000),
    "recordings/2026-01-01T00-00-00Z-aaaaaa.jsonl": "{}\n",
    "reports/report.html": "",
    "openclaw-cordon/package.json": "{}",
    "runtime.0a1b2c3d/node/bin/node": "",
    "grants.json.m1-b2-n3-p4-s5.0a1b2c3d.tmp": "",
    "agents.json.lock": "",
    "grants.json.bak": "mine",
    "notes.txt": "mine",
  });
  return { machine, settings: join(user, ".claude", "settings.json") };
}

test("without a person nothing is removed, and what would be is said", async () => {
  const { machine, settings } = machineInUse();
  const before = readFileSync(settings, "utf8");
  const { code, stderr } = await machine.run(["uninstall"]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("this needs a terminal with a person at it")]);
  const dry = await machine.run(["uninstall", "--dry-run"]);
  expect(dry.code).toBe(0);
  for (const text of [
    "would take Cordon out of claude-code",
    `would remove ${machine.home}`,
    "what you granted to 2 hooks",
    "1 recorded session",
    "the last report",
    "what is not Cordon's stays: grants.json.bak, hooks, notes.txt",
  ])
    expect(dry.stdout).toContain(text);
  expect([readFileSync(settings, "utf8"), existsSync(join(machine.home, "runtime"))]).toEqual([before, true]);
});

test("a damaged file of Cordon's keeps nothing from being removed", async () => {
  const { machine } = machineInUse();
  writeFiles(machine.home, { "hooks.lock": "{", "grants.json": "{" });
  const { code, stdout } = await machine.run(["uninstall", "--dry-run"]);
  expect([code, stdout]).toEqual([0, expect.stringContaining(`would remove ${machine.home}`)]);
  expect(stdout).toContain("1 recorded session");
});

test("what cannot be taken out is said beforehand, with the reason", async () => {
  const { machine, settings } = machineInUse();
  writeFileSync(settings, `${readFileSync(settings, "utf8")}}`);
  const { code, stdout } = await machine.run(["uninstall", "--dry-run"]);
  expect([code, stdout]).toEqual([0, expect.stringContaining(`cannot take Cordon out of claude-code: ${settings}`)]);
  expect(stdout).not.toContain("would take Cordon out of claude-code");
});

test("a person is asked about each agent, the runtime and, last, the home", needs(!hasTmux && "tmux"), async () => {
  const { machine, settings } = machineInUse();
  const terminal = await Terminal.open(machine);
  const answer = (...keys: [question: string, key: "y" | "n"][]): Promise<string> =>
    terminal.run("cordon uninstall", async () => {
      for (const [question, key] of keys) {
        await terminal.shows(question);
        terminal.press(key);
      }
    });
  // While an agent asks Cordon, its home stays.
  const stays = await answer(["Claude Code?", "n"], ["which sandboxes run on?", "n"]);
  expect(stays).toContain("claude-code still asks Cordon");
  expect(existsSync(join(machine.home, "runtime"))).toBe(true);

  const rest = await answer(["Claude Code?", "y"], ["which sandboxes run on?", "y"], ["with all of this?", "n"]);
  for (const text of ["what you granted to 2 hooks", "1 recorded session"]) expect(rest).toContain(text);
  expect(JSON.parse(readFileSync(settings, "utf8"))).toEqual({ model: "opus" });
  expect([existsSync(join(machine.home, "runtime")), existsSync(join(machine.home, "grants.json"))]).toEqual([
    false,
    true,
  ]);

  // What a person wrote stays.
  await answer(["with all of this?", "y"]);
  expect(
    readdirSync(machine.home)
      .sort()
      .filter((name) => name !== "agent"),
  ).toEqual(["grants.json.bak", "hooks", "notes.txt"]);
});

test(
  "a daemon that runs ends before the home is removed, and writes nothing afterwards",
  needs(!hasTmux && "tmux"),
  async () => {
    const machine = new Machine();
    writeFiles(machine.home, { "hooks/gate.ts": onToolCall("") });
    const call = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "1" };
    const input = JSON.stringify({ ...call, session_id: "s", cwd: machine.work });
    expect(await machine.run(["hook", "claude-code"], { input })).toMatchObject({ code: 0 });
    const daemon = (await askDaemon(machine.home, "status")) as DaemonStatus;
    const terminal = await Terminal.open(machine);
    const shown = await terminal.run("cordon uninstall", async () => {
      await terminal.shows("with all of this?");
      terminal.press("y");
    });
    expect(shown).toContain(`removed what is Cordon's in ${machine.home}; hooks stay`);
    // What is not there cannot be lost, and is not listed.
    expect(shown).not.toMatch(/\b0 /);
    // One that is gone may still be named until it is reaped.
    const isThere = !/^[ZX]?$/.test(statusOf(daemon.pid)?.state ?? "");
    await expect.poll(() => statusOf(daemon.pid), { timeout: 20_000 }).toBeUndefined();
    expect([isThere, readdirSync(machine.home)]).toEqual([false, ["hooks"]]);
  },
);

const LINUX = needs(process.platform !== "linux" && "Linux");

test("settings that cannot be read keep nothing else from being asked about", LINUX, async () => {
  const { machine, settings } = machineInUse();
  writeFileSync(settings, "{ broken");
  const { shown } = await atTerminal(machine, ["uninstall"], [[/which sandboxes run on\?/, "y"]]);
  expect(shown).toMatch(/mend it first[\s\S]*which sandboxes run on\?/);
  expect([readFileSync(settings, "utf8"), existsSync(join(machine.home, "runtime"))]).toEqual(["{ broken", false]);
});
