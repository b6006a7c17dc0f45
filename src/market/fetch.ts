import { existsSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import gitOptions from "@npmcli/git/lib/opts.js";
import npa from "npm-package-arg";
import pacote, { type Manifest } from "pacote";
import { CordonError, messageOf } from "../base/errors.ts";
import { PACKAGE_ROOT } from "../base/package-root.ts";
import { command } from "../base/shell-word.ts";
import { cleanLine } from "../base/text.ts";
import { bytesIfThere } from "../disk/atomic-file.ts";
import { makeFolders } from "../disk/make-folders.ts";
import type { Dependencies } from "../store/pins.ts";
import { Budget } from "./archive.ts";
import { addDependencies, refuseImpossible } from "./dependencies.ts";
import { overrun } from "./document-size.ts";
import { fetchTarball } from "./download.ts";
import { ignoredRegistry } from "./npm-config.ts";
import { packageOf } from "./package.ts";
import { packerOf, refuseUnreadable } from "./packed-files.ts";
import { provenanceOf, type Vouched } from "./provenance.ts";
import { type NpmOptions, registryOf } from "./registry.ts";
import { commitOf, type Source, versionSpec } from "./source.ts";
import { filesOf, treeIntegrity } from "./tree.ts";

/** A package in a folder of its own, with its dependencies. Nothing of it has run. */
export interface Fetched extends Vouched {
  folder: string;
  name: string;
  version: string;
  /** Of the tarball, or of the files if there is no tarball. */
  integrity: string;
  /** The commit, for a git repository: its URL ends in `#` and the commit's hash. */
  resolved?: string;
  dependencies: Dependencies;
  publisher?: string;
  /** When this version was published. */
  published?: string;
  /** The registry that it was fetched from. */
  registry?: string;
}

/** What a lock says about a package, for fetching exactly the same again. */
export interface Pinned {
  version: string;
  integrity: string;
  resolved?: string | undefined;
  dependencies: Dependencies;
  carries?: boolean | undefined;
}

/** How packages are fetched. `state`: a folder that is kept; `cache`: a folder that is removed afterwards. */
export interface Fetching {
  npm: NpmOptions;
  cache: string;
  state: string;
}

/** What npm's libraries store on the disk they read from the network as fast as it comes, and count it only later. */
const UNSTORED = { "cache-control": "no-store" };

/**
 * The variables of a git that fetches no submodule, which npm's library asks for. They are repositories that nobody was shown and
 * no policy judged, and may be what only this person can read.
 */
function withoutSubmodules(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const at = Number(env.GIT_CONFIG_COUNT) || 0;
  return {
    ...env,
    GIT_CONFIG_COUNT: String(at + 1),
    [`GIT_CONFIG_KEY_${at}`]: "submodule.active",
    [`GIT_CONFIG_VALUE_${at}`]: ":(exclude)*",
  };
}

/** Options for pacote. It packs a folder or a repository as npm publishes it. */
function optionsOf({ kind, spec, origin }: Source, { npm, cache }: Fetching): NpmOptions {
  // The configuration of the project in the current folder must not redirect git. Left to find out itself whether a host gives
  // a part of a repository, npm's library calls what Node warns of.
  const outside =
    kind === "git"
      ? { cwd: "/", gitShallow: npa(spec).hosted !== undefined, env: withoutSubmodules(gitOptions().env) }
      : {};
  const packing = { Arborist: packerOf(kind === "folder" ? spec : origin) };
  // One answer of the registry about a package, for all that is asked of it.
  const once = { packumentCache: new Map(), headers: UNSTORED };
  return {
    ...npm,
    ...packing,
    ...outside,
    ...once,
    cache,
    ignoreScripts: true,
    fullMetadata: true,
    preferOnline: true,
  };
}

/**
 * Fetches a package and its dependencies into an empty folder. Integrity is verified where the source has one, and no
 * script of any package runs. Rejects with `LOAD_FAILED` or `INTEGRITY_MISMATCH`.
 */
export async function fetchPackage(
  source: Source,
  folder: string,
  fetching: Fetching,
  pinned?: Pinned,
): Promise<Fetched> {
  return explained(source, fetching, async () => {
    const options = optionsOf(source, fetching);
    const found =
      source.kind === "file" ? takeFile(source.spec, folder) : await take(source, folder, options, fetching, pinned);
    return { ...found, dependencies: await addDependencies(folder, options, pinned?.dependencies) };
  });
}

/** What a source offers now, as far as is known without fetching a package. `versions`: all versions in a registry. */
export interface Offer {
  integrity?: string | undefined;
  resolved?: string;
  versions?: readonly string[];
}

export function peek(source: Source, fetching: Fetching): Promise<Offer> {
  return explained(source, fetching, async () => {
    const options = optionsOf(source, fetching);
    if (source.kind === "git") return { resolved: await pacote.resolve(source.spec, options) };
    if (source.kind !== "registry") return {};
    const { name, _integrity: integrity } = await pacote.manifest(source.spec, options);
    return { integrity, versions: Object.keys((await pacote.packument(name, options)).versions) };
  });
}

async function explained<T>(source: Source, { npm }: Fetching, act: () => Promise<T>): Promise<T> {
  try {
    const found = await act();
    // What was refused may have been about a part that a registry can do without.
    overrun.throwIfAborted();
    return found;
  } catch (error) {
    if (error instanceof CordonError && !overrun.aborted) throw error;
    const { code, stderr } = error as { code?: string; stderr?: unknown };
    const why = cleanLine(messageOf(overrun.reason ?? saidByGit(stderr) ?? error), 500);
    const brought = code === "E404" ? broughtHook(source) : undefined;
    const hint =
      brought === undefined
        ? ignoredRegistry(npm)
        : `; Cordon brings a hook of that name: ${command`cordon add ${brought}`}`;
    const message = `${cleanLine(source.spec, 300)} could not be fetched: ${why}${hint}`;
    throw new CordonError(code === "EINTEGRITY" ? "INTEGRITY_MISMATCH" : "LOAD_FAILED", message);
  }
}

/** Why git failed, which npm's library leaves out. Without the password of an address. */
const saidByGit = (stderr: unknown): string | undefined =>
  /^fatal: (.+)$/m.exec(String(stderr ?? ""))?.[1]?.replace(/\/\/[^/@\s]*@/g, "//");

/** The file of Cordon's own hook with the name of a package, if there is one. */
function broughtHook({ kind, spec }: Source): string | undefined {
  const name = kind === "registry" ? npa(spec, "/").name : undefined;
  const file = name?.startsWith("@") === false ? join(PACKAGE_ROOT, "hooks", `${name}.ts`) : undefined;
  return file !== undefined && existsSync(file) ? file : undefined;
}

type Taken = Omit<Fetched, "dependencies">;

async function take(
  source: Source,
  folder: string,
  options: NpmOptions,
  { state }: Fetching,
  pinned: Pinned | undefined,
): Promise<Taken> {
  const { kind } = source;
  if (kind === "folder") {
    if (!existsSync(join(source.spec, "package.json")))
      throw new CordonError(
        "BAD_MANIFEST",
        `${cleanLine(source.spec, 300)} is no package: it has no package.json; a hook of one file is added by the path of that file`,
      );
    refuseUnreadable(source.spec);
    refuseImpossible(packageOf(source.spec).dependencies);
  }
  const isRegistry = kind === "registry";
  const spec = pinned && isRegistry ? versionSpec(npa(source.spec, "/").name ?? "", pinned.version) : source.spec;
  // To read the manifest of a tarball, pacote would unpack all of it into its cache, whatever its size.
  const manifest = isRegistry ? await pacote.manifest(spec, options) : undefined;
  const commit = pinned?.resolved;
  const resolved =
    kind !== "git" ? undefined : commit === undefined ? await pacote.resolve(spec, options) : commitOf(spec, commit);
  // A folder or a repository is packed here, and another machine may pack it differently.
  const integrity = pinned && (isRegistry || kind === "tarball") ? pinned.integrity : manifest?._integrity;
  const exact = {
    ...options,
    ...(manifest ? { resolved: manifest._resolved } : {}),
    ...(integrity ? { integrity } : {}),
  };
  const taken = await fetchTarball(resolved ?? spec, folder, exact, new Budget());
  if (!existsSync(join(folder, "package.json")))
    throw new CordonError("BAD_MANIFEST", "it is not a package: it has no package.json");
  const { name, version } = packageOf(folder);
  if (manifest && (name !== manifest.name || version !== manifest.version))
    throw new CordonError(
      "INTEGRITY_MISMATCH",
      `the registry says ${manifest.name}@${manifest.version}, and the package in it says ${name}@${version}`,
    );
  const facts = manifest ? await registryFacts(manifest, taken, options, state) : { provenance: "none" as const };
  return { folder, name, version, integrity: taken, resolved, ...facts };
}

/** Who published it, when, and what vouches for that. */
async function registryFacts(
  manifest: Manifest,
  taken: string,
  options: NpmOptions,
  state: string,
): Promise<Vouched & Pick<Fetched, "publisher" | "published" | "registry">> {
  const { name, version, _npmUser: publisher } = manifest;
  const { time } = await pacote.packument(name, options);
  return {
    publisher: publisher?.name ? cleanLine(publisher.name, 100) : undefined,
    published: time?.[version],
    registry: registryOf(name, options),
    ...(await provenanceOf(manifest, taken, options, state)),
  };
}

/** Makes a package of a hook that is a single file, with the manifest beside it. */
function takeFile(path: string, folder: string): Taken {
  const name = basename(path).replace(/\.[cm]?[jt]sx?$/, "");
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name))
    throw new CordonError(
      "BAD_MANIFEST",
      `${cleanLine(basename(path), 200)}: the name of a hook's file is letters, digits, ".", "_" and "-"`,
    );
  makeFolders(folder);
  for (const file of [path, path.replace(/\.[cm]?[jt]sx?$/, ".hook.json")]) {
    const bytes = bytesIfThere(file);
    if (bytes) writeFileSync(join(folder, basename(file)), bytes);
  }
  return { folder, name, version: "0.0.0", integrity: treeIntegrity(filesOf(folder)), provenance: "none" };
}
