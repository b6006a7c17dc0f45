import { dirname, isAbsolute, resolve } from "node:path";
import { CordonError, messageOf } from "../base/errors.ts";
import { parseJson } from "../base/json-text.ts";
import { keyed } from "../base/schema.ts";
import Type from "../base/type.ts";
import { readIfThere } from "../disk/atomic-file.ts";
import { inHome } from "../disk/home.ts";
import { checkGrant, GrantEntry } from "../grants/grant.ts";
import { closed, fileChecker, version } from "../grants/schema.ts";

const File = Type.Object({ version, hooks: Type.Record(Type.String(), Type.Unknown()) }, closed);
const check = fileChecker<{ version: 1; hooks: Record<string, unknown> }>(File, "BAD_GRANT");

/** The whole file, with its entries: these are checked one by one, so that an error names the hook. */
export const GrantsFile = Type.Object(
  {
    version,
    hooks: keyed(GrantEntry, {
      description: "Grants by hook: its id, or its path, which starts with / or with ./ for this file's folder.",
    }),
  },
  closed,
);

/** Grants by hook: its id, or its absolute path. */
export type Grants = ReadonlyMap<string, GrantEntry>;

/** What the user decided, in Cordon's home. */
export const grantsPath = (home: string): string => inHome(home, "grants.json");

/**
 * Reads a grants file. Relative paths in it start at its folder. Throws `BAD_GRANT` with file and key.
 *
 * @param required a file that is not there is an error
 */
export function readGrants(path: string, required: boolean): Grants {
  let text: string | undefined;
  try {
    text = readIfThere(path);
  } catch (error) {
    throw new CordonError("BAD_GRANT", `${path} cannot be read: ${messageOf(error)}`);
  }
  if (text === undefined) {
    if (required) throw new CordonError("BAD_GRANT", `${path}: no such file`);
    return new Map();
  }
  return parseGrants(text, path);
}

/** @param path the file of the text, for errors; relative paths start at its folder */
export function parseGrants(text: string, path: string): Grants {
  const { hooks } = check(parseJson(text, path, "BAD_GRANT"), path);
  return new Map(
    Object.entries(hooks).map(([key, entry]) => {
      const name = key.startsWith("./") || key.startsWith("../") ? resolve(dirname(path), key) : key;
      return [name, checkGrant(entry, `${path}: hooks[${JSON.stringify(key)}]`)];
    }),
  );
}

/** The text of a file with an entry for each hook: of grants, and of a lock. */
export function hooksText(entries: ReadonlyMap<string, object>): string {
  const sorted = Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
  return `${JSON.stringify({ version: 1, hooks: sorted }, null, 2)}\n`;
}

/**
 * The name of a hook's entry: its id, or else its path. Whoever changes what a hook has must change this one: an entry by the id
 * stands above one by the path, and would give back what was taken there.
 */
export const entryName = (grants: Grants, id: string, path: string): string | undefined =>
  [id, path].find((one) => grants.has(one) && (one === id || isAbsolute(one)));

/** The entry of a hook. */
export function findGrant(grants: Grants, id: string, path: string): GrantEntry | undefined {
  const name = entryName(grants, id, path);
  return name === undefined ? undefined : grants.get(name);
}
