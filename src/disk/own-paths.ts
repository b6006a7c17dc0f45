import { lstatSync, readlinkSync, statSync } from "node:fs";
import { basename, dirname, join, parse, resolve, sep } from "node:path";
import { attemptOr } from "../base/attempt.ts";
import { realPathOf } from "./paths.ts";

const MAX_LINKS = 40;

/**
 * The files and folders that decide about the hooks of a session: Cordon's home, the agent's folder, named grants and
 * policies. They are recognised under any name, and so is each link on the way to them.
 */
export class OwnPaths {
  /** Their absolute paths as named, and their real paths. */
  readonly paths: readonly string[];
  /** Without the agent's folder, in which extensions have folders of their own. */
  readonly strict: OwnPaths;
  readonly #texts: ReadonlySet<string>;

  constructor(paths: readonly string[], agentDir?: string) {
    this.strict = agentDir === undefined ? this : new OwnPaths(paths);
    const named = [...paths, ...(agentDir === undefined ? [] : [agentDir])].map((path) => resolve(path));
    this.paths = [...new Set(named.flatMap((path) => [path, realPathOf(path)]))];
    this.#texts = new Set([...this.paths, ...named.flatMap(linksTo)].map(folded));
  }

  /** True for a path that is one of them or lies in one. `known`: caches answers about folders for many calls. */
  holds(path: string, known = new Map<string, boolean>()): boolean {
    // Looked up now: one may have been created or replaced since.
    const own = new Set(this.paths.flatMap((one) => identity(one) ?? []));
    const look = (at: string): boolean => {
      const before = known.get(at);
      if (before !== undefined) return before;
      const above = dirname(at);
      const found = this.#texts.has(folded(at)) || own.has(identity(at) ?? "") || (above !== at && look(above));
      known.set(at, found);
      return found;
    };
    return look(path);
  }

  /** True for a path that is above one of them: what takes its place takes theirs. */
  isAbove(path: string): boolean {
    const above = folded(path.endsWith(sep) ? path : path + sep);
    return [...this.#texts].some((text) => text.startsWith(above));
  }
}

/** Identifies a file or folder under all its names. */
function identity(path: string): string | undefined {
  const status = attemptOr(() => statSync(path, { bigint: true }), undefined);
  return status && `${status.dev} ${status.ino}`;
}

/** Every link that is followed on the way to a path, each under its real folder. */
function linksTo(path: string): string[] {
  const links: string[] = [];
  const follow = (target: string): void => {
    const { root } = parse(target);
    let here = root;
    const parts = target.slice(root.length).split(/[\\/]/).filter(Boolean);
    for (const [at, part] of parts.entries()) {
      const next = join(realPathOf(here), part);
      if (lstatSync(next, { throwIfNoEntry: false })?.isSymbolicLink() && links.length < MAX_LINKS) {
        links.push(next);
        follow(resolve(dirname(next), readlinkSync(next), ...parts.slice(at + 1)));
        return;
      }
      here = next;
    }
    links.push(join(realPathOf(dirname(here)), basename(here)));
  };
  follow(path);
  return links;
}

/** Folds case on systems whose file names ignore it. */
const folded = (path: string): string =>
  process.platform === "darwin" || process.platform === "win32" ? path.normalize("NFC").toLowerCase() : path;
