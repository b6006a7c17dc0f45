import { readFileSync } from "node:fs";
import { basename, relative } from "node:path";
import { findNodeAtLocation, getNodePath, type JSONPath, parseTree } from "jsonc-parser";
import { attemptOr } from "../base/attempt.ts";
import { readIfThere } from "../disk/atomic-file.ts";

/** A place in a file. Line and column count from 1. */
export interface Place {
  file: string;
  line: number;
  column: number;
}

/** A place as compilers write it, from the folder that a person is in. */
export const placeText = ({ file, line, column }: Place): string =>
  `${relative(process.cwd(), file) || file}:${line}:${column}`;

/** The beginning of a file: of what is wrong with all of it. */
export const startOf = (file: string): Place => ({ file, line: 1, column: 1 });

const placeAt = (file: string, text: string, offset: number): Place => {
  const before = text.slice(0, offset).split("\n");
  return { file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
};

/** The first match of a pattern in these files; the beginning of `entry` if there is none. */
export function placeOf(pattern: RegExp, sources: ReadonlyMap<string, string>, entry: string): Place {
  for (const [file, text] of sources) {
    const at = text.search(pattern);
    if (at >= 0) return placeAt(file, text, at);
  }
  return startOf(entry);
}

export const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Where an event is named in quotes; Strands names its classes, and pi's extensions what happens to a session. */
export const eventNamed = (name: string): RegExp =>
  new RegExp(`["'\`]${escaped(name)}${name === "session" ? "(?:_\\w{1,30})?" : ""}["'\`]`);

/** The path of a file in a folder; a file elsewhere has its whole path. */
export const pathBelow = (root: string, file: string): string =>
  file.startsWith(root) ? file.slice(root.length) : file;

/** A file below `node_modules`: of a dependency, or what Cordon provides. */
const isPackaged = (file: string): boolean => /[\\/]node_modules[\\/]/.test(file);

/** A hook's own files, of all that it was built from. */
export const ownFiles = (entry: string, files: readonly string[], root: string): string[] => [
  ...new Set([entry, ...files.filter((file) => file.startsWith(root) && !isPackaged(pathBelow(root, file)))]),
];

/** The texts of a hook's own files, but for manifests, which are no code. A file of another version of the package may be gone. */
export function sourcesOf(entry: string, files: readonly string[], root: string): Map<string, string> {
  const code = ownFiles(entry, files, root).filter((file) => basename(file) !== "package.json");
  const read = code.map((file) => [file, attemptOr(() => readIfThere(file), undefined)] as const);
  return new Map(read.flatMap(([file, text]) => (text === undefined ? [] : [[file, text]])));
}

/** A source without its imports and exports of types alone, which vanish in the build. All else stays in its place. */
export const withoutTypes = (source: string): string =>
  source.replace(/\b(?:im|ex)port\s{1,9}type\b[^;"'`]{0,9999}/g, (found) => found.replace(/[^\n]/g, " "));

/** The place that a message begins with, or contains: `FILE:LINE:COLUMN`. `resolve`: from its file, as the message names it. */
export function placeIn(message: string, resolve: (file: string) => string): Place | undefined {
  const found = /^([^\n]+?):(\d+):(\d+): /.exec(message) ?? /(?:^|[\s(])([^\s():]+):(\d+):(\d+)/.exec(message);
  const [, file, line, column] = found ?? [];
  return file === undefined ? undefined : { file: resolve(file), line: Number(line), column: Number(column) };
}

/** Finds keys and values of a JSON file, and of the nearest part above them that is there. */
export function placesOfJson(file: string): (path: JSONPath) => Place {
  const text = readFileSync(file, "utf8");
  const tree = parseTree(text);
  return (path) => {
    for (let part = path; tree && part.length > 0; part = part.slice(0, -1)) {
      const node = findNodeAtLocation(tree, [...part]);
      // A property begins with its key.
      if (node && getNodePath(node).length > 0)
        return placeAt(file, text, (node.parent?.type === "property" ? node.parent : node).offset);
    }
    return startOf(file);
  };
}
