/** `node:sqlite` over the host's power `sqlite`. A database is a process of its own, and a call blocks until it answers. */
import type { DatabaseAnswer, DatabaseRequest } from "../../wire/database.ts";
import { fault, unavailable, wrongType } from "./fault.ts";
import { pathOf } from "./fs-plans.ts";
import { host, notOffered } from "./host.ts";
import { answerIn, closed } from "./sqlite-ask.ts";
import { constants } from "./sqlite-constants.ts";
import { prepared, type Settings, StatementSync } from "./sqlite-statement.ts";

export { constants, StatementSync };

interface Options extends Partial<Settings> {
  open?: boolean;
  readOnly?: boolean;
  enableForeignKeyConstraints?: boolean;
  enableDoubleQuotedStringLiterals?: boolean;
  timeout?: number;
}

const FLAGS = [
  "open",
  "readOnly",
  "enableForeignKeyConstraints",
  "enableDoubleQuotedStringLiterals",
  "readBigInts",
  "returnArrays",
  "allowBareNamedParameters",
  "allowUnknownNamedParameters",
] as const;

const lacks = (what: string, why: string): Error => unavailable(`sqlite.${what} is not offered to hooks: ${why}`);

/** Throws Node's errors for options of other types, and names those that no hook has. */
function checkOptions(options: Record<string, unknown>): Options {
  for (const name of FLAGS)
    if (options[name] !== undefined && typeof options[name] !== "boolean")
      throw wrongType(`options.${name}`, "a boolean");
  if (options.timeout !== undefined && !Number.isInteger(options.timeout))
    throw wrongType("options.timeout", "an integer");
  if (options.allowExtension === true)
    throw lacks("DatabaseSync's option allowExtension", "extensions are native code");
  if (options.defensive === false)
    throw lacks("DatabaseSync's option defensive: false", "it lets SQL corrupt the file");
  if (options.limits !== undefined) throw lacks("DatabaseSync's option limits", "Cordon sets them");
  return options;
}

export class DatabaseSync {
  readonly #path: string;
  readonly #options: Options;
  #number: number | undefined;
  #location: string | null = null;
  #isTransaction = false;

  constructor(path: unknown, ...given: unknown[]) {
    const named = pathOf(path);
    const options = given.length > 0 ? given[0] : {};
    if (typeof options !== "object" || options === null) throw wrongType("options", "an object");
    if (named === "" || /^file:/i.test(named))
      throw lacks(`DatabaseSync("${named}")`, "name a file by its path, or :memory:");
    this.#path = named;
    this.#options = checkOptions(options as Record<string, unknown>);
    if (this.#options.open !== false) this.open();
  }

  get isOpen(): boolean {
    return this.#number !== undefined;
  }

  get isTransaction(): boolean {
    this.#opened();
    return this.#isTransaction;
  }

  get limits(): never {
    throw lacks("DatabaseSync.limits", "Cordon sets them");
  }

  open(): void {
    if (this.#number !== undefined) throw fault(Error, "ERR_INVALID_STATE", "database is already open");
    const { readOnly = false, enableForeignKeyConstraints = true, timeout = 0 } = this.#options;
    const said = host.sync("sqlite.open", [
      this.#path,
      {
        readOnly,
        foreignKeys: enableForeignKeyConstraints,
        doubleQuoted: this.#options.enableDoubleQuotedStringLiterals ?? false,
        timeout: Math.max(0, timeout),
      },
    ]);
    if ("fault" in said) {
      answerIn(said);
      return;
    }
    this.#number = said.database;
    this.#location = said.path;
    this.#isTransaction = false;
  }

  close(): void {
    const database = this.#opened();
    this.#number = undefined;
    host.sync("sqlite.close", [database]);
  }

  /** The path of its file; null in memory. A hook has no other databases in it. */
  location(name: unknown = "main"): string | null {
    this.#opened();
    if (typeof name !== "string") throw wrongType("dbName", "a string");
    return name === "main" ? this.#location : null;
  }

  exec(sql: unknown): void {
    this.#opened();
    this.#ask({ op: "exec", sql: textOf(sql) });
  }

  prepare(sql: unknown, options: Partial<Settings> = {}): StatementSync {
    this.#opened();
    const text = textOf(sql);
    const given = checkOptions({ ...options });
    const settingOf = (name: keyof Settings, usual: boolean): boolean => given[name] ?? this.#options[name] ?? usual;
    return prepared((request) => this.#ask(request), text, {
      readBigInts: settingOf("readBigInts", false),
      returnArrays: settingOf("returnArrays", false),
      allowBareNamedParameters: settingOf("allowBareNamedParameters", true),
      allowUnknownNamedParameters: settingOf("allowUnknownNamedParameters", false),
    });
  }

  enableDefensive(active: unknown): void {
    if (active !== true) throw lacks("DatabaseSync.enableDefensive(false)", "it lets SQL corrupt the file");
  }

  /** Extensions are off as they are. */
  enableLoadExtension(allow: unknown): void {
    if (allow !== false) throw lacks("DatabaseSync.enableLoadExtension(true)", "extensions are native code");
  }

  loadExtension(): never {
    throw lacks("DatabaseSync.loadExtension", "extensions are native code");
  }

  function(): never {
    throw lacks("DatabaseSync.function", NO_CALLS);
  }

  aggregate(): never {
    throw lacks("DatabaseSync.aggregate", NO_CALLS);
  }

  setAuthorizer(): never {
    throw lacks("DatabaseSync.setAuthorizer", NO_CALLS);
  }

  createTagStore(): never {
    throw lacks("DatabaseSync.createTagStore", "prepare() keeps the last statements");
  }

  createSession(): never {
    throw lacks("DatabaseSync.createSession", "changesets stay in the process");
  }

  applyChangeset(): never {
    throw lacks("DatabaseSync.applyChangeset", "changesets stay in the process");
  }

  serialize(): never {
    throw lacks("DatabaseSync.serialize", "a whole database is more than a hook handles at once");
  }

  deserialize(): never {
    throw lacks("DatabaseSync.deserialize", "a whole database is more than a hook handles at once");
  }

  [Symbol.dispose](): void {
    if (this.isOpen) this.close();
  }

  #opened(): number {
    if (this.#number === undefined) throw closed();
    return this.#number;
  }

  #ask(request: DatabaseRequest): unknown {
    const { value, isTransaction } = ask(this.#opened(), request);
    this.#isTransaction = isTransaction;
    return value;
  }
}

const NO_CALLS = "the database runs in another process, which does not call a hook's functions";

function textOf(sql: unknown): string {
  if (typeof sql !== "string") throw wrongType("sql", "a string");
  return sql;
}

function ask(database: number, request: DatabaseRequest): DatabaseAnswer {
  switch (request.op) {
    case "exec":
    case "prepare":
      return answerIn(host.sync(`sqlite.${request.op}`, [database, request.sql]));
    case "query":
      return answerIn(host.sync("sqlite.query", [database, request.sql, request.text]));
    case "rows":
    case "drop":
      return answerIn(host.sync("sqlite.rows", [database, request.cursor, request.op === "drop" ? "drop" : "next"]));
  }
}

export const Session = /* @__PURE__ */ notOffered("sqlite", "Session", "changesets stay in the process");
export const backup = /* @__PURE__ */ notOffered("sqlite", "backup", "copy the file, by the power fs");

export default { DatabaseSync, StatementSync, Session, backup, constants };
