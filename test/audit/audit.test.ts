import { spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { Audit } from "../../src/audit/audit.ts";
import type { AuditLine } from "../../src/audit/line.ts";
import { openAudit } from "../support/audit-log.ts";
import { cordon } from "../support/command.ts";
import { needs } from "../support/needs.ts";
import { onToolCall, startSession, temporaryFolder } from "../support/session.ts";

let home: string;
let heads: string[];
const folder = (): string => join(home, "audit");
/** The chain that this process wrote alone. */
const file = (): string =>
  join(folder(), readdirSync(folder()).find((name) => /\.[0-9a-f]{16}\.jsonl$/.test(name)) as string);
const lines = (): string[] => readFileSync(file(), "utf8").trimEnd().split("\n");
const put = (all: readonly string[]): void => writeFileSync(file(), `${all.join("\n")}\n`);
const audit = (...flags: string[]) => cordon(["audit", ...flags], { cwd: home, home });

beforeEach(() => {
  home = temporaryFolder();
  heads = [];
  const log = new Audit(home, { listener: ({ prev }) => heads.push(prev), report: () => {} });
  for (let at = 1; at <= 9; at++) {
    const hook = at % 2 ? "odd" : "even";
    log.write({
      hook,
      capability: at === 4 ? "exec" : "fs.read",
      value: `read ${at}`,
      outcome: at === 5 ? "NOT_GRANTED" : "allowed",
    });
  }
  log.close();
});

test("an untouched log is valid, even if another host writes to it", async () => {
  const other = new Audit(home, { report: () => {} });
  other.write({ hook: "other", event: "load", outcome: "built" });
  other.close();
  const { code, stdout } = await audit("--verify");
  // Ten that were written, and what the chains of two hosts say of each other.
  expect(stdout).toMatch(/^ok {3}16 lines, each follows the one before; head [0-9a-f]{64}$/m);
  expect(code).toBe(0);
});

/** Texts that JSON escapes, that are not well formed, or that are as long as a line allows, and one longer. */
const TEXTS = ['"\\\n\u0000\u2028', "ä€😀", "\ud800", "prev", "x".repeat(200), `${"x".repeat(199)}😀`, "x".repeat(201)];

test("a line is the JSON of what listeners are told, with number and time first and the hash of the line before last", () => {
  const told: AuditLine[] = [];
  home = temporaryFolder();
  const log = openAudit(home, { listener: (line) => told.push(line) });
  for (const text of TEXTS)
    log.write({ hook: text, outcome: text }, { outcome: text, event: text, hook: "h", value: text });
  const written = lines().slice(1);
  expect(written).toEqual(told.map((line) => JSON.stringify(line)));
  expect(written.map((line) => Object.keys(JSON.parse(line)).join(" "))).toEqual(
    TEXTS.flatMap(() => ["seq time hook outcome prev", "seq time outcome event hook value prev"]),
  );
  expect(told.map(({ outcome }) => outcome.length)).toEqual(
    TEXTS.flatMap(({ length }) => [Math.min(length, 200), Math.min(length, 200)]),
  );
  expect(told.map(({ seq }) => seq)).toEqual(told.map((_line, at) => at + 2));
  expect(told.slice(1).map(({ prev }) => prev)).toEqual(written.slice(0, -1).map((line) => hash("sha256", line)));
});

const changed = (change: (all: string[]) => string[]) => () => put(change(lines()));
const DAMAGE: { name: string; act(): void; says: RegExp }[] = [
  {
    name: "a changed value",
    act: changed((all) => all.with(4, all[4]?.replace("read 4", "read 0") as string)),
    says: /:6: .*:5 is not what it was/,
  },
  {
    name: "a changed outcome in the first line that a hook caused",
    act: changed((all) => all.with(1, all[1]?.replace("allowed", "refused") as string)),
    says: /:3: .*:2 is not what it was/,
  },
  { name: "one more space", act: changed((all) => all.with(4, `${all[4]} `)), says: /:6: .*:5 is not what it was/ },
  { name: "a removed line", act: changed((all) => all.toSpliced(4, 1)), says: /:5: number 6 follows number 4/ },
  { name: "a removed first line", act: changed((all) => all.slice(1)), says: /:1: the log begins at number 2/ },
  {
    name: "two swapped lines",
    act: changed((all) => [...all.slice(0, 3), all[4], all[3], ...all.slice(5)] as string[]),
    says: /:4: number 5 follows number 3/,
  },
  {
    name: "a duplicate line",
    act: changed((all) => all.toSpliced(4, 0, all[4] as string)),
    says: /:6: number 5 follows number 5/,
  },
  {
    name: "a line of another log",
    act: changed((all) => all.with(4, JSON.stringify({ ...JSON.parse(all[4] as string), hook: "innocent" }))),
    says: /:6: .*:5 is not what it was/,
  },
  {
    name: "text that is not a line",
    act: changed((all) => all.toSpliced(4, 0, "{}")),
    says: /:5 is no line of the log/,
  },
  { name: "a whole line of nothing at the end", act: () => appendFileSync(file(), "{}\n"), says: /:11 is no line/ },
  {
    name: "deleted earlier days",
    act: changed((all) => all.slice(4)),
    says: /:1: the log begins at number 5/,
  },
];

test.each(DAMAGE)("--verify finds $name", async ({ act, says }) => {
  act();
  const { code, stdout, stderr } = await audit("--verify");
  expect(stdout).toMatch(says);
  expect(stderr).toMatch(/^cordon: the log was changed in \d place/);
  expect(code).toBe(1);
  expect(JSON.parse((await audit("--verify", "--json")).stdout).faults).not.toEqual([]);
});

test("half a line at the end was never used: it is told, and is no fault", async () => {
  appendFileSync(file(), '{"seq":');
  const { code, stdout } = await audit("--verify");
  expect(stdout).toMatch(/^note .*:11: this line was not written whole, so it never counted$/m);
  expect(code).toBe(0);
});

test("a log that continues in the next day's file is one chain", async () => {
  renameSync(file(), file().replace(/\d{4}-\d\d-\d\d/, "2020-01-01"));
  const log = openAudit(home);
  vi.spyOn(Date, "now").mockReturnValue(Date.now() + 86_400_000);
  log.write({ hook: "next", event: "load", outcome: "built" });
  vi.restoreAllMocks();
  expect((await audit("--verify")).stdout).toMatch(/^ok {3}/);
});

describe("lines that are cut off at the end", () => {
  test("are found only with a hash that was kept", async () => {
    const kept = heads.at(-1) as string;
    const shared = join(folder(), `${basename(file()).slice(0, 10)}.jsonl`);
    put(lines().slice(0, 6));
    expect((await audit("--verify")).code).toBe(1);
    // The shared chain, too, up to where it says that this one began.
    writeFileSync(shared, `${readFileSync(shared, "utf8").split("\n")[0]}\n`);
    expect((await audit("--verify")).code).toBe(0);
    const { code, stdout } = await audit("--head", kept);
    expect(stdout).toContain(`no line has the hash ${kept}`);
    expect(code).toBe(1);
    expect((await audit("--head", heads[3] as string)).code).toBe(0);
  });

  test("the help claims no more", async () => {
    expect((await audit("--help")).stdout.replace(/\s+/g, " ")).toContain("except at the end");
  });
});

const shown = async (...flags: string[]): Promise<number[]> =>
  (await audit("--json", ...flags)).stdout
    .trimEnd()
    .split("\n")
    .filter(Boolean)
    .map((text) => JSON.parse(text).seq);

test("it shows all lines, or those of a hook, a power or an outcome", async () => {
  expect(await shown()).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(await shown("--hook", "even")).toEqual([3, 5, 7, 9]);
  expect(await shown("--power", "exec")).toEqual([5]);
  expect(await shown("--power", "fs", "--hook", "even")).toEqual([3, 7, 9]);
  expect(await shown("--outcome", "NOT_GRANTED")).toEqual([6]);
  expect(await shown("--hook", "nobody")).toEqual([]);
  expect((await audit("--hook", "odd")).stdout).toMatch(
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ allowed odd fs\.read read 1$/m,
  );
});

test("a hook's text in a value cannot move the cursor", async () => {
  openAudit(home).write({ hook: "odd", value: "\u001b[2Jgone\nallowed", outcome: "allowed" });
  const { stdout } = await audit();
  expect(stdout).not.toContain("\u001b");
  expect(stdout.trimEnd().split("\n")).toHaveLength(10);
});

test("without a log it says so", async () => {
  const { code, stdout } = await cordon(["audit"], { cwd: home, home: join(home, "empty") });
  expect([code, stdout]).toEqual([0, expect.stringContaining("nothing is on record yet")]);
});

const READS = onToolCall('return { block: true, reason: require("fs").readFileSync("a.txt", "utf8") };');
const grant = { capabilities: { events: { see: ["*"], block: true }, fs: { read: ["$CWD/**"] } } };

test("while the log cannot be written, hooks use no power and still judge", async () => {
  const { host, folder: place, call, log } = await startSession({ reads: { source: READS, grant } });
  writeFileSync(join(place, "work", "a.txt"), "the content");
  expect(await call()).toMatchObject({ reason: "the content" });
  rmSync(join(place, "home", "audit"), { recursive: true });
  writeFileSync(join(place, "home", "audit"), "in the way");
  // Lines in quick succession go into the file that is already open.
  await new Promise((done) => setTimeout(done, 20));
  expect(await call()).toMatchObject({ reason: expect.stringContaining("no power is used while the audit log") });
  expect(log.filter(({ text }) => text.includes("audit log cannot be written"))).toHaveLength(1);
  rmSync(join(place, "home", "audit"));
  expect(await call()).toMatchObject({ reason: "the content" });
  await host.close();
});

/** A file system of 64 KB: Linux, and only for root. */
const small = mkdtempSync(join(tmpdir(), "cordon-small-"));
const mounted = spawnSync("/bin/mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", small]).status === 0;

afterAll(() => {
  if (mounted) spawnSync("/bin/umount", [small]);
  rmSync(small, { recursive: true, force: true });
});

test(
  "a full disk leaves no torn line, and the log continues once there is space",
  needs(!mounted && "the right to mount a file system"),
  async () => {
    const problems: string[] = [];
    const log = new Audit(small, { report: (problem) => problems.push(problem) });
    let written = 0;
    while (log.write({ hook: "h", value: "x".repeat(1000), outcome: "allowed" })) written++;
    expect(written).toBeGreaterThan(10);
    writeFileSync(join(small, "filler"), "");
    expect(log.write({ hook: "h", value: "x".repeat(1000), outcome: "allowed" })).toBe(false);
    expect(problems).toEqual([expect.stringMatching(/ENOSPC|no space left/)]);
    home = small;
    const all = readFileSync(file(), "utf8");
    expect(all.endsWith("}\n")).toBe(true);
    // The chain has said first that it began.
    expect(all.trimEnd().split("\n")).toHaveLength(written + 1);
    spawnSync("/bin/mount", ["-o", "remount,size=1m", small]);
    expect(log.write({ hook: "h", outcome: "allowed" })).toBe(true);
    log.close();
  },
);
