import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { Audit } from "../../src/audit/audit.ts";
import type { AuditFact } from "../../src/audit/line.ts";
import { POWERS } from "../../src/powers/powers.ts";
import { deedOf, powerOf, timesOf } from "../../src/report/deed.ts";
import type { FoundHook } from "../../src/report/describe-hook.ts";
import { writeLastReport } from "../../src/report/last-report.ts";
import { MAX_HOOKS, MAX_NOTABLE, MAX_ROUTINE, MAX_SESSIONS } from "../../src/report/limits.ts";
import { pageOf } from "../../src/report/page/page.ts";
import { Periods } from "../../src/report/periods.ts";
import { makeReport, type Report } from "../../src/report/report.ts";
import { needsTime } from "../support/needs.ts";
import { temporaryFolder } from "../support/session.ts";
import { type Past, writeRecord } from "./home.ts";
import { parsed } from "./structure.ts";

let home: string;
beforeEach(() => {
  home = temporaryFolder();
});

const NOW = new Date("2026-11-20T12:00:00Z");
const found = (id: string, capabilities: object | undefined, more: Partial<FoundHook> = {}): FoundHook => ({
  ...{ name: id, id, key: id, path: `/hooks/${id}.ts`, origin: { kind: "user", folder: "/hooks" } },
  grant: capabilities && { capabilities },
  ...more,
});

/** Makes a report; `keeps`: the next one compares with it. */
async function report(hooks: readonly FoundHook[] = [], since?: string, keeps = false): Promise<Report> {
  const made = await makeReport({ home, now: NOW, hooks, problems: [], since: since ? new Date(since) : undefined });
  if (keeps && made.keep) writeLastReport(home, made.keep);
  return made.report;
}

const at = (time: string, fact: AuditFact): Past => ({ time: `2026-11-20T${time}.000Z`, ...fact });
const pass = { hook: "a", event: "tool_call", value: "bash", outcome: "pass" };
const read = { hook: "a", event: "tool_call", capability: "fs.read", value: "read x", outcome: "allowed" };
const refusalOf = (value: string) => {
  const wanted = JSON.stringify({ connect: [value] });
  return { hook: "a", capability: "net.connect", value, wanted, outcome: "NOT_GRANTED" };
};
const refusal = refusalOf("e:443");
const block = { hook: "a", event: "tool_call", value: "bash: no", outcome: "block" };

describe("what a line says", () => {
  test.each<[AuditFact, string, string | undefined, number]>([
    [pass, "passed", "events", 1],
    [block, "blocked", "events", 1],
    [read, "used", "fs", 1],
    [{ ...read, capability: "exec" }, "used", "exec", 1],
    [refusal, "refused", "net", 1],
    [{ ...refusal, outcome: "NOT_GRANTED (11 times more)" }, "refused", "net", 11],
    [{ ...refusal, outcome: "NOT_GRANTED (1 time more)" }, "refused", "net", 1],
    [{ ...refusal, capability: "", outcome: "NOT_GRANTED (37 more, of many kinds)" }, "refused", "", 37],
    [{ ...refusal, outcome: "RATE_LIMITED" }, "refused", "net", 1],
    [{ ...pass, outcome: "would block" }, "monitored", "events", 1],
    [{ ...pass, outcome: "rewrite" }, "changed", "events", 1],
    [{ ...pass, outcome: "withheld" }, "blocked", "events", 1],
    [{ hook: "a", event: "session", value: "start", outcome: "answered" }, "passed", "events", 1],
    [{ hook: "a", event: "tool", value: "view", outcome: "ran" }, "used", "tools", 1],
    [{ hook: "a", event: "tool", value: "view", outcome: "TIMEOUT" }, "failed", "tools", 1],
    // The power that it lacked has a line of its own.
    [{ hook: "a", event: "tool", value: "view", outcome: "NOT_GRANTED" }, "failed", "tools", 1],
    [{ hook: "a", event: "load", capability: "tools", value: "view", outcome: "NOT_GRANTED" }, "refused", "tools", 1],
    [{ hook: "a", event: "load", outcome: "built" }, "other", undefined, 1],
    [{ hook: "a", event: "load", outcome: "failed" }, "failed", undefined, 1],
    [{ hook: "a", event: "load", outcome: "trusted: no sandbox" }, "other", undefined, 1],
    [{ hook: "a", event: "crash", outcome: "OUT_OF_MEMORY" }, "failed", undefined, 1],
    [{ hook: "a", event: "crash", outcome: "restarted" }, "other", undefined, 1],
    [{ ...read, outcome: "consent: always" }, "decided", "fs", 1],
    [{ hook: "a", event: "grant", outcome: "revoked" }, "decided", undefined, 1],
    [{ ...pass, outcome: "anything else (99 times more)" }, "other", undefined, 1],
  ])("%j", (fact, deed, power, times) => {
    const line = { seq: 1, time: "", prev: "", ...fact };
    expect([deedOf(line), powerOf(line), timesOf(line)]).toEqual([deed, power, times]);
  });
});

