import { CordonError } from "../errors.ts";
import { defaultCapabilities } from "../grants/grant.ts";
import type { Capabilities } from "../grants/schema.ts";
import { subtract } from "../grants/subtract.ts";
import { commit } from "./commit.ts";
import { type Installed, type LockEntry, lockPath, packageFolder, readLock } from "./hooks-lock.ts";
import { keepBundles, type Staged, type StagedHook, settle, sweep } from "./stage.ts";
import { asked } from "./update.ts";

/** What a hook gets: the powers by name, or nothing but to be refused. */
export type Choice = readonly string[] | "refuse";

/** Installs what was chosen. The files are in their place, and built, before anything names them. */
export async function install(
  staged: Staged,
  choices: ReadonlyMap<StagedHook, Choice>,
  home: string,
  node: string,
): Promise<void> {
  refuseOther(staged, choices, readLock(lockPath(home)));
  settle(staged, home);
  await keepBundles(staged, home, node);
  commit(home, (installed, grants) => {
    refuseOther(staged, choices, installed);
    for (const [hook, choice] of choices) {
      if (choice === "refuse") continue;
      installed.set(hook.id, entryOf(hook, staged));
      const { events, ...powers } = Object.fromEntries(
        Object.entries(asked(hook)).filter(([power]) => choice.includes(power)),
      ) as Capabilities;
      const capabilities = { ...defaultCapabilities(), ...powers, ...(events ? { events } : {}) };
      grants.set(hook.id, { digest: hook.digest, capabilities, grantedAt: new Date().toISOString(), by: "user" });
    }
    sweepUnused(home, installed);
  });
}

/** Puts a newer version in the place of an installed one. It keeps what it was granted, as far as it still asks for it. */
export async function replace(staged: Staged, ids: readonly string[], home: string, node: string): Promise<void> {
  settle(staged, home);
  await keepBundles(staged, home, node);
  commit(home, (installed, grants) => {
    for (const id of ids) {
      const [before, hook] = [installed.get(id), staged.hooks.find((one) => one.id === id)];
      if (!before || !hook) throw new CordonError("BAD_MANIFEST", `${id} was removed meanwhile: nothing was changed`);
      const granted = grants.get(id);
      const powers = granted?.digest === before.digest ? granted.capabilities : undefined;
      const capabilities = subtract(powers ?? defaultCapabilities(), before.requested, asked(hook));
      installed.set(id, entryOf(hook, staged));
      grants.set(id, { ...granted, digest: hook.digest, capabilities });
    }
    sweepUnused(home, installed);
  });
}

/** Takes a hook out, with all that was granted to it. False if it is not installed. */
export function uninstall(home: string, id: string): boolean {
  let found = false;
  commit(home, (installed, grants) => {
    found = installed.delete(id);
    if (found) grants.delete(id);
    sweepUnused(home, installed);
  });
  return found;
}

function refuseOther({ source }: Staged, choices: ReadonlyMap<StagedHook, Choice>, installed: Installed): void {
  for (const [{ id }, choice] of choices) {
    const other = installed.get(id);
    if (choice !== "refuse" && other && other.source !== source.origin)
      throw new CordonError("BAD_MANIFEST", `${id} is installed from ${other.source}; run: cordon remove ${id}`);
  }
}

function entryOf(hook: StagedHook, { fetched, source }: Staged): LockEntry {
  return {
    version: fetched.version,
    source: source.origin,
    integrity: fetched.integrity,
    digest: hook.digest,
    requested: asked(hook),
    provenance: fetched.provenance,
    package: fetched.name,
    file: hook.file,
    ...(fetched.publisher ? { publisher: fetched.publisher } : {}),
  };
}

function sweepUnused(home: string, installed: ReadonlyMap<string, LockEntry>): void {
  sweep(home, new Set([...installed.values()].map((one) => packageFolder(home, one.package, one.integrity))));
}
