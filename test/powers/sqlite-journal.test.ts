/**
 * A journal that ends in the name of a super-journal has SQLite delete the file of that name as it rolls back: whoever may write the
 * journal names any.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { DatabaseConnection } from "../../src/powers/sqlite-connection.ts";
import { locateRuntime, type Runtime } from "../../src/runtime/locate.ts";
import { startFacts } from "../guest/facts.ts";
import { OLDEST_NODE } from "../support/oldest-node.ts";
import { temporaryFolder } from "../support/session.ts";

const MAGIC = Buffer.from("d9d505f920a163d7", "hex");
const PAGE = 4096;

const u32 = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, 4 * at);
  return bytes;
};

/** The header of a journal without pages. */
const HEADER = Buffer.concat([MAGIC, u32(0, 1234, 2, 512, PAGE)], 512);

/** How SQLite writes the name of a super-journal at the end of a journal. */
function superJournal(name: string): Buffer {
  const bytes = Buffer.from(name);
  const sum = bytes.reduce((all, byte) => all + byte, 0);
  return Buffer.concat([u32(0x40000000 / PAGE + 1), bytes, u32(bytes.length, sum), MAGIC]);
}

/** A database of one row that a transaction is about to replace, as a crash leaves it: with the journal that rolls back to it. */
function crashed(folder: string): { real: string; journal: Buffer } {
  const source = join(folder, "source.db");
  const real = join(folder, "a.db");
  const database = new DatabaseSync(source);
  database.exec("PRAGMA page_size = 4096; CREATE TABLE t(a); INSERT INTO t VALUES ('before')");
  database.exec("PRAGMA cache_size = 2; BEGIN; UPDATE t SET a = 'after'");
  // More than its memory holds, so that it writes.
  for (let at = 0; at < 50; at++) database.exec("INSERT INTO t VALUES (zeroblob(5000))");
  copyFileSync(source, real);
  const journal = readFileSync(`${source}-journal`);
  database.close();
  return { real, journal };
}

let runtime: Runtime;
beforeAll(async () => {
  runtime = await locateRuntime({ home: "/nowhere", workspaces: [] });
});

/** A crashed database with this journal, and a file that is none of SQLite's. */
function world(journalOf: (honest: Buffer, victim: string) => Buffer, readOnly = false) {
  const folder = temporaryFolder();
  const victim = join(folder, "package.json");
  writeFileSync(victim, "{}");
  const { real, journal } = crashed(folder);
  writeFileSync(`${real}-journal`, journalOf(journal, victim));
  const options = { readOnly, foreignKeys: true, doubleQuoted: false, timeout: 0 };
  const connection = new DatabaseConnection(runtime, { ...options, checked: { asked: "a.db", real } });
  onTestFinished(() => connection.close());
  return { real, victim, connection };
}

const FIRST = {
  op: "query",
  sql: "SELECT a FROM t ORDER BY rowid LIMIT 1",
  text: '{"how":"get","bigInts":false,"bareNames":true,"unknownNames":false,"parameters":[]}',
} as const;
const first = async (connection: DatabaseConnection): Promise<unknown> =>
  JSON.parse((await connection.ask(FIRST)).text).value.rows;

/** Reads the database with the SQLite of an old Node, which deletes what a super-journal's name says. */
function readByOld(real: string): void {
  const script = `const db = new (require("node:sqlite").DatabaseSync)(process.argv[1]); try { db.prepare("SELECT * FROM t").all(); } catch {}`;
  execFileSync(String(OLDEST_NODE), ["--no-warnings", "-e", script, real]);
}

// biome-ignore format: a table
const NAMING: [what: string, journalOf: (honest: Buffer, victim: string) => Buffer][] = [
  ["no page", (_, victim) => Buffer.concat([HEADER, superJournal(victim)])],
  ["the pages of a crash", (honest, victim) => Buffer.concat([honest, superJournal(victim)])],
  ["pages that are cut", (honest, victim) => Buffer.concat([honest.subarray(0, 3000), superJournal(victim)])],
];

