import { appendFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, test, vi } from "vitest";
import type { Audit } from "../../src/audit/audit.ts";
import { followAudit } from "../../src/audit/follow.ts";
import type { AuditLine } from "../../src/audit/line.ts";
import { auditLines } from "../../src/audit/query.ts";
import { openAudit } from "../support/audit-log.ts";
import { cordon, startCordon } from "../support/command.ts";
import { eventually } from "../support/eventually.ts";
import { onToolCall, temporaryFolder, writeFiles } from "../support/session.ts";

/** A log of nine lines by two hooks, the first five of yesterday. */
function nineLines(): { home: string; log: Audit } {
  const home = temporaryFolder();
  const log = openAudit(home);
  const now = Date.now();
  const clock = vi.spyOn(Date, "now");
  for (let at = 1; at <= 9; at++) {
    clock.mockReturnValue(at <= 5 ? now - 86_400_000 : now);
    log.write({
      hook: at % 2 ? "odd" : "even",
      capability: "fs.read",
      value: `file ${at}`,
      outcome: at === 8 ? "NOT_GRANTED" : "allowed",
    });
  }
  clock.mockRestore();
  return { home, log };
}

const values = (stdout: string): string[] =>
  stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as AuditLine).value?.slice(5) as string);

describe("which lines are printed", () => {
  test.each<[string[], string]>([
    [["--tail", "2"], "9 10"],
    [["--tail", "100"], "1 2 3 4 5 6 7 8 9 10"],
    [["--since", "2h"], "6 7 8 9 10"],
    [["--since", "2d"], "1 2 3 4 5 6 7 8 9 10"],
    // Named here by its file, and on record not at all.
    [["--hook", "idle"], ""],
    [["--hook", "even", "--since", "12h"], "6 8"],
    [["--hook", "even", "--tail", "1", "--outcome", "allowed"], "6"],
    [["--outcome", "NOT_GRANTED"], "8"],
    [["--hook", "cordon"], "10"],
    [["--hook", "Cordon"], "10"],
  ])("%j", async (flags, wanted) => {
    const place = nineLines();
    writeFiles(place.home, { "hooks/idle.ts": onToolCall("") });
    // A line of no hook has a name of none.
    place.log.write({ hook: "", event: "start", value: "file 10", outcome: "started" });
    const { code, stdout } = await cordon(["audit", "--json", ...flags], { cwd: place.home, home: place.home });
    expect([code, values(stdout).join(" ")]).toEqual([0, wanted]);
  });

  test.each([
    ["eveen", "did you mean even?"],
    ["nonsense", "there are: none; only on record: even, odd"],
    ["@acme/helper", "there are: none; only on record: even, odd"],
  ])("a hook that nobody knows is refused: %s", async (name, hint) => {
    const { home, log } = nineLines();
    log.write({ hook: "", event: "start", value: "py-agent", outcome: "started" });
    const { code, stdout, stderr } = await cordon(["audit", "--hook", name], { cwd: home, home });
    expect([code, stdout, stderr]).toEqual([1, "", `cordon: no hook here is called ${name}; ${hint}\n`]);
  });
});

test("a hook that was only tried does not take a name from one that works", async () => {
  const home = temporaryFolder();
  writeFiles(home, { "hooks/gate.ts": onToolCall(""), "hooks/other.ts": onToolCall("") });
  const path = join(home, "hooks", "gate.ts");
  const marks: [id: string, trial: boolean][] = [
    ["gate", true],
    [path, false],
    ["other", false],
    [join(home, "hooks", "other.ts"), false],
    ["draft", true],
  ];
  for (const [id, trial] of marks)
    openAudit(home, trial ? { trial: true } : {}).write({ hook: id, outcome: "allowed" });
  const idsIn = async (name: string): Promise<string[]> => {
    const { stdout } = await cordon(["audit", "--json", "--hook", name], { cwd: home, home });
    return stdout.split("\n").flatMap((line) => (line === "" ? [] : [(JSON.parse(line) as AuditLine).hook]));
  };
  expect(await idsIn("gate")).toEqual([path]);
  // A package that is gone has the name of a file that is here: the name means both, and each line says whose it is.
  expect(await idsIn("other")).toEqual(["other", join(home, "hooks", "other.ts")]);
  expect(await idsIn("draft")).toEqual(["draft"]);
});

