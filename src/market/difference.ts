import type { Dependencies } from "../store/pins.ts";
import type { TreeFile } from "./tree.ts";

/** Files that were added, removed or changed, as `+ path`, `- path` and `~ path`. */
export function changedFiles(before: readonly TreeFile[], now: readonly TreeFile[]): string[] {
  const old = new Map(before.map(({ path, sha256 }) => [path, sha256]));
  const current = new Set(now.map(({ path }) => path));
  const changed = now.filter(({ path, sha256 }) => old.get(path) !== sha256);
  const gone = before.filter(({ path }) => !current.has(path));
  return [...changed.map(({ path }) => `${old.has(path) ? "~" : "+"} ${path}`), ...gone.map(({ path }) => `- ${path}`)];
}

/** Events that a hook hears only now, or no longer, as `+ event` and `- event`. */
export const changedHearing = (before: readonly string[], now: readonly string[]): string[] => [
  ...now.filter((event) => !before.includes(event)).map((event) => `+ ${event}`),
  ...before.filter((event) => !now.includes(event)).map((event) => `- ${event}`),
];

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
