/**
 * Loaded into a command before anything of it: counts what is about to be written in Cordon's home, and in a project
 * (`POWER_LOSS_PROJECT`), and at one such moment ends the process as power would (`POWER_LOSS_AT`), or lets it wait for another (`WAIT_AT`, `WAIT_FOR`).
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { relative, sep } from "node:path";

const { CORDON_HOME: home = "/", POWER_LOSS_AT, POWER_LOSS_PROJECT: project, WAIT_AT, WAIT_FOR = "" } = process.env;
const last = Number(POWER_LOSS_AT ?? Number.POSITIVE_INFINITY);
const { existsSync, writeFileSync, writeSync } = fs;
let count = 0;
let waited = false;

/** Within a package, one file is as another; caches are nothing that is installed. */
const MATTERS = /^(?!\.\.)(?!(cache|audit)(\/|$))(?!quarantine\/[^/]+\/.*\/)(?!installed\/[^/]+\/)/;

function before(action: string, path: unknown): void {
  const place = [home, ...(project === undefined ? [] : [project])]
    .map((folder) => relative(folder, String(path)).split(sep).join("/"))
    .find((way) => way !== "" && MATTERS.test(way));
  if (place === undefined) return;
  count++;
  const what = `${action} ${place}`;
  if (count === last) {
    writeSync(2, `power loss before: ${what}\n`);
    process.kill(process.pid, "SIGKILL");
  }
  if (WAIT_AT === undefined || waited || !new RegExp(WAIT_AT).test(what)) return;
  waited = true;
  writeFileSync(`${WAIT_FOR}.waits`, what);
  while (!existsSync(WAIT_FOR)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
}

/** By name, which of its arguments is the path that changes. A draft and an empty folder are nothing yet. */
const WRITES = {
  mkdtempSync: 0,
  renameSync: 1,
  rmSync: 0,
  rmdirSync: 0,
  unlinkSync: 0,
  linkSync: 1,
  symlinkSync: 1,
  copyFileSync: 1,
} as const;

type Call = (...values: unknown[]) => unknown;
const calls = fs as unknown as Record<string, Call>;

for (const [name, at] of Object.entries(WRITES)) {
  const original = calls[name] as Call;
  calls[name] = (...values) => {
    before(name, values[at]);
    return original(...values);
  };
}
syncBuiltinESMExports();
