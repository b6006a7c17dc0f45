import { lstatSync, readlinkSync, statSync } from "node:fs";
import { basename, dirname, join, parse, resolve } from "node:path";
import { realPathOf } from "./paths.ts";

const MAX_LINKS = 40;

/**
 * The files and folders that decide about the hooks of a session: Cordon's home, the agent's folder, the grants and policies
 * that were named. They are known by what they are, under whatever name, and by each link on the way to them.
 */
export class OwnPlaces {
  /** As they were named, absolute, and where they really are. */
  readonly paths: readonly string[];
  readonly #texts: ReadonlySet<string>;

  constructor(paths: readonly string[]) {
    const named = paths.map((path) => resolve(path));
    this.paths = [...new Set(named.flatMap((path) => [path, realPathOf(path)]))];
    this.#texts = new Set([...this.paths, ...named.flatMap(linksTo)].map(folded));
  }

  /** True for a path that is one of them or lies in one. `known`: answers about folders, for a caller that asks for many. */
  holds(path: string, known = new Map<string, boolean>()): boolean {
    // As they are now: one may have been made, or put in place, since.
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
}

/** The same for a folder under all its names, and for a file under all of its. */
function identity(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev} ${ino}`;
  } catch {
    return undefined;
  }
}

/** Every link that is followed on the way to a path, by its real folder's name. */
function linksTo(path: string): string[] {
  const links: string[] = [];
  const follow = (target: string): void => {
    const { root } = parse(target);
    let here = root;
    const parts = target.slice(root.length).split(/[\\/]/).filter(Boolean);
    for (const [at, part] of parts.entries()) {
      const next = join(realPathOf(here), part);
      if (isLink(next) && links.length < MAX_LINKS) {
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

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** Letters have no case everywhere. */
const folded = (path: string): string =>
  process.platform === "darwin" || process.platform === "win32" ? path.normalize("NFC").toLowerCase() : path;