describe("the matrix", () => {
  const states = async (granted: object | undefined, past: readonly Past[], since?: string) => {
    writeRecord(home, past);
    const { hooks } = await report([found("a", granted)], since);
    return Object.fromEntries(
      (hooks[0]?.powers ?? []).map(({ power, granted, used, refused, lastUse }) => [
        power,
        [granted !== undefined, used, refused, lastUse?.slice(11, 19)],
      ]),
    );
  };

  test("granted and used, granted and never used, refused", async () => {
    const grant = { fs: { read: ["$CWD/**"] }, env: ["CI"] };
    expect(
      await states(grant, [at("10:00:00", pass), at("10:00:01", read), at("10:00:02", read), at("10:00:03", refusal)]),
    ).toEqual({
      events: [true, 1, 0, "10:00:00"],
      fs: [true, 2, 0, "10:00:02"],
      env: [true, 0, 0, undefined],
      net: [false, 0, 1, undefined],
    });
  });

  test("a refusal beside a grant, and repeated ones", async () => {
    const again = { ...read, outcome: "NOT_GRANTED (4 times more)" };
    expect(
      await states({ fs: { read: ["$CWD/**"] } }, [
        at("10:00:00", { ...read, outcome: "NOT_GRANTED" }),
        at("10:00:09", again),
      ]),
    ).toMatchObject({
      fs: [true, 0, 5, undefined],
    });
  });

  test("uses before the period do not count, and are known as the last ones", async () => {
    expect(
      await states({ fs: { read: ["$CWD/**"] } }, [at("10:00:00", read), at("11:00:00", pass)], "2026-11-20T10:30:00Z"),
    ).toMatchObject({
      events: [true, 1, 0, "11:00:00"],
      fs: [true, 0, 0, "10:00:00"],
    });
  });

  test("without a grant, a hook of the user's own has the default powers, and a project's has none", async () => {
    const { hooks } = await report([
      found("own", undefined),
      found("theirs", undefined, { origin: { kind: "project", folder: "/p" } }),
    ]);
    expect(
      hooks.map(({ state, powers }) => [state, powers.map(({ power, byDefault }) => `${power} ${byDefault}`)]),
    ).toEqual([
      ["active", ["events true", "ui true"]],
      ["pending", []],
    ]);
  });

  test("each hook has its blocks counted, and for one that only the record names nobody knows the grants", async () => {
    writeRecord(home, [
      at("10:00:00", block),
      at("10:00:01", { ...block, outcome: "withheld" }),
      at("10:00:02", pass),
      at("10:00:03", { ...read, hook: "named" }),
    ]);
    const { elements, textOf } = parsed(pageOf(await report([found("a", { env: ["CI"] })])));
    const tables = elements.filter(({ tagName }) => tagName === "table").map(textOf);
    const cells = (text: string | undefined): string[] => text?.split("\n").slice(2, -1).filter(Boolean) ?? [];
    expect(cells(tables[0])).toEqual([
      "hookblockedeventsfsenv",
      "aown folder blocked2events● used 3–noneenv○ unused",
      "namedonly in the audit log · not installed–none–nonefs● used 1–none",
    ]);
    expect([tables[1]?.includes("nothing here"), tables[2]?.includes("nothing here; it may")]).toEqual([false, true]);
  });

  test("a hook without a grant has the digest of its latest line, unless others have its id", async () => {
    const lines = ["1", "2"].map((digest) => at("10:00:00", { ...pass, digest: `sha256-${digest}` }));
    writeRecord(home, [...lines, at("10:00:01", pass)]);
    const digests = async (...hooks: FoundHook[]) => (await report(hooks)).hooks.map(({ digest }) => digest);
    const granted = { capabilities: {}, digest: "sha256-3" };
    expect(await digests(found("a", undefined))).toEqual(["sha256-2"]);
    expect(await digests(found("a", {}, { grant: granted }))).toEqual(["sha256-3"]);
    expect(await digests(found("a", undefined), found("a", undefined, { key: "b" }))).toEqual([undefined, undefined]);
    expect(await digests()).toEqual(["sha256-2"]);
  });

  test("what was used is named, and the tools that were blocked", async () => {
    const other = { ...read, value: "read y" };
    const reads = [read, read, other, pass, block, { ...block, value: "edit: no" }, { ...block, value: "edit: never" }];
    writeRecord(
      home,
      reads.map((fact) => at("10:00:00", fact)),
    );
    const [hook] = (await report([found("a", { fs: { read: ["x", "y"] } })])).hooks;
    const operations = hook?.powers.map(({ power, operations }) => [
      power,
      operations.map(({ name, count }) => `${name} ${count}`),
    ]);
    expect(operations).toEqual([
      ["fs", ["fs.read read x 2", "fs.read read y 1"]],
      ["events", ["tool_call blocked edit 2", "tool_call 1", "tool_call blocked bash 1"]],
    ]);
  });

  test("a hook that only the record names is there, too", async () => {
    writeRecord(home, [at("10:00:00", { ...read, hook: "gone" })]);
    expect((await report([found("a", {})])).hooks.map(({ id, state }) => [id, state])).toEqual([
      ["a", "active"],
      ["gone", "recorded"],
    ]);
  });
});

