/** The numbers of open files. Only a hook that opens files has more than the errors. */
import { badNumber, fault, wrongType } from "./fault.ts";
import type { OpenFile } from "./fs-open-file.ts";

const MOST = 2 ** 31 - 1;

export const files = /* @__PURE__ */ new Map<number, OpenFile>();

/** Node's own test for a number where a path may stand. It throws for a value that is not to be converted, as in Node. */
export const isNumber = (file: unknown): file is number => ((file as number) | 0) === file;

/** Throws Node's errors for what can be no number of a file. */
export function numberOf(file: unknown): number {
  if (typeof file !== "number") throw wrongType("fd", "of type number");
  const isOutside = file < 0 || file > MOST;
  const range = isOutside && Number.isFinite(file) ? `>= 0 && <= ${MOST}` : "an integer";
  if (isOutside || !Number.isInteger(file))
    throw fault(RangeError, "ERR_OUT_OF_RANGE", `The value of "fd" is out of range. It must be ${range}.`);
  return file;
}

/** @param syscall the call that finds no such file in Node */
export function fileAt(number: number, syscall: string): OpenFile {
  const file = files.get(number);
  if (!file) throw badNumber(syscall);
  return file;
}
