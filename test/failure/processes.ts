import { readdirSync, readFileSync } from "node:fs";

interface Stat {
  pid: number;
  parent: number;
  group: number;
  zombie: boolean;
}

function statOf(pid: number): Stat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state, parent, group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { pid, parent: Number(parent), group: Number(group), zombie: state === "Z" };
  } catch {
    return undefined;
  }
}

const numbers = (): number[] =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0);

/** Children of this process without those that build hooks: these end two seconds after the last build. */
export function children(): number[] {
  return listed().filter((pid) => isOf(pid) && !isBuilder(pid));
}

/** Those that the kernel lists for each thread. It may have been built without these lists: then all processes are looked at. */
function listed(): number[] {
  try {
    const threads = readdirSync("/proc/self/task");
    const lists = threads.map((thread) => readFileSync(`/proc/self/task/${thread}/children`, "latin1"));
    return lists.flatMap((list) => list.split(" ").map(Number)).filter((pid) => pid > 0);
  } catch {
    return numbers();
  }
}

/** Of this process, and no zombie: that has ended. */
function isOf(pid: number): boolean {
  const stat = statOf(pid);
  return stat?.parent === process.pid && !stat.zombie;
}

function isBuilder(pid: number): boolean {
  try {
    return /cordon-build|bundle\/worker\.js/.test(readFileSync(`/proc/${pid}/cmdline`, "utf8"));
  } catch {
    return false;
  }
}

/** Children of this process that run the sandbox program, spares among them. */
export function sandboxes(): number[] {
  return children().filter((pid) => {
    try {
      return !statOf(pid)?.zombie && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("process.cjs");
    } catch {
      return false;
    }
  });
}

export const openDescriptors = (): number => readdirSync("/proc/self/fd").length;

/** Follows every process group that this process starts: an orphan of a killed sandbox still carries its group. */
export class GroupWatch {
  readonly #before = new Set(children());
  readonly #groups = new Set<number>();
  readonly #timer = setInterval(() => this.#look(), 25);

  #look(): void {
    for (const pid of children()) if (!this.#before.has(pid)) this.#groups.add(pid);
  }

  /** Stops following. Resolves with the processes of the groups that remain after up to five seconds. */
  async left(): Promise<number[]> {
    this.#look();
    clearInterval(this.#timer);
    let left = this.#members();
    for (const end = Date.now() + 5000; left.length > 0 && Date.now() < end; left = this.#members()) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return left;
  }

  #members(): number[] {
    return numbers().filter((pid) => {
      const stat = statOf(pid);
      // A zombie has ended: the system decides when it reaps an orphan.
      return (
        stat !== undefined &&
        !stat.zombie &&
        (this.#groups.has(stat.group) || (stat.parent === process.pid && !this.#before.has(pid)))
      );
    });
  }
}
