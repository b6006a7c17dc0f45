import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { AuditFact } from "../../src/audit/line.ts";
import { coveringText, partsOf } from "../../src/grants/parts.ts";
import type { Policy } from "../../src/grants/policy.ts";
import { type Capabilities, powersOf } from "../../src/grants/schema.ts";
import { pageOf } from "../../src/report/page/page.ts";
import { makeReport, type Report } from "../../src/report/report.ts";
import { factsIn } from "../support/audit-log.ts";
import { onToolCall, startSession, temporaryFolder, writeFiles } from "../support/session.ts";
import { writeRecord } from "./home.ts";
import { parsed } from "./structure.ts";

describe("the entries of a grant", () => {
  const grants: [string, unknown, string[]][] = [
    ["env", ["CI", "GIT_*"], ['["CI"]', '["GIT_*"]']],
    ["fs", { read: ["/a", "/b"], write: ["/a"] }, ['{"read":["/a"]}', '{"read":["/b"]}', '{"write":["/a"]}']],
    ["send", { perMinute: 3 }, ['{"perMinute":3}']],
    ["fs", undefined, []],
  ];
  test.each(grants)("%s %j", (power, grant, texts) => {
    expect(partsOf(power, grant).map(({ text }) => text)).toEqual(texts);
  });

  const fs = { read: ["/a", "/b/**"], write: ["/c"], watch: ["/w"] };
  const asks = (powers: Capabilities) => (some: Capabilities) => powersOf.covers(some, powers);
  test.each<[string, Capabilities, string | undefined]>([
    ["one entry", { fs: { read: ["/b/x"] } }, '{"read":["/b/**"]}'],
    ["two entries of one right", { fs: { read: ["/a", "/b/x"] } }, '{"read":["/b/**","/a"]}'],
    ["entries of two rights", { fs: { read: ["/a"], write: ["/c"] } }, '{"write":["/c"],"read":["/a"]}'],
    ["what the grant does not cover", { fs: { read: ["/z"] } }, undefined],
  ])("that cover %s", (_what, request, expected) => {
    expect(coveringText("fs", partsOf("fs", fs), asks(request))).toBe(expected);
  });
});

const ACTS = onToolCall(`
  const fs = require("node:fs");
  const at = (name) => process.cwd() + "/" + name;
  for (let time = 0; time < 3; time++) fs.readFileSync(at("a.txt"));
  fs.readFileSync(at("sub/x.txt"));
  fs.copyFileSync(at("a.txt"), at("out.txt"));
  await ctx.exec("echo", ["one"]);
  Object.keys(process.env);
  process.env.ENTRY_WORD;
`);
const GRANT = {
  events: { see: ["tool_call"] },
  fs: { read: ["$CWD/a.txt", "$CWD/sub/**", "$CWD/never.txt"], write: ["$CWD/out.txt"] },
  exec: [
    { program: "echo", args: ["one"], fullAccess: true },
    { program: "echo", args: ["two"], fullAccess: true },
  ],
  env: ["ENTRY_WORD", "NEVER_*"],
} satisfies Capabilities;

test("a session's lines say by which entry, and the report which were never used", async () => {
  const { folder, call, host } = await startSession({ gate: { source: ACTS, grant: { capabilities: GRANT } } });
  writeFiles(join(folder, "work"), { "a.txt": "A", "sub/x.txt": "X" });
  expect(await call()).toBeUndefined();
  await host.close();
  const home = join(folder, "home");
  const read = (part: string) => `{"read":["${part}"]}`;
  const lines = factsIn(home).filter(({ outcome, capability }) => outcome === "allowed" && capability !== undefined);
  const told = lines.map(({ capability = "", grant }) => `${capability.replace(/\..*/, "")} ${grant}`);
  expect([...new Set(told)].sort()).toEqual(
    [
      `fs ${read("$CWD/a.txt")}`,
      `fs ${read("$CWD/sub/**")}`,
      'fs {"write":["$CWD/out.txt"],"read":["$CWD/a.txt"]}',
      'exec [{"program":"echo","args":["one"],"fullAccess":true}]',
      "env undefined",
      'env ["ENTRY_WORD"]',
    ].sort(),
  );

  const found = {
    ...{ name: "gate", id: "gate", key: "gate", path: "/gate.ts" },
    ...{ origin: { kind: "user", folder: "/" } as const, grant: { capabilities: GRANT } },
  };
  const { report } = await makeReport({ home, now: new Date(), hooks: [found], problems: [] });
  const entries = (name: string) =>
    report.hooks[0]?.powers
      .find(({ power }) => power === name)
      ?.entries?.map(({ entry, used, lastUse }) => [entry, used, lastUse !== undefined]);
  expect(entries("fs")).toEqual([
    [read("$CWD/a.txt"), 4, true],
    [read("$CWD/sub/**"), 1, true],
    [read("$CWD/never.txt"), 0, false],
    ['{"write":["$CWD/out.txt"]}', 1, true],
  ]);
  expect(entries("exec")?.map(([, used]) => used)).toEqual([1, 0]);
  expect(entries("env")).toEqual([
    ['["ENTRY_WORD"]', 1, true],
    ['["NEVER_*"]', 0, false],
  ]);
  // That the names were asked for is no use of a value.
  expect(report.hooks[0]?.powers.find(({ power }) => power === "env")?.used).toBe(1);
  expect(pageOf(report)).toMatch(/never\.txt&quot;\]\}<\/bdi>: .*never used/);
});

