import { existsSync } from "node:fs";
import { readIfThere, writeAtomically } from "../disk/atomic-file.ts";
import { checkIndex, newKey, signIndex } from "../market/hook-index.ts";
import { Refused, UsageError } from "./common.ts";
import { print, printJson } from "./print.ts";

/** `cordon index key FILE`: makes the key that an index is signed with. */
export function indexKey(file: string, flags: { json?: boolean }): void {
  if (existsSync(file)) throw new Refused(`${file} is there already: a key that is overwritten is lost`);
  writeAtomically(file, newKey(), 0o600);
  if (flags.json) printJson({ key: file });
  else print`${file}: keep it where nobody else reads it; whoever has it signs for you`;
}

/** `cordon index build FILE --key KEY --out OUT`: checks a list of hooks, signs it, and writes what users read. */
export function indexBuild(file: string, flags: { key: string; out: string; json?: boolean }): void {
  const [text, key] = [readIfThere(file), readIfThere(flags.key)];
  if (text === undefined) throw new UsageError(`${file}: no such file`);
  if (key === undefined)
    throw new UsageError(`${flags.key}: no such file; one is made by: cordon index key ${flags.key}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Refused(`${file}: not JSON (${(error as Error).message})`);
  }
  const index = checkIndex(value, file);
  writeAtomically(flags.out, signIndex(index, key), 0o644);
  const count = Object.keys(index.hooks).length;
  if (flags.json) printJson({ out: flags.out, hooks: count });
  else print`${flags.out}: ${count} hooks, signed`;
}
