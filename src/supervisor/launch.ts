import { type ChildProcess, spawn } from "node:child_process";
import { LAZY_FILES } from "../../sandbox/wire/lazy-files.ts";
import { JITLESS, NO_OWN_SNAPSHOT, V8_FLAGS } from "../../sandbox/wire/v8-flags.ts";
import { built } from "../base/package-root.ts";
import type { Runtime } from "../runtime/locate.ts";
import { withSealedStdio } from "../runtime/sealed-stdio.ts";
import type { Progress } from "./progress.ts";

/**
 * Memory of the process beside the heap of its isolates, in MB: for Node, for as many bytes outside the usual heap as it may
 * have, and for texts that pass. With the default heap of 64 MB the limit is 232 MB, which contained every memory bomb that was
 * tried.
 */
const BASE_DATA_MB = 168;

export interface LaunchOptions {
  /** Largest heap of an isolate in it, in MB. */
  memoryMb: number;
  /** Run with the JIT, which needs a grant. */
  jit: boolean;
  /** It is to run many isolates. */
  many?: boolean;
}

/**
 * The C library asks for pages of 2 MB. Twenty isolates touch 16 MB of its memory, and a virtual machine takes up to 10 us for each
 * new page, whatever its size. A process with few isolates would only be larger.
 */
const HUGE_PAGES = "glibc.malloc.hugetlb=1";

/**
 * What V8 sets aside for machine code, in MB: for its own isolate, and for the one of the hook, which with the JIT is alone in
 * its process. It counts in full, used or not. Elsewhere it is not known, and the heap's own limit is the only one.
 */
const CODE_MB = process.arch === "x64" ? 2 * 512 : undefined;

function dataLimit({ memoryMb, jit }: LaunchOptions): number | undefined {
  if (!jit) return BASE_DATA_MB + memoryMb;
  return CODE_MB === undefined ? undefined : CODE_MB + BASE_DATA_MB + memoryMb;
}

/**
 * Starts a sandbox process. Descriptor 3 carries frames from the host, 4 frames to the host and synchronous answers. 6 is a
 * {@link Progress}, which no process can make longer than a block.
 */
export function launch(runtime: Runtime, options: LaunchOptions, progress?: Progress): ChildProcess {
  const command = [...nodeCommand(runtime, options), ...(progress ? ["progress"] : [])];
  const limits = { dataMb: dataLimit(options), fileBlocks: 1, lent: progress?.descriptor };
  return launchGroup(command, limits, options.many ? { GLIBC_TUNABLES: HUGE_PAGES } : {});
}

/** `dataMb`: its data segment, on Linux. `fileBlocks`: the longest file that it can write, in blocks of 512 bytes. `lent`: its descriptor 6. */
export interface GroupLimits {
  readonly dataMb: number | undefined;
  readonly fileBlocks: number;
  readonly lent: number | undefined;
}

/**
 * Starts a program as a process group with nothing but pipes on descriptors 3 and 4, and what it is lent. On POSIX a watcher
 * holds 5: when the host dies, in whatever way, the watcher reads the end of file and kills the group, even if it loops.
 */
export function launchGroup(
  command: readonly string[],
  { dataMb, fileBlocks, lent }: GroupLimits,
  variables: Readonly<Record<string, string>> = {},
): ChildProcess {
  const env: NodeJS.ProcessEnv = Object.assign(Object.create(null), { LIBC: "glibc", ...variables });
  if (process.platform === "win32") {
    return spawn(command[0] as string, command.slice(1), {
      env,
      cwd: "/",
      windowsHide: true,
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    });
  }
  const limit = dataMb === undefined || process.platform !== "linux" ? "" : `ulimit -d ${dataMb * 1024} || exit 1; `;
  const script = `${limit}ulimit -c 0; ulimit -f ${fileBlocks}; (exec 3<&- 4<&- 6<&-; read -r x <&5; kill -9 -$$) & unset PWD OLDPWD SHLVL _; exec "$@" 5<&-`;
  return withSealedStdio(["ignore", "ignore", "ignore", "pipe", "pipe", "pipe", lent ?? "ignore"], (stdio) =>
    spawn("/bin/sh", ["-c", script, "cordon-sandbox", ...command], { env, cwd: "/", detached: true, stdio }),
  );
}

function nodeCommand(runtime: Runtime, options: LaunchOptions): string[] {
  const files = [
    built("process.cjs"),
    runtime.addon,
    ...["guest.js", "realm.js", "guest.cache", "realm.cache"].map((name) => built(name)),
    ...LAZY_FILES.map((name) => built("lazy-code", name)),
  ];
  return [
    runtime.node,
    ...(runtime.ownSnapshot ? [] : [NO_OWN_SNAPSHOT]),
    ...V8_FLAGS.filter((flag) => !options.jit || flag !== JITLESS),
    "--permission",
    "--allow-addons",
    ...(runtime.ffi && process.platform === "linux" ? ["--allow-ffi"] : []),
    ...files.map((file) => `--allow-fs-read=${file}`),
    "--no-experimental-sqlite",
    "--disable-sigusr1",
    "--disable-proto=delete",
    "--no-warnings",
    ...files,
  ];
}
