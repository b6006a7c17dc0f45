import { hash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** Identifies a process to others. A number alone is reused soon, and means another process in another container. */
interface Owner {
  /** The machine; empty if it does not identify itself. */
  machine: string;
  /** The boot of the machine. */
  boot: string;
  /** The namespace of processes that it can see. */
  namespace: string;
  pid: number;
  /** Ticks from boot to the start of the process. */
  started: string;
}

/**
 * `running`; `gone`; or `elsewhere`: on another machine, in another container, or on a machine that cannot be identified. This
 * process cannot tell whether such a process still runs.
 */
export type Whereabouts = "running" | "gone" | "elsewhere";

let own: Owner | undefined;

/** The name of this process, fit for a file name, and so short that a link with it takes no block of a disk. */
export function ownerName(): string {
  const { machine, boot, namespace, pid, started } = self();
  return `m${machine}-b${boot}-n${namespace}-p${pid}-s${started}`;
}

const NAME = /^m(?<machine>[0-9a-f]*)-b(?<boot>[0-9a-f]*)-n(?<namespace>[0-9a-f]*)-p(?<pid>\d{1,15})-s(?<started>\d*)$/;

/** The number of a process, from its name, for people. */
export const pidOf = (name: string): string => NAME.exec(name)?.groups?.pid ?? "?";

/** Where a process is, by its name. `undefined` for an invalid name. */
export function whereabouts(name: string): Whereabouts | undefined {
  const found = NAME.exec(name)?.groups as Record<keyof Owner, string> | undefined;
  if (!found) return undefined;
  const { machine, boot, namespace } = self();
  if (found.machine !== machine) return "elsewhere";
  // The same machine was restarted since: no process from before is left.
  if (found.boot !== boot) return machine === "" ? "elsewhere" : "gone";
  if (found.namespace !== namespace) return "elsewhere";
  return isRunning(Number(found.pid), found.started) ? "running" : "gone";
}

function self(): Owner {
  if (own) return own;
  const id = readOr("/etc/machine-id", "");
  const boot = readOr("/proc/sys/kernel/random/boot_id", "");
  own = {
    // Copied machines and containers may have the same id. Their host names differ.
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

/** A zombie counts as ended, and so does a number whose process started later. */
function isRunning(pid: number, started: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  const status = statusOf(pid);
  return !status || (!/[ZX]/.test(status.state) && (started === "" || status.started === started));
}

/** `undefined` if there is no `/proc`, or it does not show this process. */
function statusOf(pid: number): { state: string; started: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The program's name, in parentheses, may contain anything.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", started: fields[19] ?? "" };
  } catch {
    return undefined;
  }
}
