import { existsSync, lstatSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { Metafile } from "esbuild";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { attemptOr } from "../base/attempt.ts";
import { isRefused } from "../powers/fs-refused-names.ts";
import { isInside } from "../runtime/find-program.ts";
import { carriedModule } from "./offered-modules.ts";
import { CODE, namesHash, TOO_MANY, treeOf } from "./package-tree.ts";
import type { VisibleFiles } from "./visible-files.ts";

/** Files and folders of one package that a bundle carries, relative to the package, with `/`. It may have none. */
export interface Carried {
  /** Absolute path of the package. */
  readonly folder: string;
  readonly files: readonly { path: string; bytes: Buffer }[];
  /** Of these, all that is in them is among the files. */
  readonly folders: readonly string[];
  /** Ends of paths that the code names, and that lead to nothing in the package. */
  readonly absent: readonly string[];
}

/** Most bytes of carried files in one bundle: each isolate has them in its memory. */
export const MAX_CARRIED_BYTES = 1024 * 1024;

/** Most names of files that are not there. */
const MAX_ABSENT = 1000;

/** Code that finds out where it stands. */
const ASKS_PLACE = /__dirname|__filename|import\s*\.\s*meta/;

/**
 * Files that came with a package and that its code names in plain text, where it finds out its own place: a hook reads them
 * without a power, as it reads what it imports. A named folder is carried if nothing in it is code, hidden, a secret or a link.
 */
export function carriedFiles({ inputs }: Metafile, root: string, files: VisibleFiles): Carried[] {
  const modules = new Map<string, string>();
  for (const input of Object.keys(inputs)) {
    const path = resolve(root, input);
    // What the build made itself is no file.
    if (CODE.test(path) && isInside(path, root) && existsSync(path)) modules.set(path, files.read(path).toString());
  }
  const packageOf = packagesIn(root, files);
  const asking = [...modules].filter(([, text]) => ASKS_PLACE.test(text));
  const packages = new Set(asking.flatMap(([path]) => packageOf(dirname(path)) ?? []));
  let left = MAX_CARRIED_BYTES;
  return [...packages].sort().map((folder) => {
    const own = [...modules].filter(([path]) => isInside(path, folder) && packageOf(dirname(path)) === folder);
    const found = namedIn(folder, namesIn(own.map(([, text]) => text).join("\n")), modules, files, left);
    for (const { bytes } of found.files) left -= bytes.length;
    return found;
  });
}

/** The module that a bundle evaluates first, which gives these files to `node:fs`; empty if there are none. */
export const carryingCode = (carried: readonly Carried[]): string => {
  const calls = carried.flatMap(({ folder, files, ...rest }) => {
    if (files.length === 0 && rest.absent.length === 0) return [];
    const contents = files.map(({ path, bytes }) => {
      const text = bytes.toString();
      return Buffer.from(text).equals(bytes) ? [path, text] : [path, bytes.toString("base64"), true];
    });
    return `carry(${JSON.stringify(folder)}, ${JSON.stringify({ files: contents, ...rest })});\n`;
  });
  return calls.length === 0 ? "" : `import { carry } from ${JSON.stringify(carriedModule())};\n${calls.join("")}`;
};

/** The carried files by their places in the hook's folder, for a person. */
export function carriesIn(carried: readonly Carried[], root: string): string[] {
  const paths = carried.flatMap(({ folder, files }) => files.map(({ path }) => relative(root, join(folder, path))));
  return paths.map((path) => path.split(sep).join("/")).sort();
}

/** Finds the folder of the package that a folder is of, with the name and version that a published one has. */
function packagesIn(root: string, files: VisibleFiles): (folder: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  const find = (folder: string): string | undefined => {
    if (!isInside(folder, root) || basename(folder) === "node_modules") return undefined;
    const json = attemptOr(() => readJson(files.read(join(folder, "package.json")).toString()), undefined);
    return typeof json?.name === "string" && typeof json.version === "string" ? folder : packageOf(dirname(folder));
  };
  const packageOf = (folder: string): string | undefined => {
    if (!known.has(folder)) known.set(folder, find(folder));
    return known.get(folder);
  };
  return packageOf;
}

/** Where code names a module: that is no file to read. */
const SPECIFIERS = /\b(?:from|import|require)\s{0,20}\(?\s{0,20}(?:"[^"\n]*"|'[^'\n]*')/g;

/** A path that could be meant is shorter. */
const MAX_TEXT = 400;

/** Texts in code that could be the end of a path, without the dots at their beginning. */
function namesIn(code: string): Set<string> {
  const names = new Set<string>();
  for (const [, before, text = ""] of code.replace(SPECIFIERS, "").matchAll(/(["'`}\n]|\$\{)([^"'`}\n$]*)/g)) {
    if (text.length > MAX_TEXT) continue;
    const name = before === "${" ? "" : text.replace(/^(?:\.{0,2}\/)+/, "").replace(/\/+$/, "");
    if (name !== "" && name.length < 200) names.add(name);
  }
  return names;
}

function namedIn(
  folder: string,
  names: ReadonlySet<string>,
  modules: ReadonlyMap<string, unknown>,
  seen: VisibleFiles,
  most: number,
): Carried {
  const hash = namesHash(folder);
  seen.noteNames(folder, hash);
  const tree = hash === TOO_MANY ? undefined : treeOf(folder);
  if (!tree) return { folder, files: [], folders: [], absent: [] };
  let left = most;
  const taken = new Map<string, Buffer>();
  /** Takes all of these files or none. */
  const take = (paths: readonly string[]): boolean => {
    const fresh = paths.filter((path) => !taken.has(path));
    const found = fresh.map((path) => lstatSync(join(folder, path)));
    const size = found.reduce((sum, one) => sum + one.size, 0);
    // What is run as a program is no data.
    if (size > left || found.some(({ mode }) => (mode & 0o111) !== 0)) return false;
    left -= size;
    for (const path of fresh) taken.set(path, seen.readData(join(folder, path)));
    return true;
  };
  const isNamed = (path: string): boolean => endsOf(path).some((end) => names.has(end));
  for (const path of tree.files.filter(isNamed)) if (!modules.has(join(folder, path))) take([path]);
  const isBelow = (whole: string) => (path: string) => path.startsWith(`${whole}/`);
  const whole = tree.folders.filter(isNamed).filter((path) => take(tree.files.filter(isBelow(path))));
  const ends = new Set([...tree.files, ...tree.allFolders].flatMap(endsOf));
  const isAbsent = (name: string): boolean => FILE.test(name) && !isRefused(`/${name}`, "read") && !ends.has(name);
  return {
    folder,
    files: [...taken].map(([path, bytes]) => ({ path, bytes })),
    folders: tree.folders.filter((path) => whole.some((one) => path === one || isBelow(one)(path))),
    absent: tree.isComplete ? [...names].filter(isAbsent).sort().slice(0, MAX_ABSENT) : [],
  };
}

/** A text that names a file, and no hidden one. */
const FILE = /^\w[\w@-]*(?:[./]\w[\w@-]*)*\.[a-z]\w{1,9}$/i;

const endsOf = (path: string): string[] => {
  const parts = path.split("/");
  return parts.map((_part, at) => parts.slice(at).join("/"));
};
