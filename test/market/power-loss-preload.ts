/**
 * Loaded into a command before its own code: counts the writes in Cordon's home, and in a project
 * (`POWER_LOSS_PROJECT`). Before one of them it ends the process like a power loss (`POWER_LOSS_AT`), or lets it wait for another process (`WAIT_AT`, `WAIT_FOR`).
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { relative, sep } from "node:path";

const { CORDON_HOME: home = "/", POWER_LOSS_AT, POWER_LOSS_PROJECT: project, WAIT_AT, WAIT_FOR = "" } = process.env;
const last = Number(POWER_LOSS_AT ?? Number.POSITIVE_INFINITY);
const { existsSync, writeFileSync, writeSync } = fs;
let count = 0;
let waited = false;

/** All files of a package are equivalent here; caches are not part of an installation. */
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

/** By function name, the argument with the path that changes. A draft and an empty folder do not count yet. */
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
