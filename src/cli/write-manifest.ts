import { lstatSync } from "node:fs";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { settingsIn, withEntries } from "../agents/setup/json-edits.ts";
import { CordonError } from "../base/errors.ts";
import { readToEdit, writeAtomically } from "../disk/atomic-file.ts";
import { limitsOf } from "../grants/limits.ts";
import { checkManifest, findManifest, manifestPlace } from "../grants/manifest.ts";
import { type Asks, type Capabilities, powersOf } from "../grants/schema.ts";

/** A manifest is made for others to read, too. */
const MODE = 0o644;
const MODE_BITS = 0o777;

/** What was done to a manifest: names of powers and `limits`. */
interface Addition {
  file: string;
  /** There was a manifest before. */
  wasThere: boolean;
  /** What it did not ask for, or not for all of it. */
  added: readonly string[];
  /** What it asked for before, and stays. */
  kept: readonly string[];
}

/**
 * Adds powers and limits to what a hook's manifest asks for: `NAME.hook.json` beside it, or the `cordon` key of its package. All else
 * that is there stays. Without anything to add the file is not written. Throws for a link, and for a file that
 * is no manifest.
 */
export function addToManifest(file: string, { limits, ...powers }: Asks): Addition {
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
  const kept = [...Object.keys(asked), ...(manifest?.limits ? ["limits"] : [])];
  const added = [...fresh.map(([name]) => name), ...(lifted ? ["limits"] : [])];
  const addition = { file: path, wasThere: manifest !== undefined, added, kept };
  if (manifest && added.length === 0) return addition;
  const entries = [
    ...fresh.map(([name, value]) => ({ path: [...before, "capabilities", name], value, isValue: true as const })),
    ...(lifted ? [{ path: [...before, "limits"], value: lifted, isValue: true as const }] : []),
  ];
  const text = withEntries(readToEdit(path) ?? "", entries, { file: path, own: "\0" });
  const whole = settingsIn(text, path);
  checkManifest(readJson(JSON.stringify(key === undefined ? whole : whole[key])), path);
  writeAtomically(path, text.endsWith("\n") ? text : `${text}\n`, status ? status.mode & MODE_BITS : MODE);
  return addition;
}

/** What was done to a manifest, for people. */
export function additionText({ file, wasThere, added, kept }: Addition): string {
  if (!wasThere) return `written: ${file}, with ${added.join(", ")}`;
  if (added.length === 0) return `${file} stays as it was: it asks for all of that already`;
  const before =
    kept.length === 0 ? "it asked for nothing before" : `what it asked for before stays: ${kept.join(", ")}`;
  return `written: ${file}; added: ${added.join(", ")}; ${before}`;
}

/** The powers without all but one. */
const one = (powers: Capabilities, name: string): Capabilities =>
  Object.fromEntries(Object.entries(powers).filter(([power]) => power === name));
