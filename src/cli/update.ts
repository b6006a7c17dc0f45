import { resolve } from "node:path";
import { CordonError, messageOf } from "../base/errors.ts";
import { command } from "../base/shell-word.ts";
import { defaultHome } from "../disk/home.ts";
import { realPathOf } from "../disk/paths.ts";
import { type Offer, peek } from "../market/fetch.ts";
import { keepPending, replace, type Target } from "../market/install.ts";
import { registryOf } from "../market/registry.ts";
import { powerNotes } from "../market/screen.ts";
import { lockedSource, proposable } from "../market/source.ts";
import { ask, keepIds, type Staged, type StagedHook } from "../market/stage.ts";
import { type Change, isDecisive, isOtherBytes, newerHook, refuseOtherRegistry } from "../market/update.ts";
import { idIn, type LockEntry, lockPath, readLock } from "../store/hooks-lock.ts";
import { askWhether } from "./ask.ts";
import { progress, Refused } from "./common.ts";
import { candidateOf } from "./decide.ts";
import { targetFor, withPackage } from "./fetch-package.ts";
import { hookHere, hooksHere } from "./here.ts";
import { shortName } from "./names.ts";
import { refuseOtherBytes } from "./namesakes.ts";
import { print, printJson, printMarked, printMarkedTo, type Screen, style } from "./print.ts";
import { onTerminal } from "./terminal.ts";

