import { expect, test } from "vitest";
import { startSession } from "../support/session.ts";

type Argument =
  | string
  | { kind: "enum"; values: string[] }
  | { kind: "int"; min?: number; max?: number }
  | { kind: "sha" | "ref" | "relpath" }
  | { kind: "text"; max?: number }
  | { rest: "int" | "sha" | "ref" | "relpath" | "text" };

interface Table {
  name: string;
  /** After a literal that distinguishes the entries. */
  pattern: Argument[];
  passes: string[][];
  refused: string[][];
}

/** Values that a program could misread: refused for every kind except a list of literals. */
const tricks = ["-x", "--exec=sh", "-", "@file", ":/magic", "+x", "a\nb", "a\rb", "a\0b", "\n", "-1"].map((value) => [
  value,
]);
const one = (...values: string[]): string[][] => values.map((value) => [value]);

const tables: Table[] = [
  {
    name: "sha",
    pattern: [{ kind: "sha" }],
    passes: one("a".repeat(7), "0".repeat(40), "f".repeat(64)),
    refused: [
      ...tricks,
      ...one(
        "a".repeat(6),
        "a".repeat(65),
        "",
        "g".repeat(40),
        "HEAD",
        `${"a".repeat(40)} `,
        `${"a".repeat(20)}..${"b".repeat(18)}`,
      ),
    ],
  },
  {
    name: "int",
    pattern: [{ kind: "int", min: 2, max: 10 }],
    passes: one("2", "10"),
    refused: [...tricks, ...one("1", "11", "", " 5", "5 ", "5.0", "1e1", "0x5", "٥", "five", "Infinity")],
  },
  {
    name: "int without bounds",
    pattern: [{ kind: "int" }],
    passes: one("0", "999999999999999"),
    refused: [...tricks, ...one("9999999999999999", "")],
  },
  {
    name: "enum",
    pattern: [{ kind: "enum", values: ["soft", "mixed", "with space"] }],
    passes: one("soft", "mixed", "with space"),
    refused: [...tricks, ...one("Soft", "softer", "sof", "", "soft ")],
  },
  {
    name: "text up to 10",
    pattern: [{ kind: "text", max: 10 }],
    passes: one("0123456789", "", "a; rm -rf", "$(x) `y`", "ä 日本\t"),
    refused: [...tricks, ...one("01234567890")],
  },
  {
    name: "text",
    pattern: [{ kind: "text" }],
    passes: one("x".repeat(4096), "x -y", "a@b"),
    refused: [...tricks, ...one("x".repeat(4097))],
  },
  {
    name: "ref",
    pattern: [{ kind: "ref" }],
    passes: one("main", "feature/a-b_c.1", "v1.2.3", "x".repeat(255)),
    refused: [
      ...tricks,
      ...one(
        "",
        "x".repeat(256),
        "a..b",
        "a/../b",
        "/a",
        "a/",
        "a b",
        "a~1",
        "a^",
        "a:b",
        "a@{1}",
        "a\\b",
        "x.lock",
        ".hidden",
        "a*",
      ),
    ],
  },
  {
    name: "relpath",
    pattern: [{ kind: "relpath" }],
    passes: one("a.ts", "src/a b.ts", "./a", "a..b/c", ".gitignore"),
    refused: [
      ...tricks,
      ...one(
        "",
        "/etc/passwd",
        "../a",
        "a/../../b",
        "a/..",
        "..",
        "~/x",
        "~",
        "C:\\x",
        "C:/x",
        "\\\\host\\x",
        "a\\..\\b",
      ),
    ],
  },
  {
    name: "rest of ints",
    pattern: [{ rest: "int" }],
    passes: [[], ["1"], ["1", "2", "3"]],
    refused: [...tricks, ["1", "x"], ["1", "-2"], ["1", ""]],
  },
  {
    name: "rest of texts after a literal",
    pattern: ["--", { rest: "text" }],
    passes: [["--"], ["--", "a"], ["--", "a", "b c"]],
    refused: [["a"], [], ["--", "-x"], ["--", "a", "b\n"]],
  },
  {
    name: "a whole list",
    pattern: ["a", { kind: "int" }, "b"],
    passes: [["a", "1", "b"]],
    refused: [["a", "1"], ["a", "1", "b", "c"], ["a", "1", "B"], ["b", "1", "a"], ["a", "b"], []],
  },
  { name: "no arguments", pattern: [], passes: [[]], refused: one("", "x") },
];

const hook = `export default (pi: any) => pi.on("tool_call", async (event: any, ctx: any) => {
  const said = [];
  for (const args of event.input.lists) said.push(await ctx.exec("echo", [event.input.table, ...args]).then((r: any) => r.stdout.slice(0, -1), (e: any) => e.code));
  return { block: true, reason: JSON.stringify(said.map((text: string, n: number) => text === [event.input.table, ...event.input.lists[n]].join(" ") ? "ran" : text)) };
});`;

test.each(tables)(
  "arguments of a granted command, at their limits and over them: $name",
  async ({ name, pattern, passes, refused }) => {
    const grant = {
      capabilities: {
        events: { see: ["tool_call"], block: true },
        exec: [{ program: "echo", args: [name, ...pattern], perMinute: 1000 }],
      },
    };
    const { call } = await startSession({ gate: { source: hook, grant } });
    const verdict = await call({ table: name, lists: [...passes, ...refused] });
    const said = JSON.parse(verdict && "block" in verdict ? verdict.reason : "[]");
    const shown = (lists: string[][], from: number) =>
      lists.map((list, n) => [list.join("|").slice(0, 40), said[from + n]]);
    expect(shown(passes, 0)).toEqual(passes.map((list) => [list.join("|").slice(0, 40), "ran"]));
    expect(shown(refused, passes.length)).toEqual(refused.map((list) => [list.join("|").slice(0, 40), "NOT_GRANTED"]));
  },
);
