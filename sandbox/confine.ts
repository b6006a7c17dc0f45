/**
 * What the sandbox process gives up before any guest code runs. The permission model refuses files, sockets, child
 * processes, workers and the inspector; what it does not cover is deleted here.
 */
export function confine(): void {
  const permission = (process as unknown as { permission?: { drop?(scope: string): void } }).permission;
  // Node 24 has no drop: there the grant of these few files stays, which `cordon doctor` names.
  permission?.drop?.("addon");
  permission?.drop?.("fs.read");
  for (const name of Object.keys(process.env)) delete process.env[name];
  // The scheduler's priority of any process of this user could be changed through it.
  const os = process.getBuiltinModule("node:os") as { setPriority?: unknown };
  os.setPriority = undefined;
  process.getBuiltinModule("node:module").syncBuiltinESMExports();
  for (const name of FORBIDDEN) {
    try {
      Object.defineProperty(process, name, { value: undefined, writable: false, configurable: false });
    } catch {
      Reflect.deleteProperty(process, name);
    }
  }
}

/** Reach other processes, load code, or change what this one is. */
const FORBIDDEN = [
  "kill",
  "_kill",
  "_debugProcess",
  "_debugEnd",
  "_startProfilerIdleNotifier",
  "_stopProfilerIdleNotifier",
  "binding",
  "_linkedBinding",
  "dlopen",
  "execve",
  "getBuiltinModule",
  "loadEnvFile",
  "chdir",
  "umask",
  "setuid",
  "seteuid",
  "setgid",
  "setegid",
  "setgroups",
  "initgroups",
  "report",
  "mainModule",
] as const;
