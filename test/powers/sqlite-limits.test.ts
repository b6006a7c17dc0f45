import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { CALL_MS } from "../../src/powers/sqlite-process.ts";
import { startFacts } from "../guest/facts.ts";
import { sampled } from "../support/length.ts";
import { needsTime } from "../support/needs.ts";
import { onToolCall, startSession } from "../support/session.ts";

const TOP = 'import { DatabaseSync } from "node:sqlite";';
const WRITES = { capabilities: { sqlite: [{ path: "$CWD/**/*.db", write: true }] } };
const REQUIRE = 'const { DatabaseSync } = require("node:sqlite");';
const threw = (what: RegExp) => expect.objectContaining({ threw: expect.stringMatching(what) });

describe("statements that take what there is", () => {
  test("one that never ends is stopped at the limit, the agent goes on, and the next call says what was lost", async () => {
    const { ask, folder } = await startFacts(
      {
        endless: `${REQUIRE} globalThis.db = new DatabaseSync("a.db"); globalThis.db.exec("CREATE TABLE IF NOT EXISTS n(x); BEGIN; INSERT INTO n VALUES (1)"); return globalThis.db.prepare("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c").get();`,
        next: 'return globalThis.db.exec("INSERT INTO n VALUES (2)");',
        afterwards:
          'globalThis.db.exec("INSERT INTO n VALUES (3)"); return [globalThis.db.isTransaction, globalThis.db.prepare("SELECT x FROM n").all()];',
      },
      { grant: WRITES },
    );
    let turns = 0;
    const turning = setInterval(() => turns++, 20);
    const started = performance.now();
    expect(await ask("endless")).toEqual({
      code: "ERR_SQLITE_ERROR",
      threw: `Error: the statement was stopped: it took longer than ${CALL_MS} ms; the connection to a.db is lost`,
    });
    expect(performance.now() - started).toBeGreaterThan(CALL_MS);
    clearInterval(turning);
    // The agent's process was not held up by it.
    expect(turns).toBeGreaterThan(10);
    expect(await ask("next")).toMatchObject({ threw: expect.stringContaining("the connection to a.db was lost") });
    expect(await ask("afterwards")).toEqual([false, [{ x: 3 }]]);
    expect(statSync(join(folder, "work", "a.db")).size).toBeGreaterThan(0);
  });

  test("all of a hook's statements together have a limit in a minute", needsTime(), async () => {
    const { ask } = await startFacts(
      {
        // One computes, and the others wait for a lock, which is time all the same and costs the machine nothing.
        burn: `${REQUIRE} new DatabaseSync("a.db").exec("BEGIN IMMEDIATE"); for (let at = 0; at < 10; at++) { try { const db = new DatabaseSync("a.db"); db.exec(at === 0 ? "PRAGMA busy_timeout = 1; WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c" : "PRAGMA busy_timeout = 60000; BEGIN IMMEDIATE"); } catch (error) { if (error.code === "RATE_LIMITED") return [at, error.message]; } } return "never";`,
      },
      { grant: WRITES },
    );
    expect(await ask("burn")).toEqual([4, "the statements of this hook took more than 20000 ms in a minute"]);
  });

  const IN_MEMORY: readonly [name: string, body: string, comes: unknown][] = [
    ["a blob of the largest size comes back", 'return one("SELECT length(zeroblob(2000000)) AS v").v;', 2_000_000],
    ["one byte more is refused", 'return one("SELECT zeroblob(2000001) AS v");', threw(/too big/)],
    ["so is a gigabyte", 'return one("SELECT zeroblob(1000000000) AS v");', threw(/too big/)],
    [
      "a row of more than an answer is refused",
      'return one("SELECT randomblob(2000000), randomblob(2000000)");',
      threw(/more than a hook handles/),
    ],
    [
      "rows of a gigabyte are not collected",
      "return db.prepare(`${COUNT} SELECT randomblob(500000) FROM c LIMIT 1500`).all().length;",
      threw(/read them with iterate/),
    ],
    [
      "but can be read one by one",
      "let n = 0; for (const row of db.prepare(`${COUNT} SELECT zeroblob(100000) AS b FROM c LIMIT 200`).iterate()) n += row.b.length; return n;",
      20_000_000,
    ],
    [
      "a table in memory grows to the limit of the process",
      'db.exec("CREATE TABLE m(a)"); return db.exec(`INSERT INTO m ${COUNT} SELECT randomblob(1000000) FROM c LIMIT 1000`);',
      threw(/out of memory|disk is full|lost/),
    ],
    [
      "a sorter, too",
      "return db.prepare(`${COUNT} SELECT x, zeroblob(100000) AS b FROM c LIMIT 5000`).all().length + db.prepare(`SELECT count(*) FROM (${COUNT} SELECT x, randomblob(100000) AS b FROM c LIMIT 5000) ORDER BY b`).get();",
      threw(/out of memory|read them|lost/),
    ],
    [
      "ten thousand statements are prepared",
      "const all = Array.from({ length: 10000 / PART }, (_, at) => db.prepare(`SELECT ${at} AS v`)); return all.at(-1).get().v + all[0].get().v;",
      expect.any(Number),
    ],
    ["a statement of the largest size", 'return one(`SELECT 1 AS v --${"x".repeat(999984)}`).v;', 1],
    [
      "one character more is a wrong argument",
      'return one(`SELECT 1 AS v --${"x".repeat(1000000)}`);',
      threw(/sqlite\.prepare|argument|character/),
    ],
    [
      "more readers than there are places",
      "const all = Array.from({ length: 40 }, () => db.prepare(`${COUNT} SELECT x, zeroblob(300000) AS b FROM c LIMIT 9`).iterate()); all.forEach((r) => r.next()); return all.at(-1).toArray().length + all[0].toArray().length;",
      threw(/the rows of this statement were dropped/),
    ],
    ["deep expressions", 'return one(`SELECT ${"(".repeat(5000)}1${")".repeat(5000)}`);', threw(/Recursion limit/)],
    [
      "a pattern that takes for ever",
      'return one(`SELECT ${"\'" + "a".repeat(40000) + "\'"} LIKE \'${"%a".repeat(30000)}b\' AS v`);',
      threw(/pattern too complex|lost/),
    ],
  ];

  test.each(sampled(IN_MEMORY, 3))("%s", async (_name, body, comes) => {
    const { ask } = await startFacts(
      {
        act: `${REQUIRE} const PART = 50; const COUNT = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"; const db = new DatabaseSync(":memory:"); const one = (sql) => db.prepare(sql).get(); ${body}`,
        after: `${REQUIRE} return new DatabaseSync(":memory:").prepare("SELECT 5 AS v").get().v;`,
      },
      { grant: WRITES },
    );
    expect(await ask("act")).toEqual(comes);
    expect(await ask("after")).toBe(5);
  });

  test("two hooks on one file each see what the other committed, and a lock is an error in time", async () => {
    const add = onToolCall(
      'const db = new DatabaseSync("both.db", { timeout: 2000 }); db.exec("CREATE TABLE IF NOT EXISTS n(x)"); for (let at = 0; at < 20; at++) db.exec("BEGIN IMMEDIATE; INSERT INTO n SELECT coalesce(max(x), 0) + 1 FROM n; COMMIT"); db.close();',
      TOP,
    );
    const session = await startSession({ one: { source: add, grant: WRITES }, two: { source: add, grant: WRITES } });
    await Promise.all([session.call(), session.call()]);
    expect(session.errors).toEqual([]);
    const database = new DatabaseSync(join(session.folder, "work", "both.db"));
    expect({ ...database.prepare("SELECT count(*) AS n, max(x) AS most FROM n").get() }).toEqual({ n: 80, most: 80 });
    database.close();
  });
});