describe("what is wrong", () => {
  const troubles = async (past: readonly Past[], hooks = [found("a", {})]): Promise<string[]> => {
    writeRecord(home, past);
    return (await report(hooks)).troubles.map(({ level, hook, text, run }) =>
      [level, hook, text, run].filter(Boolean).join(" | "),
    );
  };
  const crash = (outcome: string): AuditFact => ({ hook: "a", event: "crash", value: "x", outcome });

  test.each<[string, AuditFact[], string[], FoundHook[]?]>([
    ["nothing, when hooks block", [pass, block, read], []],
    [
      "a refusal, with the command that would allow it",
      [refusal],
      [`look | a | was refused net once: "net.connect e:443" | cordon grant a net '{"connect":["e:443"]}'`],
    ],
    [
      "several refusals of one power, with one command for all that is named",
      ["e", "f", "g", "h"].map((name) => refusalOf(`${name}:443`)),
      [
        `look | a | was refused net 4 times: "net.connect e:443", "net.connect f:443", "net.connect g:443", … | cordon grant a net '{"connect":["e:443","f:443","g:443"]}'`,
      ],
    ],
    [
      "a refusal on an older line, which does not say what would allow it",
      [{ hook: "a", capability: "net.connect", value: "e:443", outcome: "NOT_GRANTED" }],
      ['look | a | was refused net once: "net.connect e:443" | cordon trace a'],
    ],
    [
      "a refusal whose line was made up",
      [{ ...refusal, wanted: '{"connect":"all"}' }],
      ['look | a | was refused net once: "net.connect e:443" | cordon trace a'],
    ],
    [
      "a limit",
      [
        {
          hook: "a",
          event: "load",
          capability: "limits",
          value: "limits.wasm",
          wanted: '{"wasm":true}',
          outcome: "NOT_GRANTED",
        },
      ],
      [`look | a | was refused limits once: "limits limits.wasm" | cordon grant a limits '{"wasm":true}'`],
    ],
    ["a refusal of what was granted since", [refusal], [], [found("a", { net: { connect: ["e:443"] } })]],
    [
      "a refusal of a hook that nobody accepts any more",
      [refusal],
      [
        'look | a | was refused net once: "net.connect e:443" | cordon accept',
        "look | a | waits for you: it does nothing until you accept it | cordon accept",
      ],
      [found("a", undefined, { origin: { kind: "project", folder: "/p" } })],
    ],
    ["a hook that was removed since", [refusal, { hook: "a", event: "decision", outcome: "removed" }], [], []],
    [
      "a crash",
      [crash("TIMEOUT"), crash("restarted"), pass],
      ["look | a | crashed once | cordon audit --hook a --power crash"],
    ],
    [
      "a hook that was stopped, in a session that is over",
      [crash("TIMEOUT"), crash("stopped")],
      ["look | a | crashed once | cordon audit --hook a --power crash"],
    ],
    [
      "a hook that ran without a sandbox",
      [{ hook: "a", event: "load", outcome: "trusted: no sandbox" }, pass],
      ["look | a | ran once as a trusted hook: no sandbox, no grants, no record of what it did"],
    ],
    [
      "a hook that came back",
      [crash("TIMEOUT"), crash("stopped"), pass],
      ["look | a | crashed once | cordon audit --hook a --power crash"],
    ],
    [
      "a hook that does not load",
      [{ hook: "a", event: "load", outcome: "failed" }],
      [
        "wrong | a | could not be loaded the last time, and blocks what it guards; a new session tries again | cordon doctor",
      ],
    ],
    [
      "a hook that does not load, and why",
      [{ hook: "a", event: "load", value: "no handler\u202e", outcome: "failed" }],
      [
        'wrong | a | could not be loaded the last time, and blocks what it guards: "no handler"; a new session tries again | cordon doctor',
      ],
    ],
    [
      "a hook that a policy did not allow",
      [{ hook: "a", event: "load", value: "no provenance", policy: "/max.json", outcome: "failed" }],
      [
        'wrong | a | could not be loaded the last time, and blocks what it guards: the policy /max.json did not allow it: "no provenance"; a new session tries again | cordon doctor',
      ],
    ],
    [
      "a hook that loads again",
      [
        { hook: "a", event: "load", outcome: "failed" },
        { hook: "a", event: "load", outcome: "built" },
      ],
      [],
    ],
    [
      "calls that ran since hooks only monitored",
      [{ ...block, outcome: "would block" }],
      ["look | hooks only monitored: 1 call ran that they would have blocked"],
    ],
  ])("%s", async (_name, facts, said, hooks) => {
    expect(
      await troubles(
        facts.map((fact) => at("10:00:00", fact)),
        hooks,
      ),
    ).toEqual(said);
  });

  test("a hook that is stopped, in a session that runs", async () => {
    const audit = new Audit(home, { report: () => {} });
    audit.write(crash("TIMEOUT"), crash("stopped"));
    const { hooks, troubles } = await report([found("a", {})]);
    audit.close();
    expect(hooks[0]?.state).toBe("stopped");
    expect(troubles[0]).toEqual({
      level: "wrong",
      hook: "a",
      text: "crashed too often in its last session, and blocks there",
      run: "cordon restart a",
    });
  });

  test.each([
    ["a plain name", "gate", `cordon grant gate net '{"connect":["e:443"]}'`],
    [
      "a name for a shell",
      "/x/$(touch ran) it's.ts",
      `cordon grant '/x/$(touch ran) it'\\''s.ts' net '{"connect":["e:443"]}'`,
    ],
    ["a name like an option", "--json", undefined],
    ["a name that hides something", "a\u202eb", undefined],
    ["a name of two lines", "a\nb", undefined],
  ])("a command is typed safely for %s", async (_case, id, run) => {
    writeRecord(home, [at("10:00:00", { ...refusal, hook: id })]);
    expect((await report([found(id, {})])).troubles[0]?.run).toBe(run);
  });

  test("a record that was changed, and one that cannot be read", async () => {
    writeRecord(home, [at("10:00:00", pass), at("10:00:01", pass)]);
    const file = join(home, "audit", "2026-11-20.jsonl");
    writeFileSync(file, readFileSync(file, "utf8").replace("bash", "read"));
    const changed = await report();
    expect(changed.troubles).toMatchObject([
      { level: "wrong", text: "the audit log was changed in 1 place", run: "cordon audit --verify" },
    ]);
    expect(changed.record).toMatchObject({ verifies: false, faultCount: 1 });
    mkdirSync(join(home, "audit", "2026-11-21.jsonl"));
    const broken = await report();
    expect(broken.troubles[0]?.text).toMatch(/^the audit log cannot be read to its end: .*not a regular file$/);
    expect(broken.record.verifies).toBe(false);
  });

  test("a record that cannot be read for a while is compared with what was seen before", async () => {
    writeRecord(home, [at("10:00:00", pass), at("10:00:01", read)]);
    await report([], undefined, true);
    const unreadable = join(home, "audit", "2026-11-19.jsonl");
    mkdirSync(unreadable);
    expect((await report([], undefined, true)).troubles[0]?.text).toMatch(/cannot be read to its end/);
    rmSync(unreadable, { recursive: true });
    writeRecord(home, [at("10:00:00", pass)]);
    expect((await report()).troubles[0]?.text).toMatch(/^audit log: .* is gone/);
  });
});

