import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { Audit } from "../../src/audit/audit.ts";
import { EMPTY } from "../../src/audit/line.ts";
import { audit } from "../../src/cli/audit.ts";
import { recordFindings } from "../../src/cli/doctor-record.ts";
import { writeLastReport } from "../../src/report/last-report.ts";
import { pageOf } from "../../src/report/page/page.ts";
import { makeReport, type Report } from "../../src/report/report.ts";
import { cordon } from "../support/command.ts";
import { needs } from "../support/needs.ts";
import { temporaryFolder } from "../support/session.ts";

let home: string;
const log = (): string => join(home, "audit");
const last = (): string => join(home, "reports", "last.json");
const files = (): string[] => readdirSync(log()).filter((name) => name.endsWith(".jsonl"));

/** A host of a session writes lines, which begin and end a chain. */
function write(hook: string): void {
  const own = new Audit(home, { report: () => {} });
  for (let at = 0; at < 3; at++) own.write({ hook, event: "tool_call", value: `${at}`, outcome: "pass" });
  own.close();
}

/** A host loads a hook, and it fails or not. */
function load(outcome: string): void {
  const own = new Audit(home, { report: () => {} });
  own.write({ hook: "a", event: "load", outcome });
  own.close();
}

let minute = 0;
/** Makes a report, which the next one compares with. */
async function report(): Promise<Report> {
  const now = new Date(Date.UTC(2026, 10, 20, 12, minute++));
  const { report, keep } = await makeReport({ home, now, hooks: [], problems: [] });
  if (keep) writeLastReport(home, keep);
  return report;
}

/** The faults and notes of `cordon audit --verify`, and whether it fails. */
async function verified(): Promise<{ faults: string[]; notes: string[]; fails: boolean }> {
  let text = "";
  const printed = vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
    text += chunk;
    return true;
  });
  try {
    const fails = await audit({ verify: true, json: true }).then(
      () => false,
      () => true,
    );
    const { faults, notes } = JSON.parse(text);
    const texts = (all: Record<string, string>[], key: string) => all.map((one) => `${one.at}: ${one[key]}`);
    return { faults: texts(faults, "fault"), notes: texts(notes, "note"), fails };
  } finally {
    printed.mockRestore();
  }
}

const copy = (name: string): void => cpSync(log(), join(home, name), { recursive: true });
const putBack = (name: string): void => {
  rmSync(log(), { recursive: true, force: true });
  cpSync(join(home, name), log(), { recursive: true });
};
const remove = (): void => rmSync(log(), { recursive: true });
const GONE =
  /^the log: the last line that the report of 2026-11-20 12:\d\dZ saw is gone: .*Find out who did it, .*backup/;

beforeEach(() => {
  home = temporaryFolder();
  minute = 0;
  vi.stubEnv("CORDON_HOME", home);
  return () => vi.unstubAllEnvs();
});

const LOSSES: Record<string, () => unknown> = {
  "the whole folder is gone": remove,
  "all files are gone": () => {
    for (const name of files()) rmSync(join(log(), name));
  },
  "the folder has nothing but an empty file": () => {
    remove();
    mkdirSync(log());
    writeFileSync(join(log(), "2026-11-20.jsonl"), "");
  },
  "all chains are cut below what the report saw": () => {
    // Nothing that is left names what is gone.
    for (const name of files())
      if (/\.[0-9a-f]{16}\.jsonl$/.test(name)) rmSync(join(log(), name));
      else truncateSync(join(log(), name), 0);
  },
  "an older copy takes its place": () => putBack("older"),
  "an older copy takes its place, and goes on": () => {
    putBack("older");
    write("later");
  },
  "it is gone, and a new one begins": () => {
    remove();
    write("later");
  },
  "it is gone, and two reports are made": async () => {
    remove();
    await report();
    await report();
  },
  "it is gone, a new one begins, and reports see that": async () => {
    remove();
    write("later");
    await report();
    write("later still");
    await report();
  },
  "the new one that a report saw is gone, too": async () => {
    remove();
    write("later");
    await report();
    remove();
  },
  "the old one is back, and the new one that a report saw is gone": async () => {
    copy("whole");
    remove();
    write("later");
    await report();
    putBack("whole");
  },
};

