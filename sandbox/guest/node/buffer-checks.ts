import { fault, wrongType } from "./fault.ts";

const outOfRange = (argument: string, range: string, value: unknown): Error =>
  fault(
    RangeError,
    "ERR_OUT_OF_RANGE",
    `The value of "${argument}" is out of range. It must be ${range}. Received ${value}`,
  );

export const outOfBounds = (argument?: string): Error =>
  fault(
    RangeError,
    "ERR_BUFFER_OUT_OF_BOUNDS",
    argument === undefined
      ? "Attempt to access memory outside buffer bounds"
      : `"${argument}" is outside of buffer bounds`,
  );

/** Throws unless it is a number within these limits. */
export function checkNumber(value: unknown, argument: string, least?: number, most?: number): asserts value is number {
  if (typeof value !== "number") throw wrongType(argument, "of type number");
  const isWithin = !(value < (least ?? value)) && !(value > (most ?? value));
  if (!isWithin || ((least !== undefined || most !== undefined) && Number.isNaN(value)))
    throw outOfRange(
      argument,
      `${least === undefined ? "" : `>= ${least}`}${most === undefined ? "" : ` && <= ${most}`}`,
      value,
    );
}

/** Throws unless it is a whole number within these limits. */
export function checkWhole(
  value: unknown,
  argument: string,
  least = 0,
  most = Number.MAX_SAFE_INTEGER,
): asserts value is number {
  checkNumber(value, argument);
  if (!Number.isInteger(value)) throw outOfRange(argument, "an integer", value);
  if (value < least || value > most) throw outOfRange(argument, `>= ${least} && <= ${most}`, value);
}

/** Throws unless `size` bytes from there on lie within `length`. */
export function checkPlace(offset: unknown, size: number, length: number): asserts offset is number {
  if (Number.isInteger(offset) && (offset as number) >= 0 && (offset as number) + size <= length) return;
  checkNumber(offset, "offset");
  if (!Number.isInteger(offset)) throw outOfRange("offset", "an integer", offset);
  if (length < size) throw outOfBounds();
  throw outOfRange("offset", `>= 0 and <= ${length - size}`, offset);
}

/** Throws unless a number fits. It is of the same type as the two limits. */
export function checkValue(
  value: number | bigint,
  [least, most]: readonly [number, number] | readonly [bigint, bigint],
): void {
  if (value > most || value < least) throw outOfRange("value", `>= ${least} and <= ${most}`, value);
}

/** Throws unless Node has integers of so many bytes. */
export function checkSize(size: unknown): asserts size is number {
  if (typeof size === "number" && Number.isInteger(size) && size >= 1 && size <= 6) return;
  checkNumber(size, "byteLength");
  throw outOfRange("byteLength", Number.isInteger(size) ? ">= 1 and <= 6" : "an integer", size);
}

export const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array;

/** Throws unless it is a `Uint8Array`. */
export function checkBytes(value: unknown, argument: string): asserts value is Uint8Array {
  if (!isBytes(value)) throw wrongType(argument, "an instance of Buffer or Uint8Array");
}
