import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Audit } from "../../src/audit/audit.ts";
import { healthOf, writeFault } from "../../src/audit/health.ts";
import { type AuditFact, headAfter, nextLine } from "../../src/audit/line.ts";
import { verifyAudit } from "../../src/audit/verify.ts";
import { recordFindings } from "../../src/cli/doctor-record.ts";
import { changeGrant } from "../../src/store/grants-file.ts";
import { writeRecord } from "../report/home.ts";
import { cordon } from "../support/command.ts";
import { onToolCall, writeFiles } from "../support/session.ts";

let home: string;
const folder = (): string => join(home, "audit");
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "cordon-doctor-"));
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
  vi.useRealTimers();
});

const fact = (value: string): AuditFact => ({ hook: "a", event: "tool_call", value, outcome: "pass" });
/** Three days of two processes, each with a chain of its own; the second is killed in the last day. */
function threeDays(): void {
  vi.useFakeTimers({ now: new Date("2026-03-01T10:00:00Z") });
  for (const day of [1, 2, 3]) {
    vi.setSystemTime(new Date(`2026-03-0${day}T10:00:00Z`));
    const log = new Audit(home, { report: () => {} });
    for (let at = 0; at < 5; at++) log.write(fact(`day ${day}, ${at}`));
    // It goes on over midnight.
    vi.setSystemTime(new Date(`2026-03-0${day + 1}T01:00:00Z`));
    log.write(fact(`after day ${day}`));
    log.close();
  }
  vi.useRealTimers();
}
const chainsOf = (day: string): string[] =>
  readdirSync(folder()).filter((name) => name.startsWith(day) && name.length > "2026-03-01.jsonl".length);
const edit = (name: string, change: (lines: string[]) => void): void => {
  const path = join(folder(), name);
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  change(lines);
  writeFileSync(path, `${lines.join("\n")}\n`);
};

describe("the newest days are checked with the last lines of the days before", () => {
  test.each(["", "2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"])(
    "an untouched record, from %j",
    async (from) => {
      threeDays();
      const standings = await Array.fromAsync(verifyAudit(folder(), from));
      expect(standings.flatMap(({ fault }) => fault ?? [])).toEqual([]);
      expect(standings.every(({ at }) => at >= from)).toBe(true);
      expect(standings.length).toBeGreaterThan(0);
    },
  );

  test.each<[what: string, from: string, harm: () => void, fault: string]>([
    [
      "a line is changed",
      "2026-03-03",
      () => edit(last("2026-03-03"), (lines) => swap(lines, "day 3, 2", "day 3, x")),
      "is not what it was",
    ],
    [
      "a line is gone",
      "2026-03-03",
      () => edit(last("2026-03-03"), (lines) => void lines.splice(2, 1)),
      "follows number",
    ],
    ["the end is cut off", "2026-03-03", () => edit(last("2026-03-03"), (lines) => void lines.splice(3)), "follow"],
    [
      "the last line before is changed",
      "2026-03-03",
      () => edit("2026-03-02.jsonl", (lines) => swap(lines, '"seq"', ' "seq"', -1)),
      "is not what it was",
    ],
    [
      "a chain that went on is gone",
      "2026-03-02",
      () => rmSync(join(folder(), last("2026-03-03"))),
      "what was before is gone",
    ],
    [
      "all before is gone",
      "2026-03-03",
      () => {
        for (const name of readdirSync(folder()))
          if (name < "2026-03-03" && name.endsWith(".jsonl")) rmSync(join(folder(), name));
      },
      "what was before is gone",
    ],
  ])("%s", async (_what, from, harm, fault) => {
    threeDays();
    harm();
    const faults = (await Array.fromAsync(verifyAudit(folder(), from))).flatMap((one) => one.fault ?? []);
    expect(faults.join("; ")).toContain(fault);
  });
});
const last = (day: string): string =>
  chainsOf(day).find((name) => readFileSync(join(folder(), name), "utf8").includes("day 3, 2")) ??
  (chainsOf(day)[0] as string);
const swap = (lines: string[], from: string, to: string, at = lines.findIndex((line) => line.includes(from))): void => {
  const index = at < 0 ? lines.length + at : at;
  lines[index] = (lines[index] as string).replace(from, to);
};