test.each([
  [
    "blocked",
    /^cordon: no line has the outcome blocked; it is one of: pass, block, would block, .*; did you mean block\?$/m,
  ],
  ["nonsense", /no line has the outcome nonsense; it is one of: pass, .* or a code such as NOT_GRANTED$/m],
  ["refused", /it is one of: .*failed, .*granted, revoked, .*lost, cleared, consent: ANSWER, or a code/],
  ["", /no line has the outcome ; it is one of: /],
])("a word that is no outcome is refused with those that are: %s", async (word, says) => {
  const { home } = nineLines();
  const { code, stdout, stderr } = await cordon(["audit", "--outcome", word], { cwd: home, home });
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(says);
});

test.each([
  ["fss", 1, /no line is about fss; it is the type of an event, or a power: events, .*; did you mean fs/],
  ["fs.raed", 1, /no line is about fs\.raed; .*did you mean fs\.read/],
  ["", 1, /no line is about ; /],
  // Of which no line is, and can be.
  ["exec", 0, /^note: no line on record matches\n$/],
  ["turn_start", 0, /^note: no line on record matches\n$/],
  // No name that this Cordon knows, and on record.
  ["theirs", 0, /^$/],
] as const)("a word that is no power and no event is refused with those that are: %s", async (word, code, says) => {
  const { home, log } = nineLines();
  log.write({ hook: "odd", event: "theirs", value: "file 10", outcome: "pass" });
  const done = await cordon(["audit", "--power", word], { cwd: home, home });
  expect([done.code, done.stderr]).toEqual([code, expect.stringMatching(says)]);
});

test.each([
  [["--follow"], /--follow goes on: choose one\n$/],
  [["--hook", "gate"], /look at the whole log: leave out --hook\n$/],
  [["--power", "fs"], /leave out --power\n$/],
  [["--outcome", "block"], /leave out --outcome\n$/],
  [["--since", "1h"], /leave out --since\n$/],
  [["--tail", "5"], /leave out --tail\n$/],
  [["--no-trials"], /leave out --no-trials\n$/],
])("--verify and --head refuse what they would not do: %j", async (flags, says) => {
  const { home } = nineLines();
  for (const whole of [["--verify"], ["--head", "0".repeat(64)]]) {
    const { code, stdout, stderr } = await cordon(["audit", ...whole, ...flags], { cwd: home, home });
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringMatching(says)]);
  }
});

test.each<[word: string, found: string]>([
  ["NOT_GRANTED", "8 10 11 12"],
  ["NOT_GRANTED (2 times more)", "10"],
  ["RATE_LIMITED", ""],
  ["failed", "12"],
  ["NOT", ""],
])("an outcome is found with its count, and that of a load by its code: %s", async (word, found) => {
  const { home, log } = nineLines();
  const facts = [
    { value: "file 10", outcome: "NOT_GRANTED (2 times more)" },
    { value: "file 11", outcome: "NOT_GRANTED (7 more, of many kinds)" },
    { value: "file 12", event: "load", code: "NOT_GRANTED", outcome: "failed" },
    { value: "file 13", outcome: "RATE_LIMITED (by others)" },
  ];
  for (const fact of facts) log.write({ hook: "odd", ...fact });
  const { stdout } = await cordon(["audit", "--json", "--outcome", word], { cwd: home, home });
  expect(values(stdout).join(" ")).toBe(found);
  expect((await auditLines(home, { outcome: word })).map(({ value }) => value?.slice(5)).join(" ")).toBe(found);
});

