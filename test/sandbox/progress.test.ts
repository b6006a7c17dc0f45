import { spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { needs } from "../support/needs.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

/** Notes isolates in turn and is killed in between, without a chance to write anything more. */
const program = (noted: readonly number[], closed: boolean) => `
  import { closeSync, writeSync } from "node:fs";
  const { progress } = await import(${JSON.stringify(fileURLToPath(new URL("../../sandbox/process/progress.ts", import.meta.url)))});
  const enter = progress(6, (bytes) => writeSync(6, bytes, 0, bytes.length, 0));
  ${closed ? "closeSync(6);" : ""}
  for (const isolate of ${JSON.stringify(noted)}) enter(isolate);
  process.kill(process.pid, "SIGKILL");
`;

/** Runs it with a file on descriptor 6, as its host lends one. Returns the file. */
function noted(flags: readonly string[], isolates: readonly number[], closed = false): Buffer {
  const folder = temporaryFolder();
  writeFiles(folder, { progress: "\0\0\0\0", "main.mjs": program(isolates, closed) });
  const file = openSync(join(folder, "progress"), "r+");
  try {
    const { signal, stderr } = spawnSync(process.execPath, ["--no-warnings", ...flags, join(folder, "main.mjs")], {
      stdio: ["ignore", "ignore", "pipe", "ignore", "ignore", "ignore", file],
      encoding: "utf8",
    });
    expect(signal, stderr).toBe(closed && flags.length === 0 ? null : "SIGKILL");
  } finally {
    closeSync(file);
  }
  return readFileSync(join(folder, "progress"));
}

const MEMORY = ["--permission", "--allow-ffi", "--allow-fs-read=*"];

const ways = [
  { way: "in memory", flags: MEMORY },
  { way: "by writing", flags: [] },
] as const;

test.for(ways)("the isolate that was entered last is known after a kill, noted $way", ({ flags }) => {
  expect(noted(flags, [1])).toEqual(Buffer.from([1, 0, 0, 0]));
  expect(noted(flags, [3, 0x01020304])).toEqual(Buffer.from([4, 3, 2, 1]));
  expect(noted(flags, [7, 0xffffffff, 2])).toEqual(Buffer.from([2, 0, 0, 0]));
  expect(noted(flags, [])).toEqual(Buffer.from([0, 0, 0, 0]));
});

test("where memory can be shared, nothing is written", needs(process.platform !== "linux" && "Linux"), () => {
  expect(noted(MEMORY, [5], true)).toEqual(Buffer.from([5, 0, 0, 0]));
  expect(noted([], [5], true)).toEqual(Buffer.from([0, 0, 0, 0]));
});
