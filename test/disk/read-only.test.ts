import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFolders } from "../../src/disk/make-folders.ts";
import { cordon } from "../support/command.ts";
import { needs } from "../support/needs.ts";
import { onToolCall, startSession, temporaryFolder } from "../support/session.ts";
import { mayMount, readOnlyDisk } from "../support/small-disk.ts";

const lacks = needs(!mayMount && "the right to mount a file system");

test.each(["one", "one/two/three"])(
  "a folder %s that cannot be made says that the disk is read-only",
  lacks,
  (name) => {
    expect(() => makeFolders(join(readOnlyDisk(), name))).toThrow(/^EROFS/);
  },
);

test("folders are made that lack, and those that are there stay", () => {
  const folder = temporaryFolder();
  for (let time = 0; time < 2; time++) makeFolders(join(folder, "one/two"));
  expect(() => makeFolders(join(folder, "one/two"))).not.toThrow();
});

test("a home that cannot be made blocks with the reason, and doctor says it", lacks, async () => {
  const home = join(readOnlyDisk(), "home");
  const { call } = await startSession({ gate: onToolCall("") }, { home });
  expect(await call()).toMatchObject({ block: true, reason: expect.stringContaining("is read-only") });
  const { code, stdout } = await cordon(["doctor"], { cwd: temporaryFolder(), home });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^\S+ +record: no line can be written, so no power is used: EROFS/m);
});
