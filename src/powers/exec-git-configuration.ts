import { createHash } from "node:crypto";
import { leadsElsewhere } from "./exec-git-network.ts";
import { NAMED } from "./exec-git-settings.ts";

const MAX_NAMES = 500;
/** Most bytes of a list of settings. */
export const LIST_BYTES = 4_000_000;

/** What a repository is configured with, as far as it matters here. */
export interface Configuration {
  /** `section.name`, as they stand. */
  names: readonly [section: string, name: string][];
  worktree: string | undefined;
  /** The repository's own settings include other files, some of them maybe only at times. */
  includes: boolean;
  /** One of them at a branch: `symbolic-ref` of another process brings it in at any time. */
  includesByBranch: boolean;
  /** Files whose lines `blame` would take for names of commits, and say where they are none. */
  ignoring: readonly string[];
  /** A setting of the repository's own by which the network would be used otherwise. */
  leadsElsewhere: string | undefined;
  /** Hash of all that could name a program. */
  hash: string;
}

/** `listed`: scope and entry in turn. `modules`: entries of `.gitmodules`, of which only the names count. */
export function configurationOf(listed: string, modules: readonly string[]): Configuration | undefined {
  const names = new Map<string, [string, string]>();
  const hash = createHash("sha256");
  let worktree: string | undefined;
  let includes = false;
  let includesByBranch = false;
  const ignoring: string[] = [];
  if (listed.length >= LIST_BYTES) return undefined;
  const words = listed.split("\0");
  const entries = words.flatMap((scope, at) => (at % 2 === 0 ? [{ scope, entry: words[at + 1] ?? "" }] : []));
  for (const { scope, entry } of [...entries, ...modules.map((entry) => ({ scope: "modules", entry }))]) {
    const end = entry.indexOf("\n");
    const key = end < 0 ? entry : entry.slice(0, end);
    const [section = ""] = key.split(".", 1);
    if (key === "core.worktree") worktree = entry.slice(end + 1);
    if (scope === "local" || scope === "worktree") {
      includes ||= section === "include" || section === "includeif";
      includesByBranch ||= key.startsWith("includeif.onbranch:");
      if (key === "blame.ignorerevsfile") ignoring.push(entry.slice(end + 1));
    }
    if (!Object.hasOwn(NAMED, section) && section !== "core") continue;
    // Of a module only the name counts, and a command may well change the file.
    if (scope !== "modules") hash.update(`${entry}\0`);
    // The name may hold dots itself: what is between the first one and the last.
    const last = key.lastIndexOf(".");
    const name = key.slice(section.length + 1, last);
    // A name may be empty, as in `[filter ""]`.
    if (section !== "core" && last > section.length) names.set(`${section}.${name}`, [section, name]);
  }
  if (names.size > MAX_NAMES) return undefined;
  return {
    names: [...names.values()],
    worktree,
    includes,
    includesByBranch,
    ignoring,
    leadsElsewhere: leadsElsewhere(entries.map(({ scope, entry }) => ({ scope, key: entry.split("\n", 1)[0] ?? "" }))),
    hash: hash.digest("hex"),
  };
}
