import { resolve } from "node:path";
import { CordonError, messageOf } from "../base/errors.ts";
import { defaultHome } from "../disk/home.ts";
import { realPathOf } from "../disk/paths.ts";
import { policyFault, readPolicies } from "../grants/policy.ts";
import { refuseUnreviewable } from "../grants/shown-power.ts";
import { HookHost } from "../host/host.ts";
import { rehearse } from "../host/rehearsal.ts";
import { sampleEvents } from "../host/sample-events.ts";
import { type Offer, peek } from "../market/fetch.ts";
import { keepPending, replace, type Target } from "../market/install.ts";
import { npmOptions } from "../market/npm-config.ts";
import { type NpmOptions, registryOf } from "../market/registry.ts";
import { lockedSource, proposable } from "../market/source.ts";
import { ask, placeOf, type Staged, stage, unstage } from "../market/stage.ts";
import { asked, type Change, changeOf, hearing, isOtherBytes, mayAsk, refuseOtherRegistry } from "../market/update.ts";
import { locateRuntime } from "../runtime/locate.ts";
import { idIn, type LockEntry, lockPath, readLock } from "../store/hooks-lock.ts";
import { askWhether } from "./ask.ts";
import { note, progress, Refused } from "./common.ts";
import { hookHere, hooksHere } from "./here.ts";
import { shortName } from "./names.ts";
import { print, printJson, printTo, type Screen, style } from "./print.ts";
import { controllingTerminal } from "./terminal.ts";

interface Outcome {
  id: string;
  outcome: "current" | "updated" | "pending" | "stopped";
  change?: Change;
  error?: string;
  code?: string;
}

/** An installed hook. `key`: its name in the user's lock and grants. */
interface Installed {
  id: string;
  key: string;
  entry: LockEntry;
}

/**
 * `cordon update [ID]`: takes newer versions of what is installed for the user and for this project. One that asks for no
 * more than before keeps what it was granted; one that asks for more waits for a person, and the old one goes on.
 */
export async function update(name: string | undefined, flags: { json?: boolean }): Promise<void> {
  const home = defaultHome();
  const cwd = resolve(".");
  const project = realPathOf(cwd);
  const here = hooksHere(cwd, home);
  const named = name === undefined ? undefined : hookHere(name, here, cwd);
  const locked = [...readLock(lockPath(home))];
  const { node } = await locateRuntime({ home, workspaces: [resolve(".")] });
  const npm = await npmOptions(resolve("."), note);
  const outcomes: Outcome[] = [];
  for (const target of [
    { home, node },
    { home, node, project },
  ]) {
    const installed = locked.flatMap(([key, entry]): Installed[] => {
      const found = idIn(key, "project" in target ? project : undefined);
      return found !== undefined && (named === undefined || key === named.key) ? [{ id: found, key, entry }] : [];
    });
    for (const hooks of Map.groupBy(installed, ({ entry }) => entry.source).values())
      outcomes.push(...(await updateOrStop(hooks, target, npm)));
  }
  if (named && outcomes.length === 0) throw new Refused(`${shortName(named, here)} is not installed; run: cordon list`);
  if (flags.json) printJson({ hooks: outcomes });
  else if (outcomes.length === 0) print`no hook is installed; run: cordon add SPEC`;
  else for (const outcome of outcomes) tell(outcome);
  const waiting = outcomes.filter(({ outcome }) => outcome === "pending" || outcome === "stopped");
  if (waiting.length > 0)
    throw new Refused(flags.json ? "" : `${waiting.map((one) => one.id).join(", ")}: the installed version goes on`);
}

async function updateOrStop(hooks: readonly Installed[], target: Target, npm: NpmOptions): Promise<Outcome[]> {
  try {
    return await updatePackage(hooks, target, npm);
  } catch (error) {
    const code = error instanceof CordonError ? { code: error.code } : {};
    const what = messageOf(error);
    return hooks.map(({ id }): Outcome => ({ id, outcome: "stopped", error: what, ...code }));
  }
}

