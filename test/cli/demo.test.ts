import { execFileSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { attemptOr } from "../../src/base/attempt.ts";
import { OpenDialogs } from "../../src/cli/demo/open-dialogs.ts";
import { Terminal } from "../market/journey-terminal.ts";
import { Machine } from "../market/world.ts";
import { cordon } from "../support/command.ts";
import { needs } from "../support/needs.ts";
import { scriptedUi, temporaryFolder } from "../support/session.ts";

const hasTmux = attemptOr(() => execFileSync("tmux", ["-V"]) !== undefined, false);

test("the demo tells its story on one screen, a line for each call and each killed hook", async () => {
  const folder = temporaryFolder();
  const { code, stdout } = await cordon(["demo"], { cwd: folder, home: folder });
  const story = stdout.replace(/\n +/g, " ");
  expect(code).toBe(0);
  expect(stdout.split("\n").length).toBeLessThanOrEqual(40);
  for (const line of [
    /^refused {2}thief +exec ×2, session\.read, send$/m,
    /^passed {3}bash ls$/m,
    /^blocked {2}bash rm -rf \. +command-safety-guard: Dangerous command/m,
    /^changed {2}read settings\.ini +redact-secrets: api_key = \[redacted\]/m,
    /^killed {3}bash echo deploy +endless-loop: it used more than 1000 ms of CPU time; started again, since they share its process: .*thief/m,
    /^killed {3}bash echo build +memory-bomb: it used more than 64 MB of memory; started again, .*endless-loop/m,
    /^blocked {2}bash echo test +never-settles: Hook timed out after 3000ms$/m,
    /^passed {3}bash echo and the agent/m,
    /^intact: 7 of 7 /m,
  ])
    expect(story).toMatch(line);
  expect(stdout).not.toMatch(/NOT_GRANTED|restarted, since/);
}, 60_000);

test("a person's own yes counts, and nothing is printed under an open dialog", {
  ...needs(!hasTmux && "tmux"),
  timeout: 120_000,
}, async () => {
  const terminal = await Terminal.open(new Machine());
  let isOpen = true;
  const text = await terminal.run("cordon demo --interactive", async () => {
    const answers: [shows: string, ...keys: string[]][] = [
      ["exec: cat .env", "Enter"],
      ["exec: curl", "Enter"],
      ["session: entries", "Enter"],
      ["send: a message", "Enter"],
      ["rm -r build", "Enter"],
      ["fs: realpath", "Enter"],
      ["writes through a link", "Enter"],
      ["Restore the files", "Enter"],
    ];
    for (const [shows, ...keys] of answers) {
      await terminal.shows(shows);
      const before = terminal.read();
      await pause(300);
      isOpen &&= terminal.read() === before;
      terminal.press(...keys);
    }
    for (const hook of ["endless-loop", "memory-bomb", "never-settles", "forger"]) {
      await terminal.shows(`hook ${hook} cannot judge`);
      terminal.press("Enter");
    }
  });
  expect(isOpen).toBe(true);
  expect(text).toMatch(/^intact: /m);
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