interface Outcome {
  id: string;
  outcome: "current" | "updated" | "pending" | "stopped";
  change?: Change;
  /** The newer version. */
  hook?: StagedHook;
  /** a person was asked, and did not take it */
  declined?: true;
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
 * `cordon update [ID]`: updates the hooks that are installed for the user and for this project. A version that asks for no
 * more than before keeps its grant. One that asks for more waits for a person, and the installed version stays active.
 */
export async function update(name: string | undefined, flags: { json?: boolean }): Promise<void> {
  const home = defaultHome();
  const cwd = resolve(".");
  const project = realPathOf(cwd);
  const here = hooksHere(cwd, home);
  const named = name === undefined ? undefined : hookHere(name, here, cwd);
  const locked = [...readLock(lockPath(home))];
  const outcomes: Outcome[] = [];
  const forUser = await targetFor(home, cwd);
  for (const target of [forUser, { ...forUser, project } as Target]) {
    const installed = locked.flatMap(([key, entry]): Installed[] => {
      const found = idIn(key, target.project);
      return found !== undefined && (named === undefined || key === named.key) ? [{ id: found, key, entry }] : [];
    });
    for (const hooks of Map.groupBy(installed, ({ entry }) => entry.source).values())
      outcomes.push(...(await updateOrStop(hooks, target)));
  }
  if (named && outcomes.length === 0) throw new Refused(`${shortName(named, here)} is not installed; run: cordon list`);
  if (flags.json) printJson({ hooks: outcomes.map(({ hook: _hook, ...outcome }) => outcome) });
  else if (outcomes.length === 0) print`no hook is installed; run: cordon add SPEC`;
  else for (const outcome of outcomes) report(outcome);
  const waiting = outcomes.filter(({ outcome }) => outcome === "pending" || outcome === "stopped");
  if (waiting.length > 0)
    throw new Refused(flags.json ? "" : `${waiting.map((one) => one.id).join(", ")}: the installed version goes on`);
}

async function updateOrStop(hooks: readonly Installed[], target: Target): Promise<Outcome[]> {
  try {
    return await updatePackage(hooks, target);
  } catch (error) {
    const code = error instanceof CordonError ? { code: error.code } : {};
    return hooks.map(({ id }): Outcome => ({ id, outcome: "stopped", error: messageOf(error), ...code }));
  }
}

/** Updates all hooks of a package with one fetch. */
async function updatePackage(hooks: readonly Installed[], target: Target): Promise<Outcome[]> {
  const { home, cwd, npm, project } = target;
  const named = lockedSource(hooks[0]?.entry.source ?? "", project ?? cwd);
  const source = project === undefined ? named : proposable(named, project);
  if (source.kind === "registry")
    for (const { id, entry } of hooks) refuseOtherRegistry(id, entry, registryOf(entry.package, npm));
  progress(`asking ${source.spec}`);
  const offer = await ask(target, (fetching) => peek(source, fetching));
  if (hooks.every(({ entry }) => isCurrent(entry, offer))) {
    keepPending(new Map(hooks.map(({ key }) => [key, undefined])), home);
    return hooks.map(({ id }) => ({ id, outcome: "current" }));
  }
  return withPackage(source, target, async (staged) => {
    await refuseOtherBytes(staged, target);
    keepIds(
      staged,
      hooks.map(({ id, entry }) => [id, entry]),
    );
    const newer = hooks.map(({ id, key, entry }) => ({ id, key, entry, hook: newerHook(id, entry, staged, offer) }));
    const changes = await Array.fromAsync(newer, async ({ id, key, entry, hook }) => {
      return { id, key, hook, change: hook && (await changeOf(hook, { before: entry, key }, staged, home)) };
    });
    const changed = changes.filter(({ change }) => change !== undefined);
    const open = changed.flatMap(({ hook, change }) =>
      hook && change && isDecisive(change) ? [{ hook, change }] : [],
    );
    const answer = open.length === 0 || (await agreed(open));
    const allowed = answer === true;
    const keys = changed.map(({ key }) => key);
    if (allowed && keys.length > 0) await replace(staged, keys, target);
    else keepPending(new Map(changes.map(({ key, change }) => [key, change])), home);
    const outcome = allowed ? "updated" : "pending";
    const declined = answer === false ? { declined: true as const } : {};
    return changes.map(
      ({ id, change, hook }): Outcome =>
        change ? { id, outcome, change, ...(hook ? { hook } : {}), ...declined } : { id, outcome: "current" },
    );
  });
}

/** The source offers the bytes that are installed. This is known without fetching the package. */
const isCurrent = ({ integrity, resolved }: LockEntry, offer: Offer): boolean =>
  offer.integrity !== undefined
    ? offer.integrity === integrity
    : offer.resolved !== undefined && offer.resolved === resolved;

/** What a newer version changes. Rejects if it does not load: it would replace a gate, and block every call. */
async function changeOf(
  hook: StagedHook,
  installed: { before: LockEntry; key: string },
  staged: Staged,
  home: string,
): Promise<Change | undefined> {
  const { rehearsal, change } = await candidateOf(staged, hook, installed, home);
  if (rehearsal.state === "active") return change;
  const why = rehearsal.reason ?? rehearsal.state;
  throw new CordonError(
    "LOAD_FAILED",
    `${hook.id} was not updated: version ${staged.fetched.version} does not load (${why})`,
  );
}

/** `undefined`: there is nobody to ask. */
const agreed = (changes: readonly { hook: StagedHook; change: Change }[]): Promise<boolean | undefined> =>
  onTerminal<boolean | undefined>(
    (terminal) => {
      for (const { hook, change } of changes) printChange(change, terminal.output, hook);
      const isWider = changes.some(({ change }) => change.wider.length > 0);
      const gets = isWider ? " It gets none of the powers that are new until you grant them." : "";
      return askWhether(`Take the newer version?${gets}`, terminal);
    },
    () => undefined,
  );

/** The name of a power that is shown with what of it. */
const nameOf = (power: string): string => power.slice(0, power.indexOf(":"));

const steps = (change: Change): string =>
  isOtherBytes(change) ? `${change.to} again, with other bytes` : `${change.from} → ${change.to}`;

/** `hook`: the newer version, for what a person reads before they decide about its powers. */
function printChange(change: Change, screen: Screen, hook?: StagedHook): void {
  const { id, wider, narrower, unguarded, files, dependencies, hears } = change;
  const show = printMarkedTo(screen);
  show`${id} ${steps(change)}`;
  for (const power of wider) {
    show`  asks also for ${power}`;
    for (const [, note] of hook ? powerNotes(nameOf(power), hook) : []) show`    ${note}`;
  }
  for (const events of unguarded) show`  no longer guards ${events}`;
  for (const power of narrower) show`  asks no more for ${power}`;
  for (const event of hears) show`  ${event} (heard)`;
  for (const file of files) show`  ${file}`;
  for (const dependency of dependencies) show`  ${dependency} (dependency)`;
}

/** A person does not expect this of a newer version. */
const isUnexpected = (change: Change): boolean => isOtherBytes(change) || change.hears.length > 0;

function report({ id, outcome, change, hook, declined, error = "", code }: Outcome): void {
  if (change && !declined && (outcome === "pending" || (outcome === "updated" && isUnexpected(change))))
    printChange(change, process.stdout, hook);
  if (outcome === "current") print`${id}: nothing newer`;
  else if (outcome === "updated" && change) {
    print`${id}: ${steps(change)}: new sessions have it`;
    const wider = change.wider.map(nameOf);
    if (wider.length > 0)
      print`${id} was not granted what is new of ${wider.join(", ")}; to grant it: ${wider.map((power) => command`cordon grant ${id} ${power}`).join(", ")}`;
  } else if (outcome === "updated") print`${id}: new sessions have it`;
  else if (declined && change) print`${id}: stays at ${change.from}; ${command`cordon update ${id}`} asks you again`;
  else if (outcome === "pending") print`${id}: waits for a person: run ${command`cordon update ${id}`} on a terminal`;
  else printMarked`${style.red(id)}: ${`${error}${code ? ` (${code})` : ""}`}`;
}
