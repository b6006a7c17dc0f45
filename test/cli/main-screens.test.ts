import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { attemptOr } from "../../src/base/attempt.ts";
import { Terminal } from "../market/journey-terminal.ts";
import { asks, GATE, Machine, POWERS } from "../market/world.ts";
import { needs } from "../support/needs.ts";
import { writeFiles } from "../support/session.ts";

const hasTmux = attemptOr(() => execFileSync("tmux", ["-V"]) !== undefined, false);

/** A folder that the screens are written to, for a person to look at: `npm run screens`. */
const FOLDER = process.env.CORDON_SCREENS;
const WIDTHS = [40, 80, 200];

const calls = ["ls", "rm -rf build"].map((command) =>
  JSON.stringify({ type: "tool_call", toolName: "bash", toolCallId: "1", input: { command } }),
);

/** The main screens, and what each has to have, whatever the width. */
const SCREENS: [name: string, command: string, has: RegExp[]][] = [
  [
    "add",
    "cordon add ../from/commit-gate",
    [
      /package +commit-gate 1\.0\.0/,
      /asks for +fs:/,
      /blocked +bash: no rm/,
      /Install commit-gate\?/,
      /installed commit-gate with/,
    ],
  ],
  ["list", "cordon list", [/commit-gate/, /active/]],
  ["run", "cordon run ../from/events.jsonl", [/passed/, /blocked by commit-gate: no rm/]],
  ["why", "cordon why", [/commit-gate/, /no rm/, /index\.ts:/, /rm -rf build/]],
  ["report", "cordon report", [/events answered: \d+, blocked: 1/, /the audit log verifies/, /report\.html/]],
  ["dev", "cordon dev ../from/commit-gate --once", [/tool_call/, /passed/]],
  ["trace", "cordon trace ../from/commit-gate", [/would need, as far as 57 events/, /"capabilities"/]],
  ...(FOLDER ? ([["demo", "cordon demo", [/intact: 7 of 7/]]] as [string, string, RegExp[]][]) : []),
];

/** Where a terminal broke a line inside a word: the word. */
const cutWords = (joined: string, width: number): string[] =>
  joined.split("\n").flatMap((line) => {
    const cuts = Array.from({ length: Math.floor(line.length / width) }, (_, at) => (at + 1) * width);
    return cuts.flatMap((at) => (/^\S\S$/.test(line.slice(at - 1, at + 1)) ? [wordAt(line, at)] : []));
  });

const wordAt = (line: string, at: number): string =>
  `${/\S*$/.exec(line.slice(0, at))?.[0] ?? ""}${/^\S*/.exec(line.slice(at))?.[0] ?? ""}`;

/** What a person copies whole: a path, a hash, a command's JSON. */
const isCopied = (word: string): boolean => /[/\\{}[\]]|^[0-9a-f]{20,}$|^sha\d+-/.test(word);

test.each(WIDTHS)(
  "the main screens in %i columns: each has its parts, and no word is cut",
  {
    ...needs(!hasTmux && "tmux"),
    timeout: 120_000,
  },
  async (width) => {
    const machine = new Machine();
    machine.package(
      "commit-gate",
      { version: "1.0.0", ...asks(POWERS, { why: { fs: "reads the notes" } }) },
      { "index.ts": GATE },
    );
    writeFiles(machine.folder, { "from/events.jsonl": `${calls.join("\n")}\n` });
    const terminal = await Terminal.open(machine, undefined, [width, 60]);
    const faults: unknown[] = [];
    for (const [name, command, has] of SCREENS) {
      // Of a trial, as by cordon run, nobody asks why.
      if (name === "why") await machine.served(["ls", "rm -rf build"]);
      const text = await terminal.run(command, async () => {
        if (name !== "add") return;
        await terminal.shows("Install commit-gate?");
        terminal.press("Down", "Enter");
      });
      if (FOLDER) {
        mkdirSync(FOLDER, { recursive: true });
        writeFileSync(join(FOLDER, `${name}-${width}.txt`), `${text}\n`);
      }
      // Lines of a narrow screen end between words, and long words at its end.
      const wholes = [" ", ""].map((between) => text.replace(/\s*\n[\s│]*(?:\| )?/g, between));
      for (const part of has) if (!wholes.some((whole) => part.test(whole))) faults.push([name, part, text]);
      for (const word of cutWords(text, width)) if (!isCopied(word)) faults.push([name, "cut", word]);
    }
    expect(faults).toEqual([]);
  },
);
