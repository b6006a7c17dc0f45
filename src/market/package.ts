import { existsSync, readdirSync, statSync } from "node:fs";
import { join, normalize, posix, sep } from "node:path";
import { valid } from "semver";
import type { Static } from "typebox";
import { CordonError } from "../base/errors.ts";
import { parseJson } from "../base/json-text.ts";
import { compile, keyed } from "../base/schema.ts";
import { cleanLine } from "../base/text.ts";
import Type from "../base/type.ts";
import { readIfThere } from "../disk/atomic-file.ts";
import { HOOK_KEYWORDS, hooksNamed } from "../grants/package-hooks.ts";
import { refuseOwnName } from "../store/own-name.ts";

/** Each is built and rehearsed, and a person decides about it. */
const MAX_HOOKS = 100;
const MAX_PACKAGE_BYTES = 1024 * 1024;

const paths = Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { maxItems: 100 });

/** The name of a package that has hooks. */
export const PACKAGE_NAME = /^(@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/;

/** What is read of a `package.json`. npm's other fields may be anything. */
const PackageJson = Type.Object({
  name: Type.String({ pattern: PACKAGE_NAME.source, maxLength: 214 }),
  version: Type.String({ pattern: "^[0-9A-Za-z.+-]+$", maxLength: 100 }),
  main: Type.Optional(Type.String({ maxLength: 300 })),
  keywords: Type.Optional(Type.Array(Type.String({ maxLength: 300 }))),
  dependencies: Type.Optional(keyed(Type.String())),
  cordon: Type.Optional(Type.Object({ hooks: Type.Optional(paths) })),
  pi: Type.Optional(Type.Object({ hooks: Type.Optional(paths), extensions: Type.Optional(paths) })),
  openclaw: Type.Optional(
    Type.Object({
      extensions: Type.Optional(paths),
      runtimeExtensions: Type.Optional(paths),
      hooks: Type.Optional(paths),
    }),
  ),
});
export type PackageJson = Static<typeof PackageJson>;
const shape = compile(PackageJson);

/** The `package.json` of a folder. A folder without one is a hook in a single file, which says nothing of itself. */
export function packageOf(folder: string): PackageJson {
  const path = join(folder, "package.json");
  const text = readIfThere(path, MAX_PACKAGE_BYTES);
  if (text === undefined) return { name: "hook", version: "0.0.0" };
  const value = parseJson(text, path, "BAD_MANIFEST");
  if (shape.Check(value)) {
    if (valid(value.version) === value.version.replace(/\+.*$/, "")) return value;
    throw new CordonError("BAD_MANIFEST", `${path}: invalid version ${value.version}; it must be like 1.2.3`);
  }
  const [error] = shape.Errors(value);
  const key = error?.instancePath.replaceAll("/", ".").slice(1) ?? "";
  throw new CordonError("BAD_MANIFEST", `${path}: ${cleanLine(`${key} ${error?.message ?? "is wrong"}`, 200)}`);
}

export interface Offer {
  /** `id`: the package's name, with the file where it has several hooks. `file`: relative to the package. */
  hooks: { id: string; file: string }[];
  /** Parts of a pi package that are no hooks, by name. */
  unsupported: string[];
}

/** The hooks that a package offers: what its `cordon` key names, else the keys of its agents, else its main file. */
export function hooksIn(folder: string, name: string): Offer {
  refuseOwnName(name);
  const json = packageOf(folder);
  const named = hooksNamed(json);
  const files = named.length > 0 ? named.flatMap((path) => filesAt(folder, path)) : mainOf(folder, json);
  const unsupported = [
    ...Object.keys(json.pi ?? {}).filter((part) => part !== "hooks" && part !== "extensions"),
    ...(json.openclaw?.hooks ? ["openclaw.hooks"] : []),
  ];
  if (files.length === 0)
    throw new CordonError(
      "BAD_MANIFEST",
      `${name} names no hooks: its package.json has no "cordon": {"hooks": [...]}, and none for pi or OpenClaw`,
    );
  const unique = [...new Set(files)].sort();
  if (unique.length > MAX_HOOKS) throw new CordonError("BAD_MANIFEST", `${name} has more than ${MAX_HOOKS} hooks`);
  return {
    hooks: unique.map((file) => ({ id: unique.length > 1 ? `${name}#${file}` : name, file })),
    unsupported: unsupported.map((part) => cleanLine(part, 100)),
  };
}

/** A file, or the hooks in a folder: its TypeScript files, and its folders with an index. */
function filesAt(folder: string, path: string): string[] {
  const file = inside(path);
  const real = join(folder, file);
  if (!existsSync(real)) throw misnamed(path, "not there");
  if (!statSync(real).isDirectory()) {
    if (/\.[cm]?[jt]sx?$/.test(file)) return [file];
    throw misnamed(path, "not code");
  }
  const own = indexIn(real);
  if (own) return [posix.join(file, own)];
  return readdirSync(real, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isFile() && /\.[cm]?[jt]s$/.test(entry.name) && !entry.name.endsWith(".d.ts"))
      return [posix.join(file, entry.name)];
    const index = entry.isDirectory() && indexIn(join(real, entry.name));
    return index ? [posix.join(file, entry.name, index)] : [];
  });
}

const indexIn = (folder: string): string | undefined =>
  ["index.ts", "index.js"].find((name) => existsSync(join(folder, name)));

const misnamed = (path: string, why: string): CordonError =>
  new CordonError("BAD_MANIFEST", `its package.json names ${cleanLine(path, 200)}, which is ${why}`);

function mainOf(folder: string, { main, keywords = [], cordon }: PackageJson): string[] {
  const isPackage = existsSync(join(folder, "package.json"));
  if (isPackage && !cordon && !keywords.some((word) => HOOK_KEYWORDS.includes(word))) return [];
  const found = main === undefined ? indexIn(folder) : inside(main);
  if (found !== undefined && existsSync(join(folder, found))) return [found];
  return isPackage ? [] : readdirSync(folder).filter((name) => /\.[cm]?[jt]sx?$/.test(name));
}

/** A path of a manifest, which must stay in the package. */
function inside(path: string): string {
  const file = normalize(path).split(sep).join("/").replace(/^\.\//, "").replace(/\/$/, "");
  if (file.startsWith("../") || file === ".." || file.startsWith("/") || /[\\\0]/.test(path))
    throw misnamed(path, "outside of the package");
  return file;
}
