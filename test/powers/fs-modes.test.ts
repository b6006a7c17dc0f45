import { linkSync, mkdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startFacts } from "../guest/facts.ts";

const TOP = `const fs = require("node:fs"); const fsp = require("node:fs/promises");`;
const refused = { code: "NOT_GRANTED", threw: expect.stringContaining("was not granted fs") };

/** What a hook tries that may read and write in `open/`, and read in `seen/`. */
const ATTACKS: [attack: string, body: string, comes: unknown][] = [
  ["a mode where it may not write", `fs.chmodSync("seen/a.txt", 0o777)`, refused],
  ["a time where it may not write", `fs.utimesSync("seen/a.txt", 1, 1)`, refused],
  ["a mode through a link that leads out", `fs.chmodSync("open/out", 0o777)`, refused],
  ["a time through a link that leads out", `fs.utimesSync("open/out", 1, 1)`, refused],
  ["a mode through another name of a file", `fs.chmodSync("open/twin.txt", 0o777)`, { code: "EMLINK" }],
  ["a time through another name of a file", `fs.utimesSync("open/twin.txt", 1, 1)`, { code: "EMLINK" }],
  [
    "a file that runs as its owner",
    `(fs.chmodSync("open/a.txt", 0o6755), fs.statSync("open/a.txt").mode & 0o7777)`,
    0o755,
  ],
  ["an open file to be written where it may only read", `fs.openSync("seen/a.txt", "r+")`, refused],
  ["an emptied file where it may only read", `fs.openSync("seen/a.txt", "w")`, refused],
  ["an open file where it may do nothing", `fs.openSync("secret.txt")`, refused],
  ["an open file through a link that leads out", `fs.openSync("open/out")`, refused],
  ["the same with promises", `await fsp.open("open/out", "r+")`, refused],
  [
    "the number of an open file of the process",
    `[0, 1, 2, 3, 4, 5].map((file) => { try { return fs.readFileSync(file); } catch (error) { return error.code; } }).join()`,
    "EBADF,EBADF,EBADF,EBADF,EBADF,EBADF",
  ],
  ["a write to the process's own output", `fs.writeSync(1, "x")`, { code: "EBADF" }],
  [
    "1024 open files, and one more",
    `(() => { const files = []; try { for (;;) files.push(fs.openSync("open/a.txt")); } catch (error) { return [files.length, error.code]; } finally { files.forEach((file) => fs.closeSync(file)); } })()`,
    [1024, "EMFILE"],
  ],
  [
    "5 MB in one file, and one byte more",
    `(() => { const file = fs.openSync("open/large.txt", "w"); try { fs.ftruncateSync(file, 5 * 1024 * 1024); return fs.ftruncateSync(file, 5 * 1024 * 1024 + 1); } catch (error) { return [error.code, fs.fstatSync(file).size]; } finally { fs.closeSync(file); } })()`,
    ["EFBIG", 5 * 1024 * 1024],
  ],
];

test.each(ATTACKS)("a hook that may write in one folder alone tries: %s", async (_attack, body, comes) => {
  const capabilities = {
    events: { see: ["tool_call"], block: true },
    fs: { read: ["$CWD/open/**", "$CWD/seen/**"], write: ["$CWD/open/**"] },
  };
  const { ask, folder } = await startFacts({ attack: `${TOP} return ${body};` }, { grant: { capabilities } });
  const work = join(folder, "work");
  for (const name of ["open", "seen"]) mkdirSync(join(work, name));
  for (const file of ["secret.txt", "open/a.txt", "seen/a.txt"]) {
    writeFileSync(join(work, file), "text", { mode: 0o600 });
    utimesSync(join(work, file), 1_000_000, 1_000_000);
  }
  symlinkSync("../secret.txt", join(work, "open", "out"));
  linkSync(join(work, "secret.txt"), join(work, "open", "twin.txt"));
  const told = await ask("attack");
  if (typeof comes === "object" && comes !== null && !Array.isArray(comes)) expect(told).toMatchObject(comes);
  else expect(told).toEqual(comes);
  for (const file of ["secret.txt", "seen/a.txt"])
    expect(statSync(join(work, file))).toMatchObject({ mode: 0o100600, size: 4, mtimeMs: 1_000_000_000 });
});
