import { spawn } from "node:child_process";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { shellQuoted } from "../../src/base/shell-word.ts";
import type { Machine } from "./world.ts";

// The name is in a variable, since the module comes with the system and not with a package.
const PSEUDO_TERMINAL = "script";
const MAIN = join(PACKAGE_ROOT, "dist", "src", "cli", "start.js");

/**
 * Runs a command on a terminal of its own, with a person who answers each question at once, or after `thinks` ms. A text is a line
 * that the person copied into a shell.
 */
export async function atTerminal(
  machine: Machine,
  args: readonly string[] | string,
  answers: readonly [question: RegExp, keys: string][],
  env: NodeJS.ProcessEnv = {},
  thinks = 0,
): Promise<{ code: number | null; shown: string }> {
  const inShell = (words: readonly string[]): string => words.map(shellQuoted).join(" ");
  const start = inShell([process.execPath, MAIN]);
  const run = typeof args === "string" ? `cordon() { ${start} "$@"; }; ${args}` : `exec ${start} ${inShell(args)}`;
  const child = spawn(PSEUDO_TERMINAL, ["-qec", `stty cols 80 rows 24; ${run}`, "/dev/null"], {
    cwd: machine.work,
    env: { ...process.env, ...machine.env, CORDON_HOME: machine.home, NO_COLOR: "1", TERM: "dumb", ...env },
    detached: true,
  });
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
  });
  let shown = "";
  const left = [...answers];
  child.stdout.on("data", (part) => {
    shown += part;
    const [next] = left;
    if (!next?.[0].test(shown)) return;
    left.shift();
    setTimeout(() => child.stdin.write(next[1]), thinks);
  });
  child.stdin.on("error", () => {});
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, shown };
}

/** `cordon remove ID`, with a person who says yes. */
export const remove = (machine: Machine, id: string, env?: NodeJS.ProcessEnv) =>
  atTerminal(machine, ["remove", id], [[/Remove/, "y"]], env);
