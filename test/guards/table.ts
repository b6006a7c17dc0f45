import { readFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";

/** A row of `cases/*.json`: what the page says of a command or path, or what follows from it. */
type Row = { command?: string; path?: string; verdict: "block" | "allow"; basis: "stated" | "implied"; note: string };

/**
 * A test for each row of a table, and its score as a line of the log. A row of `misses` must come out wrong: one that no
 * longer does fails, so that the list stays true.
 */
export function testTable(
  name: string,
  judge: (text: string) => string | undefined,
  misses: ReadonlyMap<string, string>,
): void {
  const file = new URL(`./cases/${name}.json`, import.meta.url);
  const rows: Row[] = JSON.parse(readFileSync(file, "utf8"));
  const judged = rows.map((row) => {
    const text = row.command ?? row.path ?? "";
    return { ...row, text, right: (judge(text) !== undefined) === (row.verdict === "block") };
  });
  const stated = judged.filter((row) => row.basis === "stated");
  const implied = judged.filter((row) => row.basis === "implied");
  const allowed = judged.filter((row) => row.verdict === "allow");
  const right = (of: typeof judged): number => of.filter((row) => row.right).length;

  test.each(judged)("$basis: $verdict $text", (row) => {
    const miss = misses.get(row.text);
    if (miss !== undefined) expect(row, "a miss only where nothing is stated").toMatchObject({ basis: "implied" });
    expect(row.right, miss ?? row.note).toBe(miss === undefined);
  });

  test(`${name}: all that is stated, 95 % of what is implied, no false alarm`, () => {
    expect(right(stated)).toBe(stated.length);
    expect(right(implied) / implied.length).toBeGreaterThanOrEqual(0.95);
    expect(right(allowed)).toBe(allowed.length);
    expect([...misses.keys()].filter((text) => !rows.some((row) => (row.command ?? row.path) === text))).toEqual([]);
  });

  afterAll(() => {
    console.log(
      `${name}: stated ${right(stated)}/${stated.length}, implied ${right(implied)}/${implied.length}, ` +
        `false alarms ${allowed.length - right(allowed)}/${allowed.length}`,
    );
  });
}
