import { execFileSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { attemptOr } from "../../src/base/attempt.ts";
import { OpenDialogs } from "../../src/cli/demo/open-dialogs.ts";
import { Terminal } from "../market/journey-terminal.ts";
import { Machine } from "../market/world.ts";
import { cordon } from "../support/command.ts";
import { needs, needsTime } from "../support/needs.ts";
import { scriptedUi, temporaryFolder } from "../support/session.ts";

const hasTmux = attemptOr(() => execFileSync("tmux", ["-V"]) !== undefined, false);

test("the demo tells its story on one screen, a line for each call and each killed hook", async () => {
  const folder = temporaryFolder();
  const { code, stdout } = await cordon(["demo"], { cwd: folder, home: folder });
  const story = stdout.replace(/\n +/g, " ");
  expect(code).toBe(0);
  expect(stdout.split("\n").length).toBeLessThanOrEqual(40);
  for (const line of [
    /^A scripted agent works in a repository; a scripted user says no to hooks\.$/m,
    /^blocked {2}bash rm -r build +permission-gate: The user said no/m,
    /^refused {2}thief +exec ×2, session.read, send$/m,
    /^passed {3}bash ls$/m,
    /^blocked {2}bash rm -rf \. +command-safety-guard: Dangerous command/m,
    /^changed {2}read settings\.ini +redact-secrets: api_key = \[redacted\]/m,
    /^killed {3}bash echo deploy +endless-loop: more than 1000 ms of CPU time started again with it: .*thief/m,
    /^killed {3}bash echo build +memory-bomb: more than 64 MB of memory started again with it: .*endless-loop/m,
    /^blocked {2}bash echo test +never-settles: Hook timed out after 3000ms$/m,
    /^passed {3}bash echo still at work$/m,
    /^intact: 7 of 7 /m,
  ])
    expect(story).toMatch(line);
  expect(stdout).not.toMatch(/NOT_GRANTED|restarted, since/);
});

test("its story fits a screen of 80 columns and 24 rows, and no screen cuts a word", {
  ...(hasTmux ? needsTime() : needs("tmux")),
  timeout: 120_000,
}, async () => {
  const machine = new Machine();
  const sizes = [
    [80, 24],
    [40, 100],
    [200, 30],
  ] as const;
  const screens: string[][] = [];
  // One after another: beside others, a loop may be out of time before it is out of CPU time.
  for (const size of sizes) {
    const terminal = await Terminal.open(machine, undefined, size);
    await terminal.run("cordon demo");
    screens.push(await terminal.visible());
  }
  const wordsOf = (text: string): string[] => text.replace(/\d+\.\d/g, "0").split(/[\s…,]+/);
  const [usual = [], narrow = [], wide = []] = screens;
  expect(usual).toHaveLength(24);
  const known = new Set(wordsOf(`${wide.join("\n")} did not answer within 3000 ms`));
  for (const lines of screens) {
    expect(lines.join("\n")).toContain("intact: 7 of 7");
    expect(lines.join("\n")).toContain("A scripted agent works in a");
    expect(wordsOf(lines.join("\n")).filter((word) => !known.has(word))).toEqual([]);
  }
  // A usual screen leaves out the end of a long reason; the others have all of it.
  expect([usual, narrow, wide].map((lines) => lines.join("").includes("…"))).toEqual([true, false, false]);
});

test("a person's own yes counts, their time does not, and nothing is printed under an open dialog", {
  ...needs(!hasTmux && "tmux"),
  ...needsTime(),
  timeout: 120_000,
}, async () => {
  const terminal = await Terminal.open(new Machine());
  let isOpen = true;
  const text = await terminal.run("cordon demo --interactive --verbose", async () => {
    const answers: [shows: string, ms: number][] = [
      ["exec: cat .env", 300],
      ["exec: curl", 300],
      ["session: entries", 300],
      ["send: a message", 300],
      ["rm -r build", 2000],
      ["fs: realpath", 300],
      ["writes through a link", 2000],
      ["Restore the files", 300],
    ];
    for (const [shows, ms] of answers) {
      await terminal.shows(shows);
      const before = terminal.read();
      await pause(ms);
      isOpen &&= terminal.read() === before;
      terminal.press("Enter");
    }
    for (const hook of ["endless-loop", "memory-bomb", "never-settles", "forger"]) {
      await terminal.shows(`hook ${hook} cannot judge`);
      terminal.press("Enter");
    }
  });
  expect(isOpen).toBe(true);
  const timeOf = (line: RegExp): number => Number(line.exec(text)?.[1]);
  expect(timeOf(/bash rm -r build +passed +([\d.]+) ms/)).toBeLessThan(1500);
  expect(timeOf(/write \.env +(?:passed|blocked) +([\d.]+) ms/)).toBeLessThan(1500);
  expect(text).toMatch(/^ +intact: 7 of 7 /m);
  // All of it: headings, notes, and what each hook used.
  for (const line of [
    /^The agent works; gates, protected paths and a redactor watch$/m,
    /^ +think-harder: active, hears message, params$/m,
    /^hook +state +used\s+refused or stopped$/m,
    /^endless-loop +/m,
    /^ *[\d.]+s the repository is whole +done +0\.0 ms$/m,
  ])
    expect(text).toMatch(line);
});

test("the time of dialogs is counted once, however many are open", async () => {
  const heard: string[] = [];
  const dialogs = new OpenDialogs({ opened: () => heard.push("opened"), closed: () => heard.push("closed") });
  const slow = async (): Promise<boolean> => {
    await pause(100);
    return true;
  };
  const ui = dialogs.watch({ ...scriptedUi(), confirm: slow });
  const both = [ui.confirm("one", ""), ui.confirm("two", "")];
  expect(heard).toEqual(["opened"]);
  await dialogs.closed();
  expect(await Promise.all(both)).toEqual([true, true]);
  expect(heard).toEqual(["opened", "closed"]);
  expect(dialogs.ms).toBeGreaterThanOrEqual(99);
  const before = dialogs.ms;
  await pause(50);
  expect(dialogs.ms).toBe(before);
});
