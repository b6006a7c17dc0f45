import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { attemptOr } from "../base/attempt.ts";
import { readIfThere, writeAtomically } from "../disk/atomic-file.ts";
import { inHome } from "../disk/home.ts";
import { makeFolders } from "../disk/make-folders.ts";
import { uniqueName } from "../disk/process-owner.ts";

/** Where recordings lie, unless a person names another file. */
const recordingsFolder = (home: string): string => inHome(home, "recordings");
const wishPath = (home: string): string => join(recordingsFolder(home), "next.json");
const stopPath = (home: string): string => join(recordingsFolder(home), "stop");

/** A name for a new recording. Makes its folder. */
export const newRecording = (home: string): string => {
  makeFolders(recordingsFolder(home));
  const time = new Date()
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replaceAll(":", "-");
  return join(recordingsFolder(home), `${time}-${randomBytes(3).toString("hex")}.jsonl`);
};

/** The recordings of a home, oldest first. */
export function recordingsIn(home: string): { path: string; bytes: number }[] {
  const folder = recordingsFolder(home);
  const names = attemptOr(() => readdirSync(folder), []).filter((name) => name.endsWith(".jsonl"));
  return names.sort().flatMap((name) => {
    const path = join(folder, name);
    const bytes = statSync(path, { throwIfNoEntry: false })?.size;
    return bytes === undefined ? [] : [{ path, bytes }];
  });
}

/** What a person wants of the next session of an agent: `true` for a file in the home, or a file. */
export type Wish = string | true;

/** Asks for a recording of the next session that begins in any agent with Cordon. */
export const wishRecording = (home: string, wish: Wish): void =>
  writeAtomically(wishPath(home), JSON.stringify(wish === true ? {} : { out: wish }));

/** The wish that waits, if there is one. A file that says anything else counts for nothing. */
export const wishedRecording = (home: string): Wish | undefined => wishIn(wishPath(home));

function wishIn(path: string): Wish | undefined {
  try {
    const text = readIfThere(path, 10_000);
    if (text === undefined) return undefined;
    const { out } = readJson(text);
    if (out === undefined) return true;
    return typeof out === "string" && isAbsolute(out) ? out : undefined;
  } catch {
    return undefined;
  }
}

/** The same, for a session that begins: of several that do, one has it. */
export function takeWish(home: string): Wish | undefined {
  const path = wishPath(home);
  if (!existsSync(path)) return undefined;
  const own = `${path}.${uniqueName()}.tmp`;
  try {
    renameSync(path, own);
    return wishIn(own);
  } catch {
    return undefined;
  } finally {
    attemptOr(() => rmSync(own, { force: true }), undefined);
  }
}

/** Ends all recordings of a home at their next event, and takes a wish back. */
export function stopRecordings(home: string): void {
  makeFolders(recordingsFolder(home));
  rmSync(wishPath(home), { force: true });
  writeAtomically(stopPath(home), "");
}

/** Is another one each time that a person ends recordings, whatever the clock says: each time there is another file. */
export const stopMark = (home: string): string =>
  attemptOr(() => {
    const { ino, mtimeMs } = statSync(stopPath(home));
    return `${ino} ${mtimeMs}`;
  }, "");
