import Type from "typebox";
import { CordonError } from "../base/errors.ts";
import { type Capability, letThrough } from "./capability.ts";
import { matchesArgs } from "./exec-arguments.ts";
import { childEnvironment } from "./exec-environment.ts";
import { isGit, runGit } from "./exec-git.ts";
import {
  DEFAULT_OUTPUT_BYTES,
  DEFAULT_PER_MINUTE,
  DEFAULT_TIMEOUT_MS,
  type ExecEntry,
  type ExecGrant,
  faultOf,
} from "./exec-grant.ts";
import { folderOf, staysInFolder } from "./exec-paths.ts";
import { quoted } from "./quoted.ts";
import { runProgram } from "./run-program.ts";

interface Command {
  program: string;
  args: string[];
  timeout: number | undefined;
  /** The entry that covers it, set by `check`. */
  entry?: ExecEntry;
}

const run: Capability<ExecGrant, Command> = {
  capability: "exec",
  request: Type.Tuple([
    Type.String({ maxLength: 4096 }),
    Type.Array(Type.String({ maxLength: 1_000_000 }), { maxItems: 1000 }),
    Type.Object({ timeout: Type.Optional(Type.Number({ minimum: 0 })) }, { additionalProperties: false }),
  ]),
  read: ([program, args, options]) => ({
    program: program as string,
    args: args as string[],
    timeout: (options as { timeout?: number }).timeout,
  }),
  check(asked, grant, { session }) {
    const entry = grant?.find(
      (candidate) =>
        candidate.program === asked.program &&
        matchesArgs(candidate.args, asked.args) &&
        staysInFolder(candidate, asked.args, session.cwd),
    );
    return entry && letThrough({ ...asked, entry });
  },
  async perform({ program, args, timeout, entry }, { session, signal }) {
    const { cwd, workspaces } = session;
    const found = session.programs.find(program);
    // pi answers code 1 for a program that cannot be started.
    if ("missing" in found)
      return { stdout: "", stderr: `${program}: not found outside the workspace\n`, code: 1, killed: false };
    if ("changed" in found) {
      const remedy = "if that was you, start the session again";
      throw new CordonError(
        "NOT_GRANTED",
        `${program} is not run: ${found.changed} changed since it was granted; ${remedy}`,
      );
    }
    const { path } = found;
    const options = {
      cwd: entry ? folderOf(entry, cwd) : cwd,
      env: childEnvironment(workspaces, entry?.env),
      timeoutMs: Math.min(timeout ?? Number.POSITIVE_INFINITY, entry?.timeoutMs ?? DEFAULT_TIMEOUT_MS),
      maxOutputBytes: entry?.maxOutputBytes ?? DEFAULT_OUTPUT_BYTES,
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
  sync: "also",
  waits: true,
  perMinute: (grant) => Math.max(DEFAULT_PER_MINUTE, ...(grant ?? []).map((entry) => entry.perMinute ?? 0)),
};

export const exec = { exec: run };