describe("a log that no longer has what a report saw", () => {
  test.each(Object.entries(LOSSES))("%s", async (_name, lose) => {
    write("first");
    copy("older");
    write("second");
    await report();
    write("third");
    expect(await verified()).toEqual({ faults: [], notes: [], fails: false });
    await lose();
    const { faults, fails } = await verified();
    expect([faults.some((text) => GONE.test(text)), fails]).toEqual([true, true]);
    // The others say so, too.
    expect((await recordFindings(home)).filter(({ ok }) => !ok)[0]?.detail).toMatch(/is gone/);
    const { troubles } = await report();
    expect(troubles.some(({ run, text }) => run === "cordon audit --verify" && text.includes("Find out who"))).toBe(
      true,
    );
  });

  test("any one file of it is gone", async () => {
    write("first");
    write("second");
    await report();
    copy("whole");
    expect(files()).toHaveLength(3);
    for (const name of files()) {
      rmSync(join(log(), name));
      expect([name, (await verified()).fails]).toEqual([name, true]);
      putBack("whole");
    }
    expect((await verified()).fails).toBe(false);
  });

  test("the command says so, and ends as for any other change", async () => {
    write("first");
    await report();
    remove();
    const run = (...args: string[]) => cordon(["audit", ...args], { cwd: home, home });
    expect(await run("--verify")).toEqual({
      code: 1,
      stdout: expect.stringMatching(
        /^no {3}the log: the last line that the report of 2026-11-20 12:00Z saw is gone: .*\n$/,
      ),
      stderr: "cordon: the log was changed in 1 place\n",
    });
    expect((await run()).stdout).toMatch(/but the report of 2026-11-20 12:00Z saw lines; run: cordon audit --verify$/m);
  });
});

const INNOCENT: Record<string, () => unknown> = {
  "nothing was ever written": () => {},
  "no report was ever made": () => write("first"),
  "nothing was on record when the report was made": async () => {
    await report();
    write("first");
  },
  "nothing was on record, and nothing is": report,
  "lines are newer than the report": async () => {
    write("first");
    await report();
    write("second");
    write("third");
  },
  "several reports": async () => {
    for (const name of ["first", "second", "third"]) {
      write(name);
      await report();
    }
  },
  "what the last report left is gone": async () => {
    write("first");
    await report();
    rmSync(last());
  },
  "the log is put back": async () => {
    write("first");
    await report();
    copy("whole");
    remove();
    putBack("whole");
  },
  "the log is put back after reports": async () => {
    write("first");
    await report();
    copy("whole");
    remove();
    await report();
    await report();
    putBack("whole");
    write("second");
  },
};

test.each(Object.entries(INNOCENT))("no alarm: %s", async (_name, act) => {
  await act();
  expect(await verified()).toEqual({ faults: [], notes: [], fails: false });
  expect((await report()).troubles).toEqual([]);
});

test("a log that was put back: the report says that its line is there again, once, and nothing against it", async () => {
  write("first");
  await report();
  copy("whole");
  remove();
  const page = (made: Report): string => pageOf(made).replace(/<[^>]+>/g, "");
  const lost = await report();
  expect(lost.record).toMatchObject({ lost: "2026-11-20T12:00:00.000Z", hasLastHead: false });
  expect(page(lost)).not.toMatch(/none was changed|recorded since|still there/);
  // The section of the log says what the summary says, and there is no hash to keep.
  expect(page(lost)).toContain("lines are gone");
  expect(page(lost)).not.toMatch(/✓ verifies|Keep it elsewhere/);
  expect(page(lost)).not.toContain(EMPTY.prev);
  expect(page(await report())).not.toMatch(/none was changed|the line that it saw last is gone/);
  putBack("whole");
  const back = await report();
  expect(back.record).toMatchObject({ back: "2026-11-20T12:00:00.000Z", hasLastHead: true });
  expect([back.record.lost, back.troubles]).toEqual([undefined, []]);
  expect(page(back)).toContain("it was gone, and is there again");
  expect(page(back)).not.toMatch(/is gone|recorded since/);
  const after = await report();
  expect([after.record.back, page(after).includes("Nothing was recorded since.")]).toEqual([undefined, true]);
});

