import { hash, randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { attemptOr } from "../base/attempt.ts";
import { statusOf } from "./process-status.ts";

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

/** The name of one thing that this process makes. */
export const uniqueName = (bytes = 4): string => `${ownerName()}.${randomBytes(bytes).toString("hex")}`;

/** The process in a {@link uniqueName}. */
export const ownerIn = (name = ""): string => name.replace(/\.[0-9a-f]{8}$/, "");

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
  const id = contentOf("/etc/machine-id");
  const boot = contentOf("/proc/sys/kernel/random/boot_id");
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

const contentOf = (path: string): string => attemptOr(() => readFileSync(path, "utf8").trim(), "");

const namespaceOf = (kind: string): string =>
  /\d+/.exec(attemptOr(() => readlinkSync(`/proc/self/ns/${kind}`), ""))?.[0] ?? "";

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
