import { lstatSync } from "node:fs";
import { settingsIn, withEntries } from "../agents/setup/json-edits.ts";
import { CordonError } from "../base/errors.ts";
import { readIfThere, writeAtomically } from "../disk/atomic-file.ts";
import { limitsOf } from "../grants/limits.ts";
import { checkManifest, findManifest, manifestPlace } from "../grants/manifest.ts";
import { type Asks, type Capabilities, powersOf } from "../grants/schema.ts";

/** A manifest is made for others to read, too. */
const MODE = 0o644;
const MODE_BITS = 0o777;

/**
 * Adds powers and limits to what a hook's manifest asks for: `NAME.hook.json` beside it, or the `cordon` key of its package. All else
 * that is there stays. Returns the file, or `undefined` if it asks for all of that already. Throws for a link, and for a file that
 * is no manifest.
 */
export function addToManifest(file: string, { limits, ...powers }: Asks): string | undefined {
  const { path, key } = manifestPlace(file);
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (status && !status.isFile())
    throw new CordonError("BAD_MANIFEST", `${path}: not a regular file; it stays as it is`);
  const { manifest } = findManifest(file);
  const before = key === undefined ? [] : [key];
  const asked: Capabilities = manifest?.capabilities ?? {};
  const all = powersOf.union(asked, powers) ?? {};
  const fresh = Object.entries(all).filter(([name]) => !powersOf.covers(asked, one(powers, name)));
  const lifted = limitsOf.covers(manifest?.limits, limits) ? undefined : limitsOf.union(manifest?.limits, limits);
  if (manifest && fresh.length === 0 && !lifted) return undefined;
  const entries = [
    ...fresh.map(([name, value]) => ({ path: [...before, "capabilities", name], value, isValue: true as const })),
    ...(lifted ? [{ path: [...before, "limits"], value: lifted, isValue: true as const }] : []),
  ];
  const text = withEntries(readIfThere(path) ?? "", entries, { file: path, own: "\0" });
  const whole = settingsIn(text, path);
  checkManifest(JSON.parse(JSON.stringify(key === undefined ? whole : whole[key])), path);
  writeAtomically(path, text.endsWith("\n") ? text : `${text}\n`, status ? status.mode & MODE_BITS : MODE);
  return path;
}

/** The powers without all but one. */
const one = (powers: Capabilities, name: string): Capabilities =>
  Object.fromEntries(Object.entries(powers).filter(([power]) => power === name));
