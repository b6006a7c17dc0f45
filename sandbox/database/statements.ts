import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import {
  MAX_ANSWER_BYTES,
  PART_CHARACTERS,
  type Prepared,
  type Query,
  type Rows,
  type WireParameter,
  type WireValue,
} from "../wire/database.ts";
import { fromWire, toWire } from "../wire/database-values.ts";

/** Statements that are kept prepared, by their text. */
const MAX_PREPARED = 100;
/** Statements whose rows are being read. The one that began first is dropped for another. */
const MAX_CURSORS = 32;

/** A statement that has more rows. `ahead`: a row that did not fit the part before. */
interface Cursor {
  readonly columns: readonly string[];
  readonly rows: Iterator<readonly SQLOutputValue[]>;
  ahead: readonly WireValue[] | undefined;
}

/** Runs the statements of one connection. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  readonly #cursors = new Map<number, Cursor>();
  #last = 0;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Compiles a statement anew, as whoever prepares one expects to hear what is wrong with it. */
  prepare(sql: string): Prepared {
    this.#prepared.delete(sql);
    const statement = this.#statement(sql);
    return { columns: statement.columns(), source: statement.sourceSQL };
  }

  query(sql: string, { how, bigInts, bareNames, unknownNames, parameters }: Query): unknown {
    // Two readers of one statement would share its rows.
    const statement = how === "all" ? this.#database.prepare(sql) : this.#statement(sql);
    statement.setReadBigInts(bigInts);
    statement.setAllowBareNamedParameters(bareNames);
    statement.setAllowUnknownNamedParameters(unknownNames);
    statement.setReturnArrays(true);
    // What is no value is for Node to refuse.
    const values = parameters.map(parameter) as SQLInputValue[];
    if (how === "run") {
      const { changes, lastInsertRowid } = statement.run(...values);
      return { changes: toWire(changes), lastInsertRowid: toWire(lastInsertRowid) };
    }
    if (how === "get") {
      const row = statement.get(...values) as readonly SQLOutputValue[] | undefined;
      return { columns: namesOf(statement), rows: row ? [checked(row.map(toWire))] : [] } satisfies Rows;
    }
    const rows = statement.iterate(...values) as Iterator<unknown> as Iterator<readonly SQLOutputValue[]>;
    return this.#part({ columns: namesOf(statement), rows, ahead: undefined }, undefined);
  }

  /** The next rows of a cursor. */
  rows(number: number): Rows {
    const cursor = this.#cursors.get(number);
    if (!cursor)
      throw new Error(`the rows of this statement were dropped: a database has ${MAX_CURSORS} readers at most`);
    return this.#part(cursor, number);
  }

  drop(number: number): void {
    this.#cursors.get(number)?.rows.return?.();
    this.#cursors.delete(number);
  }

  #statement(sql: string): StatementSync {
    const known = this.#prepared.get(sql) ?? this.#database.prepare(sql);
    this.#prepared.delete(sql);
    this.#prepared.set(sql, known);
    const [oldest] = this.#prepared.keys();
    if (this.#prepared.size > MAX_PREPARED && oldest !== undefined) this.#prepared.delete(oldest);
    return known;
  }

  #part(cursor: Cursor, number: number | undefined): Rows {
    const rows: (readonly WireValue[])[] = [];
    let size = 0;
    const { columns } = cursor;
    for (;;) {
      const next = cursor.ahead ?? this.#next(cursor, number);
      cursor.ahead = undefined;
      if (!next) return { columns, rows };
      size += JSON.stringify(next).length;
      if (size > PART_CHARACTERS && rows.length > 0) {
        cursor.ahead = next;
        return { columns, rows, cursor: number ?? this.#keep(cursor) };
      }
      rows.push(next);
    }
  }

  #next(cursor: Cursor, number: number | undefined): readonly WireValue[] | undefined {
    try {
      const { value, done } = cursor.rows.next();
      if (!done) return checked((value as readonly SQLOutputValue[]).map(toWire));
    } catch (error) {
      if (number !== undefined) this.#cursors.delete(number);
      cursor.rows.return?.();
      throw error;
    }
    if (number !== undefined) this.#cursors.delete(number);
    return undefined;
  }

  #keep(cursor: Cursor): number {
    const [oldest] = this.#cursors.keys();
    if (this.#cursors.size >= MAX_CURSORS && oldest !== undefined) this.drop(oldest);
    this.#cursors.set(++this.#last, cursor);
    return this.#last;
  }
}

const namesOf = (statement: StatementSync): string[] => statement.columns().map(({ name }) => name);

function parameter(wire: WireParameter): unknown {
  if (wire === null || typeof wire !== "object" || !("named" in wire)) return fromWire(wire);
  const named: Record<string, unknown> = Object.create(null);
  for (const [name, value] of wire.named) named[name] = fromWire(value);
  return named;
}

/** A row that fits an answer. */
function checked(row: readonly WireValue[]): readonly WireValue[] {
  const bytes = Buffer.byteLength(JSON.stringify(row));
  if (bytes > MAX_ANSWER_BYTES - 100_000)
    throw new RangeError(`a row of ${bytes} bytes as JSON is more than a hook handles at once`);
  return row;
}
