import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { counted } from "../base/counted.ts";
import { messageOf } from "../base/errors.ts";
import { command } from "../base/shell-word.ts";
import { readIfThere, writeAtomically } from "../disk/atomic-file.ts";
import { realPathOf } from "../disk/paths.ts";
import { checkIndex, isSignedIndex, signIndex } from "../market/hook-index.ts";
import { sourceOf } from "../market/source.ts";
import { Refused } from "./common.ts";
import { printResult } from "./print.ts";

/** `cordon index key FILE`: makes the key that an index is signed with. */
export function indexKey(file: string, flags: { json?: boolean }): void {
  if (existsSync(file)) throw new Refused(`${file} is there already: a key that is overwritten is lost`);
  const { privateKey } = generateKeyPairSync("ed25519");
  writeAtomically(file, privateKey.export({ type: "pkcs8", format: "pem" }).toString());
  printResult(flags, `${file}: keep it where nobody else reads it; whoever has it signs for you`, { key: file });
}

/** `cordon index build FILE --key KEY --out OUT`: checks a list of hooks, signs it, and writes what users read. */
export function indexBuild(file: string, flags: { key: string; out: string; json?: boolean }): void {
  const [text, key] = [readIfThere(file), readIfThere(flags.key)];
  if (text === undefined) throw new Refused(`${file}: no such file`);
  if (key === undefined)
    throw new Refused(`${flags.key}: no such file; one is made by: ${command`cordon index key ${flags.key}`}`);
  let value: unknown;
  try {
    value = readJson(text);
  } catch (error) {
    throw new Refused(`${file}: not JSON (${messageOf(error)})`);
  }
  const index = checkIndex(value, file);
  for (const [name, { spec }] of Object.entries(index.hooks)) {
    try {
      sourceOf(spec, resolve("."));
    } catch (error) {
      throw new Refused(`${file}: hooks.${name}.spec: ${messageOf(error)}`);
    }
  }
  refuseOverwrite(flags.out, { [flags.key]: "the key", [file]: "the list itself" });
  writeAtomically(flags.out, signIndex(index, keyIn(key, flags.key)), 0o644);
  const count = Object.keys(index.hooks).length;
  printResult(flags, `${flags.out}: ${counted(count, "hook")}, signed`, { out: flags.out, hooks: count });
}

/** Only what this command wrote is replaced. */
function refuseOverwrite(out: string, taken: Readonly<Record<string, string>>): void {
  const is = Object.entries(taken).find(([path]) => realPathOf(resolve(path)) === realPathOf(resolve(out)));
  if (is) throw new Refused(`--out ${out} is ${is[1]}; name another file`);
  const there = readIfThere(out);
  if (there !== undefined && !isSignedIndex(there))
    throw new Refused(`${out} is there already, and is no signed index; name another file`);
}

function keyIn(text: string, path: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(text);
  } catch (error) {
    throw new Refused(`${path}: invalid key (${messageOf(error)})`);
  }
  if (key.asymmetricKeyType === "ed25519") return key;
  throw new Refused(`${path}: an ed25519 key is needed, and this is a key of type ${key.asymmetricKeyType}`);
}
