import { statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { attemptOr } from "../base/attempt.ts";
import { didYouMean, meant } from "../base/near-names.ts";
import { shownName } from "../base/text.ts";
import type { HookHostOptions } from "../session/options.ts";
import { line, say, sayMarked, style } from "./print.ts";

/** The command line says nothing that can be done: exit code 2. What it names and is not there is {@link Refused}. */
export class UsageError extends Error {}

/** The error for an agent that is not known. The first word of a name is enough to mean it: `claude` for `claude-code`. */
export function unknownAgent(name: string, known: readonly string[]): UsageError {
  const begun = known.filter((one) => one.startsWith(`${name}-`));
  const near = begun.length > 0 ? meant(begun) : didYouMean(name, known);
  return new UsageError(`no agent ${name}${near || ";"} there are ${known.join(", ")}`);
}

/** Something was refused or failed: exit code 1. The message is all that is printed. */
export class Refused extends Error {}

export interface HostFlags {
  hook?: string[];
  trustedHook?: string[];
  grants?: string;
  cwd?: string;
  discover: boolean;
  hookTimeout?: number;
  record?: true | string;
}

/** The flags of commands about one project. */
export interface ProjectFlags {
  cwd?: string;
  json?: boolean;
}

/** Collects the values of a flag that is given more than once. */
export const gather = (value: string, list: string[] = []): string[] => [...list, value];

/** Parses a number above 0. `what`: the end of the sentence about another value. */
const numberUpTo = (most: number, what: string) => (value: string) => {
  const number = Number(value);
  if (number > 0 && number <= most) return number;
  throw new InvalidArgumentError(`it must be a number of ${what}`);
};
/** Parses a number of things. */
export function count(value: string): number {
  const number = Number(value);
  if (Number.isInteger(number) && number > 0 && number <= 1_000_000) return number;
  throw new InvalidArgumentError("it must be a whole number from 1 to 1000000");
}
export const seconds = numberUpTo(3600, "seconds, at most 3600");
const milliseconds = numberUpTo(Number.MAX_VALUE, "milliseconds above 0");

/** The flags that `serve`, `run` and `demo` share. */
export function withHostFlags(command: Command): Command {
  return command
    .option("--hook <path>", "load this hook file (repeatable)", gather)
    .option("--trusted-hook <path>", "load your own hook without a sandbox, with all its rights (repeatable)", gather)
    .option("--grants <file>", "a grants file that goes before the one in Cordon's home (default: none)")
    .option("--cwd <dir>", "the working directory hooks see (default: this folder)")
    .option("--no-discover", "only hooks that are named: none of folders, settings and installed ones")
    .option("--hook-timeout <ms>", "time one handler may take (default: 30000)", milliseconds);
}

/** The flag of commands that can record the session they serve. */
export const withRecording = (command: Command): Command =>
  command.option(
    "--record [file]",
    "record the session, in this new file (default: one in Cordon's home); secrets are masked, best effort",
  );

/** A folder that a person names: absolute, and there. Throws `Refused` for anything else. */
export function folderAt(path: string): string {
  const folder = resolve(path);
  if (!attemptOr(() => statSync(folder).isDirectory(), false)) throw new Refused(`${folder}: no such folder`);
  return folder;
}

/** The options of a host that these flags set. */
export function hostOptions(flags: HostFlags): HookHostOptions {
  // Relative paths start where the command was typed, not in the directory that hooks see.
  const typed = (path: string): string => (flags.cwd === undefined ? path : resolve(path));
  const cwd = folderAt(flags.cwd ?? ".");
  return {
    cwd,
    discover: flags.discover,
    hooks: [
      ...(flags.hook ?? []).map(typed),
      ...(flags.trustedHook ?? []).map((path) => ({ path: typed(path), trust: "full" as const })),
    ],
    ...(flags.grants === undefined ? {} : { grantsFile: resolve(flags.grants) }),
    ...(flags.hookTimeout === undefined ? {} : { hookTimeout: flags.hookTimeout }),
    ...(flags.record === undefined ? {} : { record: flags.record === true ? true : resolve(flags.record) }),
  };
}

/** How long a hook may take for a sample call, in ms. */
export const REHEARSED_MS = 3000;

/** How long a command that ends after the last event waits for what hooks do a little later, as in a timer, in ms. */
export const LATE_MS = 100;

/** The name that a person knows a hook by: its id, or the path that they gave. */
export const called = ({ id, path }: { id: string; path: string }): string => shownName(isAbsolute(id) ? path : id);

/** Prints what a person should know, and what stops nothing. */
export const note = (text: string): void => sayMarked`note: ${text}`;

/** Prints what the command is doing, for a person who watches it on a terminal. */
export const progress = (step: string): void => {
  if (process.stderr.isTTY) say`${style.dim(step)}`;
};

/** Prints how far a download is: on a terminal in one line that changes, else only that it begins. */
export const download = (step: string, percent: number): void => {
  if (!process.stderr.isTTY) {
    if (percent === 0) say`${step} …`;
    return;
  }
  process.stderr.write(`\r${line`${step}: ${percent} %`}${percent === 100 ? "\n" : ""}`);
};