const NOW = new Date("2026-11-20T12:00:00Z");
const found = (id: string, capabilities: Capabilities | undefined) => ({
  ...{ name: id, id, key: id, path: `/${id}.ts`, origin: { kind: "user", folder: "/" } as const },
  grant: capabilities && { capabilities },
});
async function reportOf(facts: AuditFact[], hooks: ReturnType<typeof found>[], limits: Policy[] = []): Promise<Report> {
  const home = temporaryFolder();
  writeRecord(
    home,
    facts.map((fact, at) => ({ time: `2026-11-20T10:00:0${at}.000Z`, ...fact })),
  );
  return (await makeReport({ home, now: NOW, hooks, problems: [], limits })).report;
}

test("lines that name no entry, other entries or nonsense are counted as such", async () => {
  const used = (grant?: string): AuditFact => ({
    ...{ hook: "a", capability: "fs.read", value: "read x", outcome: "allowed" },
    ...(grant === undefined ? {} : { grant }),
  });
  const grants = [undefined, "{", "[[[", '{"read":["$CWD/b/x"]}', '{"read":["/elsewhere"]}', "null"];
  const { hooks } = await reportOf(grants.map(used), [found("a", { fs: { read: ["$CWD/b/**", "$CWD/c"] } })]);
  const fs = hooks[0]?.powers.find(({ power }) => power === "fs");
  expect(fs?.entries?.map(({ entry, used }) => [entry, used])).toEqual([
    ['{"read":["$CWD/b/**"]}', 1],
    ['{"read":["$CWD/c"]}', 0],
  ]);
  expect([fs?.used, fs?.unassigned]).toEqual([6, 3]);
});

test("tools and commands are counted by name", async () => {
  const ran = (event: string, value: string): AuditFact => ({ hook: "a", event, value, outcome: "ran" });
  const { hooks } = await reportOf(
    [ran("tool", "view"), ran("tool", "view"), ran("command", "fix")],
    [found("a", { tools: ["view", "grep"], commands: ["*", "fix"] })],
  );
  const entries = (name: string) => hooks[0]?.powers.find(({ power }) => power === name)?.entries;
  expect(entries("tools")?.map(({ used }) => used)).toEqual([2, 0]);
  expect(entries("commands")?.map(({ used }) => used)).toEqual([0, 1]);
});

