import { CordonError } from "../base/errors.ts";
import { type Capability, sealed } from "./capability.ts";
import { matchesArgs } from "./exec-arguments.ts";
import { childEnvironment } from "./exec-environment.ts";
import { folderFor, namedFolder } from "./exec-folder.ts";
import { isGit, runGit } from "./exec-git.ts";
import {
  BOUNDS,
  boundOf,
  coversVariables,
  type ExecEntry,
  type ExecGrant,
  faultOf,
  fixedVariables,
} from "./exec-grant.ts";
import { staysInFolder } from "./exec-paths.ts";
import { inputOf, ProgramInput } from "./program-input.ts";
import { quoted } from "./quoted.ts";
import { runProgram } from "./run-program.ts";

interface Command {
  program: string;
  args: readonly string[];
  timeout: number | undefined;
  /** All that it reads. */
  input: Buffer | undefined;
  /** The number of what the hook writes to it. */
  stdin: number | undefined;
  /** As the hook says it. */
  cwd: string | undefined;
  /** What the hook sets. */
  env: ReadonlyMap<string, string>;
}

interface Granted {
  readonly entry: ExecEntry;
  /** The folder that it runs in. */
  readonly folder: string;
}

const writes = ({ input, stdin }: Command): boolean => input !== undefined || stdin !== undefined;

const run: Capability<"exec", ExecGrant, Command, Command & Granted> = {
  read: ([program, args, { timeout, input, stdin, cwd, env = [] }]) => ({
    program,
    args,
    timeout,
    input: input && Buffer.from(input[1], input[0]),
    stdin,
    cwd,
    env: new Map(env),
  }),
  check(command, grant = [], { session }) {
    for (const entry of grant) {
      if (entry.program !== command.program || (writes(command) && entry.stdin !== true)) continue;
      if (!matchesArgs(entry.args, command.args) || !coversVariables(entry, command.env)) continue;
      const folder = folderFor(entry, command.cwd, session.cwd);
      if (folder !== undefined && staysInFolder(entry, command.args, folder)) return { ...command, entry, folder };
    }
    return undefined;
  },
  async perform({ checked: { entry, folder, ...command } }, { session, signal, hook }) {
    const { program, args, timeout, stdin, env } = command;
    const { workspaces } = session;
    const input = stdin === undefined ? command.input : inputOf(hook, stdin);
    const found = session.programs.find(program);
    // pi answers code 1 for a program that cannot be started.
    if ("missing" in found)
      return { stdout: "", stderr: `${program}: not found outside the workspace\n`, code: 1, killed: false };
    if ("changed" in found) {
      const why = `${found.changed} changed since it was granted; if that was you, start the session again`;
      throw new CordonError("NOT_GRANTED", `${program} is not run: ${why}`);
    }
    const { path } = found;
    const options = {
      cwd: folder,
      env: childEnvironment(session.env, workspaces, { ...fixedVariables(entry), ...Object.fromEntries(env) }),
      timeoutMs: Math.min(timeout ?? Number.POSITIVE_INFINITY, boundOf(entry, "timeoutMs")),
      maxOutputBytes: boundOf(entry, "maxOutputBytes"),
      signal,
      input,
    };
    try {
      return await (isGit(path)
        ? runGit(path, args, options, workspaces, entry.gitNetwork === true)
        : runProgram(path, args, options));
    } finally {
      if (input instanceof ProgramInput) input.close();
    }
  },
  describe: (command) =>
    [...command.env].map(([name, value]) => `${name}=${quoted(value)} `).join("") +
    [command.program, ...command.args].map(quoted).join(" ") +
    (command.cwd === undefined ? "" : ` (in ${quoted(command.cwd)})`) +
    (writes(command) ? " (writing to its standard input)" : ""),
  propose(command, { session }) {
    const { program, args, cwd, env } = command;
    const pattern = args.map((arg): ExecEntry["args"][number] => (/^[0-9a-f]{40}$/.test(arg) ? { kind: "sha" } : arg));
    const entry: ExecEntry = {
      program,
      args: pattern,
      ...(cwd === undefined ? {} : { cwd: namedFolder(cwd, session.cwd) }),
      ...(coversVariables({ program, args: [] }, env) ? {} : { env: Object.fromEntries(env) }),
      ...(writes(command) ? { stdin: true } : {}),
    };
    const whole = faultOf(entry) === undefined ? entry : { ...entry, fullAccess: true };
    return faultOf(whole) === undefined ? [whole] : undefined;
  },
  waits: true,
  perMinute: (grant = []) => Math.max(BOUNDS.perMinute, ...grant.map((entry) => boundOf(entry, "perMinute"))),
};

/** For a second of a large file in small parts. */
const WRITES_PER_MINUTE = 12_000;

/**
 * Writes to a program that this hook asked for. Whether it may is decided with the program: until that runs, a part waits,
 * and leads nowhere.
 */
const write: Capability<"exec.write", ExecGrant, { stdin: number; bytes: Buffer; ends: boolean }> = {
  read: ([stdin, encoding, text, ends]) => ({ stdin, bytes: Buffer.from(text, encoding), ends }),
  check: (part) => part,
  async perform({ checked: { stdin, bytes, ends } }, { hook, signal }) {
    const input = inputOf(hook, stdin);
    signal.addEventListener("abort", () => input.close(), { once: true });
    await input.write(bytes, ends);
    return null;
  },
  describe: () => "write to a program",
  waits: true,
  perMinute: () => WRITES_PER_MINUTE,
};

export const exec = { ...sealed("exec", run), ...sealed("exec.write", write) };
