import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commit } from "../../src/store/journal.ts";
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
