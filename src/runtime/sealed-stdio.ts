import type { StdioOptions } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { devNull } from "node:os";

/** Flag of an open file that ends with `execve`, as `/proc` shows it. */
const CLOSE_ON_EXEC = 0o2000000;

/**
 * Starts a child that inherits nothing but its own `stdio`. Descriptors that this process itself inherited would go to every
 * child, and an open descriptor passes every permission check: in the child they lead to `/dev/null`. Only on Linux, where
 * the system lists them.
 */
export function withSealedStdio<T>(stdio: readonly unknown[], spawn: (stdio: StdioOptions) => T): T {
  reserve(stdio.length);
  const leaks = inheritable().filter((descriptor) => descriptor >= stdio.length);
  if (leaks.length === 0) return spawn([...stdio] as StdioOptions);
  const nothing = openSync("/dev/null", "r");
  try {
    const sealed: unknown[] = [...stdio];
    for (let descriptor = stdio.length; descriptor <= Math.max(...leaks); descriptor++) {
      sealed.push(leaks.includes(descriptor) ? nothing : "ignore");
    }
    return spawn(sealed as StdioOptions);
  } finally {
    closeSync(nothing);
  }
}

/** Descriptors that starting a child takes besides its pipes: a pipe for its errors, both ends of each pair, `/dev/null`. */
const SPARE = 8;

/**
 * Throws `EMFILE` if there are too few descriptors to start a child: a spawn that fails half-way leaves its pipes open.
 */
function reserve(pipes: number): void {
  const taken: number[] = [];
  try {
    for (let count = 0; count < 2 * pipes + SPARE; count++) taken.push(openSync(devNull, "r"));
  } finally {
    for (const descriptor of taken) closeSync(descriptor);
  }
}

function inheritable(): number[] {
  try {
    return readdirSync("/proc/self/fdinfo").map(Number).filter(isInheritable);
  } catch {
    return [];
  }
}

function isInheritable(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"))?.[1] ?? "";
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // The one that listed the folder is closed by now.
    return false;
  }
}
