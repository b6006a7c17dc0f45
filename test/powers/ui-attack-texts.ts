import type { TextAttack } from "./ui-attack.ts";

const E = "\u001b";
const BEL = "\u0007";

/** Sequences that a terminal obeys. Beside each, the same characters where they are only text. */
export const sequences: TextAttack[] = [
  { name: "colours", given: `${E}[31;1mred${E}[0m`, shown: "red", works: "[31;1mred[0m" },
  { name: "a cleared screen", given: `${E}[2J${E}[3J${E}[Hgone`, shown: "gone", works: "[2J[3J[H" },
  { name: "a cursor that moves up", given: `a${E}[9A${E}[2Kb`, shown: "ab", works: "a[9A" },
  { name: "a scrolled region", given: `${E}[1;3r${E}[5Ta`, shown: "a", works: "[1;3r" },
  { name: "another screen", given: `${E}[?1049ha${E}[?25l`, shown: "a", works: "?1049h" },
  { name: "a window's title", given: `${E}]0;root${BEL}a`, shown: "a", works: "]0;root" },
  {
    name: "a hyperlink",
    given: `${E}]8;;https://evil.example${BEL}docs${E}]8;;${BEL}`,
    shown: "docs",
    works: "https://docs.example",
  },
  { name: "a clipboard that is filled", given: `${E}]52;c;cm0gLXJm${BEL}a`, shown: "a", works: "]52;c;cm0gLXJm" },
  { name: "one-byte sequences", given: "\u009b31mred\u009b2J", shown: "red", works: "31mred" },
  { name: "a reset", given: `${E}ca`, shown: "a", works: "ca" },
  { name: "a sequence in a sequence", given: `${E}[3${E}[31m1mred`, shown: "1mred", works: "[3[31m1mred" },
  {
    name: "a sequence that forms when another one is removed",
    given: `${E}${E}[0m[31mred`,
    shown: "[31mred",
    works: "[0m[31mred",
  },
  { name: "half a sequence", given: `a${E}`, shown: "a", works: "a[" },
  { name: "a sequence without its end", given: `a${E}]0;root`, shown: "a0;root", works: "a]0;root" },
];

/** Single characters that move, hide or reorder the text near them. */
export const characters: TextAttack[] = [
  {
    name: "a return to the start of the line",
    given: "[hook git]\rCordon asks: x",
    shown: "[hook git]Cordon asks: x",
    works: "[hook git]\nx",
  },
  { name: "backspaces", given: `a${"\b \b".repeat(3)}b`, shown: "a   b", works: "a   b" },
  { name: "a bell", given: `a${BEL.repeat(50)}b`, shown: "ab", works: "a\tb" },
  { name: "a null character", given: "a\0b", shown: "ab", works: "a b" },
  { name: "a delete", given: "ab\u007f\u007f", shown: "ab", works: "ab~~" },
  { name: "a vertical tab and a form feed", given: "a\v\f\vb", shown: "ab", works: "a\t\n\tb" },
  { name: "a line break of the C1 set", given: "a\u0085b", shown: "ab", works: "a\u00a0b" },
  { name: "separators of lines and paragraphs", given: "a\u2028b\u2029c", shown: "abc", works: "a\nb\n\nc" },
  { name: "shifts to another character set", given: "a\u000e\u000fb\u008e\u008fc", shown: "abc", works: "a\u00a1b" },
  { name: "text that is reordered", given: "\u202egnp.exe\u202c", shown: "gnp.exe", works: "gnp.exe" },
  {
    name: "text embedded against its direction",
    given: "a\u202ab\u202bc\u202dd\u202c",
    shown: "abcd",
    works: "עברית abc",
  },
  {
    name: "text isolated against its direction",
    given: "a\u2066b\u2067c\u2068d\u2069",
    shown: "abcd",
    works: "a (عربى) b",
  },
  { name: "marks of direction", given: "a\u200eb\u200fc\u061cd", shown: "abcd", works: "a\u0640b" },
  { name: "zero-width characters", given: "De\u200bny\u2060\ufeff", shown: "Deny", works: "De ny" },
  {
    name: "tag characters",
    given: `ok${[..."rm"].map((c) => String.fromCodePoint(0xe0000 + (c.codePointAt(0) ?? 0))).join("")}`,
    shown: "ok",
    works: "ok rm",
  },
  { name: "interlinear annotations", given: "a\ufff9b\ufffac\ufffbd", shown: "abcd", works: "a\ufffdb" },
  { name: "invisible operators of formulas", given: "a\u2061b\u2062c\u2063d\u2064", shown: "abcd", works: "a\u00d7b" },
  { name: "a name of such characters alone", given: `${E}[0m\u200b\u202e\r`, shown: "", works: "-" },
];

/** The maximum length that each position shows, and that the guest's `console` sends. */
export const LONGEST = { title: 4000, option: 1000, reason: 2000, message: 20_000, logged: 8000 } as const;

/** Repetitive texts, which are cut: `n` repetitions are longer than any position shows. */
export const floods: { name: string; unit: string; works: string }[] = [
  { name: "letters", unit: "x", works: "x".repeat(1000) },
  { name: "accents on one letter", unit: "\u0301", works: "a\u0301\u0302\u0303" },
  { name: "tabs", unit: "\t", works: "a\tb\tc" },
  { name: "wide letters", unit: "\u6f22", works: "漢字".repeat(500) },
  { name: "joiners", unit: "\u200d", works: "👩\u200d💻" },
  { name: "surrogate pairs", unit: "😀", works: "😀".repeat(500) },
  { name: "sequences that are removed", unit: "\u001b[31m", works: "[31m".repeat(250) },
];
