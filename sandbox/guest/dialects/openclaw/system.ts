import type { ProgramResult } from "../../../wire/answers.ts";
import type { GuestEnvironment } from "../../core/environment.ts";
import { checkLength, MAX_ARGS, MAX_PROGRAM } from "../../core/limits.ts";
import { copyOf, forHook, isArray, settled } from "../../core/primordials.ts";

interface CommandOptions {
  /** ms */
  timeoutMs?: unknown;
  cwd?: unknown;
  env?: unknown;
  input?: unknown;
}

/** The host accepts no more. */
const MAX_TEXT = 1_000_000;
const MAX_VARIABLES = 200;
const MAX_NAME = 128;
const MAX_VALUE = 32_768;

const isText = (value: unknown): value is string => typeof value === "string";

/** What OpenClaw answers for a command that took too long. */
const TIMED_OUT = 124;

/**
 * `api.runtime.system.runCommandWithTimeout(argv, options)`: runs a program by the power `exec`. `options`: the time in ms, or with
 * `cwd`, more variables and its input.
 */
export async function runCommandWithTimeout(
  { remote, init }: GuestEnvironment,
  argv: unknown,
  options: unknown,
): Promise<object> {
  const [program, ...args] = isArray(argv) ? copyOf<unknown>(argv) : [];
  if (!isText(program) || program === "" || !args.every(isText) || args.length > MAX_ARGS)
    throw new TypeError(`runCommandWithTimeout takes a list of texts: a program and at most ${MAX_ARGS} arguments`);
  checkLength(program, MAX_PROGRAM, "the program");
  for (const arg of args) checkLength(arg, MAX_TEXT, "each argument");
  const given: CommandOptions = typeof options === "number" ? { timeoutMs: options } : Object(options);
  const timeout = Number(given.timeoutMs);
  const env = Object.entries(Object(given.env)).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return [[checkLength(name, MAX_NAME, "the name of a variable"), checkLength(String(value), MAX_VALUE, name)]];
  });
  if (env.length > MAX_VARIABLES) throw new RangeError(`at most ${MAX_VARIABLES} variables`);
  const asked = {
    ...(timeout > 0 && timeout < Number.POSITIVE_INFINITY ? { timeout } : {}),
    ...(isText(given.cwd) && given.cwd !== "" && given.cwd !== init.cwd
      ? { cwd: checkLength(given.cwd, MAX_PROGRAM, "cwd") }
      : {}),
    ...(env.length > 0 ? { env } : {}),
    ...(isText(given.input) ? { input: ["utf8", checkLength(given.input, MAX_TEXT, "the input")] } : {}),
  };
  const answer = (await settled(remote.call("exec", 0, [program, args, asked]))) as ProgramResult;
  if (answer.missing) throw Object.assign(new Error(`spawn ${program} ENOENT`), { code: "ENOENT" });
  const { stdout, stderr, code, killed } = answer;
  return forHook({
    stdout,
    stderr,
    code: killed ? TIMED_OUT : code,
    signal: null,
    killed,
    termination: killed ? "timeout" : "exit",
    noOutputTimedOut: false,
  });
}
