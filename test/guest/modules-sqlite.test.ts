import { truncateSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { expect } from "vitest";
import { writeFiles } from "../support/session.ts";
import { besideNode, type Question, type Subject } from "./beside-node.ts";

/** `got`: what one statement does, with what a program reads of an error of SQLite. `tables`: a database with some rows. */
const TOP = `import sqlite, { DatabaseSync, StatementSync, constants } from "node:sqlite";
const telling = (error: any) => ({ name: error.name, code: error.code, message: error.message, errcode: error.errcode, errstr: error.errstr });
const got = (act: () => any): any => { try { return act(); } catch (error) { return telling(error); } };
const tables = (options: any = {}): any => {
  const db: any = new DatabaseSync(":memory:", options);
  db.exec("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, part BLOB, size REAL, any_); CREATE TABLE child(id INTEGER PRIMARY KEY, t REFERENCES t(id))");
  const add = db.prepare("INSERT INTO t(name, part, size, any_) VALUES (?, ?, ?, ?)");
  add.run("one", new Uint8Array([1, 2, 255]), 1.5, null);
  add.run("zwei €😀", new Uint8Array(), -0.25, 7n);
  add.run("", null, 1e300, "text");
  return db;
};
let one: any;
const shared = (): any => { one ??= tables(); return one; };
`;

const VALUES = `[null, 0, -0, 1, -1, 1.5, 1e21, 2 ** 53, Infinity, -Infinity, NaN, 5n, -5n, 2n ** 62n, "", "text", "é€😀", "a\\u0000b", "\\ud800", new Uint8Array([0, 1, 255]), new Uint8Array(), new Uint8Array([1, 2, 3]).subarray(1), new Uint16Array([258]), new DataView(new ArrayBuffer(2)), Buffer.from("x")]`;
const WRONG = `[undefined, true, false, Symbol("s"), () => 1, 2n ** 63n, new Date(0), [1], { a: 1 }, new Map()]`;

/** Statements that are prepared and run in order, all on one database. */
const STATEMENTS: readonly string[] = [
  "SELECT 1",
  "SELECT 1 AS a, 2 AS b, 3 AS a",
  "SELECT * FROM t",
  "SELECT id, name AS n, count(*) OVER () FROM t",
  "SELECT t.*, child.* FROM t LEFT JOIN child ON child.t = t.id",
  "SELECT x'0102ff', 'text', 1.5, NULL, 9007199254740991",
  "SELECT 9007199254740993",
  "SELECT -9223372036854775808",
  "SELECT 1 WHERE 0",
  "SELECT group_concat(name, ',') FROM t",
  "SELECT json_extract('{\"a\":[1,2]}', '$.a[1]'), json('[1]')",
  "SELECT printf('%d %s', 5, 'x'), substr('abc', 2), hex(zeroblob(2))",
  "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 5) SELECT x FROM c",
  "VALUES (1, 2), (3, 4)",
  "EXPLAIN QUERY PLAN SELECT * FROM t WHERE id = 1",
  "INSERT INTO t(name) VALUES ('new')",
  "INSERT INTO t(name) VALUES ('a'), ('b') RETURNING id, name",
  "UPDATE t SET name = upper(name) WHERE id > 1",
  "DELETE FROM t WHERE id = 2 RETURNING *",
  "INSERT INTO t(id) VALUES (1)",
  "INSERT INTO child(t) VALUES (99)",
  "INSERT INTO missing VALUES (1)",
  "SELECT missing FROM t",
  "SELECT * FROM missing",
  "SELEC 1",
  "SELECT 'open",
  "SELECT (",
  "",
  "   ",
  "-- a comment",
  "SELECT 1; SELECT 2",
  "CREATE TABLE u(a)",
  "CREATE TABLE u(a)",
  "CREATE INDEX i ON u(a)",
  "CREATE VIEW v AS SELECT a FROM u",
  "CREATE TRIGGER r AFTER INSERT ON u BEGIN INSERT INTO u SELECT 5 WHERE new.a = 4; END",
  "INSERT INTO u VALUES (4)",
  "SELECT * FROM v",
  "CREATE TEMP TABLE w(a)",
  "INSERT INTO w VALUES (1)",
  "SELECT * FROM temp.w",
  "CREATE VIRTUAL TABLE f USING fts5(body)",
  "INSERT INTO f VALUES ('the quick fox'), ('a lazy dog')",
  "SELECT body, snippet(f, 0, '[', ']', '', 4) FROM f WHERE f MATCH 'fox'",
  "INSERT INTO f(f) VALUES ('optimize')",
  "CREATE VIRTUAL TABLE g USING rtree(id, low, high)",
  "INSERT INTO g VALUES (1, 0, 5)",
  "SELECT id FROM g WHERE low < 3",
  "ALTER TABLE u ADD COLUMN b DEFAULT 3",
  "SELECT * FROM u",
  "ANALYZE",
  "REINDEX",
  "VACUUM",
  "BEGIN",
  "BEGIN",
  "SAVEPOINT s",
  "RELEASE s",
  "COMMIT",
  "COMMIT",
  "ROLLBACK",
  "DROP TABLE u",
  "PRAGMA user_version",
  "PRAGMA user_version = 5",
  "PRAGMA user_version",
  "PRAGMA foreign_keys",
  "PRAGMA table_info(t)",
  "SELECT name, type FROM pragma_table_info('t')",
  "PRAGMA index_list(t)",
  "PRAGMA journal_mode",
  "PRAGMA journal_mode = WAL",
  "PRAGMA synchronous = NORMAL",
  "PRAGMA cache_size = -2000",
  "PRAGMA busy_timeout = 100",
  "PRAGMA temp_store = MEMORY",
  "PRAGMA mmap_size = 0",
  "PRAGMA integrity_check",
  "PRAGMA quick_check",
  "PRAGMA optimize",
  "PRAGMA page_count",
  "PRAGMA encoding",
];

const USUAL: Question[] = [
  ...STATEMENTS.map((sql, at) => ({
    name: `statement ${at + 1}: ${sql || "nothing"}`,
    ask: `[got(() => { const s: any = shared().prepare(${JSON.stringify(sql)}); return { all: got(() => s.all()), columns: got(() => s.columns()), source: s.sourceSQL }; }), shared().isTransaction]`,
  })),
  {
    name: "all statements by exec, one at a time",
    ask: `(() => { const db = tables(); return ${JSON.stringify(STATEMENTS)}.map((sql: string) => [got(() => db.exec(sql)), db.isTransaction]); })()`,
  },
  {
    name: "run tells what changed, also as bigints",
    ask: `(() => { const db = tables(); const s = db.prepare("INSERT INTO t(name) VALUES (?)"); const a = s.run("x"); s.setReadBigInts(true); return [a, s.run("y"), db.prepare("UPDATE t SET size = 1").run(), db.prepare("SELECT 1").run()]; })()`,
  },
  {
    name: "values go in and come back with their types",
    ask: `(() => { const db: any = new DatabaseSync(":memory:"); const s = db.prepare("SELECT ? AS v, typeof(?1) AS kind"); return ${VALUES}.map((v: any) => got(() => s.get(v))); })()`,
  },
  {
    name: "values that are none",
    ask: `(() => { const db: any = new DatabaseSync(":memory:"); const s = db.prepare("SELECT 0, ? AS v"); return ${WRONG}.map((v: any) => [got(() => s.get(v)), got(() => s.get(1, v)), got(() => s.run(v)), got(() => s.all(v)), got(() => [...s.iterate(v)])]); })()`,
  },
  {
    name: "integers as bigints",
    ask: `(() => { const db = tables(); const s = db.prepare("SELECT 9223372036854775807 AS big, 1 AS one, 1.5 AS half"); const before = got(() => s.get()); s.setReadBigInts(true); const o: any = new DatabaseSync(":memory:", { readBigInts: true }); return [before, s.get(), s.all(), o.prepare("SELECT 5").get()]; })()`,
  },
  {
    name: "named parameters, bare, with their signs, unknown, and beside others",
    ask: `(() => { const db = tables(); const s = db.prepare("SELECT $a AS a, :b AS b, @c AS c"); const given: any[] = [[{ a: 1, b: 2, c: 3 }], [{ $a: 1, ":b": 2, "@c": 3 }], [{ a: 1 }], [{ d: 1 }], [{}], [], [1, 2, 3], [1, 2, 3, 4], [{ a: 1 }, 2, 3], [{ a: undefined }]]; const all = () => given.map((g) => got(() => s.get(...g))); const usual = all(); s.setAllowBareNamedParameters(false); const signed = all(); s.setAllowUnknownNamedParameters(true); return [usual, signed, all()]; })()`,
  },
  {
    name: "parameters in order, by number, too few and too many",
    ask: `(() => { const db = tables(); const s = db.prepare("SELECT ?, ?2, ?"); return [[1, 2, 3], [1], [], [1, 2, 3, 4]].map((g) => got(() => s.all(...g))); })()`,
  },
  {
    name: "rows are objects without a prototype, or arrays",
    ask: `(() => { const db = tables(); const s = db.prepare("SELECT id, name, id FROM t"); const row = s.get(); const first = Object.getPrototypeOf(row) === null; s.setReturnArrays(true); const arrays: any = tables({ returnArrays: true }); return [first, Array.isArray(s.get()), s.all(), [...s.iterate()], arrays.prepare("SELECT 1, 1").get(), tables().prepare("SELECT id FROM t", { returnArrays: true }).all()]; })()`,
  },
  {
    name: "a column named __proto__ is a column",
    ask: `(() => { const db = tables(); const row = db.prepare('SELECT 1 AS "__proto__", 2 AS "constructor"').get(); return [Object.keys(row), row.constructor]; })()`,
  },
  {
    name: "iterate goes row by row, in parts of any size",
    ask: `(() => { const db: any = new DatabaseSync(":memory:"); const s = db.prepare("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 3000) SELECT x, printf('%0500d', x) AS text FROM c"); let sum = 0; let last: any; for (const row of s.iterate()) { sum += row.x; last = row.text.length; } const some = []; for (const row of s.iterate()) { some.push(row.x); if (row.x === 1200) break; } const again = s.iterate(); return [sum, last, some.length, again.next().value.x, again.return?.(), again.next(), s.all().length, typeof again[Symbol.iterator], s.iterate().map((r: any) => r.x).take(2).toArray()]; })()`,
  },
  {
    name: "columns",
    ask: `(() => { const db = tables(); return [db.prepare("SELECT id AS a, name, 1 + 1, upper(name) AS u FROM t").columns(), db.prepare("INSERT INTO t(id) VALUES (9)").columns(), Object.getPrototypeOf(db.prepare("SELECT 1").columns()[0]) === null]; })()`,
  },
  {
    name: "transactions",
    ask: `(() => { const db = tables(); const n = () => db.prepare("SELECT count(*) AS n FROM t").get().n; const seen: any[] = [db.isTransaction]; db.exec("BEGIN"); seen.push(db.isTransaction); db.prepare("DELETE FROM t").run(); seen.push(n()); db.exec("ROLLBACK"); seen.push(db.isTransaction, n()); db.exec("BEGIN; DELETE FROM t WHERE id = 1; COMMIT"); seen.push(n()); return seen; })()`,
  },
  {
    name: "a closed database, and one that is opened later",
    ask: `(() => { const db: any = new DatabaseSync(":memory:", { open: false }); const seen: any[] = [db.isOpen, got(() => db.exec("SELECT 1")), got(() => db.close()), got(() => db.isTransaction)]; db.open(); seen.push(db.isOpen, got(() => db.open())); const s = db.prepare("SELECT 1 AS a"); seen.push(s.get()); db.close(); seen.push(db.isOpen, got(() => db.prepare("SELECT 1")), got(() => db.location())); db[Symbol.dispose](); return seen; })()`,
  },
  {
    name: "a file: made, written, read again, and by a reader alone",
    ask: `(() => { const cwd = process.cwd(); const a: any = new DatabaseSync("made.db"); a.exec("DROP TABLE IF EXISTS n; CREATE TABLE n(x); INSERT INTO n VALUES (1), (2)"); const where = a.location() === cwd + "/made.db"; const b: any = new DatabaseSync(cwd + "/made.db"); b.prepare("INSERT INTO n VALUES (?)").run(3); b.close(); const c: any = new DatabaseSync("made.db", { readOnly: true }); const seen = [where, a.prepare("SELECT x FROM n").all(), got(() => c.exec("INSERT INTO n VALUES (4)")), c.prepare("SELECT count(*) AS n FROM n").get(), c.location("main") === cwd + "/made.db", c.location("temp")]; a.close(); c.close(); return seen; })()`,
  },
  {
    name: "WAL, with a reader beside a writer, and a lock that another holds",
    ask: `(() => { const a: any = new DatabaseSync("wal.db"); const seen: any[] = [a.prepare("PRAGMA journal_mode = WAL").get()]; a.exec("DROP TABLE IF EXISTS n; CREATE TABLE n(x)"); const r: any = new DatabaseSync("wal.db", { readOnly: true }); const b: any = new DatabaseSync("wal.db", { timeout: 50 }); a.exec("BEGIN IMMEDIATE; INSERT INTO n VALUES (1)"); seen.push(r.prepare("SELECT * FROM n").all(), got(() => b.exec("INSERT INTO n VALUES (2)"))); a.exec("COMMIT"); seen.push(r.prepare("SELECT * FROM n").all(), a.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()); for (const db of [a, r, b]) db.close(); return seen; })()`,
  },
  {
    name: "each journal mode on a file",
    ask: `(() => { const a: any = new DatabaseSync("modes.db"); a.exec("DROP TABLE IF EXISTS n"); return ["delete", "truncate", "persist", "memory", "wal", "delete"].map((m) => { const now = a.prepare("PRAGMA journal_mode = " + m).get(); a.exec("CREATE TABLE IF NOT EXISTS n(x); BEGIN; INSERT INTO n VALUES (1); COMMIT; BEGIN; DELETE FROM n; ROLLBACK"); return [now, a.prepare("SELECT count(*) AS n FROM n").get()]; }); })()`,
  },
  {
    name: "files that are no databases, and are not there",
    ask: `["text.db", "empty.db", "cut.db"].map((f) => got(() => { const db: any = new DatabaseSync(f); const found = got(() => db.prepare("SELECT * FROM sqlite_master").all()); db.close(); return found; }))`,
  },
  {
    name: "a file that is not there, for a reader, and in a folder that is not there",
    ask: `[["none.db", { readOnly: true }], ["none/x.db", {}]].map(([path, options]: any) => got(() => new DatabaseSync(path, options)))`,
  },
  {
    name: "a database in WAL mode that nobody has open, for a reader alone",
    ask: `(() => { const a: any = new DatabaseSync("alone.db"); a.exec("PRAGMA journal_mode = WAL; DROP TABLE IF EXISTS n; CREATE TABLE n(x); INSERT INTO n VALUES (1)"); a.close(); const b: any = new DatabaseSync("alone.db", { readOnly: true }); const rows = got(() => b.prepare("SELECT * FROM n").all()); b.close(); return rows; })()`,
  },
  {
    name: "foreign keys and double quotes as options say",
    ask: `[{}, { enableForeignKeyConstraints: false }, { enableDoubleQuotedStringLiterals: true }].map((o) => { const db = tables(o); return [got(() => db.exec("INSERT INTO child(t) VALUES (99)")), got(() => db.prepare('SELECT "quoted"').get())]; })`,
  },
  {
    name: "arguments of the wrong type",
    ask: `(() => { const db = tables(); const s = db.prepare("SELECT 1"); return [() => new (DatabaseSync as any)(5), () => new (DatabaseSync as any)(), () => new (DatabaseSync as any)(":memory:", 5), () => new (DatabaseSync as any)(":memory:", { readOnly: 1 }), () => new (DatabaseSync as any)(":memory:", { timeout: "x" }), () => db.exec(5), () => db.exec(), () => db.prepare(5), () => s.setReadBigInts(1), () => s.setReturnArrays("x"), () => s.setAllowBareNamedParameters(), () => (DatabaseSync as any)(":memory:"), () => new (StatementSync as any)()].map((act) => { const { code, name } = got(act) ?? {}; return [name, code]; }); })()`,
  },
  {
    name: "a pragma that SQLite does not know",
    ask: `got(() => tables().prepare("PRAGMA not_there").all())`,
    differs: {
      reason: "pragmas are allowed by their names",
      cordon: expect.objectContaining({
        errcode: 23,
        message: "not authorized: PRAGMA not_there is not offered to hooks",
      }),
    },
  },
  { name: "constants", ask: "({ ...constants })" },
  {
    name: "the module's parts",
    ask: `[typeof sqlite.DatabaseSync, sqlite.DatabaseSync === DatabaseSync, typeof sqlite.backup, typeof sqlite.constants, Object.keys(sqlite).sort()]`,
  },
];

const SUBJECT: Omit<Subject, "questions"> = {
  top: TOP,
  powers: { sqlite: [{ path: "$CWD/**/*.db", write: true }], env: [] },
  prepare(cwd) {
    writeFiles(cwd, {
      "text.db": "this is a text and no database, which is longer than a header of one".repeat(3),
      "empty.db": "",
    });
    const whole = new DatabaseSync(`${cwd}/cut.db`);
    whole.exec("CREATE TABLE a(b); INSERT INTO a VALUES (zeroblob(20000))");
    whole.close();
    truncateSync(`${cwd}/cut.db`, 5000);
  },
};

// The statements of one hook have a time in a minute, and the disk of a slow machine takes most of it.
const FILES = USUAL.findIndex(({ name }) => name === "each journal mode on a file");
besideNode("node:sqlite", { ...SUBJECT, questions: USUAL.slice(0, FILES) });
besideNode("node:sqlite, and files of all kinds", { ...SUBJECT, questions: USUAL.slice(FILES) });
