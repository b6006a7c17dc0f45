import { describe, expect, test, vi } from "vitest";
import { timeIn } from "../../src/audit/since.ts";
import { pastTime } from "../../src/cli/since.ts";

const NOW = new Date("2026-03-01T12:30:00Z");

describe.each([
  ["UTC", 0],
  ["Asia/Kolkata", 5.5],
  ["America/New_York", -5],
] as const)("in the zone %s", (zone, hours) => {
  /** A wall-clock time there, as UTC. */
  const there = (text: string): string => new Date(Date.parse(`${text}Z`) - hours * 3_600_000).toISOString();
  test.each<[string, string]>([
    ["90s", "2026-03-01T12:28:30.000Z"],
    ["30m", "2026-03-01T12:00:00.000Z"],
    ["12h", "2026-03-01T00:30:00.000Z"],
    ["2d", "2026-02-27T12:30:00.000Z"],
    ["1w", "2026-02-22T12:30:00.000Z"],
    ["6:21", there("2026-03-01T06:21")],
    ["06:21:30", there("2026-03-01T06:21:30")],
    ["06:21Z", "2026-03-01T06:21:00.000Z"],
    ["06:21+02:00", "2026-03-01T04:21:00.000Z"],
    ["00:10-11:00", "2026-03-01T11:10:00.000Z"],
    ["today", there("2026-03-01T00:00")],
    ["yesterday", there("2026-02-28T00:00")],
    ["yesterday 23:59", there("2026-02-28T23:59")],
    ["yesterday 23:59Z", "2026-02-28T23:59:00.000Z"],
    ["2026-01-31", there("2026-01-31T00:00")],
    ["2026-01-31 08:15", there("2026-01-31T08:15")],
    ["2026-01-31T08:15:30.250Z", "2026-01-31T08:15:30.250Z"],
    ["2026-01-31T08:15+02:00", "2026-01-31T06:15:00.000Z"],
    ["2028-02-29T00:00Z", "2028-02-29T00:00:00.000Z"],
  ])("%s", (text, expected) => {
    vi.stubEnv("TZ", zone);
    expect(timeIn(text, NOW)?.toISOString()).toBe(expected);
    vi.unstubAllEnvs();
  });
});

test.each([
  ...["", " ", "now", "tomorrow", "1", "2x", "-1h", "1h30m", "100000s", "16", "16:2", "16:60", "25:00", "Z", "today Z"],
  ...["today16:21", "yesterdayT", "2026-13-01", "2026-02-30", "2026-1-1", "2026-01-31T", "2026-01-31Z", "20260131"],
  ...["16:21 yesterday", "16:21Zz", "2026-01-31T12:00+2", "2026-01-31T12:00\n", "०६:२१"],
])("%j is no time", (text) => {
  expect(timeIn(text, NOW)).toBeUndefined();
  expect(() => pastTime(text)).toThrow(/^it must be a span \(30m.*2026-01-31T12:00Z\)$/);
});

test("a time of today that is to come is named with its yesterday", () => {
  vi.useFakeTimers({ now: NOW });
  expect(() => pastTime("23:50Z")).toThrow('it is in the future: that of the day before is "yesterday 23:50Z"');
  expect(() => pastTime("2100-01-01")).toThrow(/^it is in the future$/);
  expect(pastTime("yesterday 23:50Z").toISOString()).toBe("2026-02-28T23:50:00.000Z");
  vi.useRealTimers();
});
