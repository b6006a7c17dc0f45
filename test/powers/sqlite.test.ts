import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import type { SqliteGrant } from "../../src/powers/sqlite-grant.ts";
import { startFacts } from "../guest/facts.ts";
import { writeFiles } from "../support/session.ts";

const OPEN = 'const { DatabaseSync } = require("node:sqlite");';
const granted = (...sqlite: SqliteGrant) => ({ grant: { capabilities: { sqlite } } });
const REFUSED = expect.objectContaining({ code: "NOT_GRANTED" });

/** A database with one row, as any other program makes it. */
function makeDatabase(path: string, text = "secret"): void {
  const database = new DatabaseSync(path);
  database.exec("CREATE TABLE t(a)");
  database.prepare("INSERT INTO t VALUES (?)").run(text);
  database.close();
}

const reads = (path: string): string =>
  `${OPEN} return new DatabaseSync(${path}, { readOnly: true }).prepare("SELECT a FROM t").get().a;`;
const writes = (path: string): string =>
  `${OPEN} new DatabaseSync(${path}).exec("CREATE TABLE IF NOT EXISTS w(a)"); return "written";`;

describe("what a grant covers", () => {
  const TABLE: readonly [claim: string, grant: SqliteGrant, body: string, comes: unknown][] = [
    ["nothing without one", [], reads('"a.db"'), REFUSED],
    ["nor a database in memory", [], `${OPEN} return new DatabaseSync(":memory:").isOpen;`, REFUSED],
    ["a file that is named is read", [{ path: "$CWD/a.db" }], reads('"a.db"'), "secret"],
    ["and by its whole path", [{ path: "$CWD/a.db" }], reads('ctx.cwd + "/sub/../a.db"'), "secret"],
    ["and not written", [{ path: "$CWD/a.db" }], writes('"a.db"'), REFUSED],
    ["one that may be written is read, too", [{ path: "$CWD/a.db", write: true }], reads('"a.db"'), "secret"],
    ["and written", [{ path: "$CWD/a.db", write: true }], writes('"a.db"'), "written"],
    ["a pattern covers what it matches", [{ path: "$CWD/*.db", write: true }], writes('"new.db"'), "written"],
    ["and no more", [{ path: "$CWD/*.db" }], reads('"sub/b.db"'), REFUSED],
    ["no pattern covers what is loaded as code", [{ path: "$CWD/**", write: true }], writes('".git/x.db"'), REFUSED],
    ["nor secrets", [{ path: "$CWD/**" }], reads('".env"'), REFUSED],
    [
      "any entry allows memory",
      [{ path: "$CWD/a.db" }],
      `${OPEN} return new DatabaseSync(":memory:").location();`,
      null,
    ],
    ["that of memory alone, too", [{ path: ":memory:" }], `${OPEN} return new DatabaseSync(":memory:").isOpen;`, true],
    ["and no file", [{ path: ":memory:" }], reads('"a.db"'), REFUSED],
    [
      "a power over files does not cover databases",
      [],
      `${OPEN} require("fs").statSync("a.db"); return new DatabaseSync("a.db");`,
      REFUSED,
    ],
    ["import works", [{ path: ":memory:" }], 'return typeof (await import("node:sqlite")).DatabaseSync;', "function"],
  ];

  test.each(TABLE)("%s", async (_claim, sqlite, body, comes) => {
    const { ask, folder } = await startFacts(
      { act: body },
      { grant: { capabilities: { sqlite, fs: { read: ["$CWD/**"] } } } },
    );
    writeFiles(join(folder, "work"), { "sub/x": "", ".git/x": "" });
    for (const path of ["a.db", "sub/b.db", ".env"]) makeDatabase(join(folder, "work", path));
    expect(await ask("act")).toEqual(comes);
  });
});

test("what was refused is told with the least grant that would cover it, and audited", async () => {
  const refused: unknown[] = [];
  const { ask, errors, audit } = await startFacts(
    { act: writes('"notes/a.db"') },
    { onRefused: ({ wanted }) => refused.push(wanted) },
  );
  expect(await ask("act")).toEqual(REFUSED);
  expect(errors[0]?.error).toMatch(/; add "sqlite": .* to the grant that its host gives it/);
  expect(refused).toContainEqual({ capability: "sqlite", grant: [{ path: "$CWD/notes/a.db", write: true }] });
  expect(audit).toContainEqual(
    expect.objectContaining({
      capability: "sqlite.open",
      value: "open notes/a.db for writing",
      outcome: "NOT_GRANTED",
    }),
  );
});

test("each statement is in the audit, and no value is", async () => {
  const body = `${OPEN} const db = new DatabaseSync(":memory:"); db.exec("CREATE TABLE t(a)"); db.prepare("INSERT INTO t VALUES (?)").run("private-value"); db.close(); return 1;`;
  const { ask, audit } = await startFacts({ act: body }, granted({ path: ":memory:" }));
  await ask("act");
  const used = audit
    .filter(({ capability }) => capability?.startsWith("sqlite."))
    .map(({ capability, value }) => [capability, value]);
  expect(used).toEqual([
    ["sqlite.open", "open :memory:"],
    ["sqlite.exec", 'exec "CREATE TABLE t(a)"'],
    ["sqlite.prepare", 'prepare "INSERT INTO t VALUES (?)"'],
    ["sqlite.query", 'query "INSERT INTO t VALUES (?)"'],
    ["sqlite.close", "close a database"],
  ]);
  expect(JSON.stringify(audit)).not.toContain("private-value");
});

