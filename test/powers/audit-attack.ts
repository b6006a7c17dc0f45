/** What a hook tries to write into the log through a value that is recorded. */
export interface ValueAttack {
  name: string;
  /** The path it reads, the argument of the program it runs, and its reason for a block. */
  given: string;
  /** What stands in the log of the path and of the reason; by default what was given. No path: it is not asked for. */
  path?: string | null;
  reason?: string;
  /** The nearest value of its kind that is nothing special. */
  works: string;
}

const LINE = '{"seq":99,"time":"2026-01-01T00:00:00.000Z","hook":"innocent","outcome":"allowed","prev":"00"}';

/** A value is cut at this length. */
const MAX_VALUE = 2000;
/** A path of parts that a file system takes. */
const LONG = `${"x".repeat(99)}/`.repeat(40);
const TOOL = "bash: ".length;

export const values: ValueAttack[] = [
  { name: "a line of its own", given: `a\n${LINE}\n`, works: LINE },
  {
    name: "a line's end as other systems write it",
    given: `a\r\n${LINE}\r\nb`,
    reason: `a\n${LINE}\nb`,
    works: "a \\r\\n b",
  },
  { name: "a return alone", given: `a\r${LINE}`, reason: `a${LINE}`, works: "a\\rb" },
  { name: "a line's end of Unicode", given: `a\u2028${LINE}`, reason: `a${LINE}`, works: "a\u00a0b" },
  { name: "a paragraph's end of Unicode", given: `a\u2029${LINE}`, reason: `a${LINE}`, works: "a\u2003b" },
  { name: "a line's end of the C1 set", given: "a\u0085b", reason: "ab", works: "a\u00a1b" },
  { name: "the end of its text and a hash", given: 'a","outcome":"allowed","prev":"00"}', works: "a'prev'" },
  { name: "a backslash before the end of its text", given: 'a\\","prev":"00', works: "a\\" },
  { name: "an escaped quote", given: "a\\u0022,\\u0022prev\\u0022:\\u002200", works: "\\u0061" },
  { name: "a null character", given: "a\0b", path: null, reason: "ab", works: "a\\0b" },
  { name: "a cleared screen", given: "a\u001b[2Jb", reason: "ab", works: "a[2Jb" },
  { name: "text that is reordered", given: "a\u202eb", reason: "ab", works: "a b" },
  { name: "half a character", given: "a\ud83d", works: "a😀" },
  { name: "the name of a prototype", given: "__proto__", works: "proto" },
  { name: "a mark at the start of a file", given: "\ufeffa", reason: "a", works: "a" },
  {
    name: "a value that is too long",
    given: LONG.slice(0, MAX_VALUE),
    reason: LONG.slice(0, MAX_VALUE - TOOL),
    works: `y${LONG.slice(0, 900)}`,
  },
  {
    name: "a long value that is written with six times its length",
    given: `${"\u0001".repeat(99)}/`.repeat(40),
    reason: "/".repeat(40),
    works: `${"é".repeat(99)}/`.repeat(10),
  },
];

/** What somebody with a shell does to a log of lines 1 to 9. `hash` is of a line's text, as `prev` holds it. */
export interface ChainAttack {
  name: string;
  /** File name to content, beside or in place of the log's own, which is `own`. */
  forge(lines: readonly string[], hash: (text: string) => string, own: string): Record<string, string>;
  /** Found by a hash that was kept before, and not without. */
  byHead?: true;
  works: ChainAttack["forge"];
}

type Line = Record<string, unknown>;
const parsed = (text: string | undefined): Line => JSON.parse(text as string);
const joined = (lines: readonly string[]): string => `${lines.join("\n")}\n`;
const same: ChainAttack["forge"] = (lines, _hash, own) => ({ [own]: joined(lines) });

/** Line 5 changed so that it follows line 4; what comes after is as it was. */
const fifth =
  (change: Line): ChainAttack["forge"] =>
  (lines, _hash, own) => ({ [own]: joined(lines.with(4, JSON.stringify({ ...parsed(lines[4]), ...change }))) });

/** A line that follows the last one as the log's own would. */
const following = (lines: readonly string[], hash: (text: string) => string, more: Line = {}): string =>
  JSON.stringify({
    seq: lines.length + 1,
    time: "2026-01-01T00:00:00.000Z",
    hook: "other",
    outcome: "allowed",
    prev: hash(lines.at(-1) as string),
    ...more,
  });
const appended =
  (more: Line): ChainAttack["forge"] =>
  (lines, hash, own) => ({ [own]: joined([...lines, following(lines, hash, more)]) });

