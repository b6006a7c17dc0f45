/** What `readFile` and its kind do with the number of an open file. Only a hook that opens files has more than the error. */
import { fault } from "./fault.ts";

interface Numbered {
  read(file: number, options: unknown): unknown;
  write(file: number, data: unknown, options: unknown): void;
}

let known: Numbered | undefined;

export const useNumbers = (files: Numbered): void => {
  known = files;
};

export function numbered(): Numbered {
  if (!known) throw badNumber("open");
  return known;
}

export const badNumber = (syscall: string): Error =>
  fault(Error, "EBADF", `EBADF: bad file descriptor, ${syscall}`, { errno: -9, syscall });
