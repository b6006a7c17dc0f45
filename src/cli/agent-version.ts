import { delimiter, dirname } from "node:path";
import { coerce, compare } from "semver";
import type { Setup } from "../agents/setup/setup.ts";
import { command } from "../base/shell-word.ts";
import { cleanLine } from "../base/text.ts";
import { childEnvironment } from "../powers/exec-environment.ts";
import { runProgram } from "../powers/run-program.ts";
import { findProgram } from "../runtime/find-program.ts";

const TIMEOUT_MS = 10_000;

/** An agent's program, and what it says of itself. */
export interface AgentProgram {
  path: string;
  /** `undefined`: it says none. */
  version: string | undefined;
  /** The first line that it wrote to its standard error. */
  problem: string;
}

/** `undefined`: it is not on PATH. */
export const programOf = (program: string, workspaces: readonly string[]): string | undefined =>
  findProgram(program, workspaces, process.env.PATH ?? "");

/** Asks an agent's program for its version. `undefined`: it is not on PATH. */
export async function agentProgram(program: string, workspaces: readonly string[]): Promise<AgentProgram | undefined> {
  const path = programOf(program, workspaces);
  if (path === undefined) return undefined;
  const env = childEnvironment(process.env, workspaces);
  const { stdout, stderr } = await runProgram(path, ["--version"], {
    cwd: "/",
    // A program of npm's runs on the first Node there, and may need one as new as Cordon's own.
    env: Object.assign(env, { PATH: [dirname(process.execPath), env.PATH].join(delimiter) }),
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: 10_000,
    signal: new AbortController().signal,
  });
  const [problem = ""] = stderr.split("\n").filter((line) => line.trim() !== "");
  return { path, version: coerce(stdout)?.version, problem: cleanLine(problem, 200) };
}

/** Why a setup does not fit this version of its agent; `undefined` if it does. */
export function versionFault({ title, since, until }: Setup, version: string): string | undefined {
  if (since && compare(version, since.version) < 0)
    return `${title} ${version} lacks ${since.lacks}; update it to ${since.version} or later`;
  if (until && compare(version, until.version) >= 0)
    return `${title} ${version} does not read what was entered for versions before ${until.version}; run: ${command`cordon install ${until.use}`}`;
  return undefined;
}

/** Why nobody knows whether the version of an agent fits, if a version can fail to. */
export function unknownVersion({ program, since, until }: Setup, found: AgentProgram | undefined): string | undefined {
  const fitting = [...(since ? [`${since.version} or later`] : []), ...(until ? [`before ${until.version}`] : [])];
  if (fitting.length === 0 || found?.version !== undefined) return undefined;
  const why = found ? `${found.path} --version says none` : notOnPath(program);
  return `its version could not be checked, and must be ${fitting.join(" and ")}: ${why}`;
}

/** Why no program of this name is taken. */
export function notOnPath(program: string): string {
  const passed = findProgram(program, [], process.env.PATH ?? "");
  if (passed === undefined) return `no program ${program} on PATH outside any node_modules`;
  return `${passed} lies in this folder, where a project may have put it (run this in another folder)`;
}
