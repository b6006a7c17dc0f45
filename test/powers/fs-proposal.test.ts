import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import picomatch from "picomatch";
import { expect, test } from "vitest";
import { readUserGrants } from "../../src/store/grants-file.ts";
import { startSession, type TestSession, temporaryFolder } from "../support/session.ts";

const UUID = "3f0c1c1e-8a4b-4533-85c1-0a1b2c3d4e5f";
const UUID_SHAPE = UUID.replaceAll(/[\da-f]/g, "?");
const TIME = "2026-11-29T09-14-58-714Z";

/** A path in the project, and the pattern that a person is asked for when a hook writes there. */
const NAMES: readonly [path: string, pattern: string][] = [
  ["notes.txt", "notes.txt"],
  [`state.${UUID}.tmp`, "state.*.tmp"],
  [`state.${UUID}.json`, `state.${UUID_SHAPE}.json`],
  [`plan.4711.${UUID}.1732871698714.k3j9x2.tmp`, "plan.*.tmp"],
  // Without words that say whose it is, any temporary file would be meant, and with a month any short name.
  [`a.4711.tmp`, "a.4711.tmp"],
  ["a1.tmp", "a1.tmp"],
  [".tmp-k3j9x2", ".tmp-*"],
  ["tmp-77", "tmp-77"],
  ["a1.json.77.tmp", "a1.json.77.tmp"],
  ["logs/2026-11.log", "logs/2026-11.log"],
  [`logs/${TIME}.log`, "logs/????-??-??T??-??-??-???Z.log"],
  [`logs/2026-11-29T09:14:58.714Z-run.log`, "logs/????-??-??T??:??:??.???Z-run.log"],
  [`logs/2026-11-29_09-14.log`, "logs/????-??-??_??-??.log"],
  ["logs/2026-11-29.log", "logs/????-??-??.log"],
  ["logs/run-1732871698714.json", "logs/run-?????????????.json"],
  // Without words that say whose it is, any name of so many characters would be meant.
  ["logs/1732871698714.json", "logs/1732871698714.json"],
  ["logs/1732871698714.jsonl", "logs/?????????????.jsonl"],
  ["logs/a-1732871698714.json", "logs/a-1732871698714.json"],
  // Names of folders are no names of files.
  ["2026-11-29/x.log", "2026-11-29/x.log"],
  [`${UUID}/${UUID}/x.log`, `${UUID}/${UUID}/x.log`],
  // Where no wildcard counts, it is the one file, and its name until it is renamed.
  [`.agents/plans/${TIME}.md`, `.agents/plans/${TIME}.md`],
  [`.pi/agent/x.jsonl.${UUID}.tmp`, ".pi/agent/x.jsonl.*.tmp"],
  [`.pi/.settings.json.4711.tmp`, ".pi/.settings.json.*.tmp"],
  [`.pi/agent/${UUID}.tmp`, `.pi/agent/${UUID}.tmp`],
  [`.pi/agent/tmp-${UUID}.ts`, `.pi/agent/tmp-${UUID}.ts`],
  [`.pi/goals/${UUID}.json`, `.pi/goals/${UUID_SHAPE}.json`],
  [`.github/${TIME}.yml`, `.github/${TIME}.yml`],
  // More wildcards than a pattern may have.
  ["1732871698714a1732871698714b1732871698714.txt", "1732871698714a1732871698714b1732871698714.txt"],
];

const piece = fc.oneof(
  fc.constantFrom(
    UUID,
    TIME,
    "2026-11-29",
    "1732871698714",
    "tmp",
    "temp",
    "k3j9x2",
    "4711",
    "a",
    "report",
    "v2",
    "json",
  ),
  fc.uuid(),
);
const madeNames = fc.sample(
  fc
    .array(fc.tuple(piece, fc.constantFrom(".", "-", "_", "~", "", "/", ".tmp.")), { minLength: 1, maxLength: 8 })
    .map((parts) => parts.flat().join("").replace(/\/+$/, "").slice(0, 200))
    .filter((name) => !/^[./]|\/\/|\/\.|(^|\/)(tmp)?$/.test(name)),
  { numRuns: 150, seed: 7 },
);

const WRITES = `import { writeFileSync } from "node:fs";
export default (pi: any) => { pi.on("tool_call", ({ input }: any) => {
  const failed = [];
  for (const path of input.paths) try { writeFileSync(path, "x"); } catch (error: any) { failed.push(path + ": " + error.message); }
  return { block: true, reason: JSON.stringify(failed) };
}); };`;

const failedIn = async (session: TestSession, paths: readonly string[]): Promise<string[]> => {
  const verdict = await session.call({ paths });
  return JSON.parse(verdict && "block" in verdict ? (verdict.reason ?? "") : "");
};

