import { expect, test } from "vitest";
import { addTo, newHistory } from "../../src/audit/history.ts";
import type { AuditLine } from "../../src/audit/line.ts";

const read = { capability: "fs.read", value: "read /a", outcome: "NOT_GRANTED" };
const other = { ...read, value: "read /b" };
const allowed = { ...read, outcome: "allowed" };

test.each<[claim: string, facts: object[], what: string | undefined, second?: number]>([
  ["none", [], undefined],
  ["one", [read], "fs.read read /a", 0],
  ["the later of two", [read, other], "fs.read read /b", 1],
  ["the same was allowed since", [read, allowed], undefined],
  ["another was allowed since", [other, allowed], "fs.read read /b", 0],
  ["the same was allowed before", [allowed, read], "fs.read read /a", 1],
  [
    "what it offers failed for that",
    [read, { event: "tool", value: "view", outcome: "NOT_GRANTED" }],
    "fs.read read /a",
    0,
  ],
  ["the same was allowed in a trial", [read, { ...allowed, trial: true }], "fs.read read /a", 0],
  [
    "an event was handled since",
    [read, { event: "tool_call", value: "read /a", outcome: "pass" }],
    "fs.read read /a",
    0,
  ],
])("what a hook was refused last: %s", (_claim, facts, what, second) => {
  const history = newHistory();
  const time = (at: number): string => new Date(at * 1000).toISOString();
  facts.forEach((fact, at) => {
    addTo(history, { time: time(at), hook: "h", prev: "", ...fact } as AuditLine, false);
  });
  expect(history.lastRefusal).toEqual(what === undefined ? undefined : { what, time: time(second ?? 0) });
});
