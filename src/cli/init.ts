import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import validateName from "validate-npm-package-name";
import { command } from "../base/shell-word.ts";
import { removeDrafts } from "../disk/atomic-file.ts";
import { uniqueName } from "../disk/process-owner.ts";
import { PACKAGE_NAME } from "../market/package.ts";
import { looksLikeOwn } from "../store/own-name.ts";
import { askOne, askText } from "./ask.ts";
import { Refused, UsageError } from "./common.ts";
import { STARTERS, type Starter, starterFiles, TYPES } from "./init-files.ts";
import { print, printJson, style } from "./print.ts";
import { onTerminal } from "./terminal.ts";

interface Flags {
  dialect?: string;
  json?: boolean;
}

/** `cordon init [NAME]`: writes a new hook package into the folder NAME, and asks on a terminal for what the command line leaves out. */
export async function init(given: string | undefined, flags: Flags): Promise<void> {
  const known = flags.dialect === undefined ? undefined : starterNamed(flags.dialect);
  const { name, dialect } = await asked(given, known);
  refuseName(name);
  const folder = resolve(name.replace(/^@[^/]*\//, ""));
  const files = starterFiles(name, dialect);
  writeFolder(folder, files);
  if (flags.json) printJson({ name, dialect, folder, files: [...files.keys()].sort() });
  else {
    print`${style.green("wrote")} ${folder}: a hook for ${STARTERS[dialect]}, with a test`;
    print`next: cd ${folder.slice(dirname(folder).length + 1)} && npm install && npm test`;
    const types = TYPES[dialect]?.[0];
    if (types !== undefined) print`its types, for your editor: npm install --save-dev ${types}`;
  }
}

async function asked(
  name: string | undefined,
  dialect: Starter | undefined,
): Promise<{ name: string; dialect: Starter }> {
  if (name !== undefined && dialect !== undefined) return { name, dialect };
  return onTerminal(
    async (terminal) => {
      const called = name ?? (await askText("Name of the package", terminal));
      if (called === undefined) throw new Refused("cancelled: nothing was written");
      refuseName(called);
      const chosen = dialect ?? (await askOne<Starter>("What is the hook written for?", STARTERS, terminal));
      if (chosen === undefined) throw new Refused("cancelled: nothing was written");
      return { name: called, dialect: chosen };
    },
    () => {
      const missing = [...(name === undefined ? ["NAME"] : []), ...(dialect === undefined ? ["--dialect"] : [])];
      throw new UsageError(
        `no terminal to ask on: ${missing.join(" and ")} must be given, as in ${command`cordon init ${name ?? "my-guard"} --dialect pi`}`,
      );
    },
  );
}

function starterNamed(text: string): Starter {
  const found = Object.keys(STARTERS).find((name) => name === text);
  if (found === undefined) throw new UsageError(`no dialect ${text}; there are: ${Object.keys(STARTERS).join(", ")}`);
  return found as Starter;
}

/** A name that npm takes for a new package, and `cordon add` for a hook's. */
function refuseName(name: string): void {
  const { errors = [], warnings = [] } = validateName(name);
  const fault =
    [...errors, ...warnings][0] ??
    (PACKAGE_NAME.test(name) ? undefined : "a hook's name has lower-case letters, digits, and . _ - inside") ??
    (looksLikeOwn(name) ? "people would take it for Cordon itself" : undefined);
  if (fault !== undefined) throw new UsageError(`${JSON.stringify(name)} cannot be the name of a package: ${fault}`);
}

/**
 * Writes a folder with these files, or nothing: it is written beside its place and renamed. Never overwrites; the system refuses to
 * rename over a folder that has got files meanwhile.
 */
function writeFolder(folder: string, files: ReadonlyMap<string, string>): void {
  refuseTaken(folder);
  const parent = dirname(folder);
  removeDrafts(parent, `${folder.slice(parent.length + 1)}.`);
  const draft = `${folder}.${uniqueName()}.tmp`;
  try {
    for (const [path, text] of files) {
      mkdirSync(dirname(join(draft, path)), { recursive: true });
      writeFileSync(join(draft, path), text, { flag: "wx" });
    }
    // Windows renames over no folder, and no system removes one that is not empty.
    if (existsSync(folder)) rmdirSync(folder);
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOTEMPTY" || code === "EEXIST") refuseTaken(folder);
    throw error;
  }
}

function refuseTaken(folder: string): void {
  const there = lstatSync(folder, { throwIfNoEntry: false });
  if (there && !there.isDirectory())
    throw new Refused(`${folder} is there already, and no folder: choose another name`);
  if (there && readdirSync(folder).length > 0)
    throw new Refused(`${folder} is not empty: choose another name, or an empty folder`);
}
