import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { AuditFact } from "../../src/audit/line.ts";
import { auditLines } from "../../src/audit/query.ts";
import type { Trouble } from "../../src/report/finding.ts";
import { pageOf } from "../../src/report/page/page.ts";
import { makeReport } from "../../src/report/report.ts";
import { writeRecord } from "../report/home.ts";
import { cordon } from "../support/command.ts";
import { onToolCall, startSession, temporaryFolder } from "../support/session.ts";

afterEach(() => void vi.unstubAllEnvs());

/** Makes these the policies of the organisation, and returns their files. */
function decree(...policies: readonly object[]): string[] {
  const folder = temporaryFolder();
  const paths = policies.map((policy, at) => {
    const path = join(folder, `policy-${at}.json`);
    writeFileSync(path, JSON.stringify({ version: 1, ...policy }));
    return path;
  });
  vi.stubEnv("CORDON_POLICY", paths.join(delimiter));
  return paths;
}

/** What a report says of refusals, and the command that it gives: made later, where no policy is in force. */
async function troubles(home: string): Promise<Trouble[]> {
  const hooks = [
    { name: "a", id: "a", key: "a", path: "/a", origin: { kind: "user", folder: "/" } as const, grant: {} },
  ];
  const { report } = await makeReport({ home, now: new Date(), hooks, problems: [] });
  expect(pageOf(report)).toContain("<html");
  return report.troubles.filter(({ text }) => text.includes("refused"));
}

/** Reads files, runs a program and offers a tool: what is refused is in the audit. */
const TRIES = onToolCall(
  `const { readFileSync } = require("fs");
  for (const name of event.input.files) try { readFileSync(name); } catch {}
  await ctx.exec("echo", ["hello"]).catch(() => {});`,
);
const TOOL = `export default (pi: any) => {
  pi.registerTool({ name: "view", description: "d", parameters: { type: "object" }, execute: async () => ({ content: [] }) });
  pi.on("tool_call", async (event: any, ctx: any) => { await ctx.exec("echo", ["hello"]).catch(() => {}); });
};`;
const all = { fs: { read: ["$CWD/**"] }, exec: [{ program: "echo", args: ["hello"] }], tools: ["view"] };

/** What ends the refusals. The program is tried after more refusals than get a proposal. */
const GRANTS = {
  fs: `cordon grant a fs '{"read":["$CWD/file-0.txt","$CWD/file-1.txt","$CWD/file-2.txt"]}'`,
  exec: "cordon trace a",
};

interface Case {
  granted?: object;
  policies: object[];
  /** Which policy refused: its place in the list. */
  by: { fs?: number; exec?: number };
}
const CASES: Record<string, Case> = {
  "no policy": { policies: [], by: {} },
  "a policy about sources alone": { policies: [{ sources: ["npm:*"] }], by: {} },
  "a policy that allows it": { policies: [{ maximum: all }], by: {} },
  "a policy that leaves out the powers": { granted: all, policies: [{ maximum: {} }], by: { fs: 0, exec: 0 } },
  "the same, and nothing is granted": { policies: [{ maximum: {} }], by: { fs: 0, exec: 0 } },
  "a policy that leaves less": {
    granted: all,
    policies: [{ maximum: { fs: { read: ["$CWD/src/**"] }, exec: [{ program: "date", args: [] }] } }],
    by: { fs: 0, exec: 0 },
  },
  "each by another of three policies": {
    granted: all,
    policies: [{ required: [] }, { maximum: { ...all, exec: [] } }, { maximum: { ...all, fs: { read: ["/etc/**"] } } }],
    by: { fs: 2, exec: 1 },
  },
  "one power by a policy, and one by nobody's grant": {
    granted: { fs: all.fs },
    policies: [{ maximum: { exec: all.exec } }],
    by: { fs: 0 },
  },
};

