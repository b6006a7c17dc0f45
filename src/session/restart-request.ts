import { rmSync } from "node:fs";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { readIfThere, writeAtomically } from "../disk/atomic-file.ts";
import { inHome } from "../disk/home.ts";

/**
 * How `cordon restart ID` reaches running hosts: a file under `<home>` with a time for each id, which a host reads when a
 * hook that is down would block. It gives no rights, so anyone may write it.
 */
const fileIn = (home: string): string => inHome(home, "restarts.json");

export function requestRestart(home: string, id: string): void {
  const requests = read(home);
  requests.set(id, Date.now());
  const recent = [...requests].sort((a, b) => b[1] - a[1]).slice(0, 100);
  writeAtomically(fileIn(home), `${JSON.stringify(Object.fromEntries(recent))}\n`);
}

/** Forgets the requests for a hook that is removed. */
export function forgetRestarts(home: string, id: string): void {
  const requests = read(home);
  if (!requests.delete(id)) return;
  if (requests.size === 0) rmSync(fileIn(home), { force: true });
  else writeAtomically(fileIn(home), `${JSON.stringify(Object.fromEntries(requests))}\n`);
}

/** True if a restart was asked for after `since` (ms since the epoch). */
export const restartedSince = (home: string, id: string, since: number): boolean => (read(home).get(id) ?? 0) > since;

function read(home: string): Map<string, number> {
  try {
    const value = readJson(readIfThere(fileIn(home)) ?? "{}");
    return new Map(Object.entries(value).filter((entry): entry is [string, number] => typeof entry[1] === "number"));
  } catch {
    return new Map();
  }
}