const chained = (lines: readonly string[], hash: (text: string) => string): string[] => {
  const all: string[] = [];
  for (const line of lines) all.push(JSON.stringify({ ...parsed(line), prev: hash(all.at(-1) ?? "") }));
  return all;
};

export const chains: ChainAttack[] = [
  { name: "a line in another's place", forge: fifth({ hook: "innocent" }), works: same },
  { name: "a refusal made a use", forge: fifth({ outcome: "allowed" }), works: same },
  { name: "a key more", forge: fifth({ note: "x" }), works: appended({ note: "x" }) },
  { name: "a number that is no whole one", forge: appended({ seq: 9.5 }), works: appended({}) },
  { name: "a number that is a text", forge: appended({ seq: "10" }), works: appended({}) },
  { name: "a number that is far ahead", forge: appended({ seq: Number.MAX_SAFE_INTEGER }), works: appended({}) },
  { name: "a negative number", forge: appended({ seq: -1 }), works: appended({}) },
  { name: "a hash of nothing", forge: appended({ prev: "" }), works: appended({}) },
  { name: "no hash", forge: appended({ prev: undefined }), works: appended({}) },
  {
    name: "a value given twice, the second of which is shown",
    forge: (lines, _hash, own) => ({
      [own]: joined(lines.with(4, (lines[4] as string).replace("}", ',"hook":"innocent"}'))),
    }),
    works: same,
  },
  {
    name: "a prototype in a line",
    forge: (lines, _hash, own) => ({
      [own]: joined(lines.with(4, (lines[4] as string).replace("{", '{"__proto__":{"polluted":1},'))),
    }),
    works: same,
  },
  {
    name: "lines that no line's end parts",
    forge: (lines, _hash, own) => ({
      [own]: joined([...lines.slice(0, 3), `${lines[3]}\u2028${lines[4]}`, ...lines.slice(5)]),
    }),
    works: same,
  },
  {
    name: "an earlier day that never was",
    forge: (lines, hash, own) => ({ "2000-01-01.jsonl": joined(chained(lines, hash)), [own]: joined(lines) }),
    works: (lines, _hash, own) => ({ "2000-01-01.jsonl": joined(lines.slice(0, 4)), [own]: joined(lines.slice(4)) }),
  },
  {
    name: "a later day that never was",
    forge: (lines, hash, own) => ({
      [own]: joined(lines),
      "9999-12-31.jsonl": joined([following(lines.slice(0, 5), hash)]),
    }),
    works: (lines, hash, own) => ({ [own]: joined(lines), "9999-12-31.jsonl": joined([following(lines, hash)]) }),
  },
  {
    name: "a line of more than 64 KB at the end",
    forge: appended({ seq: 12, value: "x".repeat(70_000) }),
    works: appended({ value: "x".repeat(2000) }),
  },
  {
    name: "a log of other text altogether",
    forge: (_lines, _hash, own) => ({ [own]: "nothing happened\n" }),
    works: (_lines, _hash, own) => ({ [own]: "" }),
  },
  {
    name: "all that follows a changed line written anew",
    byHead: true,
    forge: (lines, hash, own) => ({
      [own]: joined(chained(lines.with(4, JSON.stringify({ ...parsed(lines[4]), hook: "innocent" })), hash)),
    }),
    works: (lines, hash, own) => ({ [own]: joined(chained(lines, hash)) }),
  },
];

/** What a forged line makes of the terminal of whoever reads the log. All of it is shown on one line, without effect. */
export const displays: { name: string; line: Line; flags?: string[]; shows: RegExp }[] = [
  { name: "an outcome that clears lines", line: { outcome: "\u001b[1A\u001b[2Kallowed" }, shows: /allowed/ },
  {
    name: "an outcome of two lines",
    line: { outcome: "allowed\n2026-01-01 00:00:00 allowed innocent" },
    shows: /allowed/,
  },
  { name: "a time that clears lines", line: { time: "\u001b[2J\u001b[1A2026-01-01T00:00:00" }, shows: /allowed/ },
  { name: "a hook that clears lines", line: { hook: "\u001b[2Jgit" }, shows: /git/ },
  { name: "a value that clears lines", line: { value: "\u001b[2Ja\nb" }, shows: /a b/ },
  { name: "an event that clears lines", line: { event: "\u001b[2Jload" }, shows: /load/ },
  { name: "a power that is a number", line: { capability: 5 }, flags: ["--power", "fs"], shows: /^$/ },
  { name: "an event that is a list", line: { event: ["load"] }, flags: ["--power", "load"], shows: /^$/ },
];
