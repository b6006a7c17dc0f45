import { existsSync } from "node:fs";
import { CordonError } from "../base/errors.ts";
import { command } from "../base/shell-word.ts";
import { cleanLine } from "../base/text.ts";
import { PATIENT_MS } from "../disk/lock-file.ts";
import { recordOf } from "../grants/build-record.ts";
import { acceptedPowers } from "../grants/chosen.ts";
import { configOf, type GrantEntry } from "../grants/grant.ts";
import type { Capabilities } from "../grants/schema.ts";
import { forgetRestarts } from "../session/restart-request.ts";
import type { Taken } from "../store/decision.ts";
import { changeGrant, readUserGrants } from "../store/grants-file.ts";
import { type Grants, grantsPath } from "../store/grants-text.ts";
import { type Installed, idIn, type LockEntry, projectKey, projectLockPath } from "../store/hooks-lock.ts";
import { commit, readInstalled } from "../store/journal.ts";
import { changeProposals } from "../store/project-lock.ts";
import { proposedIn } from "../store/proposed.ts";
import { collectGarbage } from "./garbage.ts";
import {
  asked,
  installedFolderOf,
  type KeepBundle,
  keepBundles,
  moveIntoStore,
  offered,
  type Staged,
  type StagedHook,
  type Staging,
} from "./stage.ts";
import { type Change, keptAt } from "./update.ts";

/** What a hook gets: powers by name, or a refusal. */
export type Choice = readonly string[] | "refuse";

/** What a person decided about a hook. */
export interface Decision {
  hook: StagedHook;
  choice: Choice;
}

/** Where hooks are installed: for the user, or for one of their projects. */
export interface Target extends Staging {
  /** Where the command was typed: relative paths start there. */
  cwd: string;
  /** Real path of the project. */
  project?: string;
}

/** A hook's name in the user's lock and grants. */
export const keyOf = ({ id }: StagedHook, { project }: Target): string =>
  project === undefined ? id : projectKey(project, id);

/** The powers that a hook has when a person chose these: what makes it a guard, and those of its own that they named. */
export function chosenPowers(hook: StagedHook, chosen: readonly string[]): Capabilities {
  const { limits: _limits, ...powers } = offered(hook);
  const given = Object.entries(powers).filter(([power]) => chosen.includes(power));
  return acceptedPowers(hook.manifest?.capabilities, Object.fromEntries(given));
}

/**
 * The grant that a person gives now. What they configured a plugin with stays, where they put the hook among others, and where it
 * is disabled.
 */
function decided(hook: StagedHook, chosen: readonly string[], before: GrantEntry = {}): GrantEntry {
  const { limits } = asked(hook);
  const { priority, disabled } = before;
  return {
    ...configOf(before),
    ...(priority === undefined ? {} : { priority }),
    ...(disabled === undefined ? {} : { disabled }),
    digest: hook.digest,
    capabilities: chosenPowers(hook, chosen),
    ...(limits && chosen.includes("limits") ? { limits } : {}),
    grantedAt: new Date().toISOString(),
    by: "user",
  };
}

/** Accepts a hook that is a file in a project. `keep`: keeps the bundle that a person decided on. */
export function acceptFile(home: string, hook: StagedHook, keep: KeepBundle, chosen: readonly string[]): void {
  keep(home);
  const entry = (before?: GrantEntry): GrantEntry => ({ ...decided(hook, chosen, before), bundle: recordOf(hook) });
  changeGrant(grantsPath(home), hook.id, entry, { taken: "accepted" });
}

/** A command waits longer for others than an agent does. */
const commitPatiently = (home: string, change: Parameters<typeof commit>[1], taken?: Taken): void =>
  commit(home, change, { patience: PATIENT_MS, ...(taken === undefined ? {} : { taken }) });

/**
 * Moves a package into the store and builds it there; only then the locks and the grants name it.
 *
 * @param propose changes the project's own lock. This comes first: a hook that a lock proposes and nobody accepted is inert
 */
async function putInStore(
  staged: Staged,
  { home, node, project }: Target,
  taken: Taken,
  propose: ((proposed: Map<string, LockEntry>) => void) | undefined,
  change: (installed: Map<string, LockEntry>, grants: Map<string, GrantEntry>) => void,
): Promise<void> {
  let refused: string | undefined = installedFolderOf(staged.fetched, home);
  try {
    moveIntoStore(staged, home);
    await keepBundles(staged, home, node);
    if (project !== undefined && propose) changeProposals(project, propose);
    commitPatiently(home, change, taken);
    refused = undefined;
  } finally {
    collectGarbage(home, refused);
  }
}

/**
 * Installs the hooks that a person chose.
 *
 * @param taken `accepted`: the person accepts what the project's own lock names already; else they are added to that
 */
export async function install(
  staged: Staged,
  decisions: readonly Decision[],
  target: Target,
  taken: Exclude<Taken, "updated">,
): Promise<void> {
  const { home } = target;
  const propose = taken !== "accepted";
  const chosen = decisions.flatMap(({ hook, choice }) => (choice === "refuse" ? [] : [{ hook, choice }]));
  const refuse = (installed: Installed, grants: Grants): void => {
    for (const { hook } of chosen) if (propose) refuseOther(hook, staged, target, installed, grants);
  };
  refuse(readInstalled(home), readUserGrants(home));
  const proposeChosen = (proposed: Map<string, LockEntry>): void => {
    for (const { hook } of chosen) proposed.set(hook.id, entryOf(hook, staged));
  };
  const proposal = propose && chosen.length > 0 ? proposeChosen : undefined;
  await putInStore(staged, target, taken, proposal, (installed, grants) => {
    refuse(installed, grants);
    for (const { hook, choice } of chosen) {
      const key = keyOf(hook, target);
      installed.set(key, entryOf(hook, staged));
      grants.set(key, decided(hook, choice, grants.get(key)));
    }
  });
}

