import { coerce, compare } from "semver";
import { childEnvironment } from "../powers/exec-environment.ts";
import { runProgram } from "../powers/run-program.ts";
import { findProgram } from "../runtime/find-program.ts";

const TIMEOUT_MS = 10_000;

/** The version that an agent's program says it is. `undefined`: it is not there, or says none. */
export async function agentVersion(program: string, workspaces: readonly string[]): Promise<string | undefined> {
  const path = findProgram(program, workspaces, process.env.PATH ?? "");
  if (path === undefined) return undefined;
  const { stdout } = await runProgram(path, ["--version"], {
    cwd: "/",
    env: childEnvironment(process.env, workspaces),
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: 10_000,
    signal: new AbortController().signal,
  });
  return coerce(stdout)?.version;
}

export const isOlder = (version: string, since: string): boolean => compare(version, since) < 0;