describe("a refusal says which policy does not allow it", () => {
  test.each(Object.entries(CASES))("%s", async (_name, { granted = {}, policies, by }) => {
    const paths = decree(...policies);
    const { audit, call, folder } = await startSession({ a: { source: TRIES, grant: { capabilities: granted } } });
    // More than get a proposal in a minute.
    await call({ files: Array.from({ length: 150 }, (_, at) => `file-${at}.txt`) });
    const refused = audit.filter(({ outcome }) => outcome === "NOT_GRANTED");
    const seen = (power: string): unknown[] => [
      ...new Set(refused.flatMap(({ capability, policy }) => (capability?.startsWith(power) ? [policy] : []))),
    ];
    const of = (power: "fs" | "exec"): unknown[] => {
      const at = by[power];
      return [at === undefined ? undefined : paths[at]];
    };
    expect({ fs: seen("fs"), exec: seen("exec") }).toEqual({ fs: of("fs"), exec: of("exec") });
    expect(refused.filter(({ capability }) => capability === "fs.read")).toHaveLength(150);

    vi.stubEnv("CORDON_POLICY", "");
    for (const { text, run } of await troubles(join(folder, "home"))) {
      const power = text.includes("refused fs") ? "fs" : "exec";
      const [path] = of(power);
      expect([text.includes("a policy did not allow it"), run]).toEqual(
        path === undefined ? [false, GRANTS[power]] : [true, undefined],
      );
      if (path !== undefined) expect(text).toContain(path as string);
    }
  });

  test.each([
    ["left out", {}],
    ["left for another name", { tools: ["other"] }],
  ])("a tool that is not offered, of a power that is %s", async (_name, maximum) => {
    const [path] = decree({ maximum });
    const { audit, log } = await startSession({ a: { source: TOOL, grant: { capabilities: all } } });
    expect(audit.find(({ capability }) => capability === "tools")).toMatchObject({
      policy: path,
      outcome: "NOT_GRANTED",
    });
    const told = log.find(({ text }) => text.includes("tools"))?.text;
    expect(told).toMatch(/its tool is not offered; your organisation's policy does not allow it \(NOT_GRANTED\)$/);
  });
});

test("a block for a required hook names the policy that requires it, and why leads to that policy", async () => {
  const [, path] = decree({ required: ["gate"] }, { required: ["other-gate"] });
  const session = await startSession({ gate: onToolCall("") });
  expect(await session.call()).toMatchObject({ block: true, hook: "" });
  expect(session.audit.filter(({ outcome }) => outcome === "block")).toMatchObject([{ hook: "", policy: path }]);
  const { stdout } = await cordon(["why"], { cwd: session.folder, home: join(session.folder, "home") });
  expect(stdout).toContain(`remedy: cordon policy check ${path} --explain: `);
});

test.each([
  ["no JSON", "{"],
  ["an unknown key", '{"version":1,"maximun":{}}'],
  ["a version that is not known", '{"version":2}'],
  ["a folder", (path: string) => mkdirSync(path)],
  ["a pipe", (path: string) => execFileSync("mkfifo", [path])],
])("a policy that cannot be read starts no session, and the audit says so: %s", async (_claim, made) => {
  const [path = ""] = decree({});
  rmSync(path);
  if (typeof made === "string") writeFileSync(path, made);
  else made(path);
  const home = join(temporaryFolder(), "home");
  const audit: AuditFact[] = [];
  await expect(startSession({}, { home, onAudit: (line) => audit.push(line) })).rejects.toMatchObject({
    code: "BAD_GRANT",
  });
  expect(audit).toMatchObject([
    { hook: "", event: "policy", code: "BAD_GRANT", value: expect.stringContaining(path), outcome: "failed" },
  ]);
  expect(await auditLines(home, { outcome: "BAD_GRANT" })).toHaveLength(1);
});

test("of refusals that only some are a policy's, the report names both, and the grant that helps", async () => {
  const home = temporaryFolder();
  const at = (time: string, fact: Partial<AuditFact>) => ({
    ...{
      time: `2026-11-20T10:00:${time}.000Z`,
      hook: "a",
      capability: "fs.read",
      value: "read x",
      outcome: "NOT_GRANTED",
    },
    ...fact,
  });
  const policy = "/etc/cordon/policy.json";
  writeRecord(home, [at("00", { policy }), at("01", { policy, outcome: "NOT_GRANTED (3 times more)" }), at("02", {})]);
  expect(await troubles(home)).toMatchObject([
    {
      text: `was refused fs 4 times: a policy did not allow it, whatever was granted: ${policy}: "fs.read read x"`,
    },
    { text: 'was refused fs once: "fs.read read x"', run: "cordon trace a" },
  ]);
  writeRecord(home, [at("00", { policy }), at("01", { policy: "/two\u202e.json" })]);
  expect(await troubles(home)).toMatchObject([
    { text: expect.stringContaining(`a policy did not allow it, whatever was granted: ${policy}, "/two\\u202e.json"`) },
  ]);
});