/** Refuses a package of which a hook's name is something else's, as {@link install} will: before a person reads about it. */
export function refuseOthers(staged: Staged, target: Target): void {
  const [installed, grants] = [readInstalled(target.home), readUserGrants(target.home)];
  for (const hook of staged.hooks) refuseOther(hook, staged, target, installed, grants);
}

/** How a newer version comes to what was installed from a place on this machine. */
const newVersionOf = (source: string): string =>
  source.startsWith("path:") ? "put a newer version there, and run: cordon update; " : "";

/** Refuses a name that something else has already, and not an earlier version of this hook. */
function refuseOther(hook: StagedHook, { source }: Staged, target: Target, installed: Installed, grants: Grants): void {
  const key = keyOf(hook, target);
  const other = installed.get(key);
  if (other && other.source !== source.origin)
    throw new CordonError(
      "BAD_GRANT",
      `${hook.id} is installed from ${other.source}: ${newVersionOf(other.source)}for another package, run first: ${command`cordon remove ${hook.id}`}`,
    );
  if (!other && grants.has(key))
    throw new CordonError(
      "BAD_GRANT",
      `${hook.id} is a hook of yours that has grants already; run: ${command`cordon remove ${hook.id}`}`,
    );
}

/** Replaces an installed version with a newer one. It keeps the granted powers that it still asks for. */
export async function replace(staged: Staged, keys: readonly string[], target: Target): Promise<void> {
  const { project } = target;
  const hookFor = (key: string): StagedHook | undefined => staged.hooks.find((one) => one.id === idIn(key, project));
  const proposeNewer = (proposed: Map<string, LockEntry>): void => {
    for (const hook of keys.map(hookFor))
      if (hook && proposed.has(hook.id)) proposed.set(hook.id, entryOf(hook, staged));
  };
  const hasLock = project !== undefined && existsSync(projectLockPath(project));
  await putInStore(staged, target, "updated", hasLock ? proposeNewer : undefined, (installed, grants) => {
    for (const key of keys) {
      const [before, hook] = [installed.get(key), hookFor(key)];
      if (!before || !hook) throw new CordonError("BAD_GRANT", `${key} was removed meanwhile: nothing was changed`);
      const { capabilities: _had, limits: _lifted, ...granted } = grants.get(key) ?? {};
      const { kept: capabilities, limits } = keptAt(before, grants.get(key), hook);
      // A key that the registry added since is not trusted because of that.
      const trusted = before.keys ? { keys: before.keys } : {};
      installed.set(key, { ...entryOf(hook, staged), ...trusted });
      grants.set(key, {
        ...granted,
        digest: hook.digest,
        capabilities,
        ...(Object.keys(limits).length > 0 ? { limits } : {}),
      });
    }
  });
}

/** Records which newer versions wait for a person; `undefined` if none does. */
export function keepPending(changes: ReadonlyMap<string, Change | undefined>, home: string): void {
  const known = readInstalled(home);
  if (![...changes].some(([key, change]) => change || known.get(key)?.pending)) return;
  commitPatiently(home, (installed) => {
    for (const [key, change] of changes) {
      const entry = installed.get(key);
      if (!entry) continue;
      const wider = change?.wider.slice(0, 100).map((power) => cleanLine(power, 1000)) ?? [];
      installed.set(key, { ...entry, pending: change && { version: change.to, wider } });
    }
  });
}

/**
 * Removes a hook and its grants, and a project's hook also from the project's lock.
 *
 * @param project real path of the project whose hook it is
 */
export function uninstall(home: string, key: string, project?: string): void {
  const id = idIn(key, project) ?? key;
  commitPatiently(home, (installed, grants) => {
    if (installed.delete(key)) grants.delete(key);
  });
  try {
    // A damaged lock proposes nothing.
    if (project !== undefined && proposedIn(project, home).proposed.has(id))
      changeProposals(project, (proposed) => void proposed.delete(id));
  } finally {
    forgetRestarts(home, id);
    collectGarbage(home);
  }
}

function entryOf(hook: StagedHook, { fetched, source }: Staged): LockEntry {
  const { version, integrity, provenance, name, publisher, builder, resolved, dependencies, registry, keys } = fetched;
  return {
    version,
    source: source.origin,
    integrity,
    digest: hook.digest,
    requested: asked(hook),
    provenance,
    package: name,
    file: hook.file,
    bundle: recordOf(hook),
    ...(hook.carries ? { carries: true } : {}),
    ...(publisher ? { publisher } : {}),
    ...(builder ? { builder } : {}),
    ...(registry ? { registry } : {}),
    ...(keys ? { keys } : {}),
    ...(resolved ? { resolved } : {}),
    ...(Object.keys(dependencies).length > 0 ? { dependencies } : {}),
  };
}
