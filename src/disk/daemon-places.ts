import { lstatSync } from "node:fs";
import { join } from "node:path";
import { command } from "../base/shell-word.ts";
import { inHome } from "./home.ts";
import { makeFolders } from "./make-folders.ts";

/** The version of what shims and the daemon say to each other. It is part of the socket's name. */
export const PROTOCOL = 1;

/** Longest path of a socket that all systems take, in bytes. */
const MAX_SOCKET_PATH = 103;

/** Where the daemon of this home has its socket, its lock, its log and what it knows of sessions. */
export const runFolder = (home: string): string => inHome(home, "run");
export const socketPath = (home: string): string => join(runFolder(home), `daemon-${PROTOCOL}.sock`);
/** A daemon has this lock from its start to the end of its process. */
export const lockPath = (home: string): string => `${socketPath(home)}.lock`;
/** Written by whoever starts a daemon, at that time. */
export const startedPath = (home: string): string => `${socketPath(home)}.started`;
export const logPath = (home: string): string => join(runFolder(home), "daemon.log");

/** Why the socket of this home cannot be trusted or used, if so. It need not be there. */
export function placeFault(home: string): string | undefined {
  const folder = runFolder(home);
  if (Buffer.byteLength(socketPath(home)) > MAX_SOCKET_PATH)
    return `${folder} is too long a path for a socket; set CORDON_HOME to a shorter one`;
  return ownFault(folder, "folder") ?? ownFault(socketPath(home), "socket");
}

/** Of what nobody else can write: in a folder of others, another program could listen in the daemon's place. */
function ownFault(path: string, kind: "folder" | "socket"): string | undefined {
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (!status) return undefined;
  if (!(kind === "folder" ? status.isDirectory() : status.isSocket())) return `${path} is no ${kind}; remove it`;
  if (process.getuid !== undefined && status.uid !== process.getuid()) return `${path} belongs to another user`;
  if (kind === "folder" && (status.mode & 0o077) !== 0)
    return `${path} is open to other users; run: ${command`chmod 700 ${path}`}`;
  return undefined;
}

export function makeRunFolder(home: string): void {
  makeFolders(home);
  makeFolders(runFolder(home));
}
