import { existsSync, readFileSync, realpathSync, rmdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { attemptOr } from "../../base/attempt.ts";
import { CordonError } from "../../base/errors.ts";
import { builtForHost, PACKAGE_ROOT } from "../../base/package-root.ts";
import { shellQuoted } from "../../base/shell-word.ts";
import { readIfThere, writeAtomically } from "../../disk/atomic-file.ts";
import { inHome } from "../../disk/home.ts";
import { makeFolders } from "../../disk/make-folders.ts";
import { isInside } from "../../runtime/find-program.ts";
import { entryCommand, entryScript } from "../command/entry-script.ts";
import { quickTools } from "../command/quick-tools.ts";
import { entering, type FileChange, leaving, write } from "./change.ts";
import { hasOwn, settingsIn } from "./json-edits.ts";
import { changeRecord, type InstalledAgent, readRecord } from "./record.ts";
import type { Change, CommandFor, Setup, UserPlaces } from "./setup.ts";

/** Where Cordon is entered. */
export interface Place {
  setup: Setup;
  home: string;
  places: UserPlaces;
  /** The folder of the project; undefined for the person's own settings. */
  project: string | undefined;
}

/** Whether hooks only monitor there now. */
export const monitorsAt = (place: Place): boolean => recordedAt(place)?.monitor === true;

/** What entries run: a script that stays at one path, whatever becomes of the package. */
export const scriptPath = (home: string): string => join(inHome(home, "bin"), "hook");
/** What Cordon's entries have in them, and no others. */
const ownEntry = ({ setup, home }: Place): string => setup.plugin?.folder(home) ?? shellQuoted(scriptPath(home));
const shimPath = (home: string): string => join(inHome(home, "bin"), "shim.mjs");

/** What entering Cordon would change. Changes nothing. */
export function planOfInstall(place: Place): FileChange[] {
  const recorded = recordedAt(place);
  const changes = changesAt(place);
  for (const change of changes) refuseFault(place.setup, change);
  return changes.map((change) =>
    entering(change, ownEntry(place), recorded?.files.find(({ file }) => file === change.file)?.after),
  );
}

/**
 * What taking it out would change, where it was entered: the variables that move an agent's settings may be others by now. Throws
 * `BAD_GRANT` if it was not entered there, and for a file of which this Cordon does not know what is its own.
 */
export function planOfUninstall(place: Place): FileChange[] {
  const recorded = recordedAt(place);
  if (!recorded) {
    const where = place.project === undefined ? "" : ` of ${place.project}`;
    throw new CordonError("BAD_GRANT", `Cordon is not entered in the settings${where} of ${place.setup.title}`);
  }
  const changes = changesAt(place);
  return recorded.files.map((one, at) => {
    const isNamed = ({ file }: Change): boolean => basename(file) === basename(one.file);
    const change = changes.find(({ file }) => file === one.file) ?? changes.find(isNamed) ?? changes[at];
    if (change) return leaving({ ...change, file: one.file }, ownEntry(place), one);
    throw new CordonError(
      "BAD_GRANT",
      `${one.file}: this Cordon does not enter itself there any more; put it right by hand`,
    );
  });
}

/** How Cordon is entered. */
export interface Manner {
  /** Absolute path of the Node that the entries run on. */
  node: string;
  /** Hooks judge, and block nothing. */
  monitor: boolean;
}

/**
 * Enters Cordon as planned. The record is written before the settings, so that whatever is entered can be taken out. Where a file
 * cannot be written, all is as it was.
 */
export function install(place: Place, plan: readonly FileChange[], { node, monitor }: Manner): void {
  const { setup, home, project } = place;
  writeScript(place, node);
  const before = recordedAt(place);
  const changes = changesAt(place);
  const files = plan.map(({ file, before: now, after }, at) => {
    const known = before?.files.find((one) => one.file === file);
    // What was there before the first time is what is restored; of a file that was changed since, all but Cordon's entries.
    const change = changes[at] as Change;
    const was = known ?? { before: isEntered(change, now, ownEntry(place)) ? "" : now, after: "" };
    const restored = leaving(change, ownEntry(place), was);
    const made = known ? known.made === true : !existsSync(dirname(file));
    const isOwnFile = !known && change.kind === "file" && now === change.content;
    return {
      file,
      before: isOwnFile ? null : restored.after,
      after: after ?? "",
      ...(made ? { made: true as const } : {}),
    };
  });
  // Entered before where the agent's variables pointed then: it stands there, and is taken out there.
  const elsewhere = before?.files.filter((one) => !files.some(({ file }) => file === one.file)) ?? [];
  const entry: InstalledAgent = {
    agent: setup.name,
    ...(project ? { project } : {}),
    at: new Date().toISOString(),
    ...(monitor ? { monitor } : {}),
    files: [...files, ...elsewhere],
  };
  const isSame = isDeepStrictEqual({ ...before, at: entry.at }, entry);
  if (!isSame) changeRecord(home, (agents) => [...agents.filter((one) => !isAt(one, place)), entry]);
  const written: FileChange[] = [];
  try {
    for (const change of plan) {
      write(change);
      written.unshift(change);
    }
  } catch (error) {
    for (const { file, before: old, after, mode } of written) write({ file, before: after, after: old, mode });
    changeRecord(home, (agents) => [...agents.filter((one) => !isAt(one, place)), ...(before ? [before] : [])]);
    throw error;
  }
}

/** Cordon's entries stand there, and no record says so: what is beside them was there before, and nothing else. */
const isEntered = (change: Change, text: string | null, own: string): boolean =>
  change.kind === "entries" && text !== null && hasOwn(text, change.entries, { file: change.file, own });

export function uninstall(place: Place, plan: readonly FileChange[]): void {
  const made = new Set(recordedAt(place)?.files.flatMap((one) => (one.made ? [one.file] : [])));
  for (const change of plan) {
    write(change);
    // The person may have put something there since: then it stays.
    if (change.after === null && made.has(change.file)) attemptOr(() => rmdirSync(dirname(change.file)), undefined);
  }
  changeRecord(place.home, (agents) => agents.filter((one) => !isAt(one, place)));
}

/** The entries of a place. */
function changesAt({ setup, home, places, project }: Place): Change[] {
  const command: CommandFor = (kind, event, waitMs) => entryCommand(scriptPath(home), setup.name, kind, event, waitMs);
  if (project === undefined) return setup.user(places, command, home);
  const changes = setup.project?.(project, command);
  if (changes) return changes;
  throw new CordonError(
    "BAD_GRANT",
    `${setup.title} has no settings of a project that are yours alone; leave out --project`,
  );
}

function refuseFault({ fault }: Setup, { file, kind }: Change): void {
  const settings = kind === "entries" && fault ? settingsIn(readIfThere(file) ?? "", file) : {};
  const why = fault?.(settings);
  if (why !== undefined) throw new CordonError("BAD_GRANT", `${file}: ${why}; change it first`);
}

/** The script and its shim, or the plugin, each at its path for good. Throws `BAD_GRANT` where an agent could change what they run. */
function writeScript({ setup, home }: Place, given: string): void {
  const [node, start] = [realpathSync(given), realpathSync(builtForHost("cli", "start.js"))];
  const put = (path: string, text: string, mode: number): void => {
    if (readIfThere(path) === text) return;
    makeFolders(dirname(path));
    writeAtomically(path, text, mode);
  };
  if (setup.plugin) {
    for (const [path, text] of Object.entries(setup.plugin.files(home, node, start))) put(path, text, 0o600);
    return;
  }
  const shim = shimPath(home);
  put(shim, readFileSync(builtForHost("shim.mjs"), "utf8"), 0o600);
  put(scriptPath(home), entryScript({ home, node, shim, start, quick: quickTools() }), 0o700);
}

/** Why this copy of Cordon should not be entered for every session, if so: a project's own can be changed by its agents. */
export function placeFault(workspaces: readonly string[]): string | undefined {
  const inside = workspaces.find((folder) => isInside(realpathSync(PACKAGE_ROOT), folder));
  if (inside === undefined) return undefined;
  return `this Cordon lies in ${inside}, where agents work; install it elsewhere (npm install -g cordon) and run it from there`;
}

/** What the agent runs or loads for an event. */
export const entryPath = ({ setup, home }: Place): string => setup.plugin?.loaded(home) ?? scriptPath(home);

/** Where Cordon was entered, and still stands or should. */
export const entered = (home: string): InstalledAgent[] => readRecord(home);

const isAt = (one: InstalledAgent, { setup, project }: Place): boolean =>
  one.agent === setup.name && one.project === project;

const recordedAt = (place: Place): InstalledAgent | undefined => readRecord(place.home).find((one) => isAt(one, place));

export const isHere = (setup: Setup, places: UserPlaces): boolean => existsSync(setup.folder(places));
