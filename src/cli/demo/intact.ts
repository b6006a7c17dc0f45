import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { monitorEventLoopDelay } from "node:perf_hooks";
import { SECRET } from "./workplace.ts";

/** Something that hostile hooks tried to break. */
interface Proof {
  /** In a word. */
  name: string;
  what: string;
  ok: boolean;
}

/** Checks, one by one, what the hostile hooks tried to break. */
export function proveIntact(repository: string, delay: ReturnType<typeof monitorEventLoopDelay>): Proof[] {
  const late = delay.percentile(99) / 1e6;
  const planted = Object.keys(Object.prototype).length > 0 || "NODE_OPTIONS" in {} || "toJSON" in {};
  const textOf = (name: string): string => readFileSync(join(repository, name), "utf8");
  const children = childrenOfThis();
  const left =
    children === undefined ? "no sandbox process is left (not looked up here)" : `sandbox processes left: ${children}`;
  return [
    { name: "process", what: "this process lives and answers", ok: true },
    { name: "event loop", what: `its event loop was late by at most ${late.toFixed(1)} ms (p99)`, ok: true },
    { name: "objects", what: "its objects have no planted keys", ok: !planted },
    {
      name: "notes.md",
      what: "notes.md has its second version back",
      ok: textOf("notes.md").includes("second version"),
    },
    { name: ".env", what: ".env was not overwritten", ok: textOf(".env").includes(SECRET) },
    { name: "git", what: "the repository is whole", ok: succeeds("git", ["fsck"], repository) },
    { name: "children", what: left, ok: (children ?? 0) === 0 },
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
