import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { MAX_LINE } from "../../src/audit/line.ts";
import { verifyAudit } from "../../src/audit/verify.ts";
import { needs } from "../support/needs.ts";
import { temporaryFolder } from "../support/session.ts";

let folder: string;
const path = (): string => join(folder, "2026-01-01.jsonl");

beforeEach(() => {
  folder = join(temporaryFolder(), "audit");
  mkdirSync(folder);
});

const read = async (): Promise<{ faults: (string | undefined)[]; longest: number }> => {
  const all = await Array.fromAsync(verifyAudit(folder));
  return {
    faults: all.map(({ fault }) => fault),
    longest: Math.max(0, ...all.map(({ line }) => JSON.stringify(line ?? {}).length)),
  };
};

const isWindows = process.platform === "win32" && "Windows has no such files";

test("a pipe in place of a day's file is refused, and does not hold up the reader", needs(isWindows), async () => {
  execFileSync("mkfifo", [path()]);
  await expect(read()).rejects.toThrow(`${path()}: not a regular file`);
});

test("a link in place of a day's file is not followed", needs(isWindows), async () => {
  writeFileSync(join(folder, "..", "other"), "{}\n");
  symlinkSync(join(folder, "..", "other"), path());
  await expect(read()).rejects.toThrow("ELOOP");
});

/** A first line with a value that makes it so long. */
const lineOf = (length: number): string => {
  const line = (value: string): string =>
    JSON.stringify({
      ...{ seq: 1, time: "", hook: "", value, outcome: "" },
      prev: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    });
  return line("x".repeat(length - line("").length));
};

test.each([
  ["at the limit", MAX_LINE, [undefined]],
  ["one over it", MAX_LINE + 1, ["2026-01-01.jsonl:1 is no line of the log"]],
  ["far over it", 40 * MAX_LINE, ["2026-01-01.jsonl:1 is no line of the log"]],
])("a line %s", async (_name, length, faults) => {
  for (const end of ["", "\n"]) {
    writeFileSync(path(), lineOf(length) + end);
    expect(await read()).toMatchObject({ faults });
  }
});
