import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { attemptOr } from "../base/attempt.ts";
import { makeRunFolder, runFolder } from "./daemon-places.ts";
import { makeFolders } from "./make-folders.ts";
import { processName } from "./process-tree.ts";

const folderIn = (home: string): string => join(runFolder(home), "agents");

/** The records of this process, one for each home. */
const said = new Set<string>();

function removeRecords(): void {
  for (const path of said) attemptOr(() => rmSync(path, { force: true }), undefined);
}

/**
 * Keeps on record, as long as this process lives, that it is an agent with hooks: commands below it are not a person's. Of agents
 * that ask the daemon, the daemon knows. A record that cannot be written is no reason not to start.
 */
export function recordAgent(home: string): void {
  const path = join(folderIn(home), processName(process.pid));
  if (said.has(path)) return;
  if (said.size === 0) process.once("exit", removeRecords);
  said.add(path);
  attemptOr(() => {
    makeRunFolder(home);
    makeFolders(folderIn(home));
    for (const name of recordedAgents(home)) if (!isRunning(name)) rmSync(join(folderIn(home), name), { force: true });
    writeFileSync(path, "", { mode: 0o600 });
  }, undefined);
}

/** The processes that said so, as number and start. Some may have ended since. */
export const recordedAgents = (home: string): string[] => attemptOr(() => readdirSync(folderIn(home)), []);

const isRunning = (name: string): boolean => processName(Number.parseInt(name, 10)) === name;