test("an empty log has no head to keep, on the page and in the output", async () => {
  const { stdout } = await cordon(["report"], { cwd: home, home });
  expect(stdout).toContain("ok    the audit log is empty");
  const text = pageOf(await report());
  expect([text.includes(EMPTY.prev), text.includes("The audit log is empty.")]).toEqual([false, true]);
});

test.each([
  ["the log is gone, and nothing is told", remove, false],
  ["it loaded again, and that is told", () => load("built"), true],
])("no line says any more that a hook does not load: %s", async (_name, act, isTold) => {
  load("failed");
  const hooks = [
    { name: "a", id: "a", key: "a", path: "/a", origin: { kind: "user", folder: "/" } as const, grant: {} },
  ];
  const { keep } = await makeReport({ home, now: new Date(), hooks, problems: [] });
  if (keep) writeLastReport(home, keep);
  act();
  const { changes } = (await makeReport({ home, now: new Date(), hooks, problems: [] })).report;
  expect(changes?.entries.map(({ text }) => text)).toEqual(isTold ? ["state: was failed, is active"] : []);
});

test("the first of many losses are kept, and no more of them", async () => {
  for (let at = 0; at < 53; at++) {
    write(`hook ${at}`);
    await report();
    remove();
  }
  const { lost } = JSON.parse(readFileSync(last(), "utf8"));
  expect([lost.length, lost[0].time]).toEqual([50, "2026-11-20T12:00:00.000Z"]);
  expect((await verified()).faults).toHaveLength(51);
});

const HEAD = "0".repeat(64);
const shape = (more: object): string =>
  JSON.stringify({ version: 1, time: "2026-11-20T12:00:00.000Z", lines: 0, head: EMPTY.prev, hooks: {}, ...more });
const HOSTILE: Record<string, string | (() => void)> = {
  "no JSON": "{",
  "an empty file": "",
  null: "null",
  "a list": "[]",
  "nested deeply": `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
  "a head of another type": shape({ head: { toString: HEAD } }),
  "a head of another length": shape({ head: "0".repeat(63) }),
  "a time that moves the cursor": shape({ time: "\u001b[2J" }),
  "a loss of another type": shape({ lost: "2026-11-20T12:00:00.000Z" }),
  "a loss without a time": shape({ lost: [{ head: HEAD }] }),
  "too many losses": shape({
    lost: Array.from({ length: 51 }, () => ({ head: HEAD, time: "2026-11-20T12:00:00.000Z" })),
  }),
  "an unknown key": `${shape({}).slice(0, -1)},"__proto__":{"head":"${HEAD}"}}`,
  "a folder": () => mkdirSync(last()),
  "a link to itself": () => symlinkSync("last.json", last()),
  "a link to an endless device": () => symlinkSync("/dev/zero", last()),
  "a pipe": () => void execFileSync("mkfifo", [last()]),
  "a file that is too large": () => {
    writeFileSync(last(), "");
    truncateSync(last(), 16 * 1024 * 1024 + 1);
  },
};

test.each(Object.entries(HOSTILE))(
  "what a report left is %s: verifying goes on, and says that it compares with nothing",
  needs(process.platform === "win32" && "Windows has no such files"),
  async (_name, content) => {
    write("first");
    mkdirSync(join(home, "reports"));
    if (typeof content === "string") writeFileSync(last(), content);
    else content();
    const { faults, notes, fails } = await verified();
    expect([faults, fails]).toEqual([[], false]);
    expect(notes).toEqual([
      expect.stringMatching(/^the last report: .*last\.json.*: what it saw of the log is not compared$/),
    ]);
  },
);

test("a link that leads nowhere is a report that cannot be read", async () => {
  write("first");
  mkdirSync(join(home, "reports"));
  symlinkSync("nowhere", last());
  const notes = [expect.stringContaining("it is a link that leads to nothing; mend it, or take it away")];
  expect(await verified()).toEqual({ faults: [], notes, fails: false });
});
