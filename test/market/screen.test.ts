import { expect, test } from "vitest";
import type { Rehearsal } from "../../src/host/rehearsal.ts";
import { hookLines } from "../../src/market/screen.ts";

const read = (why: string): string =>
  hookLines(
    {
      id: "gate",
      file: "index.ts",
      manifest: { capabilities: { env: ["CI"] }, why: { env: why } },
      digest: "sha256-0",
      imports: [],
      uses: [],
      sha256: "",
      builder: "",
    },
    { state: "active", dialect: "pi", hears: ["tool_call"], calls: 4, blocks: [], refused: [], ms: 1 },
  )
    .map((line) => line.join(" "))
    .join("\n");

const WARNING = "! a word of that has letters of several alphabets";

test.each([
  ["a Cyrillic letter in a Latin word", "r\u0435ads the build's name", true],
  ["a Latin letter in a Cyrillic word", "\u0447\u0438\u0442ae\u0442", true],
  ["a Greek letter in a Latin word", "reads \u03bfnly", true],
  ["words of two alphabets beside each other", "\u0447\u0438\u0442\u0430\u0435\u0442 CI", false],
  ["one alphabet", "\u0447\u0438\u0442\u0430\u0435\u0442", false],
  ["Latin letters with accents", "naïve façade, größer", false],
  ["Chinese beside Latin", "读取CI变量", false],
])("a reason with %s", (_name, why, warns) => {
  expect(read(why)).toContain(`"${why}"`);
  expect(read(why).includes(WARNING)).toBe(warns);
});

const REHEARSED: Rehearsal = {
  state: "active",
  dialect: "pi",
  hears: ["tool_call"],
  calls: 4,
  blocks: [],
  refused: [],
  ms: 1,
};
const GATE = {
  id: "gate",
  file: "index.ts",
  manifest: {},
  digest: "sha256-0",
  sha256: "0",
  builder: "1",
  imports: [],
  uses: [],
};
const screen = (uses: string[], rehearsal: Partial<Rehearsal>): string =>
  hookLines({ ...GATE, uses }, { ...REHEARSED, ...rehearsal })
    .map((line) => line.join(": "))
    .join("\n");

const all = ["bash: no", "read: no", "write: no", "edit: no"];

test.each<[name: string, rehearsal: Partial<Rehearsal>, says: string | undefined]>([
  [
    "one that does not load",
    { state: "failed", hears: [] },
    "so: without powers it does not load, and would block every call",
  ],
  [
    "one that crashed too often",
    { state: "stopped" },
    "so: without powers it does not load, and would block every call",
  ],
  ["one that hears nothing", { hears: [] }, "so: without powers it hears nothing, and is useless"],
  ["one that blocks each call", { blocks: all }, "so: without powers it would block every call"],
  ["one that blocks all but one", { blocks: all.slice(1) }, undefined],
  ["one that was shown no call", { calls: 0 }, undefined],
  ["one that works", {}, undefined],
])("what the rehearsal means is said of %s", (_name, rehearsal, says) => {
  const so = screen([], rehearsal)
    .split("\n")
    .filter((line) => line.startsWith("so: "));
  expect(so).toEqual(says === undefined ? [] : [says]);
});

test("what it seems to use stands in the place of the sentence that it asks for nothing", () => {
  expect(screen([], {})).toContain("asks for: nothing beyond hearing, asking and blocking");
  const shown = screen(["exec", "fs", "net"], {});
  expect(shown).not.toContain("nothing beyond");
  expect(shown).toContain("asks for: nothing, though its code seems to use exec, fs, net: that would be refused");
});