describe("since the last report", () => {
  const changes = async (hooks: readonly FoundHook[]): Promise<string[]> =>
    ((await report(hooks)).changes?.entries ?? []).map(
      ({ hook, text, alert }) => `${alert ? "!" : " "} ${hook} ${text}`,
    );

  test("the first has nothing to compare with, and the next one nothing to say", async () => {
    expect((await report([found("a", {})], undefined, true)).changes).toBeUndefined();
    expect((await report([found("a", {})])).changes).toMatchObject({ since: NOW.toISOString(), entries: [], lines: 0 });
  });

  test("hooks that came and went, grants, versions, first uses and refusals", async () => {
    writeRecord(home, [at("10:00:00", pass)]);
    const installed = (version: string) =>
      ({
        kind: "installed",
        folder: "/i",
        entry: { version, source: "npm:v", requested: {}, provenance: "none", digest: "d" },
      }) as never;
    await report(
      [found("a", { env: ["CI"] }), found("b", {}), found("v", {}, { origin: installed("1.0.0") })],
      undefined,
      true,
    );
    writeRecord(home, [at("10:00:00", pass), at("11:00:00", read), at("11:00:01", refusal)]);
    expect(
      await changes([
        found("a", { fs: { read: ["$CWD/**"] } }),
        found("c", { env: ["CI"] }),
        found("v", {}, { origin: installed("1.1.0") }),
      ]),
    ).toEqual([
      '! a fs was granted: {"read":["$CWD/**"]}',
      "! a was refused net for the first time",
      "! c is new: user's own folder, from /hooks/c.ts; granted: env, events".replace("user's own", "own"),
      "! v version: was 1.0.0, is 1.1.0",
      "! b is gone",
      "  a env was taken back",
      "  a used fs for the first time",
    ]);
    expect((await report([])).changes?.lines).toBe(2);
  });

  const GRANTED = 'a fs was granted: {"read":["x"]}';
  // biome-ignore format: a table
  test.each<[string, string | undefined, string | undefined, string[]]>([
    ["the first grant names the digest that no report knew", undefined, "sha256-1", [`! ${GRANTED}`]],
    ["a grant of other files", "sha256-1", "sha256-2", ["! a its files changed", `! ${GRANTED}`]],
    ["a grant of the same files", "sha256-1", "sha256-1", [`! ${GRANTED}`]],
    ["a grant without a digest", "sha256-1", undefined, [`! ${GRANTED}`]],
  ])("%s", async (_claim, before, after, said) => {
    const grantOf = (capabilities: object, digest: string | undefined) =>
      found("a", {}, { grant: { capabilities, ...(digest === undefined ? {} : { digest }) } });
    await report([grantOf({}, before)], undefined, true);
    expect(await changes([grantOf({ fs: { read: ["x"] } }, after)])).toEqual(said);
  });

  test("a package with other files, and the same version", async () => {
    const installed = (digest: string) => {
      const entry = { version: "1.0.0", source: "npm:v", requested: {}, provenance: "none", digest };
      return found("v", {}, { origin: { kind: "installed", folder: "/i", entry } as never });
    };
    await report([installed("d")], undefined, true);
    expect(await changes([installed("e")])).toEqual(["! v its files changed, and its version did not"]);
  });

  test.each<[string, (lines: string[]) => string[]]>([
    ["cut off", (lines) => lines.slice(0, 1)],
    ["written anew", (lines) => lines.map((line) => line.replace("bash", "read"))],
  ])("a record that was %s no longer has the line that was seen last", async (_name, change) => {
    writeRecord(home, [at("10:00:00", pass), at("10:00:01", read), at("10:00:02", pass)]);
    expect((await report([], undefined, true)).record).toMatchObject({ verifies: true });
    expect((await report()).record).toMatchObject({ verifies: true, hasLastHead: true });
    const file = join(home, "audit", "2026-11-20.jsonl");
    const facts = change(readFileSync(file, "utf8").trimEnd().split("\n")).map((line) => JSON.parse(line) as Past);
    // Whoever can write the whole log can make its chain anew.
    writeRecord(
      home,
      facts.map(({ time, hook, value, outcome }) => ({ time, hook, value, outcome })),
    );
    const wrong = {
      level: "wrong",
      text: expect.stringContaining("the last line that the report of 2026-11-20 12:00Z saw is gone"),
      run: "cordon audit --verify",
    };
    const { record, troubles } = await report([], undefined, true);
    expect(record).toMatchObject({ verifies: true, hasLastHead: false });
    expect(troubles[0]).toMatchObject(wrong);
    // The next ones say so, too, until a person clears it.
    for (let times = 0; times < 2; times++)
      expect(await report([], undefined, true)).toMatchObject({ record: { hasLastHead: true }, troubles: [wrong] });
    const { keep, ...made } = await makeReport({ home, now: NOW, hooks: [], problems: [], cleared: true });
    expect(made.report.troubles).toEqual([]);
    if (keep) writeLastReport(home, keep);
    expect((await report()).troubles).toEqual([]);
  });

  test.each([
    ["no JSON", "{"],
    ["another shape", '{"version":1}'],
    ["an unknown key", JSON.stringify({ version: 1, time: NOW, lines: 0, head: "0".repeat(64), hooks: {}, more: 1 })],
    [
      "too many hooks",
      JSON.stringify({
        version: 1,
        time: NOW,
        lines: 0,
        head: "0".repeat(64),
        hooks: Object.fromEntries(
          Array.from({ length: MAX_HOOKS + 1 }, (_, at) => [
            at,
            { name: "", origin: "", state: "", granted: {}, used: [], refused: [] },
          ]),
        ),
      }),
    ],
  ])("what the last report left is not believed if it is %s", async (_name, text) => {
    mkdirSync(join(home, "reports"));
    writeFileSync(join(home, "reports", "last.json"), text);
    const { troubles, changes } = await report();
    expect(changes).toBeUndefined();
    expect(troubles).toMatchObject([{ level: "wrong", text: expect.stringContaining("last.json") }]);
  });
});

