import { CordonError } from "../base/errors.ts";
import { type Capability, sealed } from "./capability.ts";
import { matchesArgs } from "./exec-arguments.ts";
import { childEnvironment } from "./exec-environment.ts";
import { isGit, runGit } from "./exec-git.ts";
import { BOUNDS, boundOf, type ExecEntry, type ExecGrant, faultOf } from "./exec-grant.ts";
import { folderOf, staysInFolder } from "./exec-paths.ts";
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
}

const writes = ({ input, stdin }: Command): boolean => input !== undefined || stdin !== undefined;

const run: Capability<"exec", ExecGrant, Command, Command & { entry: ExecEntry }> = {
  read: ([program, args, { timeout, input, stdin }]) => ({
    program,
    args,
    timeout,
    input: input && Buffer.from(input[1], input[0]),
    stdin,
  }),
  check(command, grant, { session }) {
    const entry = grant?.find(
      (candidate) =>
        candidate.program === command.program &&
        (candidate.stdin === true || !writes(command)) &&
        matchesArgs(candidate.args, command.args) &&
        staysInFolder(candidate, command.args, session.cwd),
    );
    return entry && { ...command, entry };
  },
  async perform({ checked: { entry, ...command } }, { session, signal, hook }) {
    const { program, args, timeout, stdin } = command;
    const { cwd, workspaces } = session;
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
      cwd: folderOf(entry, cwd),
      env: childEnvironment(workspaces, entry.env),
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
    [command.program, ...command.args].map(quoted).join(" ") +
    (writes(command) ? " (writing to its standard input)" : ""),
  propose(command) {
    const { program, args } = command;
    const pattern = args.map((arg): ExecEntry["args"][number] => (/^[0-9a-f]{40}$/.test(arg) ? { kind: "sha" } : arg));
    const entry: ExecEntry = { program, args: pattern, ...(writes(command) ? { stdin: true } : {}) };
    return [faultOf(entry) === undefined ? entry : { ...entry, fullAccess: true }];
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
