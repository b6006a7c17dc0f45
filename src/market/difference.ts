import type { Dependencies } from "../store/pins.ts";
import type { TreeFile } from "./tree.ts";

/** Files that were added, removed or changed, as `+ path`, `- path` and `~ path`. */
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

/** Events that a hook hears only now, or no longer, as `+ event` and `- event`. */
export function changedHearing(before: readonly string[], now: readonly string[]): string[] {
  return [
    ...now.flatMap((event) => (before.includes(event) ? [] : [`+ ${event}`])),
    ...before.flatMap((event) => (now.includes(event) ? [] : [`- ${event}`])),
  ];
}

/** Dependencies that were added, removed or have other versions, as `+ name 1.0.0`, `- name 1.0.0` and `~ name 1.0.0 → 2.0.0`. */
export function changedDependencies(before: Dependencies, now: Dependencies): string[] {
  return [
    ...Object.entries(now).flatMap(([location, { name, version, integrity }]) => {
      const old = before[location];
      if (!old) return [`+ ${name} ${version}`];
      return old.integrity === integrity ? [] : [`~ ${name} ${old.version} → ${version}`];
    }),
    ...Object.entries(before).flatMap(([location, { name, version }]) =>
      now[location] ? [] : [`- ${name} ${version}`],
    ),
  ];
}
