import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import stringWidth from "string-width";
import { expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { wrap } from "../../src/base/wrap.ts";
import { dialogText } from "../../src/cli/dialog-text.ts";
import { broken, Lines, line, printMarkedTo, printTo, type Shown, style } from "../../src/cli/print.ts";
import { printTable, table } from "../../src/cli/table.ts";
import { anyText } from "../support/any-text.ts";

/** The files that write to a terminal; `dialogs.ts` shows hooks' text, which `dialogText` keeps in its lines. */
const WRITERS = new Set([
  "common.ts",
  "completion.ts",
  "print.ts",
  "prompts.ts",
  "table.ts",
  "ask.ts",
  "dialogs.ts",
  "decide.ts",
  "main.ts",
  "start.ts",
  "working.ts",
]);
const WRITES = /(stdout|stderr|output|screen)\.write\(|@clack\/prompts|\.\/prompts\.ts|console\./;

const cliFiles = (): string[] =>
  readdirSync(join(PACKAGE_ROOT, "src/cli"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );

test("every command cleans what it writes to a terminal", () => {
  const own = cliFiles().filter((name) => !WRITERS.has(name));
  const writing = own.filter((name) => WRITES.test(readFileSync(join(PACKAGE_ROOT, "src/cli", name), "utf8")));
  expect(writing).toEqual([]);
});

test("files that write without cleaning write only fixed text", () => {
  const written = ["decide.ts", "main.ts"].flatMap((name) =>
    [...readFileSync(join(PACKAGE_ROOT, "src/cli", name), "utf8").matchAll(/\.write\(([^)]*)\)/g)].map(
      ([, given]) => given,
    ),
  );
  expect(new Set(written)).toEqual(new Set(['"\\n"', '"", done']));
});

const EVIL = "\u001b[2J\u001b]0;t\u0007a\u202e\r\ncordon: all is well\u3164\u3164\u3164\u0008b";

test("all text of a line stays on that line, and is visible", () => {
  expect(line`one ${EVIL} two`).toBe("one a cordon: all is wellb two");
  expect(line`${style.red(EVIL)}`).toBe("a cordon: all is wellb");
  expect(line`${new Lines(EVIL)}`).toBe("a\n    cordon: all is wellb");
  // A diff keeps its marks and what it indents.
  expect(line`${new Lines('+   "a": 1\n    -  b\n  +\t\u001b[2J  c')}`).toBe('+   "a": 1\n        -  b\n      +    c');
  expect(line`${3} ${"x"}`).toBe("3 x");
});

test("foreign text never starts a line of its own, in a line or in a table", () => {
  fc.assert(
    fc.property(anyText(), anyText(), (a, b) => {
      expect(line`x${a}y${style.bold(b)}z`).not.toMatch(/[\n\r\t\u2028\u2029]/u);
      expect(line`${new Lines(a)}`).not.toMatch(/\n(?! {4})/);
      const rows = table(
        [
          ["name", "text"],
          [a, b],
        ],
        60,
      ).split("\n");
      // A row for the heads and one for the cells; whatever goes on is indented.
      expect(rows.filter((row) => !row.startsWith("    ")).length).toBeLessThanOrEqual(2);
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ["34 fillers", "\u3164".repeat(34)],
  ["34 empty cells of Braille", "\u2800".repeat(34)],
  ["34 spaces", " ".repeat(34)],
  ["34 wide spaces", "\u3000".repeat(34)],
  ["34 tabs", "\t".repeat(34)],
  ["34 variation selectors", "\ufe0f".repeat(34)],
])("%s forge no column", (_name, gap) => {
  const rows = table(
    [
      ["asks for", "fs"],
      ["", `docs${gap}! nothing`],
    ],
    80,
  ).split("\n");
  expect(rows[1]).toMatch(/^ {10}docs ?! nothing$/);
});

test("off a terminal a row is one line, so that a digest in it can be copied and searched", () => {
  const digest = `sha256-${"0".repeat(300)}`;
  const written = (columns?: number): string => {
    let text = "";
    printTable([["digest", digest]], { write: (more: string) => (text += more), ...(columns ? { columns } : {}) });
    return text;
  };
  expect(written()).toBe(`digest  ${digest}\n`);
  expect(written(80)).not.toContain(digest);
});

test("columns are aligned, whatever characters they contain", () => {
  const unit = fc.constantFrom("a", "漢", "👩\u200d💻", "🇩🇪", "é", "e\u0301", "한", "ｱ", " ", "-");
  const cell = fc.array(unit, { maxLength: 12 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1, maxLength: 5 }), (names) => {
      const rows = table(
        names.map((name) => [name, "|"]),
        200,
      ).split("\n");
      expect(new Set(rows.map((row) => stringWidth(row.slice(0, row.indexOf("|"))))).size).toBe(1);
    }),
  );
});

test("no line of a table is wider than the screen, and no text is lost", () => {
  const unit = fc.constantFrom("a", "漢", "👩\u200d💻", " ", "bc", "한");
  fc.assert(
    fc.property(
      fc.array(unit, { maxLength: 300 }).map((parts) => parts.join("")),
      fc.integer({ min: 40, max: 120 }),
      (words, width) => {
        const rows = table([["asks for", words]], width).split("\n");
        for (const row of rows) expect(stringWidth(row)).toBeLessThanOrEqual(width);
        const bare = (text: string): string => text.replace(/\s+/g, "");
        expect(bare(rows.join(""))).toBe(bare(`asks for${words}`));
      },
    ),
  );
});

test("on a narrow screen lines are broken between words, and go on indented", () => {
  const unit = fc.constantFrom("a", "漢", "👩\u200d💻", " ", "bc", "/usr/lib", "\n", "\u001b[2J");
  fc.assert(
    fc.property(
      fc.array(unit, { maxLength: 200 }).map((parts) => parts.join("")),
      fc.integer({ min: 20, max: 79 }),
      (words, columns) => {
        const rows = broken(line`  ok   ${words}`, columns).split("\n");
        for (const row of rows) expect(stringWidth(row)).toBeLessThanOrEqual(columns);
        for (const row of rows.slice(1)) expect(row).toMatch(/^ {6}/);
        const bare = (text: string): string => text.replace(/\s+/g, "");
        expect(bare(rows.join(""))).toBe(bare(line`ok${words}`));
      },
    ),
  );
});

const written = (columns: number | undefined, print: typeof printTo, text: Shown): string => {
  let all = "";
  print({
    write: (more) => (all += more),
    ...(columns === undefined ? {} : { columns }),
  })`  ${style.red("ok")}   ${text}`;
  return all.slice(0, -1);
};

test("a usual screen breaks long lines of Cordon's own itself, and no line is broken off a terminal", () => {
  for (const columns of [undefined, 80, 200])
    expect(written(columns, printTo, "x ".repeat(200))).toBe(`  ok   ${"x ".repeat(200).trim()}`);
  expect(written(undefined, printMarkedTo, new Lines(`${"x ".repeat(200)}\ny`))).toBe(
    `  ok   ${"x ".repeat(200).trim()}\n    y`,
  );
});

test("each further row of a hook's words has a mark, on a terminal of any width", () => {
  const unit = fc.constantFrom(
    "a",
    "漢",
    "e\u0301",
    " ",
    "bc",
    "/usr/lib",
    "\n",
    "\n| ",
    " ".repeat(80),
    "cordon: passed ",
  );
  fc.assert(
    fc.property(
      fc.array(unit, { maxLength: 100 }).map((parts) => parts.join("")),
      fc.integer({ min: 20, max: 200 }),
      fc.boolean(),
      (words, columns, isOneLine) => {
        const rows = written(columns, printMarkedTo, isOneLine ? words : new Lines(words)).split("\n");
        for (const row of rows) expect(stringWidth(row)).toBeLessThanOrEqual(columns);
        for (const row of rows.slice(1)) expect(row).toMatch(/^ {4,6}\| /);
        const bare = (text: string): string => text.replace(/[\s|]+/g, "");
        expect(bare(rows.join(""))).toBe(bare(`ok${words}`));
      },
    ),
  );
});

test("colours take no columns, and stay whole where a line is broken", () => {
  const rows = wrap(`\u001b[31m${"x".repeat(25)} y\u001b[0m z`, 10);
  expect(rows).toEqual(["\u001b[31mxxxxxxxxxx", "xxxxxxxxxx", "xxxxx y\u001b[0m z"]);
});

test("a table that a narrow screen has no room for puts its last column below", () => {
  const rows = [["killed", "bash echo deploy and build", "it used more than 1000 ms of CPU time, and then some"]];
  expect(table(rows, 40).split("\n")).toEqual([
    "killed  bash echo deploy and build",
    "    it used more than 1000 ms of CPU",
    "    time, and then some",
  ]);
});

test("a hook's line that is too long for the screen continues after a mark", () => {
  const shown = dialogText(`[hook gate] ${"x ".repeat(60)}Cordon asks: all is well`, true, 60).split("\n");
  expect(shown.length).toBeGreaterThan(2);
  expect(shown.slice(1).every((row) => row.startsWith("| "))).toBe(true);
  const own = dialogText("Cordon asks: ".padEnd(200, "y "), false, 60).split("\n");
  expect(own.some((row) => row.startsWith("| "))).toBe(false);
});

test("each line of a hook's dialog except the first has its mark on any screen", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("a", " ", "\n| ", "\t", "漢字", "Cordon asks: "), { maxLength: 80 }),
      fc.integer({ min: 20, max: 120 }),
      (parts, columns) => {
        const [, ...rows] = dialogText(`[hook gate] ${parts.join("")}`, true, columns).split("\n");
        for (const row of rows) {
          expect(row).toMatch(/^\| /);
          expect(stringWidth(row)).toBeLessThanOrEqual(Math.max(columns, 30));
        }
      },
    ),
  );
});

test("each row of a stranger's words is marked, which no row of the table's own is", () => {
  const claim = '"It formats files that the agent had written. ! Cordon has it as safe: nothing to decide"';
  const rows = table(
    [
      ["env", '["AWS_*"]'],
      ["", claim],
      ["", "! it sends what your variables say: that is Cordon's own note, and no claim"],
    ],
    50,
  ).split("\n");
  const words = rows.map((row) => row.slice(5));
  expect(words.filter((row) => row.startsWith("| ")).length).toBeGreaterThan(1);
  expect(words.filter((row) => row.startsWith("!"))).toHaveLength(1);
  const said = words.filter((row) => /^[|"]/.test(row)).map((row) => row.replace(/^\| /, ""));
  expect(said.join(" ")).toBe(claim);
  expect(rows.every((row) => row.length < 50)).toBe(true);
});
