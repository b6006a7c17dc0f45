import { InvalidArgumentError } from "commander";
import { TIME_FORMS, timeIn } from "../audit/since.ts";

/** Parses a time in the past, as a person writes it. */
export function pastTime(text: string): Date {
  const date = timeIn(text);
  if (!date) throw new InvalidArgumentError(`it must be ${TIME_FORMS}`);
  if (date.getTime() <= Date.now()) return date;
  const before = /^\d{1,2}:/.test(text) ? `: that of the day before is "yesterday ${text}"` : "";
  throw new InvalidArgumentError(`it is in the future${before}`);
}
