/** A hook's attempt to forge the log with a value that is recorded. */
export interface ValueAttack {
  name: string;
  /** The path it reads, the argument of the program it runs, and its reason for a block. */
  given: string;
  /** The path and the reason as the log has them, by default as given. A path of `null` is not requested. */
  path?: string | null;
  reason?: string;
  /** The closest harmless value of its kind. */
  works: string;
}

const LINE = '{"seq":99,"time":"2026-01-01T00:00:00.000Z","hook":"innocent","outcome":"allowed","prev":"00"}';

/** A value is cut at this length. */
const MAX_VALUE = 2000;
/** A path whose parts a file system accepts. */
const LONG = `${"x".repeat(99)}/`.repeat(40);
const TOOL = "bash: ".length;

export const values: ValueAttack[] = [
  { name: "a line of its own", given: `a\n${LINE}\n`, works: LINE },
  {
    name: "a line break of other systems",
    given: `a\r\n${LINE}\r\nb`,
    reason: `a\n${LINE}\nb`,
    works: "a \\r\\n b",
  },
  { name: "a lone carriage return", given: `a\r${LINE}`, reason: `a${LINE}`, works: "a\\rb" },
  { name: "a line separator of Unicode", given: `a\u2028${LINE}`, reason: `a${LINE}`, works: "a\u00a0b" },
  { name: "a paragraph separator of Unicode", given: `a\u2029${LINE}`, reason: `a${LINE}`, works: "a\u2003b" },
  { name: "a line break of the C1 set", given: "a\u0085b", reason: "ab", works: "a\u00a1b" },
  { name: "the end of its string and a hash", given: 'a","outcome":"allowed","prev":"00"}', works: "a'prev'" },
  { name: "a backslash before the end of its string", given: 'a\\","prev":"00', works: "a\\" },
  { name: "an escaped quote", given: "a\\u0022,\\u0022prev\\u0022:\\u002200", works: "\\u0061" },
  { name: "a null character", given: "a\0b", path: null, reason: "ab", works: "a\\0b" },
  { name: "a cleared screen", given: "a\u001b[2Jb", reason: "ab", works: "a[2Jb" },
  { name: "text that is reordered", given: "a\u202eb", reason: "ab", works: "a b" },
  { name: "half a surrogate pair", given: "a\ud83d", works: "a😀" },
  { name: "the name of a prototype", given: "__proto__", works: "proto" },
  { name: "a byte order mark", given: "\ufeffa", reason: "a", works: "a" },
  {
    name: "a value that is too long",
    given: LONG.slice(0, MAX_VALUE),
    reason: LONG.slice(0, MAX_VALUE - TOOL),
    works: `y${LONG.slice(0, 900)}`,
  },
  {
    name: "a long value whose escaped form is six times as long",
    given: `${"\u0001".repeat(99)}/`.repeat(40),
    reason: "/".repeat(40),
    works: `${"é".repeat(99)}/`.repeat(10),
  },
];

/** How an attacker with a shell changes a log of lines 1 to 9. `hash` is the hash of a line's text, as in `prev`. */
export interface ChainAttack {
  name: string;
  /** File name to content. These files are added to the log, whose own file is `own`, or replace it. */
  forge(lines: readonly string[], hash: (text: string) => string, own: string): Record<string, string>;
  /** Found only with a hash that was kept before. */
  byHead?: true;
  works: ChainAttack["forge"];
}

type Line = Record<string, unknown>;
const parsed = (text: string | undefined): Line => JSON.parse(text as string);
const joined = (lines: readonly string[]): string => `${lines.join("\n")}\n`;
const same: ChainAttack["forge"] = (lines, _hash, own) => ({ [own]: joined(lines) });

/** Line 5 changed so that it follows line 4; later lines are unchanged. */
const fifth =
  (change: Line): ChainAttack["forge"] =>
  (lines, _hash, own) => ({ [own]: joined(lines.with(4, JSON.stringify({ ...parsed(lines[4]), ...change }))) });

/** A line that follows the last one as a genuine line would. */
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
  { name: "a line of another hook", forge: fifth({ hook: "innocent" }), works: same },
  { name: "a refusal turned into a use", forge: fifth({ outcome: "allowed" }), works: same },
  { name: "an extra key", forge: fifth({ note: "x" }), works: appended({ note: "x" }) },
  { name: "a number that is not an integer", forge: appended({ seq: 9.5 }), works: appended({}) },
  { name: "a number that is a string", forge: appended({ seq: "10" }), works: appended({}) },
  { name: "a number that is much too high", forge: appended({ seq: Number.MAX_SAFE_INTEGER }), works: appended({}) },
  { name: "a negative number", forge: appended({ seq: -1 }), works: appended({}) },
  { name: "an empty hash", forge: appended({ prev: "" }), works: appended({}) },
  { name: "no hash", forge: appended({ prev: undefined }), works: appended({}) },
  {
    name: "a duplicate key, whose second value is shown",
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
    name: "lines without line breaks between them",
    forge: (lines, _hash, own) => ({
      [own]: joined([...lines.slice(0, 3), `${lines[3]}\u2028${lines[4]}`, ...lines.slice(5)]),
    }),
    works: same,
  },
  {
    name: "an invented earlier day",
    forge: (lines, hash, own) => ({ "2000-01-01.jsonl": joined(chained(lines, hash)), [own]: joined(lines) }),
    works: (lines, _hash, own) => ({ "2000-01-01.jsonl": joined(lines.slice(0, 4)), [own]: joined(lines.slice(4)) }),
  },
  {
    name: "an invented later day",
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
    name: "a log of unrelated text",
    forge: (_lines, _hash, own) => ({ [own]: "nothing happened\n" }),
    works: (_lines, _hash, own) => ({ [own]: "" }),
  },
  {
    name: "all lines after a changed line rewritten",
    byHead: true,
    forge: (lines, hash, own) => ({
      [own]: joined(chained(lines.with(4, JSON.stringify({ ...parsed(lines[4]), hook: "innocent" })), hash)),
    }),
    works: (lines, hash, own) => ({ [own]: joined(chained(lines, hash)) }),
  },
];

/** Forged lines that target the terminal of a reader of the log. Each is shown on one line, without effect. */
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
