/** What the modules of `node:sqlite` ask the host, and how its answers become Node's values and errors. */

import type { DatabaseAnswer, DatabaseFault, Rows, WireParameter, WireValue } from "../../wire/database.ts";
import { fromWire, toWire } from "../../wire/database-values.ts";
import { readJson } from "../../wire/read-json.ts";
import { fault } from "./fault.ts";

type Said = { readonly fault: boolean; readonly text: string };

/** The values of one row, or by column. */
export type Row = unknown[] | Record<string, unknown>;

export const closed = (): Error => fault(Error, "ERR_INVALID_STATE", "database is not open");

/** The answer in a text. Throws the error that it has instead. */
export function answerIn({ fault: isFault, text }: Said): DatabaseAnswer {
  const told: unknown = readJson(text);
  if (!isFault) return told as DatabaseAnswer;
  const { name, message, code, errcode, errstr } = told as DatabaseFault;
  const kind = name === "TypeError" ? TypeError : name === "RangeError" ? RangeError : Error;
  const more = errcode === undefined ? {} : { errcode, errstr };
  throw Object.assign(new kind(message), code === undefined ? {} : { code }, more);
}

/** Arguments of a statement. As in Node, a first one that is an object has values by name. */
export function parametersOf(values: readonly unknown[]): WireParameter[] {
  return values.map((value, at) => {
    if (at > 0 || typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return toWire(value);
    return { named: Object.entries(value).map(([name, one]) => [name, toWire(one)] as const) };
  });
}

/** A row of the host's as Node returns it. */
export function rowOf(columns: Rows["columns"], values: readonly WireValue[], asArray: boolean): Row {
  if (asArray) return values.map(fromWire);
  const row: Record<string, unknown> = Object.create(null);
  for (const [at, name] of columns.entries()) row[name] = fromWire(values[at] ?? null);
  return row;
}
