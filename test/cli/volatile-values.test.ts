import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { hasVolatile, replaceVolatile } from "../../src/cli/volatile-values.ts";

const NOW = Date.UTC(2026, 10, 25, 23, 30);
const shown = (text: string): string => replaceVolatile(text, (piece) => "?".repeat(piece.length), NOW);

// biome-ignore format: a table
test.each([
  ["a UUID", "run-0b2d1b1e-58c5-4f0f-9d0b-0a4b1e7c9f10.json", `run-${"?".repeat(36)}.json`],
  ["a UUID in capitals", "0B2D1B1E-58C5-4F0F-9D0B-0A4B1E7C9F10", "?".repeat(36)],
  ["more digits than a UUID", "00b2d1b1e-58c5-4f0f-9d0b-0a4b1e7c9f10", "00b2d1b1e-58c5-4f0f-9d0b-0a4b1e7c9f10"],
  ["today", "log/2026-11-25.md", "log/??????????.md"],
  ["today, in the east", "log/2026-11-26.md", "log/??????????.md"],
  ["today, in one piece", "log-20261125", "log-????????"],
  ["another day", "log/2026-11-23.md", "log/2026-11-23.md"],
  ["a version that looks like a day", "2025.10.2", "2025.10.2"],
  ["a time", "at 2026-11-25T23:30:00.123Z", `at ${"?".repeat(24)}`],
  ["a time in a name", "2026-11-25T23-30-00-123Z_x.jsonl", `${"?".repeat(24)}_x.jsonl`],
  ["a time in one piece", "20261125-233000.txt", "???????????????.txt"],
  ["milliseconds", `job-${NOW}`, "job-?????????????"],
  ["seconds", `job-${NOW / 1000}`, "job-??????????"],
  ["milliseconds in base 36", `job-${NOW.toString(36)}-1`, "job-????????-1"],
  ["a number of thirteen digits", "1234567890123", "1234567890123"],
  ["a number of ten digits", "1234567890", "1234567890"],
  ["a word of eight letters", "continue", "continue"],
  ["a commit", "0123456789abcdef0123456789abcdef01234567", "0123456789abcdef0123456789abcdef01234567"],
])("%s", (_what, text, expected) => {
  expect(shown(text)).toBe(expected);
});

test("whatever a program makes of this moment is volatile", () => {
  for (const text of [randomUUID(), new Date().toISOString(), `${Date.now()}`, Date.now().toString(36)])
    expect([text, hasVolatile(text)]).toEqual([text, true]);
});
