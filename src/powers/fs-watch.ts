import { lstatSync } from "node:fs";
import { join } from "node:path";
import { typeOf } from "./fs-facts.ts";
import type { May } from "./fs-grant.ts";
import { atPath, type CheckedPath, inFolder, openListing } from "./fs-path.ts";
import type { Pieces } from "./fs-work.ts";

/** How often a watched checked path is looked at, and the least rest after a look, as a multiple of what it took. */
const LOOK_EVERY_MS = 100;
const LOOK_PAUSE = 200;

/** Entries of a watched folder that are looked at one by one, and most that are read to find them. */
const MAX_WATCHED = 200;
const MAX_READ = 2000;

/** What makes a watched checked path another than it was: `{ "": facts }`, and for a folder the same of each entry by name. */
export function signature(checked: CheckedPath, may: May): string {
  const all: Record<string, string> = { "": atPath(checked, lookAt) };
  if (all[""]?.startsWith("folder")) {
    inFolder(checked, (folder) => {
      for (const name of namesIn(checked, may)) all[name] = lookAt(join(folder, name));
    });
  }
  return JSON.stringify(all);
}

/** Of a folder with more than can be looked at, always the same ones: any other change is one of the folder itself. */
function namesIn(checked: CheckedPath, may: May): string[] {
  const names: string[] = [];
  using listing = openListing(checked);
  for (let read = 0; read < MAX_READ && names.length < MAX_WATCHED; read++) {
    const entry = listing.next();
    if (!entry) break;
    if (may("watch", join(checked.real, entry.name))) names.push(entry.name);
  }
  return names.sort();
}

function lookAt(path: string): string {
  const status = lstatSync(path, { throwIfNoEntry: false });
  return status ? `${typeOf(status)} ${status.ino} ${status.size} ${status.mtimeMs} ${status.ctimeMs}` : "";
}

/** Ends with the {@link signature} of a checked path once it is another than it was. */
export function* changed(checked: CheckedPath, before: string, may: May): Pieces<string> {
  for (;;) {
    const started = performance.now();
    const now = signature(checked, may);
    if (now !== before) return now;
    const cost = performance.now() - started;
    yield Math.max(LOOK_EVERY_MS, cost * LOOK_PAUSE);
  }
}
