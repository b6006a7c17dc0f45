/** The open files of a hook, by descriptor. Nothing stays open at the host: each use goes there by path, and is checked anew. */
import { fault } from "./fault.ts";

export interface OpenFile {
  readonly path: string;
  readonly reads: boolean;
  readonly writes: boolean;
  /** All that is written goes to the end, as `a` says. */
  readonly appends: boolean;
  /** Where the next read or write begins. */
  position: number;
  /** That is the end of the file, as far as this hook knows. */
  isAtEnd: boolean;
}

const files = new Map<number, OpenFile>();
/** As many as a process may have. */
const MAX_FILES = 1000;
/** Standard input and output come before. */
let last = 2;

export function keep(file: OpenFile): number {
  if (files.size >= MAX_FILES) throw fault(Error, "EMFILE", `EMFILE: too many open files, open '${file.path}'`);
  files.set(++last, file);
  return last;
}

export function opened(descriptor: unknown, syscall: string, use?: "reads" | "writes"): OpenFile {
  const file = files.get(descriptor as number);
  if (!file || (use && !file[use]))
    throw fault(Error, "EBADF", `EBADF: bad file descriptor, ${syscall}`, { errno: -9, syscall });
  return file;
}

export const forget = (descriptor: number): boolean => files.delete(descriptor);
