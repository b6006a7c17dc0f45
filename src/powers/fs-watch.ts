import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { typeOf } from "./fs-facts.ts";
import type { May } from "./fs-grant.ts";
import { atPath, type CheckedPath, inFolder } from "./fs-path.ts";

/** How often a watched checked path is looked at, and the least rest after a look, as a multiple of what it took. */
const LOOK_EVERY_MS = 100;
const LOOK_PAUSE = 200;

/** Entries of a watched folder that are looked at one by one. */
const MAX_WATCHED = 200;

/** What makes a watched checked path another than it was: `{ "": facts }`, and for a folder the same of each entry by name. */
export function signature(checked: CheckedPath, may: May): string {
  const all: Record<string, string> = { "": atPath(checked, lookAt) };
  if (all[""]?.startsWith("folder")) {
    inFolder(checked, (folder) => {
      const names = readdirSync(folder).filter((name) => may("watch", join(checked.real, name)));
      for (const name of names.slice(0, MAX_WATCHED)) all[name] = lookAt(join(folder, name));
    });
  }
  return JSON.stringify(all);
}

function lookAt(path: string): string {
  const status = lstatSync(path, { throwIfNoEntry: false });
  return status ? `${typeOf(status)} ${status.ino} ${status.size} ${status.mtimeMs} ${status.ctimeMs}` : "";
}

/** Resolves with the {@link signature} of a checked path once it is another than it was. */
export async function changed(checked: CheckedPath, before: string, may: May, signal: AbortSignal): Promise<string> {
  for (;;) {
    const started = performance.now();
    const now = signature(checked, may);
    if (now !== before) return now;
    const cost = performance.now() - started;
    await delay(Math.max(LOOK_EVERY_MS, cost * LOOK_PAUSE), undefined, { signal, ref: false });
  }
}