test.each(NAMING)(
  "a database whose journal has %s and a super-journal's name is not opened",
  async (_what, journalOf) => {
    for (const readOnly of [false, true]) {
      const { victim, connection } = world(journalOf, readOnly);
      await expect(connection.start()).rejects.toThrow("a.db-journal names a super-journal");
      expect(existsSync(victim)).toBe(true);
    }
    if (OLDEST_NODE === undefined) return;
    // It is an attack: with the SQLite of some Nodes, the file is gone.
    const { real, victim } = world(journalOf);
    readByOld(real);
    expect(existsSync(victim)).toBe(false);
  },
);

test.each(NAMING)("nor read, once it is open, when its journal comes to have %s and that", async (_what, journalOf) => {
  const { real, victim, connection } = world((honest) => honest);
  const journal = journalOf(readFileSync(`${real}-journal`), victim);
  await connection.start();
  expect(await first(connection)).toEqual([["before"]]);
  writeFileSync(`${real}-journal`, journal);
  await expect(connection.ask(FIRST)).rejects.toThrow("a.db-journal names a super-journal");
  expect(existsSync(victim)).toBe(true);
  rmSync(`${real}-journal`);
  expect(await first(connection)).toEqual([["before"]]);
});

test("the journal of a crash is rolled back", async () => {
  const { real, victim, connection } = world((honest) => honest);
  expect(readFileSync(real, "latin1")).toContain("after");
  expect(await connection.start()).toMatchObject({ fault: false });
  expect(await first(connection)).toEqual([["before"]]);
  expect([existsSync(`${real}-journal`), existsSync(victim)]).toEqual([false, true]);
});

/** Where SQLite itself finds no name. */
// biome-ignore format: a table
const NAMELESS: [what: string, journalOf: (honest: Buffer, victim: string) => Buffer][] = [
  ...Array.from({ length: MAGIC.length }, (_, at): (typeof NAMELESS)[number] => [
    `another byte ${at} of the mark`,
    (honest, victim) => {
      const journal = Buffer.concat([honest, superJournal(victim)]);
      const place = journal.length - MAGIC.length + at;
      journal[place] = (journal[place] as number) ^ 1;
      return journal;
    },
  ]),
  ["a byte behind the mark", (honest, victim) => Buffer.concat([honest, superJournal(victim), Buffer.alloc(1)])],
  ["too few bytes for a name", () => Buffer.concat([Buffer.alloc(7), MAGIC])],
  ["nothing in it", () => Buffer.alloc(0)],
];

test.each(NAMELESS)(
  "a journal with %s names no super-journal, and its database is opened",
  async (_what, journalOf) => {
    const { real, victim, connection } = world(journalOf);
    expect(await connection.start()).toMatchObject({ fault: false });
    await connection.ask(FIRST);
    if (OLDEST_NODE !== undefined) readByOld(real);
    expect(existsSync(victim)).toBe(true);
  },
);

test("a journal of the least bytes that could have a name is refused", async () => {
  const { connection } = world(() => Buffer.concat([Buffer.alloc(8), MAGIC]));
  await expect(connection.start()).rejects.toThrow("names a super-journal");
});

test("a hook with a database and the file of its journal is told why", async () => {
  const journal = Buffer.concat([HEADER, superJournal("/nowhere/package.json")]).toString("base64");
  const { ask } = await startFacts(
    {
      act: `const { DatabaseSync } = require("node:sqlite"); const { writeFileSync } = require("node:fs");
        new DatabaseSync("a.db").close();
        writeFileSync("a.db-journal", Buffer.from("${journal}", "base64"));
        new DatabaseSync("a.db");`,
    },
    {
      grant: { capabilities: { sqlite: [{ path: "$CWD/a.db", write: true }], fs: { write: ["$CWD/a.db-journal"] } } },
    },
  );
  expect(await ask("act")).toMatchObject({ threw: expect.stringContaining("a.db-journal names a super-journal") });
});
