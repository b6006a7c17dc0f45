import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { attemptOr } from "../base/attempt.ts";
import { namedDialect } from "../base/dialects.ts";
import { CordonError, messageOf } from "../base/errors.ts";
import { command } from "../base/shell-word.ts";
import { cleanLine } from "../base/text.ts";
import { buildHook } from "../bundle/build.ts";
import type { Bundle, BundleCache } from "../bundle/cache.ts";
import { SourcePositions } from "../bundle/source-positions.ts";
import { readIfThere } from "../disk/atomic-file.ts";
import { acceptedPowers } from "../grants/chosen.ts";
import type { GrantEntry } from "../grants/grant.ts";
import { grantOf } from "../grants/grant.ts";
import { findManifest, type Manifest } from "../grants/manifest.ts";
import { PLUGIN_FILE } from "../grants/package-hooks.ts";
import { configSchemaIn } from "../grants/plugin-manifest.ts";
import { type Policy, policyFault, withinPolicies } from "../grants/policy.ts";
import type { Hook } from "../session/hook.ts";
import { grantRemedy } from "../session/remedies.ts";
import { packageFolder } from "../store/hooks-lock.ts";
import { readInstalled } from "../store/journal.ts";
import type { Failure } from "../supervisor/outcome.ts";
import { acceptedBuild, asAccepted, isAsAccepted } from "./accepted-build.ts";
import type { StartHost } from "./rehearsal.ts";

/** What `loadHook` needs. */
export interface LoadDeps {
  /** The Node that builds run on. Empty without a runtime: then nothing is built. */
  node: string;
  cache: BundleCache;
  /** Cordon's own folder. */
  home: string;
  /** The grant entry for the hook, if a person made one. */
  entry: GrantEntry | undefined;
  /** An organisation's policies. */
  policies: readonly Policy[];
  /** The user did not name the hook: it does nothing until its digest is accepted. */
  mustBeAccepted: boolean;
  /** Hooks are built as those of a package: see `HookHostOptions.packed`. */
  packed: boolean;
  /** Starts the host that a hook is rehearsed in. */
  start: StartHost;
  /** Reports something that a person should know about the hook. */
  notice(text: string): void;
}

/**
 * Makes a hook `pending` that has to be accepted and never was, whatever else is missing here. True if it is. It is not even
 * built: a repository can have any number of hooks of any size.
 */
export function leavePending(hook: Hook, { entry, mustBeAccepted, policies, notice }: LoadDeps): boolean {
  if (!mustBeAccepted || entry?.digest !== undefined) return false;
  hook.changed = undefined;
  hook.state = "pending";
  hook.digest = hook.origin.kind === "installed" ? hook.origin.ofProject?.proposed?.digest : undefined;
  hook.failure = { code: "NOT_ACCEPTED", summary: "it is this project's and was never accepted; run: cordon accept" };
  hook.grantedAll = hook.grant.capabilities;
  hook.grant.capabilities = withinPolicies(policies, hook.grant.capabilities);
  notice(`hook ${hook.name} of this project is not active: it was never accepted; run: cordon accept`);
  return true;
}

/**
 * Finds manifest, bundle, digest and grant of a hook, and sets its state: `starting` when it can be run, else `failed`. Never
 * throws for the hook's fault.
 */
export async function loadHook(hook: Hook, deps: LoadDeps): Promise<void> {
  hook.changed = undefined;
  hook.failure = undefined;
  hook.state = "starting";
  try {
    const bundle = await findBundle(hook, deps);
    hook.grantedAll = hook.grant.capabilities;
    hook.grant.capabilities = withinPolicies(deps.policies, hook.grant.capabilities);
    const fault = hook.origin.kind === "installed" ? policyFault(deps.policies, hook.origin.entry) : undefined;
    if (fault) throw new CordonError("NOT_ACCEPTED", fault);
    hook.bundle = bundle;
    hook.configSchema = bundle.configSchema;
    hook.named = namedDialect(hook.manifest?.dialect, bundle.imports) || (bundle.agent ?? "");
    hook.dialect = hook.named || "pi";
    hook.digest = bundle.digest;
    hook.positions = new SourcePositions(bundle.map, hook.root);
    if (acceptedBuild(hook, deps.entry)?.hears.includes("tool_call")) hook.expectGuard();
  } catch (error) {
    hook.state = "failed";
    const code = error instanceof CordonError ? error.code : "LOAD_FAILED";
    const summary = cleanLine(messageOf(error), 2000);
    // It names what is in the hook's files.
    hook.failure = { code, summary, ...(code === "LOAD_FAILED" ? { said: summary } : {}) };
  }
}

/** A trusted plugin has its configuration, too. What keeps it from that is its failure. */
export function configureTrusted(hook: Hook, { config = hook.grant.config }: GrantEntry = {}): Failure | undefined {
  if (config) hook.grant.config = config;
  try {
    const manifest = readIfThere(join(hook.root, PLUGIN_FILE));
    hook.configSchema = manifest === undefined ? undefined : configSchemaIn(manifest);
    return undefined;
  } catch (error) {
    return { code: "LOAD_FAILED", summary: messageOf(error) };
  }
}

