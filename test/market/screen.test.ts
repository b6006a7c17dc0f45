import { expect, test } from "vitest";
import type { Rehearsal } from "../../src/host/rehearsal.ts";
import { registryOf } from "../../src/market/registry.ts";
import { hookLines } from "../../src/market/screen.ts";
import { shownOrigin } from "../../src/market/shown-origin.ts";
import { askBySelector, Consent } from "../../src/session/consent.ts";

const read = (why: string): string =>
  hookLines(
    {
      id: "gate",
      file: "index.ts",
      manifest: { capabilities: { env: ["CI"] }, why: { env: why } },
      digest: "sha256-0",
      uses: [],
      lacks: [],
      settings: [],
      carries: false,
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
  ["neighbouring words of two alphabets", "\u0447\u0438\u0442\u0430\u0435\u0442 CI", false],
  ["one alphabet", "\u0447\u0438\u0442\u0430\u0435\u0442", false],
  ["Latin letters with accents", "naïve façade, größer", false],
  ["Chinese beside Latin", "读取CI变量", false],
])("a reason with %s", (_name, why, warns) => {
  expect(read(why)).toContain(`"${why}"`);
  expect(read(why).includes(WARNING)).toBe(warns);
});

test.each([
  ['"safe" and it asks for nothing else. "x"', '"\\"safe\\" and it asks for nothing else. \\"x\\""'],
  ['x\\" checked by Cordon', '"x\\\\\\" checked by Cordon"'],
  ["“x” checked ＂by″ Cordon", '"\\“x\\” checked \\＂by\\″ Cordon"'],
  [`${"x".repeat(118)}" and more`, `"${"x".repeat(118)}\\"…"`],
])("a reason does not close its quotation marks: %s", async (why, shown) => {
  expect(read(why).split("\n")).toContainEqual(expect.stringMatching(/^ *"/));
  expect(read(why)).toContain(` ${shown}`);
  const asked: string[] = [];
  const ask = askBySelector((title) => {
    asked.push(title);
    return Promise.resolve(null);
  });
  const consent = new Consent(ask);
  await consent.ask({ hook: "gate", capability: "env", value: "CI", text: "May gate read CI?", why });
  expect(asked).toEqual([`Cordon asks: May gate read CI?\nIts author claims: ${shown}`]);
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
  uses: [],
  lacks: [],
  settings: [],
  carries: false,
};
const screen = (uses: string[], rehearsal: Partial<Rehearsal>): string =>
  hookLines({ ...GATE, uses }, { ...REHEARSED, ...rehearsal })
    .map((line) => line.join(": "))
    .join("\n");

const all = ["bash: no", "read: no", "write: no", "edit: no"];

test.each<[name: string, rehearsal: Partial<Rehearsal>, says: string | undefined]>([
  [
    "a hook that does not load",
    { state: "failed", hears: [] },
    "so: without powers it does not load, and would block every call",
  ],
  [
    "a hook that crashed too often",
    { state: "stopped" },
    "so: without powers it does not load, and would block every call",
  ],
  ["a hook that hears nothing", { hears: [] }, "so: without powers it hears nothing, and is useless"],
  ["a hook that blocks every call", { blocks: all }, "so: without powers it would block every call"],
  ["a hook that blocks all calls except one", { blocks: all.slice(1) }, undefined],
  ["a hook that got no call", { calls: 0 }, undefined],
  ["a hook that works", {}, undefined],
])("the screen explains the rehearsal of %s", (_name, rehearsal, says) => {
  const so = screen([], rehearsal)
    .split("\n")
    .filter((line) => line.startsWith("so: "));
  expect(so).toEqual(says === undefined ? [] : [says]);
});

test("the powers that a hook seems to use replace the sentence that it requests nothing", () => {
  expect(screen([], {})).toContain("asks for: nothing beyond this: it may hear, ask, block and cancel");
  const shown = screen(["exec", "fs", "net"], {});
  expect(shown).not.toContain("nothing beyond");
  expect(shown).toContain("asks for: nothing, though its code seems to use exec, fs, net: that would be refused");
});

test("the screen says what a hook uses and cannot have, and what that means", () => {
  const lines = (hears: string[]): string[] =>
    hookLines({ ...GATE, lacks: ["ctx.ui.custom"] }, { ...REHEARSED, hears }).map((line) => line.join(": "));
  expect(lines(["tool_call"])).toContain(
    "lacks: guards calls and uses ctx.ui.custom, which is not available: it would block every call for which it does",
  );
  expect(lines(["session"])).toContain(
    "lacks: uses ctx.ui.custom, which is not available, and throws where it is used",
  );
});

test.each([
  ["https://registry.npmjs.org", "npm:gate"],
  ["https://npm.example/team", "npm:gate at https://npm.example/team/"],
  ["https://me:secret@npm.example/", "npm:gate at https://npm.example/"],
])("a registry that is not npm's own is named, without secrets: %s", (registry, shown) => {
  expect(shownOrigin("npm:gate", registryOf("gate", { registry }))).toBe(shown);
  expect(shownOrigin("npm:gate", registryOf("@me/gate", { "@me:registry": registry }))).toBe(shown);
});

test("the registry of a lock that others wrote is shown without control characters", () => {
  expect(shownOrigin("npm:gate", "https://a.example/\u001b[2J\nfrom npm:x")).not.toMatch(/[\u001b\n]/);
});
