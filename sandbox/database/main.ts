/**
 * The process of one database. It opens one file, confines itself to that file's folder, and only then reads a byte of it or
 * runs a statement: files and statements are an attacker's. Started by `src/powers/sqlite-process.ts`.
 */

import { fstatSync, readSync, writeSync } from "node:fs";
import { constants, DatabaseSync } from "node:sqlite";
import { confine } from "../process/confine.ts";
import {
  type DatabaseAnswer,
  type DatabaseFault,
  type DatabaseRequest,
  type DatabaseTarget,
  FromDatabase,
  MAX_ANSWER_BYTES,
  MAX_STATEMENT,
  MAX_VALUE_BYTES,
} from "../wire/database.ts";
import { encodeFrame, FrameReader } from "../wire/frame.ts";
import { readJson } from "../wire/read-json.ts";
import { refusalOf } from "./authorizer.ts";
import { Statements } from "./statements.ts";

const INPUT = 3;
const OUTPUT = 4;
/** The folder of the file, which the host holds open; only on Linux. */
const FOLDER = 6;

/** Memory that SQLite may take, in bytes. */
const HEAP_LIMIT = 64 * 1024 * 1024;

function send(kind: number, number: number, text: string): void {
  const frame = encodeFrame(kind, number, text);
  for (let sent = 0; sent < frame.length; ) sent += writeSync(OUTPUT, frame, sent);
}

/** Why the last statement was refused. */
let refusal: string | undefined;

function faultOf(thrown: unknown): string {
  const { name, message, code, errcode, errstr } = thrown as Error & Omit<DatabaseFault, "name" | "message">;
  const refused = refusal !== undefined && /not authorized|^authorization denied/.test(message);
  const fault: DatabaseFault = {
    name,
    message: refused ? `${message}: ${refusal}` : message,
    code,
    errcode,
    errstr,
  };
  return JSON.stringify(fault);
}

/** The regular files that this process has open, by descriptor. */
function openFiles(): Map<number, string> {
  const found = new Map<number, string>();
  for (let descriptor = 0; descriptor < 256; descriptor++) {
    try {
      const status = fstatSync(descriptor, { bigint: true });
      if (status.isFile()) found.set(descriptor, `${status.dev} ${status.ino}`);
    } catch {
      // Not open.
    }
  }
  return found;
}

/** Opens the file, and makes sure that it is the one that was checked. Nothing of it has been read by then. */
function open({ path, readOnly, file, foreignKeys, doubleQuoted, timeout }: DatabaseTarget): DatabaseSync {
  const before = openFiles();
  const database = new DatabaseSync(path, {
    readOnly,
    enableForeignKeyConstraints: foreignKeys,
    enableDoubleQuotedStringLiterals: doubleQuoted,
    timeout,
    defensive: true,
    allowUnknownNamedParameters: false,
    limits: { length: MAX_VALUE_BYTES, sqlLength: MAX_STATEMENT, attach: 1 },
  });
  const opened = [...openFiles()].filter(([descriptor]) => !before.has(descriptor)).map(([, identity]) => identity);
  const wanted = file && `${file.dev} ${file.ino}`;
  if (process.platform !== "win32" && opened.some((identity) => identity !== wanted))
    throw new Error(`a link came into the way of ${path}`);
  if (process.platform !== "win32" && wanted !== undefined && opened.length === 0)
    throw new Error(`${path} was not opened`);
  database.exec(`PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF; PRAGMA hard_heap_limit = ${HEAP_LIMIT}`);
  database.setAuthorizer((action, first, second) => {
    const refused = refusalOf(constants, action, first, second);
    if (refused === undefined) return constants.SQLITE_OK;
    refusal = refused;
    return constants.SQLITE_DENY;
  });
  return database;
}

function perform(database: DatabaseSync, statements: Statements, request: DatabaseRequest): unknown {
  switch (request.op) {
    case "exec":
      return database.exec(request.sql);
    case "prepare":
      return statements.prepare(request.sql);
    case "query":
      return statements.query(request.sql, readJson(request.text));
    case "rows":
      return statements.rows(request.cursor);
    case "drop":
      return statements.drop(request.cursor);
  }
}

function serve(database: DatabaseSync): never {
  const statements = new Statements(database);
  const reader = new FrameReader((_kind, number, text) => {
    refusal = undefined;
    try {
      const value = perform(database, statements, readJson(text)) ?? null;
      const answer: DatabaseAnswer = { value, isTransaction: database.isTransaction };
      const told = JSON.stringify(answer);
      if (Buffer.byteLength(told) > MAX_ANSWER_BYTES)
        throw new RangeError("the answer is more than a hook handles at once");
      send(FromDatabase.answer, number, told);
    } catch (error) {
      send(FromDatabase.fault, number, faultOf(error));
    }
  });
  const buffer = Buffer.allocUnsafe(64 * 1024);
  for (;;) {
    const count = readSync(INPUT, buffer, 0, buffer.length, null);
    if (count === 0) process.exit(0);
    reader.push(buffer, count);
  }
}

const target = readJson(process.argv[2] as string) as DatabaseTarget;
// SQLite takes its random numbers from a device, once, and must have them before that is out of reach.
new DatabaseSync(":memory:").prepare("SELECT randomblob(1)").get();
let database: DatabaseSync;
try {
  database = open(target);
} catch (error) {
  send(FromDatabase.fault, 0, faultOf(error));
  process.exit(0);
}
const folder =
  target.file && process.platform === "linux" ? { descriptor: FOLDER, writes: !target.readOnly } : undefined;
send(FromDatabase.ready, 0, confine({ files: true, folder }).join(","));
serve(database);