describe("sessions", () => {
  const spans = async (past: readonly Past[]): Promise<string[]> => {
    writeRecord(home, past);
    return (await report()).sessions.map(
      ({ from, to, agent, moments }) => `${from.slice(11, 16)}-${to.slice(11, 16)} ${agent ?? ""} ${moments.length}`,
    );
  };
  const load = { hook: "a", event: "load", outcome: "built" };
  const start = { hook: "", event: "start", value: "pi 1", outcome: "started" };

  test("begin where an agent starts, where hooks are loaded, and after half an hour of silence; the newest is first", async () => {
    expect(
      await spans([
        ...[at("08:00:00", start), at("08:00:01", load), at("08:01:00", pass)],
        ...[at("08:10:00", start), at("08:10:01", load), at("08:11:00", block)],
        ...[at("08:20:00", load), at("08:20:01", read)],
        at("08:50:02", read),
        at("09:20:01", read),
      ]),
    ).toEqual(["08:50-09:20  1", "08:20-08:20  2", "08:10-08:11 pi 1 3", "08:00-08:01 pi 1 3"]);
  });

  test("in which nothing but loading happened are none", async () => {
    expect(await spans([at("08:00:00", load), at("09:00:00", load)])).toEqual([]);
  });

  test("a restart after a crash is no new one", async () => {
    const crash = { hook: "a", event: "crash", value: "x", outcome: "CRASHED" };
    expect(
      await spans([at("08:00:00", pass), at("08:00:01", crash), at("08:00:02", load), at("08:00:03", pass)]),
    ).toHaveLength(1);
  });

  test("hooks that let the same call pass share a row", async () => {
    writeRecord(home, [
      at("08:00:00", pass),
      at("08:00:00", { ...pass, hook: "b" }),
      at("08:00:01", pass),
      at("08:00:01", { ...pass, hook: "b" }),
      at("08:00:02", block),
      at("08:00:02", { ...block, hook: "b" }),
    ]);
    const [session] = (await report()).sessions;
    expect(session?.moments.map(({ hooks, times, deed }) => [hooks.join(), times, deed])).toEqual([
      ["a,b", 2, "passed"],
      ["a", 1, "blocked"],
      ["b", 1, "blocked"],
    ]);
  });

  test.each([0, 1])("what passes never displaces what was blocked; at the limits and %i over", async (over) => {
    const many = (count: number, fact: AuditFact): Past[] =>
      Array.from({ length: count }, (_, index) => at("08:00:00", { ...fact, value: `${fact.value} ${index}` }));
    writeRecord(home, [...many(MAX_NOTABLE + over, block), ...many(MAX_ROUTINE + over, read), ...many(5 * over, read)]);
    const [session] = (await report()).sessions;
    expect(session?.moments.filter(({ deed }) => deed === "blocked")).toHaveLength(MAX_NOTABLE);
    expect(session?.moments.filter(({ deed }) => deed === "used")).toHaveLength(MAX_ROUTINE);
    expect(session?.leftOut).toBe(7 * over);
    expect(session?.counts).toEqual({ blocked: MAX_NOTABLE + over, used: MAX_ROUTINE + 6 * over });
  });
});

