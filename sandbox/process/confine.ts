import { landlock, type OpenFolder } from "./landlock.ts";
import { type Ffi, native, ownFfi } from "./native.ts";
import { forbidDescriptors } from "./resource-limits.ts";
import { seccomp } from "./seccomp.ts";

/** What the process goes on to reach: `files`, as far as they lie in `folder`. */
export interface Reach {
  readonly files: boolean;
  readonly folder?: OpenFolder | undefined;
}

/**
 * Drops what the sandbox process does not need, before any guest code runs. The permission model refuses files, sockets,
 * child processes, workers and the inspector; what it does not cover is deleted here. Native code could bypass all of that,
 * so on Linux the kernel refuses it too. Returns the kernel's layers that are in force.
 */
export function confine(reach: Reach = { files: false }): string[] {
  const { permission } = process as typeof process & { permission?: { drop?(scope: string): void } };
  const ffi = ownFfi();
  // Node 24 has no drop: there the grant of these few files stays, which `cordon doctor` names.
  permission?.drop?.("addon");
  permission?.drop?.("fs.read");
  permission?.drop?.("fs.write");
  for (const name of Object.keys(process.env)) delete process.env[name];
  // The scheduler's priority of any process of this user could be changed through it. Nothing has imported the module: an import
  // gets what it has by then.
  const os = process.getBuiltinModule("node:os") as { setPriority?: unknown };
  os.setPriority = undefined;
  for (const name of FORBIDDEN) {
    try {
      Object.defineProperty(process, name, { value: undefined, writable: false, configurable: false });
    } catch {
      Reflect.deleteProperty(process, name);
    }
  }
  const walls = process.platform === "linux" && ffi ? raiseWalls(ffi, reach) : [];
  permission?.drop?.("ffi");
  return walls;
}

/** Each layer is independent: if one is not available, the others still hold. The last one forbids the calls that the others need. */
function raiseWalls(ffi: Ffi, { files, folder }: Reach): string[] {
  const kernel = native(ffi);
  const jit = !process.execArgv.includes("--jitless");
  const walls: string[] = [];
  const version = landlock(kernel, folder);
  if (version !== undefined) walls.push(`landlock ${version}`);
  if (!files && forbidDescriptors(kernel, process.arch)) walls.push("no new descriptors");
  if (seccomp(kernel, process.arch, process.pid, { jit, files })) walls.push("seccomp");
  return walls;
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
