import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { monitorEventLoopDelay } from "node:perf_hooks";
import { SECRET } from "./workplace.ts";

/** Checks, one by one, what the hostile hooks tried to break. */
export function proveIntact(
  repository: string,
  delay: ReturnType<typeof monitorEventLoopDelay>,
): [what: string, ok: boolean][] {
  const late = delay.percentile(99) / 1e6;
  const planted = Object.keys(Object.prototype).length > 0 || "NODE_OPTIONS" in {} || "toJSON" in {};
  const textOf = (name: string): string => readFileSync(join(repository, name), "utf8");
  const children = childrenOfThis();
  const left =
    children === undefined ? "no sandbox process is left (not looked up here)" : `sandbox processes left: ${children}`;
  return [
    ["this process lives and answers", true],
    [`its event loop was late by at most ${late.toFixed(1)} ms (p99)`, true],
    ["its objects have no planted keys", !planted],
    ["notes.md has its second version back", textOf("notes.md").includes("second version")],
    [".env was not overwritten", textOf(".env").includes(SECRET)],
    ["the repository is whole", succeeds("git", ["fsck"], repository)],
    [left, (children ?? 0) === 0],
  ];
}

function succeeds(program: string, args: string[], cwd: string): boolean {
  try {
    execFileSync(program, args, { cwd, stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** The number of child processes that still run, if the system reports it. */
function childrenOfThis(): number | undefined {
  if (!existsSync("/proc/self/stat")) return undefined;
  const parent = String(process.pid);
  return readdirSync("/proc").filter((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      const [state, ppid] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return /^\d+$/.test(name) && ppid === parent && state !== "Z";
    } catch {
      return false;
    }
  }).length;
}
