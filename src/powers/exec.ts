import { CordonError } from "../base/errors.ts";
import { type Capability, sealed } from "./capability.ts";
import { matchesArgs } from "./exec-arguments.ts";
import { childEnvironment } from "./exec-environment.ts";
import { isGit, runGit } from "./exec-git.ts";
import { BOUNDS, boundOf, type ExecEntry, type ExecGrant, faultOf } from "./exec-grant.ts";
import { folderOf, staysInFolder } from "./exec-paths.ts";
import { quoted } from "./quoted.ts";
import { runProgram } from "./run-program.ts";

interface Command {
  program: string;
  args: readonly string[];
  timeout: number | undefined;
}

const run: Capability<"exec", ExecGrant, Command, Command & { entry: ExecEntry }> = {
  read: ([program, args, { timeout }]) => ({ program, args, timeout }),
  check(command, grant, { session }) {
    const entry = grant?.find(
      (candidate) =>
        candidate.program === command.program &&
        matchesArgs(candidate.args, command.args) &&
        staysInFolder(candidate, command.args, session.cwd),
    );
    return entry && { ...command, entry };
  },
  async perform({ checked: { program, args, timeout, entry } }, { session, signal }) {
    const { cwd, workspaces } = session;
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
    };
    return isGit(path) ? runGit(path, args, options, workspaces) : runProgram(path, args, options);
  },
  describe: ({ program, args }) => [program, ...args].map(quoted).join(" "),
  propose({ program, args }) {
    const pattern = args.map((arg): ExecEntry["args"][number] => (/^[0-9a-f]{40}$/.test(arg) ? { kind: "sha" } : arg));
    const entry: ExecEntry = { program, args: pattern };
    return [faultOf(entry) === undefined ? entry : { ...entry, fullAccess: true }];
  },
  waits: true,
  perMinute: (grant = []) => Math.max(BOUNDS.perMinute, ...grant.map((entry) => boundOf(entry, "perMinute"))),
};

export const exec = sealed("exec", run);
