import type { DatabaseRequest, Prepared, Query, Rows, WireValue } from "../../wire/database.ts";
import { fromWire } from "../../wire/database-values.ts";
import { fault, unavailable, wrongType } from "./fault.ts";
import { parametersOf, type Row, rowOf } from "./sqlite-ask.ts";

/** Most characters of JSON that `all` collects. A hook's memory must hold its rows several times. */
const MAX_ALL = 16_000_000;

/** Asks the process of a database, and returns the value of its answer. */
export type Ask = (request: DatabaseRequest) => unknown;

/** How a statement reads and takes values. */
export interface Settings {
  readBigInts: boolean;
  returnArrays: boolean;
  allowBareNamedParameters: boolean;
  allowUnknownNamedParameters: boolean;
}

const KEY = Symbol("made by prepare");

/** What gives iterators `map`, `toArray` and their kind. */
const ITERATOR: object = Object.getPrototypeOf(Object.getPrototypeOf([].values()));

function flagOf(value: unknown, name: string): boolean {
  if (typeof value !== "boolean") throw wrongType(name, "a boolean");
  return value;
}

/**
 * A statement. The process of the database keeps the last ones prepared, and prepares the others anew: a hook may have any
 * number of them.
 */
export class StatementSync {
  readonly #ask: Ask;
  readonly #sql: string;
  readonly #prepared: Prepared;
  readonly #settings: Settings;

  constructor(key: symbol, ask: Ask, sql: string, settings: Settings) {
    if (key !== KEY) throw fault(TypeError, "ERR_ILLEGAL_CONSTRUCTOR", "Illegal constructor");
    this.#ask = ask;
    this.#sql = sql;
    this.#settings = { ...settings };
    this.#prepared = ask({ op: "prepare", sql }) as Prepared;
  }

  get sourceSQL(): string {
    return this.#prepared.source;
  }

  get expandedSQL(): never {
    throw unavailable("sqlite.StatementSync.expandedSQL is not offered to hooks: sourceSQL is");
  }

  columns(): object[] {
    return this.#prepared.columns.map((facts) => Object.assign(Object.create(null), facts));
  }

  run(...values: unknown[]): { changes: unknown; lastInsertRowid: unknown } {
    const done = this.#query("run", values) as Record<"changes" | "lastInsertRowid", WireValue>;
    return { changes: fromWire(done.changes), lastInsertRowid: fromWire(done.lastInsertRowid) };
  }

  get(...values: unknown[]): Row | undefined {
    const { columns, rows } = this.#query("get", values) as Rows;
    return rows[0] && rowOf(columns, rows[0], this.#settings.returnArrays);
  }

  all(...values: unknown[]): Row[] {
    let characters = 0;
    const all: Row[] = [];
    const parts = this.#parts(values);
    for (const { columns, rows } of parts) {
      characters += JSON.stringify(rows).length;
      if (characters > MAX_ALL)
        throw fault(
          RangeError,
          "ERR_OUT_OF_RANGE",
          `the rows are more than ${MAX_ALL} characters of JSON: read them with iterate(), or fewer of them with LIMIT`,
        );
      for (const row of rows) all.push(rowOf(columns, row, this.#settings.returnArrays));
    }
    return all;
  }

  /** The first rows are read at once, the others when they are asked for. */
  iterate(...values: unknown[]): IterableIterator<Row> {
    const parts = this.#parts(values);
    let part = parts.next();
    let at = 0;
    const asArray = this.#settings.returnArrays;
    return Object.assign(Object.create(ITERATOR), {
      next(): IteratorResult<Row, null> {
        while (!part.done && at >= part.value.rows.length) {
          part = parts.next();
          at = 0;
        }
        const row = part.done ? undefined : part.value.rows[at++];
        if (!row) return { done: true, value: null };
        return { done: false, value: rowOf(part.value?.columns ?? [], row, asArray) };
      },
      return(): IteratorResult<Row, null> {
        parts.return(undefined);
        part = { done: true, value: undefined };
        return { done: true, value: null };
      },
    });
  }

  setReadBigInts(enabled: unknown): void {
    this.#settings.readBigInts = flagOf(enabled, "readBigInts");
  }

  setReturnArrays(enabled: unknown): void {
    this.#settings.returnArrays = flagOf(enabled, "returnArrays");
  }

  setAllowBareNamedParameters(enabled: unknown): void {
    this.#settings.allowBareNamedParameters = flagOf(enabled, "allowBareNamedParameters");
  }

  setAllowUnknownNamedParameters(enabled: unknown): void {
    this.#settings.allowUnknownNamedParameters = flagOf(enabled, "enabled");
  }

  #query(how: Query["how"], values: readonly unknown[]): unknown {
    const { readBigInts, allowBareNamedParameters, allowUnknownNamedParameters } = this.#settings;
    const query: Query = {
      how,
      bigInts: readBigInts,
      bareNames: allowBareNamedParameters,
      unknownNames: allowUnknownNamedParameters,
      parameters: parametersOf(values),
    };
    return this.#ask({ op: "query", sql: this.#sql, text: JSON.stringify(query) });
  }

  /** The rows in parts. Whoever stops before the end gives the others up. */
  *#parts(values: readonly unknown[]): Generator<Rows, undefined> {
    let part = this.#query("all", values) as Rows;
    try {
      for (;;) {
        yield part;
        const { cursor } = part;
        if (cursor === undefined) return undefined;
        part = { columns: [], rows: [] };
        part = this.#ask({ op: "rows", cursor }) as Rows;
      }
    } finally {
      if (part.cursor !== undefined) this.#ask({ op: "drop", cursor: part.cursor });
    }
  }
}

/** The class is Node's, which nobody can make an object of; this is what `prepare` uses. */
export const prepared = (ask: Ask, sql: string, settings: Settings): StatementSync =>
  new StatementSync(KEY, ask, sql, settings);
