import { join } from "node:path";
import { foldersUp } from "../../disk/paths.ts";
import { isRecord, memberAt } from "./member-at.ts";

/** A key of an agent's settings, and whether the agent runs none of Cordon's entries with a value of it. */
export interface Switch {
  /** With dots between the names. */
  key: string;
  isOff(value: unknown): boolean;
}

/** Off with any value that does not say no. */
export const offWith = (key: string): Switch => ({
  key,
  isOff: (value) => ![undefined, null, false, "", "0", "false"].includes(value as undefined),
});

/** Off with any value but `true`. */
export const offUnless = (key: string): Switch => ({ key, isOff: (value) => value !== undefined && value !== true });

/** A list of commands that are not run. Cordon's entries run `bin/hook` in its home. */
export const offIn = (key: string): Switch => ({
  key,
  isOff: (value) =>
    Array.isArray(value) && value.some((one) => typeof one === "string" && /(^|\/)bin\/hook\b/.test(one)),
});

/**
 * Why an agent runs none of Cordon's entries, if one of these files turns them off. Which file it honours if several say
 * something is not looked at: one is enough.
 */
export function switchedOff(title: string, files: readonly string[], switches: readonly Switch[]): string | undefined {
  for (const file of files)
    for (const { key, isOff } of switches) {
      const value = memberAt(file, ...key.split("."));
      if (isOff(value))
        return `${file}: "${key}" is ${JSON.stringify(value)}, so ${title} runs no hook; change it first`;
    }
  return undefined;
}

/**
 * Variables of the loader, and of shells, with which the `sh` of an entry may end with 0 before it reads a command, run code of
 * others, or read another command.
 */
const OF_SHELL = /^(LD_|DYLD_|BASH_FUNC_)|^(SHELLOPTS|BASHOPTS|BASH_ENV|ENV)$/;

/** Why an agent may ask nobody, if the `env` of one of these files has such a variable. No entry can undo what its own shell got. */
export function shellChanged(title: string, files: readonly string[]): string | undefined {
  for (const file of files) {
    const env = memberAt(file, "env");
    const name = isRecord(env) ? Object.keys(env).find((one) => OF_SHELL.test(one)) : undefined;
    if (name !== undefined)
      return `${file}: "env" sets ${name}, with which sh may end before it asks Cordon, so that ${title} lets calls pass; take it out first`;
  }
  return undefined;
}

/** Files of these names in each folder, and in all above them: the agent may take any of these for its project. */
export const filesUp = (folders: readonly string[], ...names: string[]): string[] => {
  const all = new Set(folders.flatMap((folder) => [...foldersUp(folder)]));
  return [...all].flatMap((folder) => names.map((name) => join(folder, name)));
};

/** The folder of a machine's own settings. */
export const systemFolder = (linux: string, darwin: string): string =>
  process.platform === "darwin" ? join("/Library/Application Support", darwin) : join("/etc", linux);
