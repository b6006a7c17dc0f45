import leven from "leven";
import { kindIn } from "./source.ts";

/** A name that a person knows, since it is installed or an index offers it. */
export interface KnownName {
  name: string;
  /** As in a lock: `npm:gate`, `git:...`. */
  origin: string;
  /** How the person knows it, as the end of a sentence. */
  known: string;
}

/** What is fetched: the package, or a dependency of it. */
interface Fetched {
  name: string;
  origin: string;
  /** The start of a sentence about it. */
  subject: string;
}

/**
 * Warns about names that a person could confuse: a name that is nearly one that they know, or the same name from another
 * origin. These are sentences for a person to judge: neither is wrong by itself.
 */
export function lookalikes(fetched: readonly Fetched[], known: readonly KnownName[]): string[] {
  const warnings = fetched.flatMap(({ name, origin, subject }) =>
    known.flatMap((one) => {
      if (name === one.name)
        return placeIn(origin) === placeIn(one.origin)
          ? []
          : [`${subject} ${name} is from ${origin}; ${one.name} ${one.known} is from ${one.origin}`];
      return isNear(name, one.name) ? [`${subject} ${name} is nearly named like ${one.name}, ${one.known}`] : [];
    }),
  );
  return [...new Set(warnings)];
}

/** Who gives the names there: of a registry's packages all have one owner each; elsewhere a repository, a folder or a server has. */
function placeIn(origin: string): string {
  const kind = kindIn(origin);
  if (kind === "npm") return kind;
  return URL.parse(origin)?.host || origin.replace(/#.*$/s, "");
}

function isNear(name: string, known: string): boolean {
  // All packages of a scope have the same owner, who may name them freely.
  if (scopeOf(name) !== "" && scopeOf(name) === scopeOf(known)) return false;
  const [a, b] = [plain(name), plain(known)];
  if (a === b || whole(name) === whole(known)) return true;
  const [shorter, letters] = [Math.min(a.length, b.length), (text: string) => [...text].sort().join("")];
  if (shorter < 4) return false;
  return leven(a, b) <= (shorter < 8 ? 1 : 2) || (a[0] === b[0] && letters(a) === letters(b));
}

const scopeOf = (name: string): string => /^@[^/]+/.exec(name)?.[0] ?? "";

/** A name without what people do not remember of it: its dashes, and that it is JavaScript. */
const whole = (name: string): string => name.replace(/[-_.](js|ts|node)$/, "").replace(/[-_.@/]/g, "");

/** The same without the scope. */
const plain = (name: string): string => whole(name.replace(/^@[^/]+\//, ""));
