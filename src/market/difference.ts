import type { TreeFile } from "./tree.ts";

/** Files that came, went or changed, as `+ path`, `- path` and `~ path`. */
export function changedFiles(before: readonly TreeFile[], now: readonly TreeFile[]): string[] {
  const old = new Map(before.map(({ path, sha256 }) => [path, sha256]));
  const current = new Set(now.map(({ path }) => path));
  return [
    ...now.flatMap(({ path, sha256 }) =>
      old.has(path) ? (old.get(path) === sha256 ? [] : [`~ ${path}`]) : [`+ ${path}`],
    ),
    ...before.flatMap(({ path }) => (current.has(path) ? [] : [`- ${path}`])),
  ];
}
