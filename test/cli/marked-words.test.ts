import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { expect, test } from "vitest";
import { attemptOr } from "../../src/base/attempt.ts";
import { logPath } from "../../src/disk/daemon-places.ts";
import { Terminal } from "../market/journey-terminal.ts";
import { asks, Machine } from "../market/world.ts";
import { sampled } from "../support/length.ts";
import { needs } from "../support/needs.ts";
import { writeFiles } from "../support/session.ts";

const hasTmux = attemptOr(() => execFileSync("tmux", ["-V"]) !== undefined, false);

/** Words that fill rows of any width: a row could begin with any of them, or with a part of the last. */
const WORDS = `const W = "zq zqq ".repeat(40);
const ALL = [W, "x\\n" + " ".repeat(80) + W, "zq".repeat(200)].join(" ");\n`;

const TALKER = `${WORDS}
export default function (pi: any) {
  pi.on(W.slice(0, 60), () => {});
  pi.on("tool_call", async (event: any, ctx: any) => {
    ctx.ui.notify(ALL, "info");
    console.log(ALL);
    if (event.input.command === "change") event.input.command = ALL;
    else if (event.input.command === "throw") throw new Error(ALL);
    else if (event.input.command === "exec") await pi.exec("zq", W.split(" "));
    else return { block: true, reason: ALL };
  });
}
`;
const BROKEN = `${WORDS} throw new Error(ALL);\nexport default function () {}\n`;

const KINDS = ["block", "change", "throw", "exec"];
const calls = KINDS.map((command) =>
  JSON.stringify({ type: "tool_call", toolName: "bash", toolCallId: "1", input: { command } }),
).join("\n");

/** Each command that prints words of a hook. Those after `setsid` ask nobody: they have no controlling terminal. */
const COMMANDS = [
  "cordon add ../from/talker --grant none",
  "setsid -w cordon run ../from/events.jsonl",
  "setsid -w cordon run ../from/events.jsonl --hook ../from/broken.ts",
  "setsid -w cordon run ../from/events.jsonl --record ../from/recorded.jsonl",
  "setsid -w cordon replay ../from/recorded.jsonl --hook ../from/broken.ts",
  "cordon dev ../from/talker/index.ts --once",
  "cordon dev ../from/broken.ts --once",
  "cordon check ../from/talker/index.ts",
  "cordon check ../from/broken.ts",
  "cordon trace ../from/talker/index.ts",
  "cordon trace ../from/broken.ts",
  "cordon why",
  "cordon audit",
  "cordon report",
  "cordon daemon logs",
  "cordon doctor",
];

test.each(sampled([40, 60, 80, 100]))(
  "in %i columns no row of a screen begins with words of a hook",
  { ...needs(!hasTmux && "tmux"), timeout: 240_000 },
  async (width) => {
    const machine = new Machine();
    machine.package("talker", { version: "1.0.0", ...asks({}) }, { "index.ts": TALKER });
    writeFiles(machine.folder, { "from/events.jsonl": `${calls}\n`, "from/broken.ts": BROKEN });
    const terminal = await Terminal.open(machine, undefined, [width, 60]);
    const faults: unknown[] = [];
    for (const command of COMMANDS) {
      if (command === "cordon why") await machine.served(KINDS);
      if (command === "cordon daemon logs") {
        mkdirSync(machine.home, { recursive: true });
        const log = `2026-01-01T00:00:00.000Z info [hook talker] ${"zq ".repeat(60)}\n    ${"zqq ".repeat(60)}\n`;
        writeFiles("/", { [logPath(machine.home).slice(1)]: log });
      }
      if (command === "cordon doctor") writeFiles(machine.home, { "hooks/broken.ts": BROKEN });
      const text = await terminal.run(command);
      const rows = text.split("\n").flatMap((line) => line.match(new RegExp(`.{1,${width}}`, "gu")) ?? []);
      if (!text.includes("zq")) faults.push([command, "has no words of a hook", text]);
      for (const row of rows) if (/^ {0,3}zq/.test(row)) faults.push([command, row]);
    }
    expect(faults).toEqual([]);
  },
);
