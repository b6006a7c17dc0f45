import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import Arborist from "@npmcli/arborist";
import pacote, { type Manifest } from "pacote";
import { CordonError, messageOf } from "../errors.ts";
import { cleanLine } from "../text.ts";
import { MAX_PACKED_BYTES, unpack } from "./archive.ts";
import { addDependencies, type NpmOptions } from "./dependencies.ts";
import { packageOf } from "./package.ts";
import { type Provenance, provenanceOf } from "./provenance.ts";
import type { Source } from "./source.ts";
import { filesOf, treeIntegrity } from "./tree.ts";

/** A package as it stands in a folder of its own, with its dependencies, before anything of it was run. */
export interface Fetched {
  folder: string;
  name: string;
  version: string;
  /** Of the tarball, or of the files where there is none. */
  integrity: string;
  publisher?: string;
  /** When this version was published. */
  published?: string;
  provenance: Provenance;
}

/**
 * Fetches a package and its dependencies into an empty folder. Integrity is verified where the source has one, and no
 * script of any package runs. Rejects with `LOAD_FAILED` or `INTEGRITY_MISMATCH`.
 */
export async function fetchPackage(source: Source, folder: string, cache: string, npm: NpmOptions): Promise<Fetched> {
  // A folder or a repository is packed as npm would publish it, which takes Arborist.
  const options = { ...npm, cache, ignoreScripts: true, fullMetadata: true, preferOnline: true, Arborist };
  try {
    const found = source.kind === "file" ? takeFile(source.spec, folder) : await take(source, folder, options);
    await addDependencies(folder, options);
    return found;
  } catch (error) {
    if (error instanceof CordonError) throw error;
    const { code } = error as { code?: string };
    const what = `${cleanLine(source.spec, 300)} could not be fetched: ${cleanLine(messageOf(error), 500)}`;
    throw new CordonError(code === "EINTEGRITY" ? "INTEGRITY_MISMATCH" : "LOAD_FAILED", what);
  }
}

async function take(source: Source, folder: string, options: NpmOptions): Promise<Fetched> {
  // Of a tarball pacote would unpack all into its cache to read the manifest, however large that is.
  const manifest = source.kind === "registry" ? await pacote.manifest(source.spec, options) : undefined;
  const pinned = {
    ...options,
    ...(manifest ? { resolved: manifest._resolved } : {}),
    ...(manifest?._integrity ? { integrity: manifest._integrity } : {}),
  };
  const packed = await download(source.spec, pinned);
  await unpack(packed, folder);
  if (!existsSync(join(folder, "package.json")))
    throw new CordonError("BAD_MANIFEST", "it has no package.json: it is no package");
  const { name, version } = packageOf(folder);
  if (manifest && (name !== manifest.name || version !== manifest.version))
    throw new CordonError(
      "INTEGRITY_MISMATCH",
      `the registry says ${manifest.name}@${manifest.version}, and the package in it says ${name}@${version}`,
    );
  const integrity = `sha512-${createHash("sha512").update(packed).digest("base64")}`;
  const facts = manifest ? await registryFacts(manifest, options) : { provenance: "none" as const };
  return { folder, name, version, integrity, ...facts };
}

/** The tarball, no larger than it may be. */
async function download(spec: string, options: NpmOptions): Promise<Buffer> {
  return pacote.tarball.stream(
    spec,
    async (stream) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      for await (const part of stream) {
        bytes += part.length;
        if (bytes > MAX_PACKED_BYTES)
          throw new CordonError(
            "LOAD_FAILED",
            `the package is refused: larger than ${MAX_PACKED_BYTES / 1024 / 1024} MB`,
          );
        parts.push(part);
      }
      return Buffer.concat(parts);
    },
    options,
  );
}

/** Who published it, when, and what vouches for that. */
async function registryFacts(
  manifest: Manifest,
  options: NpmOptions,
): Promise<Pick<Fetched, "publisher" | "published" | "provenance">> {
  const { time = {} } = await pacote.packument(manifest.name, options);
  const publisher = manifest._npmUser?.name;
  const published = time[manifest.version];
  return {
    ...(publisher ? { publisher: cleanLine(publisher, 100) } : {}),
    ...(published ? { published } : {}),
    provenance: await provenanceOf(manifest, options, String(options.cache)),
  };
}

/** A hook in one file is a package of that file, and the manifest beside it. */
function takeFile(path: string, folder: string): Fetched {
  const name = basename(path).replace(/\.[cm]?[jt]sx?$/, "");
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name))
    throw new CordonError(
      "BAD_MANIFEST",
      `${cleanLine(basename(path), 200)}: the name of a hook's file is letters, digits, ".", "_" and "-"`,
    );
  // A pipe or a device could block this command for good.
  if (!statSync(path).isFile()) throw new CordonError("LOAD_FAILED", `${path} is no file`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  copyFileSync(path, join(folder, basename(path)));
  const manifest = path.replace(/\.[cm]?[jt]sx?$/, ".hook.json");
  if (existsSync(manifest)) copyFileSync(manifest, join(folder, basename(manifest)));
  return { folder, name, version: "0.0.0", integrity: treeIntegrity(filesOf(folder)), provenance: "none" };
}
