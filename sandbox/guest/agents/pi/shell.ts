/**
 * Programs for pi's tools, over the hook's exec power: a shell is one that needs a grant of its own. What pi does to the processes
 * of a shell, the host does.
 */
import { type ChildProcess, spawn as spawnProgram } from "../../node/child-process.ts";
import { access as accessFile } from "../../node/fs-promises.ts";
import { host, notOffered } from "../../node/host.ts";

export { sanitizeBinaryOutput } from "@earendil-works/pi-coding-agent/dist/utils/shell.js";

interface Options {
  cwd?: string;
  env?: Record<string, string>;
  signal?: AbortSignal;
}

/** Running programs, by numbers that only this module knows. */
const running = new Map<number, ChildProcess>();
let last = 0;

/** Starts a program in the hook's folder. Its grant says which environment it gets. */
export function spawn(program: string, args: readonly string[], { cwd, env, signal }: Options = {}): ChildProcess {
  const options = {
    ...(cwd === undefined ? {} : { cwd }),
    ...(changes(env) ? { env } : {}),
    ...(signal ? { signal } : {}),
  };
  const child = spawnProgram(program, [...args], options);
  const pid = ++last;
  running.set(pid, child);
  child.on("close", () => running.delete(pid));
  child.on("error", () => running.delete(pid));
  return Object.assign(child, { pid });
}

/** What pi adds about the session is no reason to tell an author that the environment is ignored. */
const changes = (env: Options["env"]): boolean => Object.keys(env ?? {}).some((name) => !name.startsWith("PI_"));

/** The variables of the agent's process are not a hook's. */
export const getShellEnv = (): Record<string, string> => ({});

export const killProcessTree = (pid: number): void => void running.get(pid)?.kill();
export const trackDetachedChildPid = (): void => {};
export const untrackDetachedChildPid = (): void => {};

/** The host finds the program, in the folders that it trusts. */
export const getShellConfig = (shellPath?: string): { shell: string; args: string[] } => ({
  shell: shellPath ?? "bash",
  args: ["-c"],
});

export function getPowerShellConfig(): { shell: string; args: string[] } {
  if (host.machine.platform !== "win32") throw new Error("The powershell tool is only available on Windows.");
  return { shell: "pwsh", args: ["-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-Command"] };
}

/** Whether a folder exists: the hook's own does, whatever it may read. */
export const access = async (path: string): Promise<void> => {
  if (path !== host.cwd) await accessFile(path);
};

export const execSync = notOffered("child_process", "execSync", "it starts a shell");
export default Object.assign(spawn, { spawn, sync: notOffered("cross-spawn", "sync") });