test("a revocation closes the database, and ends its process", async () => {
  const keep = `${OPEN} globalThis.db ??= new DatabaseSync("a.db"); globalThis.db.exec("CREATE TABLE IF NOT EXISTS t(a)"); return 1;`;
  const { ask, host, folder } = await startFacts({ keep }, granted({ path: "$CWD/a.db", write: true }));
  expect(await ask("keep")).toBe(1);
  expect(processesOf(folder)).toHaveLength(1);
  host.grants.revoke("teller", "sqlite");
  await expect.poll(() => processesOf(folder)).toEqual([]);
  expect(await ask("keep")).toEqual(REFUSED);
});

test("the processes end with the host, whatever runs in them", async () => {
  const { ask, host, folder } = await startFacts(
    { keep: `${OPEN} globalThis.all = ["a.db", "b.db"].map((name) => new DatabaseSync(name)); return 1;` },
    granted({ path: "$CWD/*.db", write: true }),
  );
  await ask("keep");
  expect(processesOf(folder)).toHaveLength(2);
  await host.close();
  await expect.poll(() => processesOf(folder)).toEqual([]);
});

test("eight databases are open at once; with a ninth the one not used for longest is closed", async () => {
  const many = (count: number): string =>
    `${OPEN} const all = Array.from({ length: ${count} }, () => new DatabaseSync(":memory:")); const last = () => all.map((db) => { try { db.exec("SELECT 1"); return true; } catch (error) { return error.message.slice(0, 20); } }); const seen = last(); for (const db of all) { try { db.close(); } catch {} } return seen;`;
  const { ask } = await startFacts({ eight: many(8), nine: many(9) }, granted({ path: ":memory:" }));
  expect(await ask("eight")).toEqual(Array(8).fill(true));
  const nine = (await ask("nine")) as unknown[];
  expect(nine).toContain("database is not open");
});

test("what node:sqlite lacks for hooks throws by its name, and better-sqlite3 is refused with what to use", async () => {
  const CALLS: readonly [call: string, name: string][] = [
    ["db.function('f', () => 1)", "function"],
    ["db.aggregate('f', {})", "aggregate"],
    ["db.setAuthorizer(() => 0)", "setAuthorizer"],
    ["db.loadExtension('x')", "loadExtension"],
    ["db.enableLoadExtension(true)", "enableLoadExtension"],
    ["db.enableDefensive(false)", "enableDefensive"],
    ["db.createSession()", "createSession"],
    ["db.applyChangeset(new Uint8Array())", "applyChangeset"],
    ["db.createTagStore()", "createTagStore"],
    ["db.serialize()", "serialize"],
    ["db.deserialize(new Uint8Array())", "deserialize"],
    ["db.limits", "limits"],
    ["db.prepare('SELECT 1').expandedSQL", "expandedSQL"],
    ["new DatabaseSync('', {})", "path"],
    ["new DatabaseSync('file:a.db?mode=ro')", "path"],
    ["new DatabaseSync(':memory:', { allowExtension: true })", "allowExtension"],
    ["new DatabaseSync(':memory:', { defensive: false })", "defensive"],
    ["new DatabaseSync(':memory:', { limits: { length: 5 } })", "limits"],
    ["require('node:sqlite').backup(db, 'x')", "backup"],
  ];
  const facts = Object.fromEntries(
    CALLS.map(([call]) => [
      call,
      `${OPEN} const db = new DatabaseSync(":memory:"); try { return ${call}; } finally { db.close(); }`,
    ]),
  );
  const { ask } = await startFacts(facts, granted({ path: ":memory:" }));
  for (const [call, name] of CALLS)
    expect(await ask(call), call).toEqual({
      code: "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM",
      threw: expect.stringMatching(
        new RegExp(`sqlite\\.[^:]*${name === "path" ? "DatabaseSync" : name}.* is not offered to hooks: `),
      ),
    });
  const native = await startFacts({ act: 'return await import("better-sqlite3");' });
  expect(await native.ask("act")).toMatchObject({
    threw: expect.stringContaining("node:sqlite has the same databases"),
  });
});

test("without node: it is a package of that name, which a hook has or has not", async () => {
  const { ask } = await startFacts({ act: 'return await import("sqlite");' }, granted({ path: ":memory:" }));
  expect(await ask("act")).toMatchObject({ code: "ERR_MODULE_NOT_FOUND" });
});

/** The processes of databases below a folder, or in memory if they belong to this test's process. */
function processesOf(folder: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && existsSync(`/proc/${name}/cmdline`))
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        return command.startsWith("/bin/sh")
          ? []
          : command.includes("database.cjs") && command.includes(folder)
            ? [pid]
            : [];
      } catch {
        return [];
      }
    });
}
