import { existsSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { CordonError, messageOf } from "../base/errors.ts";
import { BundleCache } from "../bundle/cache.ts";
import { defaultHome } from "../disk/home.ts";
import { realPathOf } from "../disk/paths.ts";
import { recordOf } from "../grants/build-record.ts";
import { findManifest } from "../grants/manifest.ts";
import { policyFault, readPolicies } from "../grants/policy.ts";
import { HookHost } from "../host/host.ts";
import { type Choice, capabilitiesFor, install, type Target, uninstall } from "../market/install.ts";
import { npmOptions } from "../market/npm-config.ts";
import { changeLines, type Line, packageLines } from "../market/screen.ts";
import { lockedSource, proposable } from "../market/source.ts";
import { buildStaged, placeOf, type Staged, type StagedHook, stage, unstage } from "../market/stage.ts";
import { differenceOf } from "../market/update.ts";
import { locateRuntime } from "../runtime/locate.ts";
import type { HookInfo } from "../session/hook-info.ts";
import { writeGrant } from "../store/grants-file.ts";
import { grantsPath } from "../store/grants-text.ts";
import { type LockEntry, lockPath, projectKey, readLock } from "../store/hooks-lock.ts";
import { proposedIn } from "../store/proposed.ts";
import { askOne } from "./ask.ts";
import { called, note, progress, Refused } from "./common.ts";
import { choose, look, show } from "./decide.ts";
import { namesakes } from "./namesakes.ts";
import { print, printJson } from "./print.ts";
import { controllingTerminal, type Terminal } from "./terminal.ts";

interface Flags {
  cwd?: string;
  json?: boolean;
}

interface Decided {
  id: string;
  decision: "granted" | "blocking" | "removed" | "left";
}

/**
 * `cordon accept`: a person decides about each hook of the project that is pending, changed or gone, at the digest it has
 * now: those in its `.pi/hooks`, and those that its lock names.
 */
export async function accept(flags: Flags): Promise<void> {
  const cwd = resolve(flags.cwd ?? ".");
  const home = defaultHome();
  const host = await HookHost.start({ cwd, home, spare: false, log: () => {} });
  await host.close();
  const project = realPathOf(cwd);
  const places = [realPathOf(join(cwd, ".pi", "hooks")), join(project, ".pi", "hooks")];
  const waiting = host.hooks.filter(({ state }) => state !== "active");
  const files = waiting.filter(({ id }) => places.some((place) => id.startsWith(`${place}/`)));
  const locked = waiting.filter(({ id, key }) => key === projectKey(project, id));
  const open = [...files, ...locked];
  for (const notice of host.notices) note(notice);
  if (open.length === 0) {
    if (flags.json) printJson({ decided: [] });
    else print`no hook of this project waits for a decision`;
    return;
  }
  const terminal = controllingTerminal();
  if (!terminal) {
    const paths = open.map(called).join(", ");
    const wait = open.length > 1 ? "hooks wait" : "hook waits";
    throw new Refused(
      `${open.length} ${wait} for a decision (${paths}): accepting needs a terminal with a person at it`,
    );
  }
  const decided: Decided[] = [];
  const problems: string[] = [];
  try {
    const { node } = await locateRuntime({ home, workspaces: [cwd] });
    const target = { home, node, project };
    for (const hook of files)
      decided.push(
        existsSync(hook.id) ? await decideFileOrNote(hook, target, terminal) : await decideGone(hook, target, terminal),
      );
    for (const group of byPackage(locked, target)) {
      try {
        decided.push(...(await decidePackage(group, target, terminal)));
      } catch (error) {
        problems.push(messageOf(error));
      }
    }
    const proposed = proposedIn(project, home).proposed;
    for (const hook of locked) if (!proposed.has(hook.id)) decided.push(await decideGone(hook, target, terminal));
  } finally {
    terminal.close();
  }
  if (flags.json) printJson({ decided, problems });
  if (problems.length > 0) throw new Refused(problems.join("; "));
}

type ProjectTarget = Target & { project: string };

const ASK = (id: string, accepted: boolean): { message: string; no: string } => ({
  message: `Accept ${id}?`,
  no: accepted ? "No: keep the version accepted before" : "No: leave it inactive",
});

const told = (id: string, choice: Choice): Decided => ({
  id,
  decision: choice === "refuse" ? "left" : choice.length > 0 ? "granted" : "blocking",
});

async function decideFileOrNote(hook: HookInfo, target: ProjectTarget, terminal: Terminal): Promise<Decided> {
  try {
    return await decideFile(hook, target, terminal);
  } catch (error) {
    if (!(error instanceof CordonError)) throw error;
    note(`${hook.path} cannot be accepted: ${error.message}`);
    return told(hook.id, "refuse");
  }
}

/** A hook that lies in the project as a file. Of a changed one the new version is offered. */
async function decideFile(hook: HookInfo, { home, node }: ProjectTarget, terminal: Terminal): Promise<Decided> {
  const { root, text } = findManifest(hook.id);
  const file = relative(root, hook.id).split(sep).join("/");
  // What is shown is what is accepted, and not what stands there a moment later.
  const [staged, built] = await buildStaged(node, root, hook.id, file);
  const accepted = hook.state !== "pending";
  const { lines, rehearsal } = await look(staged, { folder: root, own: root }, home);
  const changed: Line[] = accepted ? [["changed", "it is another one than when it was accepted"]] : [];
  show([[["file", hook.path], ...changed, ...lines]], terminal.output);
  const choice = await choose(staged, ASK(hook.path, accepted), rehearsal, terminal);
  if (choice !== "refuse") {
    const capabilities = capabilitiesFor(staged, choice);
    const { digest } = staged;
    const at = { grantedAt: new Date().toISOString(), by: "user" };
    new BundleCache(home).keep(root, file, text, built);
    writeGrant(grantsPath(home), hook.id, { digest, bundle: recordOf(staged), capabilities, ...at });
  }
  return told(hook.id, choice);
}

async function decideGone(hook: HookInfo, { home, project }: ProjectTarget, terminal: Terminal): Promise<Decided> {
  const choice = await askOne(
    `${called(hook)} is gone; the version accepted before still guards. Go on with it?`,
    [
      { value: "left", label: "Keep it guarding" },
      { value: "removed", label: "Remove it" },
    ],
    terminal,
  );
  if (choice !== "removed") return { id: hook.id, decision: "left" };
  if (hook.key === undefined) writeGrant(grantsPath(home), hook.id, undefined);
  else uninstall(home, hook.key, project);
  return { id: hook.id, decision: "removed" };
}

/** The hooks that a project's lock names and that wait, by the package that one fetch brings. */
function byPackage(waiting: readonly HookInfo[], { project, home }: ProjectTarget): [id: string, entry: LockEntry][][] {
  const groups = new Map<string, [string, LockEntry][]>();
  for (const [id, entry] of proposedIn(project, home).proposed) {
    if (!waiting.some((hook) => hook.id === id)) continue;
    const name = JSON.stringify([entry.source, entry.version, entry.integrity, entry.resolved, entry.dependencies]);
    groups.set(name, [...(groups.get(name) ?? []), [id, entry]]);
  }
  return [...groups.values()];
}

/** Fetches just what the lock names, and asks about it as `cordon add` does. */
async function decidePackage(
  group: readonly [id: string, entry: LockEntry][],
  target: ProjectTarget,
  terminal: Terminal,
): Promise<Decided[]> {
  const [first] = group;
  if (!first) return [];
  const { home, node, project } = target;
  const { source: origin, version, integrity, resolved, dependencies = {} } = first[1];
  const source = proposable(lockedSource(origin, project), project);
  const staged = await stage(
    source,
    { home, node, npm: await npmOptions(project, note), progress },
    { version, integrity, resolved, dependencies },
  );
  try {
    const fault = policyFault(readPolicies(), { source: origin, ...staged.fetched });
    if (fault) throw new CordonError("NOT_ACCEPTED", fault);
    const choices = new Map<StagedHook, Choice>();
    show([packageLines(staged, await namesakes(staged, home, project))], terminal.output);
    for (const [id, entry] of group) {
      const hook = staged.hooks.find((one) => one.id === id);
      if (hook?.digest !== entry.digest)
        throw new CordonError("INTEGRITY_MISMATCH", `${id}: what ${origin} has is not what this project's lock names`);
      choices.set(hook, await decideStaged(hook, staged, target, terminal));
    }
    await install(staged, choices, target, false);
    return [...choices].map(([hook, choice]) => told(hook.id, choice));
  } finally {
    unstage(staged);
  }
}

async function decideStaged(
  hook: StagedHook,
  staged: Staged,
  { home, project }: ProjectTarget,
  terminal: Terminal,
): Promise<Choice> {
  const before = readLock(lockPath(home)).get(projectKey(project, hook.id));
  const { lines, rehearsal } = await look(hook, placeOf(staged), home);
  const changed = before ? changeLines(differenceOf(hook.id, before, hook, staged, home), before, staged) : [];
  show([[...lines, ...changed]], terminal.output);
  return choose(hook, ASK(hook.id, before !== undefined), rehearsal, terminal);
}