describe("powers over time", () => {
  const days = (count: number, step = 1) => {
    const periods = new Periods();
    for (let day = 0; day < count; day += step) {
      const date = new Date(Date.UTC(2026, 0, 1 + day)).toISOString();
      periods.add(date.slice(0, 10), date, "fs", { used: 1, refused: 2 });
    }
    const { unit, periods: all, powers, leftOut } = periods.end();
    const sum = powers[0]?.counts.reduce((total, { used }) => total + used, 0);
    return [unit, all.length, sum, leftOut];
  };

  test.each([
    [1, ["hour", 1, 1, 0]],
    [2, ["hour", 25, 2, 0]],
    [3, ["day", 3, 3, 0]],
    [60, ["day", 60, 60, 0]],
    [61, ["week", 10, 61, 0]],
  ])("%i days", (count, expected) => {
    expect(days(count)).toEqual(expected);
  });

  test("of years, the latest weeks are shown, and the others are named", () => {
    const [unit, length, sum, leftOut] = days(700, 7) as [string, number, number, number];
    expect([unit, length, sum, sum + leftOut]).toEqual(["week", 60, 60, 100]);
  });

  test("a time that does not fit its file counts as the start of the file's day", () => {
    const periods = new Periods();
    for (const time of ["9999-01-01T00:00:00Z", "nonsense", "2026-01-01T25:00:00Z", ""])
      periods.add("2026-01-01", time, "fs", { used: 1, refused: 0 });
    expect(periods.end()).toMatchObject({ periods: ["2026-01-01T00:00:00.000Z"], powers: [{ counts: [{ used: 4 }] }] });
  });
});