const NOW = Date.parse("2026-11-20T12:00:00Z");
const texts = async (): Promise<string[]> =>
  (await recordFindings(home, NOW)).map(
    ({ what, ok, note, detail }) => `${ok ? (note ? "note" : "ok") : "no"} ${what}: ${detail.replaceAll(home, "HOME")}`,
  );
const VERIFIES = "ok record: each line follows the one before";

test("an empty home, and a record that verifies", async () => {
  expect(await texts()).toEqual(["ok record: nothing is on record yet"]);
  writeRecord(home, [{ ...fact("bash"), time: "2026-11-20T10:00:00.000Z" }]);
  expect(await texts()).toEqual([VERIFIES]);
  expect(await texts()).toEqual([VERIFIES]);
});

test("a record that was changed, and a line that was not written whole", async () => {
  writeRecord(
    home,
    [1, 2, 3].map((at) => ({ ...fact(`call ${at}`), time: `2026-11-20T10:00:0${at}.000Z` })),
  );
  appendFileSync(join(folder(), "2026-11-20.jsonl"), '{"seq":4,"ti');
  expect(await texts()).toEqual([
    VERIFIES,
    "note record: 2026-11-20.jsonl:4 was not written whole, so it never counted: a process died there",
  ]);
  edit("2026-11-20.jsonl", (lines) => {
    lines.splice(3);
    swap(lines, "call 2", "call x");
  });
  expect(await texts()).toEqual([
    "no record: it was changed in one place, as at 2026-11-20.jsonl:3: 2026-11-20.jsonl:2 is not what it was when this line was written; run: cordon audit --verify",
  ]);
});

test.each<[string, () => void, RegExp]>([
  ["a file is in its place", () => writeFileSync(folder(), ""), /HOME\/audit is no folder/],
  [
    "a link is in the place of today's file",
    () => {
      mkdirSync(folder());
      symlinkSync("/dev/null", join(folder(), `${new Date().toISOString().slice(0, 10)}.jsonl`));
    },
    /./,
  ],
  [
    "a folder is in the place of today's file",
    () => mkdirSync(join(folder(), `${new Date().toISOString().slice(0, 10)}.jsonl`), { recursive: true }),
    /./,
  ],
])("lines that cannot be written: %s", async (_what, harm, detail) => {
  harm();
  const { code, stdout } = await cordon(["doctor", "--json"], { cwd: home, home });
  const findings = (JSON.parse(stdout).findings as { what: string; ok: boolean; detail: string }[]).filter(
    ({ what }) => what === "record",
  );
  expect(code).toBe(1);
  expect(findings.map(({ ok }) => ok)).toContain(false);
  expect(findings.map((one) => one.detail.replaceAll(home, "HOME")).join()).toMatch(detail);
});

test("that lines can be written is found out without a line", () => {
  writeRecord(home, [{ ...fact("bash"), time: "2026-11-20T10:00:00.000Z" }]);
  const before = readFileSync(join(folder(), "2026-11-20.jsonl"), "utf8");
  expect(writeFault(folder())).toBeUndefined();
  expect(readFileSync(join(folder(), "2026-11-20.jsonl"), "utf8")).toBe(before);
  expect(readdirSync(folder()).filter((name) => !name.endsWith(".jsonl"))).toEqual([]);
});

