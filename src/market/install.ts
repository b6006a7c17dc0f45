import { join } from "node:path";
import { CordonError } from "../errors.ts";
import { defaultCapabilities } from "../grants/grant.ts";
import { type Grants, readGrants } from "../grants/grants-file.ts";
import type { Capabilities } from "../grants/schema.ts";
import { subtract } from "../grants/subtract.ts";
import { commit } from "./commit.ts";
import { type Installed, type LockEntry, lockPath, readLock } from "./hooks-lock.ts";
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
  const chosen = [...choices].flatMap(([hook, choice]) => (choice === "refuse" ? [] : [{ hook, choice }]));
  const refuse = (installed: Installed, grants: Grants): void => {
    for (const { hook } of chosen) refuseOther(hook, staged, installed, grants);
  };
  refuse(readLock(lockPath(home)), readGrants(join(home, "grants.json"), false));
  try {
    settle(staged, home);
    await keepBundles(staged, home, node);
    commit(home, (installed, grants) => {
      refuse(installed, grants);
      for (const { hook, choice } of chosen) {
        installed.set(hook.id, entryOf(hook, staged));
        const { events, ...powers } = Object.fromEntries(
          Object.entries(asked(hook)).filter(([power]) => choice.includes(power)),
        ) as Capabilities;
        const capabilities = { ...defaultCapabilities(), ...powers, ...(events ? { events } : {}) };
        grants.set(hook.id, { digest: hook.digest, capabilities, grantedAt: new Date().toISOString(), by: "user" });
      }
    });
  } finally {
    sweep(home, staged);
  }
}

/** What is there under this id already, and is no earlier version of the same. */
function refuseOther({ id }: StagedHook, { source }: Staged, installed: Installed, grants: Grants): void {
  const other = installed.get(id);
  if (other && other.source !== source.origin)
    throw new CordonError("BAD_MANIFEST", `${id} is installed from ${other.source}; run: cordon remove ${id}`);
  if (!other && grants.has(id))
    throw new CordonError("BAD_GRANT", `${id} is a hook of yours that has grants already; run: cordon remove ${id}`);
}

/** Puts a newer version in the place of an installed one. It keeps what it was granted, as far as it still asks for it. */
export async function replace(staged: Staged, ids: readonly string[], home: string, node: string): Promise<void> {
  try {
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
    });
  } finally {
    sweep(home, staged);
  }
}

/** Takes a hook out, with all that was granted to it. False if it is not installed. */
export function uninstall(home: string, id: string): boolean {
  let found = false;
  commit(home, (installed, grants) => {
    found = installed.delete(id);
    if (found) grants.delete(id);
  });
  sweep(home);
  return found;
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
