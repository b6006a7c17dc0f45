import { existsSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import { CordonError, messageOf } from "../base/errors.ts";
import { defaultHome } from "../disk/home.ts";
import { realPathOf } from "../disk/paths.ts";
import { findManifest } from "../grants/manifest.ts";
import { projectFolders } from "../host/discover.ts";
import { acceptFile, type Choice, install, type Target, uninstall } from "../market/install.ts";
import type { Line } from "../market/screen.ts";
import { lockedSource, proposable } from "../market/source.ts";
import { buildStaged, keepIds, type Staged } from "../market/stage.ts";
import { locateRuntime } from "../runtime/locate.ts";
import type { HookInfo } from "../session/hook-info.ts";
import { writeGrant } from "../store/grants-file.ts";
import { grantsPath } from "../store/grants-text.ts";
import { type Installed, type LockEntry, projectKey } from "../store/hooks-lock.ts";
import { readInstalled } from "../store/journal.ts";
import { proposedIn } from "../store/proposed.ts";
import { askOne } from "./ask.ts";
import { called, note, type ProjectFlags, Refused } from "./common.ts";
import { type Candidate, candidate, choose, chooseEach, present, type Question, show } from "./decide.ts";
import { targetFor, withPackage } from "./fetch-package.ts";
import { sessionHere } from "./here.ts";
import { print, printJson, printResult } from "./print.ts";
import { onTerminal, type Terminal } from "./terminal.ts";

interface Outcome {
  id: string;
  decision: "granted" | "blocking" | "removed" | "left";
}

/** What a person decided about a hook, as a sentence, too. */
interface Decided extends Outcome {
  said: string;
}

/** Where hooks are accepted. `project`: its real path. */
type Scope = Required<Pick<Target, "home" | "cwd" | "project">>;

/**
 * `cordon accept`: a person decides about each hook of the project that is pending, changed or gone, at the digest it has
 * now: those in its folders of hooks, and those that its lock names.
 */
export async function accept(flags: ProjectFlags): Promise<void> {
  const cwd = resolve(flags.cwd ?? ".");
  const at = { home: defaultHome(), cwd, project: realPathOf(cwd) };
  const { hooks, notices } = await sessionHere(cwd, at.home);
  for (const notice of notices) note(notice);
  const folders = projectFolders(at.project);
  const waiting = hooks.filter(({ state }) => state !== "active");
  const files = waiting.filter(({ id }) => folders.some((folder) => id.startsWith(`${folder}/`)));
  const locked = waiting.filter(({ id, key }) => key === projectKey(at.project, id));
  const open = [...files, ...locked];
  if (open.length === 0) {
    printResult(flags, "no hook of this project waits for a decision", { decided: [] });
    return;
  }
  const result = await onTerminal(
    (terminal) => decideAll(files, locked, at, terminal),
    () => {
      const count = `${open.length} ${open.length > 1 ? "hooks wait" : "hook waits"} for a decision`;
      throw new Refused(`${count} (${open.map(called).join(", ")}): accepting needs a terminal with a person at it`);
    },
  );
  if (flags.json) printJson({ ...result, decided: result.decided.map(({ said: _said, ...one }) => one) });
  else for (const { said } of result.decided) print`${said}`;
  if (result.problems.length > 0) throw new Refused(result.problems.join("; "));
}

async function decideAll(
  files: readonly HookInfo[],
  locked: readonly HookInfo[],
  at: Scope,
  terminal: Terminal,
): Promise<{ decided: Decided[]; problems: string[] }> {
  const problems: string[] = [];
  const { node } = await locateRuntime({ home: at.home, workspaces: [at.cwd] });
  const decided = await Array.fromAsync(files, (hook) =>
    existsSync(hook.id) ? decideFile(hook, node, at.home, terminal) : decideGone(hook, at, terminal),
  );
  const { proposed } = proposedIn(at.project, at.home);
  for (const group of byPackage(proposed, locked)) {
    try {
      decided.push(...(await decidePackage(group, at, terminal)));
    } catch (error) {
      problems.push(messageOf(error));
    }
  }
  for (const hook of locked) if (!proposed.has(hook.id)) decided.push(await decideGone(hook, at, terminal));
  return { decided, problems };
}

const question = (id: string, accepted: boolean): Question => ({
  message: `Accept ${id}?`,
  no: accepted ? "No: keep the version accepted before" : "No: leave it inactive",
});

function decidedOn(id: string, name: string, choice: Choice): Decided {
  if (choice === "refuse") return { id, decision: "left", said: `left ${name} as it was` };
  const powers = choice.length > 0 ? `with ${choice.join(", ")}` : "without powers";
  const said = `accepted ${name} ${powers}: new sessions in this project have it`;
  return { id, decision: choice.length > 0 ? "granted" : "blocking", said };
}

/** Decides about a hook that is a file in the project. Of a changed file, the new version is offered. */
async function decideFile(hook: HookInfo, node: string, home: string, terminal: Terminal): Promise<Decided> {
  const { id, state } = hook;
  const path = called(hook);
  try {
    const { root } = findManifest(id);
    // Built once: a person accepts the bytes that they read about, whatever is written to the file meanwhile.
    const [staged, keep] = await buildStaged(node, root, id, relative(root, id).split(sep).join("/"), false);
    const found = await candidate(staged, { folder: root, own: root }, home);
    const accepted = state !== "pending";
    const changed: Line[] = accepted ? [["changed", "it is another one than when it was accepted"]] : [];
    show([[["file", path], ...changed, ...found.lines]], terminal.output);
    const choice = await choose(found, question(path, accepted), terminal);
    if (choice !== "refuse") acceptFile(home, staged, keep, choice);
    return decidedOn(id, path, choice);
  } catch (error) {
    if (!(error instanceof CordonError)) throw error;
    note(`${path} cannot be accepted: ${error.message}`);
    return decidedOn(id, path, "refuse");
  }
}

async function decideGone(hook: HookInfo, { home, project }: Scope, terminal: Terminal): Promise<Decided> {
  const name = called(hook);
  const message = `${name} is gone; the version accepted before still guards. Go on with it?`;
  const choice = await askOne(message, { left: "Keep it guarding", removed: "Remove it" }, terminal);
  if (choice !== "removed") return { id: hook.id, decision: "left", said: `kept ${name}: it still guards` };
  if (hook.key === undefined) writeGrant(grantsPath(home), hook.id, undefined);
  else uninstall(home, hook.key, project);
  return { id: hook.id, decision: "removed", said: `removed ${name}: new sessions do not have it` };
}

type Locked = readonly [id: string, entry: LockEntry];

/** Groups the hooks that wait by package, and by how it is built: one fetch brings all hooks of a package. */
function byPackage(proposed: Installed, waiting: readonly HookInfo[]): Iterable<Locked[]> {
  const open = [...proposed].filter(([id]) => waiting.some((hook) => hook.id === id));
  return Map.groupBy(open, ([, { source, version, integrity, resolved, dependencies, carries }]) =>
    JSON.stringify([source, version, integrity, resolved, dependencies, carries]),
  ).values();
}

/** Fetches exactly what the lock names, and asks about it as `cordon add` does. */
async function decidePackage(
  group: readonly Locked[],
  { home, project }: Scope,
  terminal: Terminal,
): Promise<Decided[]> {
  const [first] = group;
  if (!first) return [];
  const { source: origin, version, integrity, resolved, dependencies = {}, carries } = first[1];
  const source = proposable(lockedSource(origin, project), project);
  const target = await targetFor(home, project, project);
  const decide = async (staged: Staged): Promise<Decided[]> => {
    keepIds(staged, group);
    const hooks = group.map(([id, { digest }]) => {
      const hook = staged.hooks.find((one) => one.id === id);
      if (hook?.digest === digest) return hook;
      throw new CordonError("INTEGRITY_MISMATCH", `${id}: what ${origin} has is not what this project's lock names`);
    });
    const { candidates } = await present(staged, hooks, target, terminal.output);
    const accepted = readInstalled(home);
    const ask = ({ hook: { id } }: Candidate): Question => question(id, accepted.has(projectKey(project, id)));
    const decisions = await chooseEach(candidates, ask, terminal);
    await install(staged, decisions, target, "accepted");
    return decisions.map(({ hook, choice }) => decidedOn(hook.id, hook.id, choice));
  };
  return withPackage(source, target, decide, { version, integrity, resolved, dependencies, carries });
}
