import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import type { Static } from "typebox";
import { DIALECTS } from "../../sandbox/wire/messages.ts";
import { CordonError, messageOf } from "../base/errors.ts";
import { parseJson } from "../base/json-text.ts";
import { keyed } from "../base/schema.ts";
import Type from "../base/type.ts";
import { readIfThere } from "../disk/atomic-file.ts";
import { isMarked, isPlugin, PLUGIN_FILE } from "./package-hooks.ts";
import { CapabilitiesShape, closed, failure, fileChecker, Limits, priority, refineCapabilities } from "./schema.ts";

const MAX_MANIFEST_BYTES = 1024 * 1024;

export const Manifest = Type.Object(
  {
    hooks: Type.Optional(
      Type.Array(Type.String(), { description: "Files of its hooks, relative to the package. Only in package.json." }),
    ),
    dialect: Type.Optional(
      Type.Enum([...DIALECTS], {
        description: "The API that it was written for. Left out: found by what it imports, or exports.",
      }),
    ),
    capabilities: Type.Optional({ ...CapabilitiesShape, description: "Powers that it asks for when it is added." }),
    optional: Type.Optional({ ...CapabilitiesShape, description: "Powers that it asks for on first use." }),
    why: Type.Optional(
      keyed(Type.String(), {
        description: "One sentence for each power: why it needs it. A person reads it before they grant it.",
      }),
    ),
    priority: Type.Optional(priority),
    failure: Type.Optional(failure),
    limits: Type.Optional(Limits),
  },
  closed,
);

/** What a hook says about itself and asks for. It grants nothing. */
export type Manifest = Static<typeof Manifest>;

const check = fileChecker<Manifest>(Manifest, "BAD_MANIFEST");

export interface FoundManifest {
  manifest: Manifest | undefined;
  /** Canonical text for the digest; empty without a manifest. */
  text: string;
  /** The manifest's file, if there is one: a `package.json` has it under the key `cordon`. */
  file?: string;
  /** The hook's own folder: a build reads nothing outside of it. */
  root: string;
  /** The name of the hook's package, if it is in one. */
  packageName: string | undefined;
}

/** Where the manifest of a single-file hook lies. The file itself for what is no code. */
const besideOf = (file: string): string => file.replace(/\.[cm]?[jt]sx?$/, ".hook.json");

/** Where the manifest of a hook is, or would be written: a file, and the key of it that has the manifest. */
export function manifestPlace(file: string): { path: string; key?: "cordon" } {
  const beside = besideOf(file);
  if (beside !== file && existsSync(beside)) return { path: beside };
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const path = join(folder, "package.json");
    const value = packageIn(path);
    if (value?.cordon !== undefined) return { path, key: "cordon" };
    if (value) break;
    if (dirname(folder) === folder || basename(folder) === "node_modules") break;
  }
  return { path: beside };
}

/** Finds the manifest of a hook file: `NAME.hook.json` beside it, or the `cordon` key of the package it lies in. */
export function findManifest(file: string): FoundManifest {
  const beside = besideOf(file);
  const own = beside === file ? undefined : readOwn(beside);
  if (own !== undefined) return { ...parse(own, beside), file: beside, root: dirname(file), packageName: undefined };
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const path = join(folder, "package.json");
    const value = packageIn(path);
    if (value) {
      const own = relative(folder, file).split(sep).join("/");
      if ((value.cordon ?? value.pi) === undefined && !isPlugin(value, value.hasPluginFile, own)) break;
      const packageName = typeof value.name === "string" ? value.name : undefined;
      // A package for an agent names its hooks, and not what they need.
      if (value.cordon === undefined) return { manifest: undefined, text: "", root: folder, packageName };
      return { ...parse(JSON.stringify(value.cordon), path), file: path, root: folder, packageName };
    }
    if (dirname(folder) === folder || basename(folder) === "node_modules") break;
  }
  return { manifest: undefined, text: "", root: dirname(file), packageName: undefined };
}

interface Package {
  name?: unknown;
  cordon?: unknown;
  pi?: unknown;
  openclaw?: unknown;
  hasPluginFile: boolean;
}

/** What a `package.json` says. One that only says how files are read, such as `{"type": "module"}`, makes no package of its folder. */
function packageIn(path: string): Package | undefined {
  const text = readOwn(path);
  const hasPluginFile = existsSync(join(dirname(path), PLUGIN_FILE));
  const said = text === undefined ? {} : Object(parseJson(text, path, "BAD_MANIFEST"));
  const { name, cordon, pi = isMarked(said.keywords) ? {} : undefined, openclaw } = said;
  const isPackage = hasPluginFile || (name ?? cordon ?? pi ?? openclaw) !== undefined;
  return isPackage ? { name, cordon, pi, openclaw, hasPluginFile } : undefined;
}

function parse(text: string, path: string): { manifest: Manifest; text: string } {
  const manifest = checkManifest(parseJson(text, path, "BAD_MANIFEST"), path);
  return { manifest, text: JSON.stringify(manifest) };
}

/** Throws `BAD_MANIFEST` for what is no manifest. */
export function checkManifest(value: unknown, path: string): Manifest {
  const manifest = check(value, path);
  refineCapabilities(manifest.capabilities ?? {}, path, "BAD_MANIFEST");
  refineCapabilities(manifest.optional ?? {}, path, "BAD_MANIFEST");
  return manifest;
}

/** Reads a manifest, and refuses a link out of its folder: an error message would show parts of another file. */
function readOwn(path: string): string | undefined {
  let text: string | undefined;
  try {
    text = readIfThere(path, MAX_MANIFEST_BYTES);
  } catch (error) {
    throw new CordonError("BAD_MANIFEST", messageOf(error));
  }
  if (text !== undefined && dirname(realpathSync(path)) !== realpathSync(dirname(path))) {
    throw new CordonError("BAD_MANIFEST", `${path}: a link out of its folder`);
  }
  return text;
}
