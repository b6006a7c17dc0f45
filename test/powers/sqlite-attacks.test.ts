import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { DatabaseConnection } from "../../src/powers/sqlite-connection.ts";
import { databaseFile } from "../../src/powers/sqlite-file.ts";
import { DatabaseProcess } from "../../src/powers/sqlite-process.ts";
import { locateRuntime, type Runtime } from "../../src/runtime/locate.ts";
import { startFacts } from "../guest/facts.ts";
import { onToolCall, sharedSession, temporaryFolder } from "../support/session.ts";

const TOP = 'import { DatabaseSync } from "node:sqlite";';
const WRITES = { capabilities: { sqlite: [{ path: "$CWD/**/*.db", write: true }] } };

const REQUIRE = 'const { DatabaseSync } = require("node:sqlite");';

/** Makes a database with a row of text, as any other program does. */
function makeDatabase(path: string, text: string): void {
  const database = new DatabaseSync(path);
  database.exec("CREATE TABLE t(a)");
  database.prepare("INSERT INTO t VALUES (?)").run(text);
  database.close();
}

describe("statements that reach beyond their database", () => {
  const SQL: readonly string[] = [
    "ATTACH '{W}/outside.db' AS x",
    "ATTACH DATABASE (SELECT '{W}/outside.db') AS x",
    "ATTACH ? AS x",
    "attach '{W}/work/made.db' as x",
    "ATTACH ':memory:' AS x",
    "VACUUM INTO '{W}/work/copy.db'",
    "VACUUM main INTO '{W}/copy.db'",
    "DETACH main",
    "PRAGMA temp_store_directory = '{W}'",
    "PRAGMA main.temp_store_directory = '{W}'",
    "PRAGMA data_store_directory = '{W}'",
    "PRAGMA temp_store = FILE",
    "PRAGMA temp_store = 1",
    "PRAGMA writable_schema = ON",
    "PRAGMA WRITABLE_SCHEMA(1)",
    "SELECT * FROM pragma_writable_schema",
    "PRAGMA trusted_schema = ON",
    "PRAGMA hard_heap_limit = 0",
    "PRAGMA soft_heap_limit = 0",
    "PRAGMA max_page_count = 1",
    "PRAGMA threads = 8",
    "PRAGMA key = 'x'",
    "SELECT load_extension('{W}/x.so')",
    "SELECT fts3_tokenizer('simple')",
    "CREATE VIRTUAL TABLE c USING csv(filename = '{W}/secret.txt')",
    "CREATE VIRTUAL TABLE d USING dbstat",
    "CREATE VIEW v AS SELECT load_extension('{W}/x.so'); SELECT * FROM v",
    "CREATE TEMP TRIGGER g AFTER INSERT ON t BEGIN SELECT load_extension('{W}/x.so'); END; INSERT INTO t VALUES (1)",
    "UPDATE sqlite_master SET sql = 'x'",
    "DELETE FROM sqlite_schema",
    "SELECT readfile('{W}/secret.txt')",
    "SELECT writefile('{W}/made.txt', 'x')",
    "SELECT edit('x', 'sh')",
  ];

  const session = sharedSession({
    asker: {
      source: onToolCall(
        'const db = new DatabaseSync("a.db"); let text = "done"; try { db.exec(event.input.sql); } catch (error: any) { text = error.message; } const left = db.prepare("SELECT count(*) AS n FROM sqlite_master").get().n; db.close(); return { block: true, reason: text + " " + left };',
        TOP,
      ),
      grant: { capabilities: { ...WRITES.capabilities, events: { see: ["tool_call"], block: true } } },
    },
  });
  beforeAll(() => {
    makeDatabase(join(session.folder, "work", "a.db"), "mine");
    makeDatabase(join(session.folder, "outside.db"), "secret");
    writeFileSync(join(session.folder, "secret.txt"), "secret");
  });

  test.each(SQL)("are refused: %s", async (sql) => {
    const before = readdirSync(session.folder);
    const verdict = await session.call({ sql: sql.replaceAll("{W}", session.folder) });
    expect(verdict).toMatchObject({
      reason: expect.stringMatching(
        /not authorized|authorization denied|may not be modified|no such (function|module|table)|unsafe use|not offered/,
      ),
    });
    expect(readdirSync(session.folder)).toEqual(before);
    expect(readdirSync(join(session.folder, "work"))).toEqual(["a.db"]);
  });

  test("and others still work after them, such as the view that was made", async () => {
    expect(await session.call({ sql: "SELECT 1" })).toMatchObject({ reason: "done 2" });
  });
});