test("an outcome that no line has yet is no error, nor is a word that only the record knows", async () => {
  const { home, log } = nineLines();
  log.write({ hook: "odd", event: "load", outcome: "of another version" });
  const audit = (word: string) => cordon(["audit", "--outcome", word], { cwd: home, home });
  expect(await audit("block")).toMatchObject({ code: 0, stdout: "", stderr: "note: no line on record matches\n" });
  expect(await audit("of another version")).toMatchObject({ code: 0, stdout: expect.stringContaining("load") });
});

test.each([
  ["--since", "tomorrow"],
  ["--since", "25:00"],
  ["--since", "yesterday Z"],
  ["--since", "2100-01-01"],
  ["--since", "2x"],
  ["--since", "-1h"],
  ["--since", "1"],
  ["--since", "2026-13-45"],
  ["--since", ""],
  ["--tail", "0"],
  ["--tail", "1.5"],
  ["--tail", "all"],
  ["--tail", "1000001"],
])("%s %j is a mistake in the command line", async (flag, value) => {
  const folder = temporaryFolder();
  const { code, stderr } = await cordon(["audit", flag, value], { cwd: folder, home: folder });
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(
      flag === "--since" ? /it must be a span \(30m.* or a date or time|it is in the future/ : /whole number/,
    ),
  ]);
});

test("a log is followed from its newest lines on, also one that begins later, until Ctrl+C", async () => {
  for (const place of [nineLines(), { home: temporaryFolder(), log: undefined }]) {
    const child = startCordon(["audit", "--json", "--follow", "--tail", "1"], { cwd: place.home, home: place.home });
    const seen: string[] = [];
    createInterface({ input: child.stdout }).on("line", (line) => seen.push(...values(line)));
    if (place.log) await eventually(() => expect(seen).toEqual(["9"]));
    const log = place.log ?? openAudit(place.home);
    const begun = seen.length;
    for (let at = 10; at < 13; at++) {
      log.write({ hook: "odd", capability: "fs.read", value: `file ${at}`, outcome: "allowed" });
      await eventually(() => expect(seen).toHaveLength(begun + at - 9));
    }
    expect(seen.slice(begun)).toEqual(["10", "11", "12"]);
    child.kill("SIGINT");
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
  }
});

test("lines that come in parts, in a new file, or that are none, are taken when they are whole", async () => {
  const { home: place, log } = nineLines();
  const folder = join(place, "audit");
  const stop = new AbortController();
  const seen: string[] = [];
  const following = (async () => {
    for await (const line of followAudit(folder, new Map(readdirSync(folder).map((name) => [name, 0])), stop.signal))
      seen.push(line.value ?? "");
  })();
  await eventually(() => expect(seen).toHaveLength(9));
  const other = join(folder, "2100-01-01.jsonl");
  const line = (value: string): string =>
    `${JSON.stringify({ seq: 1, time: "2100-01-01T00:00:00.000Z", hook: "h", value, outcome: "allowed", prev: "" })}\n`;
  const bytes = Buffer.from(line("größer"));
  const cut = bytes.indexOf(0xc3) + 1;
  appendFileSync(other, bytes.subarray(0, cut));
  log.write({ hook: "odd", value: "between", outcome: "allowed" });
  await eventually(() => expect(seen.at(-1)).toBe("between"));
  appendFileSync(other, bytes.subarray(cut));
  appendFileSync(other, `no line\n${line("last")}`);
  await eventually(() => expect(seen.slice(9)).toEqual(["between", "größer", "last"]));
  stop.abort();
  await following;
});

test.each(["abc", "", "z".repeat(64), "a".repeat(65)])("--head of what is no hash alarms nobody: %j", async (head) => {
  const { home } = nineLines();
  const { code, stdout, stderr } = await cordon(["audit", "--head", head], { cwd: home, home });
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("--head takes a hash of 64 hexadecimal digits");
});