describe("a power that a policy took is the policy's", () => {
  const older: AuditFact = { hook: "a", capability: "fs.read", value: "read x", outcome: "NOT_GRANTED" };
  const reading = (file: string): AuditFact => ({ ...older, wanted: `{"read":["$CWD/${file}"]}` });
  const fs = { read: ["$CWD/a", "$CWD/b"] };
  // biome-ignore format: a table
  test.each<[what: string, granted: Capabilities, maximum: Capabilities | undefined, refused: AuditFact, said: string, run: string | undefined]>([
    ["no policy, a grant", { fs }, undefined, reading("x"), "was refused fs once, outside of what was granted", `cordon grant a fs '{"read":["$CWD/x"]}'`],
    ["no policy, no grant", {}, undefined, reading("x"), "was refused fs once: ", `cordon grant a fs '{"read":["$CWD/x"]}'`],
    ["all of it", { fs }, {}, reading("a"), "it is granted now, and your organisation's policy takes it", undefined],
    ["this of it", { fs }, { fs: { read: ["$CWD/a"] } }, reading("b"), "it is granted now, and your organisation's policy takes it", undefined],
    ["another part of it", { fs }, { fs: { read: ["$CWD/x"] } }, reading("x"), "outside of what was granted", `cordon grant a fs '{"read":["$CWD/x"]}'`],
    ["what is beyond the grant and the policy", { fs }, { fs: { read: ["$CWD/a"] } }, reading("x"), "which your organisation's policy does not allow now", undefined],
    ["none of it", { fs }, { fs }, older, "outside of what was granted", "cordon trace a"],
    ["what nobody granted", {}, {}, reading("x"), "which your organisation's policy now allows no hook", undefined],
    ["all of it, of an older line", { fs }, {}, older, "of what is granted now, your organisation's policy takes all", undefined],
    ["a part of it, of an older line", { fs }, { fs: { read: ["$CWD/a"] } }, older, `policy takes "{\\"read\\":[\\"$CWD/b\\"]}"`, undefined],
  ])("%s", async (what, granted, maximum, refused, said, run) => {
    const policies: Policy[] = maximum ? [{ version: 1, maximum }] : [];
    const report = await reportOf([refused], [found("a", granted)], policies);
    const [trouble] = report.troubles.filter(({ text }) => text.includes("refused"));
    expect(trouble?.text).toContain(said);
    expect(trouble?.run).toBe(run);
    expect(pageOf(report).includes("organisation's policy")).toBe(run === undefined || what === "another part of it");
  });

  test("refusals of several causes are told apart, each with its own values, count and command", async () => {
    const git = (...args: string[]) => [{ program: "git", args }];
    const refused = (args: string[], more: object): AuditFact[] => {
      const line = { hook: "a", capability: "exec", value: `git ${args.join(" ")}`, outcome: "NOT_GRANTED", ...more };
      return [line, { ...line, outcome: "NOT_GRANTED (2 times more)" }];
    };
    const facts = [
      ...refused(["log", "-1"], { wanted: JSON.stringify(git("log", "-1")) }),
      ...refused(["status"], { policy: "/max.json" }),
      ...refused(["diff"], { wanted: JSON.stringify(git("diff")) }),
    ];
    const limits: Policy[] = [{ version: 1, maximum: { exec: git("log", "-1") } }];
    const { troubles } = await reportOf(facts, [found("a", { exec: git("diff") })], limits);
    expect(troubles.map(({ text, run }) => [text, run])).toEqual([
      [
        'was refused exec 3 times, outside of what was granted: "exec git log -1"',
        `cordon grant a exec '[{"program":"git","args":["log","-1"]}]'`,
      ],
      [
        'was refused exec 3 times: a policy did not allow it, whatever was granted: /max.json: "exec git status"',
        undefined,
      ],
      [
        'was refused exec 3 times; it is granted now, and your organisation\'s policy takes it: "exec git diff"',
        undefined,
      ],
    ]);
  });
});

test("what Cordon itself blocked has a row with its reasons", async () => {
  const own = (value: string): AuditFact => ({ hook: "", event: "tool_call", value, outcome: "block" });
  const missing = "the required hook <b>: it is missing";
  const report = await reportOf(
    [own(`bash: ${missing}`), own(`read: ${missing}`), own("bash: its input is no JSON")],
    [found("a", {})],
  );
  expect(report.own).toEqual({
    blocked: 3,
    reasons: [
      { name: missing, count: 2 },
      { name: "its input is no JSON", count: 1 },
    ],
    last: { time: "2026-11-20T10:00:02.000Z", what: "bash: its input is no JSON" },
  });
  expect(report.hooks.map(({ id }) => id)).toEqual(["a"]);
  const { elements, textOf } = parsed(pageOf(report));
  const [matrix = ""] = elements.filter(({ tagName }) => tagName === "table").map(textOf);
  expect(matrix).toContain("Cordonitself: no hook could judgeblocked3");
  expect(pageOf(report)).toContain("the required hook &lt;b&gt;: it is missing</bdi> × 2");
  // Without one, there is no row.
  expect(pageOf(await reportOf([], [found("a", {})]))).not.toContain("no hook could judge");
});