/** One fetch for all hooks of a package. */
async function updatePackage(hooks: readonly Installed[], target: Target, npm: NpmOptions): Promise<Outcome[]> {
  const { home, node, project } = target;
  const origin = hooks[0]?.entry.source ?? "";
  const named = lockedSource(origin, project ?? resolve("."));
  const source = project === undefined ? named : proposable(named, project);
  if (source.kind === "registry")
    for (const { id, entry } of hooks) refuseOtherRegistry(id, entry, registryOf(entry.package, npm));
  const deps = { home, node, npm, progress };
  progress(`asking ${source.spec}`);
  const offer = await ask(deps, (fetching) => peek(source, fetching));
  if (hooks.every(({ entry }) => isCurrent(entry, offer))) {
    keepPending(new Map(hooks.map(({ key }) => [key, undefined])), home);
    return hooks.map(({ id }) => ({ id, outcome: "current" }));
  }
  const staged = await stage(source, deps);
  try {
    const fault = policyFault(readPolicies(), { source: origin, ...staged.fetched });
    if (fault) throw new CordonError("NOT_ACCEPTED", fault);
    const changes = hooks.map(({ id, key, entry }) => {
      const vanished = offer.versions !== undefined && !offer.versions.includes(entry.version);
      return { id, key, change: changeOf(id, entry, staged, { home, vanished }) };
    });
    const changed = changes.flatMap(({ change }) => (change ? [change] : []));
    for (const { id, entry } of hooks) {
      const change = changed.find((one) => one.id === id);
      if (change) change.hears = await rehearsed(id, entry, staged, home);
    }
    const open = changed.filter(({ wider }) => wider.length > 0);
    const allowed = open.length === 0 || (await agreed(open));
    const keys = changes.flatMap(({ key, change }) => (change ? [key] : []));
    if (allowed && keys.length > 0) await replace(staged, keys, target);
    else keepPending(new Map(changes.map(({ key, change }) => [key, allowed ? undefined : change])), home);
    return changes.map(({ id, change }) => ({
      id,
      outcome: change === undefined ? "current" : allowed ? "updated" : "pending",
      ...(change ? { change } : {}),
    }));
  } finally {
    unstage(staged);
  }
}

/** The same bytes as those that are installed: nothing has to be fetched to know that. */
const isCurrent = ({ integrity, resolved }: LockEntry, offer: Offer): boolean =>
  offer.integrity !== undefined
    ? offer.integrity === integrity
    : offer.resolved !== undefined && offer.resolved === resolved;

/** What it hears now or no more. Rejects for one that does not load: in the place of a gate it would block every call. */
async function rehearsed(id: string, entry: LockEntry, staged: Staged, home: string): Promise<string[]> {
  const hook = staged.hooks.find((one) => one.id === id);
  if (!hook) return [];
  refuseUnreviewable([asked(hook), mayAsk(hook)], id, "BAD_MANIFEST");
  progress(`rehearsing ${id}`);
  const { state, reason } = await rehearse(HookHost.start, hook, placeOf(staged), home, sampleEvents());
  if (state !== "active")
    throw new CordonError(
      "LOAD_FAILED",
      `${id} was not updated: version ${staged.fetched.version} does not load (${reason ?? state})`,
    );
  return hearing(entry, hook);
}

async function agreed(changes: readonly Change[]): Promise<boolean> {
  const terminal = controllingTerminal();
  if (!terminal) return false;
  try {
    for (const change of changes) tellChange(change, terminal.output);
    const question = "Take the newer version? It gets none of the powers that are new until you grant them.";
    return await askWhether(question, terminal);
  } finally {
    terminal.close();
  }
}

const steps = (change: Change): string =>
  isOtherBytes(change) ? `${change.to} again, with other bytes` : `${change.from} → ${change.to}`;

function tellChange(change: Change, screen: Screen): void {
  const { id, wider, narrower, files, dependencies, hears } = change;
  const show = printTo(screen);
  show`${id} ${steps(change)}`;
  for (const power of wider) show`  asks also for ${power}`;
  for (const power of narrower) show`  asks no more for ${power}`;
  for (const event of hears) show`  ${event} (heard)`;
  for (const file of files) show`  ${file}`;
  for (const dependency of dependencies) show`  ${dependency} (dependency)`;
}

/** What nobody would expect of a newer version. */
const isUnexpected = (change: Change): boolean => isOtherBytes(change) || change.hears.length > 0;

function tell({ id, outcome, change, error = "", code }: Outcome): void {
  if (change && (outcome === "pending" || (outcome === "updated" && isUnexpected(change))))
    tellChange(change, process.stdout);
  if (outcome === "current") print`${id}: nothing newer`;
  else if (outcome === "updated" && change) print`${id}: ${steps(change)}: new sessions have it`;
  else if (outcome === "updated") print`${id}: new sessions have it`;
  else if (outcome === "pending") print`${id}: waits for a person: run cordon update ${id} on a terminal`;
  else print`${style.red(id)}: ${`${error}${code ? ` (${code})` : ""}`}`;
}
