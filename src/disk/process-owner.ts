import { hash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** A process, as others know it again: a number alone is soon another's, and another's in the next container. */
interface Owner {
  /** Of the machine, as far as it says which it is. */
  machine: string;
  /** Changes when the machine starts. */
  boot: string;
  /** The processes that it can see. */
  namespace: string;
  pid: number;
  /** Ticks from boot to its start. */
  started: string;
}

/**
 * `running`; `gone`; or `elsewhere`: on another machine, in another container, or on one of which nobody knows whether it
 * is another. Nobody here can tell whether such a one is still there.
 */
export type Whereabouts = "running" | "gone" | "elsewhere";

let own: Owner | undefined;

/** The name of this process, which may stand in the name of a file: so short that a link to it takes no block of a disk. */
export function ownerName(): string {
  const { machine, boot, namespace, pid, started } = self();
  return `m${machine}-b${boot}-n${namespace}-p${pid}-s${started}`;
}

const NAME = /^m(?<machine>[0-9a-f]*)-b(?<boot>[0-9a-f]*)-n(?<namespace>[0-9a-f]*)-p(?<pid>\d{1,15})-s(?<started>\d*)$/;

/** The number of a process, by its name; for people. */
export const pidOf = (name: string): string => NAME.exec(name)?.groups?.pid ?? "?";

/** Where a process is, by its name. `undefined` for what is no name. */
export function whereabouts(name: string): Whereabouts | undefined {
  const found = NAME.exec(name)?.groups as Record<keyof Owner, string> | undefined;
  if (!found) return undefined;
  const { machine, boot, namespace } = self();
  if (found.machine !== machine) return "elsewhere";
  // The same machine, which knows its name, has been started since: nothing from before is left.
  if (found.boot !== boot) return machine === "" ? "elsewhere" : "gone";
  if (found.namespace !== namespace) return "elsewhere";
  return isRunning(Number(found.pid), found.started) ? "running" : "gone";
}

function self(): Owner {
  if (own) return own;
  const id = readOr("/etc/machine-id", "");
  const boot = readOr("/proc/sys/kernel/random/boot_id", "");
  own = {
    // Machines are copied with their id, and containers made with one: the name that they have is another, then.
    machine: id === "" && process.platform === "linux" ? "" : short(`${id}\0${hostname()}`, 8),
    boot: boot === "" ? "" : short(boot, 6),
    namespace: short(["pid", "time"].map(namespaceOf).join(), 6),
    pid: process.pid,
    started: statusOf(process.pid)?.started ?? "",
  };
  return own;
}

const short = (text: string, length: number): string => hash("sha256", text).slice(0, length);

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return otherwise;
  }
}

function namespaceOf(kind: string): string {
  try {
    return /\d+/.exec(readlinkSync(`/proc/self/ns/${kind}`))?.[0] ?? "";
  } catch {
    return "";
  }
}

/** A process that ended and was not yet waited for does nothing any more; one with this number that started later is another. */
function isRunning(pid: number, started: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  const status = statusOf(pid);
  return !status || (!/[ZX]/.test(status.state) && (started === "" || status.started === started));
}

/** `undefined` where there is no `/proc`, or it shows nothing of this process. */
function statusOf(pid: number): { state: string; started: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // Its name, in parentheses, may be anything.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", started: fields[19] ?? "" };
  } catch {
    return undefined;
  }
}