/** What a person is asked for when a hook writes these, by path. */
async function proposals(paths: readonly string[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (let at = 0; at < paths.length; at += 25) {
    const wanted: string[][] = [];
    const some = paths.slice(at, at + 25);
    const session = await startSession(
      { writer: WRITES },
      { onRefused: (refusal) => wanted.push(Object(refusal.wanted?.grant).write) },
    );
    for (const path of some) mkdirSync(dirname(join(session.folder, "work", path)), { recursive: true });
    for (const path of some) {
      await failedIn(session, [path]);
      found.set(path, wanted.pop() ?? []);
    }
    await session.host.close();
  }
  return found;
}

test("what a person is asked for means the file, and its like where a wildcard counts", async () => {
  const found = await proposals(NAMES.map(([path]) => path));
  expect(NAMES.map(([path]) => [path, found.get(path)])).toEqual(
    NAMES.map(([path, pattern]) => [path, [`$CWD/${pattern}`]]),
  );
});

/** Files that are there, of which a hook that names another may get none. */
const THERE = [
  "index.ts",
  "Dockerfile",
  "thesis-of-mine.txt",
  "run-authenticator.ts",
  "run-and-rest.tmp",
  "2026-11-xx.ts",
];

test("what a person is asked for means no other file that is there", async () => {
  const asked = [
    ...["1234567890", "1234567890.ts", "2026-11-01.ts", "run-1234567890123.ts", "run-4711.tmp", "notes.txt"],
    ...madeNames.filter((name) => !name.includes("/")).flatMap((name) => [name, `${name}.ts`]),
  ];
  const session = await startSession(
    { writer: WRITES },
    { onRefused: (refusal) => wanted.push(refusal.wanted?.grant) },
  );
  const wanted: unknown[] = [];
  for (const name of THERE) writeFileSync(join(session.folder, "work", name), "mine");
  const patterns: string[] = [];
  for (let at = 0; at < asked.length; at++) {
    await failedIn(session, [asked[at] as string]);
    patterns.push(...(Object(wanted.pop()).write ?? []));
  }
  expect(patterns.length).toBeGreaterThan(6);
  const means = picomatch(
    patterns.map((pattern) => pattern.replace("$CWD/", "")),
    { dot: true },
  );
  expect(THERE.filter((name) => means(name))).toEqual([]);
});

test.each([
  ["a folder's contents", `readdirSync("1234567890")`, ["$CWD/1234567890"]],
  [
    "all that is in it",
    `rmSync("runs/2026-11-01", { recursive: true })`,
    ["$CWD/runs/2026-11-01", "$CWD/runs/2026-11-01/**"],
  ],
  ["the one file", `rmSync("logs/2026-11-01.log")`, ["$CWD/logs/????-??-??.log"]],
  [
    "folders above",
    `mkdirSync("runs/2026-11-01/x", { recursive: true })`,
    ["$CWD/runs", "$CWD/runs/2026-11-01", "$CWD/runs/2026-11-01/x"],
  ],
  ["a new folder", `mkdtempSync("scratch-")`, ["$CWD/scratch-??????", "$CWD/scratch-??????/**"]],
  [
    "a new folder whose name would mean one that is there",
    `mkdtempSync("node_m")`,
    [/^\$CWD\/node_m\w{6}$/, /^\$CWD\/node_m\w{6}\/\*\*$/],
  ],
  ["a new folder without a name", `mkdtempSync("./")`, [/^\$CWD\/\w{6}$/, /^\$CWD\/\w{6}\/\*\*$/]],
  [
    "a folder that is there, as no honest program asks for",
    `await globalThis[Symbol.for("cordon.host")].call("fs.mkdtemp", ["node_modules"])`,
    ["$CWD/node_modules"],
  ],
])("no wildcard stands above others: %s", async (_what, act, patterns) => {
  const wanted: unknown[] = [];
  const session = await startSession(
    {
      acts: `import * as fs from "node:fs"; const { readdirSync, rmSync, mkdirSync, mkdtempSync } = fs;
             export default (pi: any) => { pi.on("tool_call", async () => { try { ${act}; } catch {} }); };`,
    },
    { onRefused: (refusal) => wanted.push(refusal.wanted?.grant) },
  );
  mkdirSync(join(session.folder, "work", "node_modules"), { recursive: true });
  await session.call();
  const asked = Object.values(Object(wanted[0])).flat();
  expect(asked).toEqual(patterns.map((one) => (typeof one === "string" ? one : expect.stringMatching(one))));
});

test("whatever a file is called, what a person is asked for is a grant, and allows it", async () => {
  const names = [...new Set([...NAMES.map(([path]) => path), ...madeNames])];
  const found = await proposals(names);
  const write = [...new Set([...found.values()].flat())];
  for (let at = 0; at < write.length; at += 100) {
    const some = names.filter((name) => write.slice(at, at + 100).includes(found.get(name)?.[0] ?? ""));
    const capabilities = { events: { see: ["*"], block: true }, fs: { write: write.slice(at, at + 100) } };
    const session = await startSession({ writer: { source: WRITES, grant: { capabilities } } });
    for (const path of some) mkdirSync(dirname(join(session.folder, "work", path)), { recursive: true });
    for (const path of some) expect(await failedIn(session, [path])).toEqual([]);
  }
});

test("an answer for always is one that the next session can read", async () => {
  const home = temporaryFolder();
  const path = `state.${randomUUID()}.4711.${randomUUID()}.tmp`;
  const source = `import { writeFile } from "node:fs/promises";
export default (pi: any) => { pi.on("tool_call", async () => { await writeFile(${JSON.stringify(path)}, "x"); }); };`;
  const first = await startSession({ writer: source }, { home, hasUI: true, consent: () => "always" });
  expect(await first.call()).toBeUndefined();
  await first.host.close();
  expect(existsSync(join(first.folder, "work", path))).toBe(true);
  const text = readFileSync(join(home, "grants.json"), "utf8");
  expect(text).toContain("$CWD/state.*.tmp");
  expect(readUserGrants(home).size).toBe(1);
  await startSession({ writer: source }, { home });
});
