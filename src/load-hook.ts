import { existsSync } from "node:fs";
import { dirname, relative } from "node:path";
import { buildHook } from "./build/build.ts";
import type { Bundle, BundleCache } from "./build/cache.ts";
import { SourcePositions } from "./build/source-positions.ts";
import { namedDialect } from "./dialects.ts";
import { CordonError, messageOf } from "./errors.ts";
import type { GrantEntry } from "./grants/grant.ts";
import { grantOf } from "./grants/grant.ts";
import { findManifest, type Manifest } from "./grants/manifest.ts";
import { type Policy, policyFault, withinPolicies } from "./grants/policy.ts";
import type { Hook } from "./hook.ts";
import { cleanLine } from "./text.ts";

/** What is needed to turn a hook's files into a bundle with an identity. */
export interface LoadSurroundings {
  /** The Node that builds run on. */
  node: string;
  cache: BundleCache;
  /** The grant entry for the hook, if a person made one. */
  entry: GrantEntry | undefined;
  /** What an organisation decided. */
  policies: readonly Policy[];
  /** The hook was not named by the user: it does nothing until its digest is accepted. */
  mustBeAccepted: boolean;
  /** Tells something about the hook that a person should know. */
  notice(text: string): void;
}

/**
 * Finds manifest, bundle, digest and grant of a hook, and sets its state: `starting` when it can be run, `pending` when
 * it was never accepted, else `failed`. Never throws for the hook's fault.
 */
export async function loadHook(hook: Hook, around: LoadSurroundings): Promise<void> {
  hook.changed = undefined;
  hook.failure = undefined;
  hook.state = "starting";
  try {
    const bundle = await findBundle(hook, around);
    hook.grant.capabilities = withinPolicies(around.policies, hook.grant.capabilities);
    if (!bundle) return;
    const fault = hook.origin.kind === "installed" ? policyFault(around.policies, hook.origin.entry) : undefined;
    if (fault) throw new CordonError("NOT_ACCEPTED", fault);
    hook.bundle = bundle;
    hook.named = namedDialect(hook.manifest?.dialect, bundle.imports);
    hook.dialect = hook.named || "pi";
    hook.digest = bundle.digest;
    hook.positions = new SourcePositions(bundle.map, hook.root);
  } catch (error) {
    hook.state = "failed";
    hook.failure = {
      code: error instanceof CordonError ? error.code : "LOAD_FAILED",
      what: cleanLine(messageOf(error), 2000),
    };
  }
}

async function findBundle(hook: Hook, around: LoadSurroundings): Promise<Bundle | undefined> {
  const { entry, cache, mustBeAccepted } = around;
  const current = await buildCurrent(hook, around);
  hook.offered = current instanceof Error ? undefined : current.digest;
  if (!mustBeAccepted) {
    if (current instanceof Error) throw current;
    const stale = entry?.digest !== undefined && entry.digest !== current.digest;
    if (stale)
      around.notice(
        `hook ${hook.name} changed since its grant was made: it runs with the default grant until you grant again`,
      );
    hook.grant = grantOf(stale ? undefined : entry, hook.manifest);
    return current;
  }
  const ofProject = hook.origin.kind === "installed" ? hook.origin.ofProject : undefined;
  if (entry?.digest === undefined) {
    hook.state = "pending";
    hook.digest = ofProject?.proposed?.digest ?? (current instanceof Error ? undefined : current.digest);
    hook.failure = { code: "NOT_ACCEPTED", what: "it is this project's and was never accepted; run: cordon accept" };
    around.notice(`hook ${hook.name} of this project is not active: it was never accepted; run: cordon accept`);
    return undefined;
  }
  // What a person accepted without naming powers may hear and block, and nothing more.
  const accepted = { ...entry, capabilities: entry.capabilities ?? {} };
  if (!(current instanceof Error) && current.digest === entry.digest) {
    hook.grant = grantOf(accepted, hook.manifest);
    if (ofProject && ofProject.proposed?.digest !== entry.digest) {
      hook.offered = ofProject.proposed?.digest;
      const happened = ofProject.proposed
        ? "is another one in this project's lock now"
        : "is gone from this project's lock";
      goesOn(hook, happened, "cordon accept", around);
    }
    return current;
  }
  const happened = existsSync(hook.realPath) ? "changed since it was accepted" : "is gone";
  const kept = cache.byDigest(entry.digest, hook.root) ?? cache.byDigest(entry.digest, dirname(hook.realPath));
  if (kept) takeManifest(hook, kept.manifest === "" ? undefined : JSON.parse(kept.manifest));
  hook.grant = grantOf(accepted, hook.manifest);
  const remedy = hook.origin.kind === "installed" ? `cordon remove ${hook.id} and add it again` : "cordon accept";
  if (!kept)
    throw new CordonError("DIGEST_MISMATCH", `it ${happened}, and its accepted form is not kept; run: ${remedy}`);
  goesOn(hook, happened, remedy, around);
  return kept;
}

function goesOn(hook: Hook, happened: string, remedy: string, { notice }: LoadSurroundings): void {
  const text = `${happened}: it goes on as it was accepted; run: ${remedy}`;
  hook.changed = `it ${text}`;
  notice(`hook ${hook.name} ${text}`);
}

function takeManifest(hook: Hook, manifest: Manifest | undefined): void {
  hook.manifest = manifest;
  hook.dialect = manifest?.dialect ?? "pi";
}

/** The bundle of what stands in the hook's folder now, or why there is none. */
async function buildCurrent(hook: Hook, { node, cache }: LoadSurroundings): Promise<Bundle | Error> {
  try {
    if (!existsSync(hook.realPath)) throw new CordonError("LOAD_FAILED", `${hook.path}: no such file`);
    const { manifest, text, root } = findManifest(hook.realPath);
    takeManifest(hook, manifest);
    hook.root = root;
    const entry = relative(root, hook.realPath);
    return cache.unchanged(root, entry, text) ?? cache.keep(root, entry, text, await buildHook(node, { root, entry }));
  } catch (error) {
    return error as Error;
  }
}
