import { expect, test } from "vitest";
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
    [],
    { state: "active", dialect: "pi", hears: [], blocks: [], refused: [], ms: 1 },
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
