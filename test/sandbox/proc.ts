import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** How long the words of a process are waited for, in ms. */
const MOST_TURNS = 1000;

/** The facts of `/proc` about a process; `undefined` if it has ended or is a zombie. */
export interface ProcessFacts {
  pid: number;
  parent: number;
  group: number;
  command: string[];
}

export function processFacts(pid: number): ProcessFacts | undefined {
  try {
    // A program that is just starting has no words for a moment, and its parent goes on before the end of that.
    for (let turn = 0; ; turn++) {
      const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
      const [state, parent, group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (state === "Z" || state === "X") return undefined;
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      const facts = { pid, parent: Number(parent), group: Number(group), command: words.split("\0").slice(0, -1) };
      // Threads of the kernel have no group, and never any words.
      if (words !== "" || facts.group === 0 || turn === MOST_TURNS) return facts;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  } catch {
    return undefined;
  }
}

export const isAlive = (pid: number): boolean => processFacts(pid) !== undefined;

const allPids = (): number[] =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0);

function allProcesses(): ProcessFacts[] {
  return allPids().flatMap((pid) => processFacts(pid) ?? []);
}

/** The children of a process that the kernel lists for its threads. It may have no such lists: then all are looked at. */
function listedChildren(parent: number): number[] {
  try {
    const threads = readdirSync(`/proc/${parent}/task`);
    const lists = threads.map((thread) => readFileSync(`/proc/${parent}/task/${thread}/children`, "latin1"));
    return lists.flatMap((list) => list.split(" ").map(Number)).filter((pid) => pid > 0);
  } catch {
    return allPids();
  }
}

/** Children of a process that have not ended. */
export const childrenOf = (parent: number): ProcessFacts[] =>
  listedChildren(parent).flatMap((pid) => {
    const facts = processFacts(pid);
    return facts?.parent === parent ? facts : [];
  });

/** Sandbox processes that a process has started, spare included: children that lead a group of their own. */
export function sandboxesOf(parent = process.pid): number[] {
  const mine = childrenOf(parent).filter((facts) => facts.group === facts.pid);
  return mine.filter((facts) => facts.command.some((word) => word.includes("process.cjs"))).map((facts) => facts.pid);
}

/** Watchers of granted programs that a process has started. */
export const watchersOf = (parent: number): number[] =>
  childrenOf(parent)
    .filter((facts) => facts.command.includes("cordon-watch"))
    .map((facts) => facts.pid);

/** Every process of these groups: sandboxes, their watchers, and all processes that they started. */
export function inGroups(groups: readonly number[]): number[] {
  return allProcesses().flatMap((facts) => (groups.includes(facts.group) ? facts.pid : []));
}

/** Open descriptors: number to target. */
export function descriptors(pid: number | "self"): Map<number, string> {
  const folder = `/proc/${pid}/fd`;
  const found = new Map<number, string>();
  for (const name of readdirSync(folder)) {
    try {
      found.set(Number(name), readlinkSync(`${folder}/${name}`));
    } catch {
      // The descriptor that read the folder.
    }
  }
  return found;
}

/** Waits until `condition` holds; fails after a time that only a broken product reaches. */
export async function eventually(what: string, condition: () => boolean, withinMs = 20_000): Promise<void> {
  for (const end = performance.now() + withinMs; !condition(); await delay(20)) {
    if (performance.now() > end) throw new Error(`never came true: ${what}`);
  }
}

/** CPU time used so far, in ticks of 10 ms; 0 for a process that has ended. */
export function ticksOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0;
  }
}