async function findBundle(hook: Hook, deps: LoadDeps): Promise<Bundle> {
  const { entry, cache } = deps;
  const ofProject = hook.origin.kind === "installed" ? hook.origin.ofProject : undefined;
  const current = await buildCurrent(hook, deps);
  hook.offered = current instanceof Error ? undefined : current.digest;
  if (!deps.mustBeAccepted || entry?.digest === undefined) {
    if (current instanceof Error) throw current;
    const stale = entry?.digest !== undefined && entry.digest !== current.digest;
    if (stale)
      deps.notice(
        `hook ${hook.name} changed since its grant was made: it runs with the default grant${entry.config ? ", and without its configuration," : ""} until you grant again`,
      );
    hook.lost = stale ? entry?.capabilities : undefined;
    hook.grant = grantOf(stale ? undefined : entry, hook.manifest);
    if (!entry || stale) noticeUnguarded(hook, deps);
    return current;
  }
  const record = acceptedBuild(hook, entry);
  const remedy =
    hook.origin.kind === "installed" ? `${command`cordon remove ${hook.id}`} and add it again` : "cordon accept";
  const grantAccepted = (): void => {
    const capabilities = acceptedPowers(hook.manifest?.capabilities, entry.capabilities);
    hook.grant = grantOf({ ...entry, capabilities }, hook.manifest);
  };
  if (!(current instanceof Error) && current.digest === entry.digest) {
    grantAccepted();
    if (ofProject && ofProject.proposed?.digest !== entry.digest) {
      hook.offered = ofProject.proposed?.digest;
      const happened = ofProject.proposed
        ? "is another one in this project's lock now"
        : "is gone from this project's lock";
      goesOn(hook, happened, "run: cordon accept", deps);
    }
    const { home, notice, start } = deps;
    return asAccepted(hook, current, record, { home, remedy, start, notice, rebuild: () => build(hook, deps) });
  }
  const [happened, way] = whyOther(hook, deps.home) ?? [
    existsSync(hook.realPath) ? "changed since it was accepted" : "is gone",
    `run: ${remedy}`,
  ];
  const { digest } = entry;
  const roots = [hook.root, dirname(hook.realPath), ...(hook.origin.kind === "installed" ? [hook.origin.folder] : [])];
  const kept = roots.flatMap((root) => {
    const bundle = cache.byDigest(digest, root);
    return bundle && isAsAccepted(record, bundle, root) ? [bundle] : [];
  })[0];
  if (kept) takeManifest(hook, kept.manifest === "" ? undefined : readJson(kept.manifest));
  grantAccepted();
  if (!kept) throw new CordonError("DIGEST_MISMATCH", `it ${happened}, and its accepted form is not kept; ${way}`);
  goesOn(hook, happened, way, deps);
  return kept;
}

/** What a person did with a hook since this session read the lock, and what comes of it; `undefined` if nothing. */
function whyOther({ origin, key }: Hook, home: string): [happened: string, way: string] | undefined {
  if (origin.kind !== "installed") return undefined;
  const now = attemptOr(() => ({ entry: readInstalled(home).get(key) }), undefined);
  if (!now) return undefined;
  const { entry } = now;
  if (!entry) return ["was removed since this session looked for it", "the next session is without it"];
  if (packageFolder(home, entry) === origin.folder) return undefined;
  return ["was updated since this session looked for it", "the next session has the other version"];
}

function goesOn(hook: Hook, happened: string, way: string, { notice }: LoadDeps): void {
  const text = `${happened}: it goes on as it was accepted; ${way}`;
  hook.changed = `it ${text}`;
  notice(`hook ${hook.name} ${text}`);
}

/** Other rights that nobody granted are told of where the hook tries them. This one shows by nothing until the hook fails. */
function noticeUnguarded(hook: Hook, { notice }: LoadDeps): void {
  const asked = hook.manifest?.capabilities?.events?.guardResult ?? [];
  const guardResult = asked.filter((tool) => !hook.mayFor("guardResult", tool));
  if (guardResult.length === 0) return;
  const remedy = grantRemedy(hook, { capability: "events", grant: { guardResult } });
  const tools = guardResult.includes("*") ? "all tools" : guardResult.join(", ");
  notice(
    `hook ${hook.name} asks to guard results of ${tools}, and nobody granted that: if it fails, they pass; ${remedy}`,
  );
}

function takeManifest(hook: Hook, manifest: Manifest | undefined): void {
  hook.manifest = manifest;
  hook.dialect = manifest?.dialect ?? "pi";
}

/** What a folder is imported by. */
const ENTRY_OF_FOLDER = /^(?:package\.json|index\.[cm]?[jt]sx?)$/;

/** The bundle of the hook's current files, or why there is none. */
async function buildCurrent(hook: Hook, deps: LoadDeps): Promise<Bundle | Error> {
  try {
    const status = statSync(hook.realPath, { throwIfNoEntry: false });
    if (!status) throw new CordonError("LOAD_FAILED", `${hook.path}: no such file`);
    if (status.isDirectory() && !readdirSync(hook.realPath).some((name) => ENTRY_OF_FOLDER.test(name)))
      throw new CordonError("LOAD_FAILED", `${hook.path}: there is no hook in this folder; name its file`);
    const { manifest, text, root } = findManifest(hook.realPath);
    takeManifest(hook, manifest);
    hook.root = root;
    const entry = relative(root, hook.realPath);
    return deps.cache.unchanged(root, entry, text, isPacked(hook, deps)) ?? (await build(hook, deps));
  } catch (error) {
    return error as Error;
  }
}

async function build(hook: Hook, deps: LoadDeps): Promise<Bundle> {
  const { root, realPath } = hook;
  const { node, cache } = deps;
  const { manifest, text } = findManifest(realPath);
  // Somebody may have swapped it since it was read first: what counts is what the digest covers.
  takeManifest(hook, manifest);
  const entry = relative(root, realPath);
  const packed = isPacked(hook, deps);
  return cache.keep(
    root,
    entry,
    text,
    packed,
    await buildHook(node, { root, entry, branches: cache.branches, packed }),
  );
}

const isPacked = ({ origin }: Hook, { packed }: LoadDeps): boolean =>
  packed || (origin.kind === "installed" && origin.entry.carries === true);