/** Hooks in the lock and in the record with every power, each text as long and as hostile as it gets. */
function greatest(): { past: Generator<Past>; hooks: FoundHook[] } {
  const names = Object.keys(POWERS);
  const bad = "\u202e<&\"'\uffee".repeat(400);
  const longest = bad.slice(0, 1000);
  const past = function* (): Generator<Past> {
    for (let index = 0; index < 100_000; index++) {
      const time = new Date(Date.UTC(2020, 0, 1) + Math.floor(index / 1000) * 7 * 86_400_000).toISOString();
      // The page shows the latest.
      const text = `${index} ${bad}`.slice(0, index < 80_000 ? 20 : 900);
      const outcome = index % 5 === 0 ? "NOT_GRANTED" : index % 7 === 0 ? "block" : "allowed";
      const capability = index % 2 ? `${names[index % names.length]}.${text}` : undefined;
      const hook = index % 3 === 0 ? text : `hook ${index % 50}`;
      yield { time, hook, event: text, value: text, outcome, ...(capability === undefined ? {} : { capability }) };
    }
  };
  const grant = {
    fs: { read: [longest, `${longest}2`], write: [longest] },
    env: [longest],
    net: { connect: [longest] },
    model: [longest],
  };
  const hooks = Array.from({ length: MAX_HOOKS + 5 }, (_, index) =>
    found(`hook ${index}`, grant, { name: `${index} ${bad}`, path: bad }),
  );
  return { past: past(), hooks };
}

