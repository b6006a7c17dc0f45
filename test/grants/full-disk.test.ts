import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { attemptOr } from "../../src/base/attempt.ts";
import { readUserGrants } from "../../src/store/grants-file.ts";
import { grantsPath, readGrants } from "../../src/store/grants-text.ts";
import { commit, finishCommit, hasJournal } from "../../src/store/journal.ts";
import { cordon } from "../support/command.ts";
import { needs } from "../support/needs.ts";
import { onToolCall, temporaryFolder, writeFiles } from "../support/session.ts";
import { mayMount, smallDisk } from "../support/small-disk.ts";

const lacks = needs(!mayMount && "the right to mount a file system");
const GRANTS = '{"version":1,"hooks":{"gate":{"capabilities":{"env":["CI"],"ui":["notify"]}}}}';

test.each([[["revoke", "gate", "env"]], [["revoke", "gate"]]])(
  "on a full disk, cordon %j says that it failed, and not that it is done",
  lacks,
  async (args) => {
    const { folder: home, fill } = smallDisk();
    writeFiles(home, { "grants.json": GRANTS, "hooks/own.ts": onToolCall("") });
    fill();
    const { code, stdout, stderr } = await cordon(args, { cwd: temporaryFolder(), home });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^cordon: ENOSPC.*free some space and run it again\n$/);
    expect(readFileSync(join(home, "grants.json"), "utf8")).toBe(GRANTS);
  },
);

test("nor does what changes the lock and the grants in one step", lacks, () => {
  const { folder: home, fill } = smallDisk();
  writeFiles(home, { "grants.json": GRANTS });
  fill();
  const said: string[] = [];
  const { write } = process.stderr;
  process.stderr.write = (text: unknown) => said.push(String(text)) > 0;
  try {
    expect(() => commit(home, (_installed, grants) => grants.delete("gate"))).toThrow(/ENOSPC/);
  } finally {
    process.stderr.write = write;
  }
  expect(said).toEqual([]);
  expect(readFileSync(join(home, "grants.json"), "utf8")).toBe(GRANTS);
});

test("however much room is left, what is said of a change in one step is so from then on", lacks, () => {
  const outcomes = new Set<string>();
  const said: string[] = [];
  vi.spyOn(process.stderr, "write").mockImplementation((text) => said.push(String(text)) > 0);
  onTestFinished(() => void vi.restoreAllMocks());
  for (let pages = 0; pages <= 8; pages++) {
    const { folder: home, fill } = smallDisk();
    writeFiles(home, { "grants.json": GRANTS });
    fill();
    for (let page = 0; page < pages; page++) rmSync(join(home, `filler-${page}`));
    const isDone = attemptOr(() => commit(home, (_installed, grants) => grants.delete("gate")) === undefined, false);
    expect([pages, readUserGrants(home).has("gate")]).toEqual([pages, !isDone]);
    outcomes.add(`${isDone ? "done" : "failed"}, and ${hasJournal(home) ? "to be written" : "written"}`);
    for (let page = pages; page < 20; page++) rmSync(join(home, `filler-${page}`), { force: true });
    finishCommit(home);
    expect([pages, readGrants(grantsPath(home), false).has("gate")]).toEqual([pages, !isDone]);
  }
  expect([...outcomes].sort()).toEqual(["done, and to be written", "done, and written", "failed, and written"]);
  expect(said.join("")).toContain("this is decided and holds; its files");
});
