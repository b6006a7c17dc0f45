import { execFileSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { attemptOr } from "../../src/base/attempt.ts";
import { Working } from "../../src/cli/working.ts";
import { Terminal } from "../market/journey-terminal.ts";
import { Machine } from "../market/world.ts";
import { type Past, writeRecord } from "../report/home.ts";
import { LONG } from "../support/length.ts";
import { needs } from "../support/needs.ts";
import { on, writeFiles } from "../support/session.ts";

const hasTmux = attemptOr(() => execFileSync("tmux", ["-V"]) !== undefined, false);

const screen = (more: object) => {
  const written: string[] = [];
  return { written, write: (text: string) => written.push(text), ...more };
};

test("a line that changes says what is done, after a while, and is taken away", async () => {
  const tty = screen({ isTTY: true, columns: 30 });
  const working = new Working(tty, 150);
  working.step("first");
  expect(tty.written).toEqual([]);
  await pause(200);
  // It is shown while nothing else happens, too.
  expect(tty.written).toEqual(["\r\u001b[Kfirst …"]);
  working.step("a text\n\u001b[31mthat is longer than the screen is wide");
  await pause(200);
  expect(tty.written.at(-1)).toBe("\r\u001b[Ka text that is longer than …");
  working.clear();
  expect(tty.written.at(-1)).toBe("\r\u001b[K");
  working.end();
  const count = tty.written.length;
  await pause(200);
  expect(tty.written).toHaveLength(count);
});

test("where nobody watches nothing is written", async () => {
  const pipe = screen({});
  const working = new Working(pipe, 0);
  working.step("first");
  await pause(20);
  working.end();
  expect(pipe.written).toEqual([]);
});

/** A second is enough for a third of them. */
const LINES = 500_000;

/** A long record: a read in each second. */
function* reads(): Generator<Past> {
  for (let at = 0; at < LINES; at++)
    yield {
      time: new Date(Date.UTC(2026, 0, 1) + at * 1000).toISOString(),
      hook: "gate",
      event: "tool_call",
      capability: "fs",
      value: "read /a",
      outcome: "allowed",
    };
}

test("commands that take longer than a second show it on a terminal, and nothing in a pipe", {
  ...needs(!hasTmux && "tmux"),
  timeout: 120_000,
}, async () => {
  const machine = new Machine();
  const event = JSON.stringify({
    type: "turn_start",
    turnIndex: 0,
    timestamp: 1,
    recorded: { version: 1, at: "", verdict: null },
  });
  writeFiles(machine.work, {
    "slow.ts": on("turn_start", "await new Promise((done) => setTimeout(done, 200));"),
    "session.jsonl": `${event}\n`.repeat(8),
  });
  if (LONG) writeRecord(machine.home, reads());
  const terminal = await Terminal.open(machine);
  for (const [command, says, result] of [
    ["trace slow.ts --events session.jsonl", /trying slow\.ts: event \d of 8 …/, "would need"],
    ["replay session.jsonl --hook slow.ts --no-discover", /judging event \d of 8 …/, "8 events judged"],
    ...(LONG
      ? ([
          ["audit --verify", /checked \d+ lines, to 2026-01-0\d …/, "lines, each follows"],
          ["report", /reading the record: \d+ lines …/, "the audit log verifies"],
        ] as const)
      : []),
  ] as const) {
    const before = terminal.bytes().length;
    const text = await terminal.run(`cordon ${command}`);
    expect(terminal.bytes().slice(before), command).toMatch(says);
    expect(text).toContain(result);
    expect(text).not.toContain("…");
  }
  const piped = await machine.run(["replay", "session.jsonl", "--hook", "slow.ts", "--no-discover"]);
  expect(piped.stderr).not.toContain("judging");
});