/** What docs/report.md promises. */
const MAX_PAGE = 5_000_000;

test(
  "a hundred thousand lines and the longest grants make a page of a bounded size, which says what it leaves out",
  needsTime(),
  async () => {
    const { past, hooks } = greatest();
    writeRecord(home, past);
    const made = await report(hooks);
    const page = pageOf(made);
    expect(Buffer.byteLength(page)).toBeLessThan(MAX_PAGE);
    expect(made.record).toMatchObject({ lines: 100_000, verifies: true });
    expect(made.hooks).toHaveLength(MAX_HOOKS);
    expect(made.sessions).toHaveLength(MAX_SESSIONS);
    expect(made.overTime.periods).toHaveLength(60);
    expect(made.leftOut.join("\n")).toMatch(
      new RegExp(
        `more hooks: a report shows ${MAX_HOOKS}\n.*\n?\\d+ older sessions: a report shows the latest ${MAX_SESSIONS}\n\\d+ older weeks`,
      ),
    );
    expect(made.leftOut.at(-1)).toMatch(/^\d+ lines of further names of hooks/);
    for (const text of [...made.leftOut, "left out, since the page is full"]) expect(page).toContain(text);
  },
);

test("what was not written whole is no fault, and the head is that of the last whole line", async () => {
  const head = writeRecord(home, [at("10:00:00", pass)]);
  appendFileSync(join(home, "audit", "2026-11-20.jsonl"), '{"seq":');
  expect((await report()).record).toMatchObject({ lines: 1, head, verifies: true, faults: [] });
  appendFileSync(join(home, "audit", "2026-11-20.jsonl"), "\n");
  expect((await report()).record).toMatchObject({ lines: 1, head, verifies: false, faults: [{ at: "the end" }] });
});