describe("who blocked everything in the last day", () => {
  const judged = (outcome: string, count: number, more: object = {}) =>
    Array.from({ length: count }, () => ({ hook: "gate", event: "tool_call", value: "bash", outcome, ...more }));
  test.each<[what: string, facts: object[], required: boolean, finding: string | undefined]>([
    ["a hook", judged("block", 5), false, "note hook gate: blocked all 5 calls of the last day; run: cordon why gate"],
    [
      "a required hook",
      judged("block", 5),
      true,
      "no required hook gate: blocked all 5 calls of the last day; run: cordon why gate",
    ],
    [
      "Cordon itself",
      judged("block", 5, { hook: "" }),
      false,
      "no Cordon itself: blocked all 5 calls of the last day; run: cordon why",
    ],
    [
      "Cordon itself, beside calls that passed",
      [...judged("block", 9, { hook: "" }), ...judged("pass", 1)],
      false,
      undefined,
    ],
    ["fewer calls", judged("block", 4), true, undefined],
    ["not all", [...judged("block", 9), ...judged("pass", 1)], true, undefined],
    ["not in the last day", judged("block", 9, { time: "2026-11-19T11:59:59.000Z" }), true, undefined],
    [
      "just in the last day",
      judged("block", 5, { time: "2026-11-19T12:00:00.000Z" }),
      false,
      "note hook gate: blocked all 5 calls of the last day; run: cordon why gate",
    ],
    ["in trials", judged("block", 9, { trial: true }), true, undefined],
    ["cancelled calls", judged("cancelled", 9), true, undefined],
  ])("%s", async (_what, facts, required, finding) => {
    if (required) {
      writeFileSync(join(home, "policy.json"), '{"version":1,"required":["gate"]}');
      vi.stubEnv("CORDON_POLICY", join(home, "policy.json"));
    }
    writeRecord(
      home,
      facts.map((one) => ({ time: "2026-11-20T10:00:00.000Z", ...one }) as never),
    );
    expect(await texts()).toEqual([VERIFIES, ...(finding === undefined ? [] : [finding])]);
    vi.unstubAllEnvs();
  });
});

test("of a large record the newest days are read, and it says so", async () => {
  mkdirSync(folder());
  let head = { seq: 0, prev: headAfter("").prev };
  for (const day of ["2026-11-18", "2026-11-19", "2026-11-20"]) {
    let text = "";
    for (let at = 0; at < 5000; at++) {
      const line = nextLine(head, `${day}T10:00:00.000Z`, fact("x".repeat(1200)));
      text += line.text;
      head = line.head;
    }
    writeFileSync(join(folder(), `${day}.jsonl`), text);
  }
  const started = performance.now();
  const health = await healthOf(folder(), () => {});
  expect(health).toEqual({ lines: 10_000, from: "2026-11-19", faults: 0, torn: [] });
  expect(performance.now() - started).toBeLessThan(5000);
  expect(await texts()).toEqual([
    "ok record: each line follows the one before; only those since 2026-11-19 were read: cordon audit --verify reads all",
  ]);
  // The day before is looked at by its last line.
  truncateSync(join(folder(), "2026-11-18.jsonl"), 100);
  expect((await healthOf(folder(), () => {})).fault?.fault).toBe(
    "the log begins at number 5001: what was before is gone",
  );
});

test("--strict fails for what is only worth knowing", async () => {
  const past = Array.from({ length: 5 }, (_, at) => ({
    ...{ hook: "gate", event: "tool_call", value: "bash: no", outcome: "block" },
    time: new Date(Date.now() - 60_000 + at).toISOString(),
  }));
  writeRecord(home, past);
  const [lax, strict] = await Promise.all(
    [[], ["--strict"]].map((flags) => cordon(["doctor", ...flags], { cwd: home, home })),
  );
  expect(lax?.stdout).toContain("note hook gate: blocked all 5 calls");
  expect(strict?.code).toBe(1);
  expect(strict?.stderr).toMatch(/^cordon: --strict: .*hook gate/);
});

test("--strict counts no note of what a person decided, or of what no command mends", async () => {
  writeFiles(home, { "hooks/gate.ts": onToolCall("") });
  const strict = () => cordon(["doctor", "--strict", "--json"], { cwd: home, home });
  const notes = async () => JSON.parse((await strict()).stdout).findings.filter(({ note }: { note?: true }) => note);
  const before = (await strict()).code;
  const gate = join(home, "hooks", "gate.ts");
  changeGrant(join(home, "grants.json"), gate, () => ({ disabled: true }));
  expect(await notes()).toContainEqual(expect.objectContaining({ what: "hook gate", standing: true }));
  expect((await strict()).code).toBe(before);
  changeGrant(join(home, "grants.json"), "left-over", () => ({}));
  expect(await notes()).toContainEqual(expect.not.objectContaining({ standing: true }));
  expect((await strict()).code).toBe(1);
});