describe("files that are another than was checked", () => {
  let runtime: Runtime;
  beforeAll(async () => {
    runtime = await locateRuntime({ home: "/nowhere", workspaces: [] });
  });
  const OPTIONS = { readOnly: false, foreignKeys: true, doubleQuoted: false, timeout: 0 };
  const world = (): { folder: string; real: string; secret: string } => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "mine"));
    makeDatabase(join(folder, "secret.db"), "secret");
    makeDatabase(join(folder, "mine", "a.db"), "mine");
    return { folder, real: join(folder, "mine", "a.db"), secret: join(folder, "secret.db") };
  };

  test.each<[name: string, swap: (world: { folder: string; real: string; secret: string }) => void]>([
    [
      "the file became a link to another",
      ({ real, secret }) => {
        rmSync(real);
        symlinkSync(secret, real);
      },
    ],
    [
      "the file became a second name of another",
      ({ real, secret }) => {
        rmSync(real);
        linkSync(secret, real);
      },
    ],
    ["the file is another", ({ real, secret }) => renameSync(secret, real)],
    [
      "its folder became a link to another",
      ({ folder, real }) => {
        mkdirSync(join(folder, "other"));
        makeDatabase(join(folder, "other", "a.db"), "secret");
        renameSync(join(real, ".."), join(folder, "gone"));
        symlinkSync(join(folder, "other"), join(folder, "mine"));
      },
    ],
  ])("%s after the check: nothing is opened", async (_name, swap) => {
    const made = world();
    const { file, folder } = databaseFile({ asked: "a.db", real: made.real }, false);
    swap(made);
    const { process, said } = await DatabaseProcess.start(runtime, { ...OPTIONS, path: made.real, file }, folder);
    process.kill();
    expect(said).toMatchObject({
      fault: true,
      text: expect.stringMatching(/a link came into the way|was not opened|unable to open|gone|ERR_ACCESS/),
    });
    expect(said.text).not.toContain("secret");
  });

  test("without a swap it is opened", async () => {
    const { real } = world();
    const { file, folder } = databaseFile({ asked: "a.db", real }, false);
    const { process, said } = await DatabaseProcess.start(runtime, { ...OPTIONS, path: real, file }, folder);
    onTestFinished(() => process.kill());
    expect(said).toEqual({ fault: false, text: expect.stringMatching(/^landlock \d+,seccomp$/) });
    const answer = await process.ask(
      JSON.stringify({
        op: "query",
        sql: "SELECT a FROM t",
        text: '{"how":"get","bigInts":false,"bareNames":true,"unknownNames":false,"parameters":[]}',
      }),
    );
    expect(JSON.parse(answer.text).value.rows).toEqual([["mine"]]);
    expect(readFileSync(`/proc/${process.pid}/status`, "utf8")).toMatch(/Seccomp:\s2/);
  });

  test.each(["-journal", "-wal", "-shm"])(
    "a link, a second name or a folder as the file's %s: it is not opened",
    (ending) => {
      const { folder, real, secret } = world();
      const checked = { asked: "a.db", real };
      for (const make of [
        () => symlinkSync(secret, real + ending),
        () => linkSync(secret, real + ending),
        () => mkdirSync(real + ending),
      ]) {
        make();
        expect(() => databaseFile(checked, false), folder).toThrow("regular files with one name");
        rmSync(real + ending, { recursive: true });
      }
    },
  );

  test("a link that comes later as its journal is not followed", async () => {
    const { real, secret } = world();
    const connection = new DatabaseConnection(runtime, { ...OPTIONS, checked: { asked: "a.db", real } });
    onTestFinished(() => connection.close());
    await connection.start();
    const before = readFileSync(secret);
    symlinkSync(secret, `${real}-journal`);
    const said = await connection.ask({ op: "exec", sql: "INSERT INTO t VALUES (zeroblob(100000))" });
    expect(said).toMatchObject({ fault: true, text: expect.stringContaining("unable to open database file") });
    expect(readFileSync(secret)).toEqual(before);
  });

  test("a link that was granted nothing at its end is refused, and one to what was granted is followed", async () => {
    const { ask, folder } = await startFacts(
      {
        out: `const { DatabaseSync } = require("node:sqlite"); return new DatabaseSync("out.db").location();`,
        within: `const { DatabaseSync } = require("node:sqlite"); return new DatabaseSync("within.db").prepare("SELECT a FROM t").get().a;`,
      },
      { grant: WRITES },
    );
    makeDatabase(join(folder, "secret.db"), "secret");
    makeDatabase(join(folder, "work", "a.db"), "mine");
    symlinkSync("../secret.db", join(folder, "work", "out.db"));
    symlinkSync("a.db", join(folder, "work", "within.db"));
    expect(await ask("out")).toMatchObject({ code: "NOT_GRANTED" });
    expect(await ask("within")).toBe("mine");
  });
});

test("hostile database files are errors, whatever byte of them is wrong", async () => {
  const { ask, folder } = await startFacts(
    {
      act: `${REQUIRE} const seen = {}; for (let at = 0; at < 12; at++) { try { const db = new DatabaseSync("h" + at + ".db"); try { db.prepare("SELECT * FROM t, f WHERE f MATCH 'word' ORDER BY 1").all(); db.exec("PRAGMA integrity_check; INSERT INTO t VALUES (1, 2); DELETE FROM t; INSERT INTO f VALUES ('x'); VACUUM"); } finally { db.close(); } } catch (error) { seen[error.code] = (seen[error.code] ?? 0) + 1; } } return seen;`,
    },
    { grant: WRITES },
  );
  const whole = join(folder, "whole.db");
  const database = new DatabaseSync(whole);
  database.exec(
    "CREATE TABLE t(a, b); CREATE INDEX i ON t(a); CREATE VIRTUAL TABLE f USING fts5(x); INSERT INTO f VALUES ('a word'), ('another')",
  );
  for (let at = 0; at < 300; at++) database.prepare("INSERT INTO t VALUES (?, ?)").run(at, `text ${at}`);
  database.close();
  const bytes = readFileSync(whole);
  let seed = 12345;
  const random = (most: number): number => {
    seed = (seed * 1103515245 + 12345) & 0x7fffffff;
    return seed % most;
  };
  for (let at = 0; at < 12; at++) {
    const changed = Buffer.from(bytes);
    for (let count = 0; count < 40; count++) changed[100 + random(changed.length - 100)] = random(256);
    writeFileSync(join(folder, "work", `h${at}.db`), changed);
  }
  const seen = (await ask("act")) as Record<string, number>;
  expect(Object.keys(seen)).toEqual(["ERR_SQLITE_ERROR"]);
  expect(seen.ERR_SQLITE_ERROR).toBeGreaterThan(5);
});
