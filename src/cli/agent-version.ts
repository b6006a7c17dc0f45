import { coerce, compare } from "semver";
import type { Setup } from "../agents/setup/setup.ts";
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

/** Why a setup does not fit this version of its agent; `undefined` if it does. */
export function versionFault({ title, since, until }: Setup, version: string): string | undefined {
  if (since && compare(version, since.version) < 0)
    return `${title} ${version} lacks ${since.lacks}; update it to ${since.version} or later`;
  if (until && compare(version, until.version) >= 0)
    return `${title} ${version} does not read what was entered for versions before ${until.version}; run: cordon install ${until.use}`;
  return undefined;
}
