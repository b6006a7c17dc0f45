import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { OwnPaths } from "../../src/disk/own-paths.ts";
import { HookHost } from "../../src/host/host.ts";
import type { HookHostOptions } from "../../src/session/options.ts";
import { onToolCall, temporaryFolder, writeFiles } from "../support/session.ts";

/** Does the input's steps with the file system, and returns the outcome of each. */
const ACTS = onToolCall(`
  const fs = require("node:fs");
  const said = event.input.acts.map(([name, ...args]: [string, ...any[]]) => {
    try { (fs as any)[name](...args); return "done"; } catch (error: any) { return error.code; }
  });
  console.log("SAID " + JSON.stringify(said));`);

/** A host whose home and agent's folder lie in the project, where \`prepare\` puts them. */
async function start(prepare: (work: string) => Partial<HookHostOptions>, write = ["$CWD/**"]) {
  const folder = temporaryFolder();
  const work = join(folder, "work");
  writeFiles(folder, { "hook.ts": ACTS, "work/src/a.txt": "a" });
  const log: string[] = [];
  const options = { home: join(folder, "home"), agentDir: join(folder, "agent"), ...prepare(work) };
  const host = await HookHost.start({
    cwd: work,
    discover: false,
    spare: false,
    hooks: [{ path: join(folder, "hook.ts"), grant: { capabilities: { fs: { write, read: ["$CWD/**"] } } } }],
    log: ({ text }) => log.push(text),
    ...options,
  });
  host.onError(() => {});
  const act = async (...acts: unknown[][]): Promise<string[]> => {
    await host.emitToolCall({ type: "tool_call", toolName: "bash", toolCallId: "1", input: { acts } });
    return JSON.parse(log.findLast((line) => line.startsWith("SAID "))?.slice(5) ?? "[]");
  };
  return { work, act, host, [Symbol.asyncDispose]: () => host.close() };
}

const GRANTS = JSON.stringify({ version: 1, hooks: {} });

/** Locations of a home, and paths by which a hook would change its content. */
const HOMES: Record<
  string,
  { prepare: (work: string) => Partial<HookHostOptions>; attacks: unknown[][]; file: string }
> = {
  "under another name": {
    prepare(work) {
      writeFiles(work, { "data/grants.json": GRANTS });
      return { home: join(work, "data") };
    },
    file: "data/grants.json",
    attacks: [
      ["writeFileSync", "data/grants.json", "x"],
      ["writeFileSync", "./src/../data/grants.json", "x"],
      ["appendFileSync", "data/grants.json", "x"],
      ["writeFileSync", "data/new.json", "x"],
      ["mkdirSync", "data/bundles"],
      ["unlinkSync", "data/grants.json"],
      ["rmSync", "data", { recursive: true }],
      ["rmSync", "data/grants.json", { force: true }],
      ["renameSync", "data/grants.json", "src/grants.json"],
      ["renameSync", "src/a.txt", "data/grants.json"],
      ["renameSync", "data", "src/data"],
      ["copyFileSync", "src/a.txt", "data/grants.json"],
      ["mkdtempSync", "data/tmp"],
    ],
  },
  "behind a link in the project": {
    prepare(work) {
      writeFiles(work, { "real/grants.json": GRANTS });
      symlinkSync("real", join(work, "link"));
      return { home: join(work, "link") };
    },
    file: "real/grants.json",
    attacks: [
      ["writeFileSync", "real/grants.json", "x"],
      ["writeFileSync", "link/grants.json", "x"],
      ["unlinkSync", "link"],
      ["renameSync", "link", "other"],
      ["renameSync", "real", "other"],
      ["rmSync", "real", { recursive: true }],
    ],
  },
  "behind a link outside of it": {
    prepare(work) {
      writeFiles(work, { "real/grants.json": GRANTS });
      symlinkSync(join(work, "real"), join(work, "..", "link"));
      return { home: join(work, "..", "link") };
    },
    file: "real/grants.json",
    attacks: [
      ["writeFileSync", "real/grants.json", "x"],
      ["renameSync", "real/grants.json", "src/b"],
    ],
  },
  "below a link": {
    prepare(work) {
      writeFiles(work, { "real/deep/home/grants.json": GRANTS });
      symlinkSync("real/deep", join(work, "link"));
      return { home: join(work, "link", "home") };
    },
    file: "real/deep/home/grants.json",
    attacks: [
      ["writeFileSync", "real/deep/home/grants.json", "x"],
      ["unlinkSync", "link"],
      ["renameSync", "real/deep", "other"],
      ["renameSync", "real", "other"],
      ["rmSync", "real", { recursive: true }],
    ],
  },
  "behind two links": {
    prepare(work) {
      writeFiles(work, { "real/grants.json": GRANTS });
      symlinkSync("real", join(work, "one"));
      symlinkSync("one", join(work, "two"));
      return { home: join(work, "two") };
    },
    file: "real/grants.json",
    attacks: [
      ["unlinkSync", "one"],
      ["unlinkSync", "two"],
      ["writeFileSync", "one/grants.json", "x"],
    ],
  },
  "with a file of another name": {
    prepare(work) {
      writeFiles(work, { "data/grants.json": GRANTS });
      linkSync(join(work, "data", "grants.json"), join(work, "src", "same.json"));
      return { home: join(work, "data") };
    },
    file: "data/grants.json",
    attacks: [
      ["writeFileSync", "src/same.json", "x"],
      ["appendFileSync", "src/same.json", "x"],
      ["copyFileSync", "src/a.txt", "src/same.json"],
    ],
  },
  "and the agent's folder": {
    prepare(work) {
      writeFiles(work, { "agent-data/settings.json": GRANTS, "agent-data/hooks/gate.ts": "" });
      return { agentDir: join(work, "agent-data") };
    },
    file: "agent-data/settings.json",
    attacks: [
      ["writeFileSync", "agent-data/settings.json", "x"],
      ["writeFileSync", "agent-data/hooks/mine.ts", "x"],
      ["unlinkSync", "agent-data/hooks/gate.ts"],
    ],
  },
  "and a grants file that was named": {
    prepare(work) {
      writeFiles(work, { "some.json": GRANTS });
      return { grantsFile: join(work, "some.json") };
    },
    file: "some.json",
    attacks: [
      ["writeFileSync", "some.json", "x"],
      ["renameSync", "src/a.txt", "some.json"],
      ["unlinkSync", "some.json"],
    ],
  },
};

describe.each(Object.entries(HOMES))("a home in the project, %s", (_name, { prepare, attacks, file }) => {
  test("is not covered by a wildcard", async () => {
    await using session = await start(prepare);
    const { work, act } = session;
    for (const attack of attacks) {
      expect([attack, ...(await act(attack))]).toEqual([
        attack,
        expect.stringMatching(/^(NOT_GRANTED|EINVAL|EMLINK)$/),
      ]);
      expect(readFileSync(join(work, file), "utf8")).toBe(GRANTS);
    }
    expect(await act(["writeFileSync", "src/b.txt", "b"], ["readFileSync", "src/a.txt"])).toEqual(["done", "done"]);
  });
});

test("a hook cannot create a home that does not exist yet", async () => {
  await using session = await start((work) => ({ agentDir: join(work, "later") }));
  const { work, act } = session;
  expect(await act(["mkdirSync", "later"], ["mkdirSync", "later/hooks", { recursive: true }])).toEqual([
    "NOT_GRANTED",
    "NOT_GRANTED",
  ]);
  expect(await act(["mkdirSync", "src/later"], ["renameSync", "src/later", "later"])).toEqual(["done", "NOT_GRANTED"]);
  expect(existsSync(join(work, "later"))).toBe(false);
});

test("a home that was moved since is recognised by its identity", async () => {
  await using session = await start((work) => {
    mkdirSync(join(work, "..", "home"), { recursive: true });
    return { home: join(work, "..", "home") };
  });
  const { work, act } = session;
  symlinkSync(join(work, "..", "home"), join(work, "way"));
  expect(await act(["writeFileSync", "way/grants.json", "x"])).toEqual(["NOT_GRANTED"]);
  mkdirSync(join(work, "moved"));
  renameSync(join(work, "..", "home"), join(work, "moved", "home"));
  symlinkSync(join(work, "moved", "home"), join(work, "..", "home"));
  expect(await act(["writeFileSync", "moved/home/grants.json", "x"])).toEqual(["NOT_GRANTED"]);
});

test("a grant that names the file exactly allows it", async () => {
  const prepare = HOMES["under another name"]?.prepare as (work: string) => Partial<HookHostOptions>;
  await using session = await start(prepare, ["$CWD/data/grants.json"]);
  expect(await session.act(["writeFileSync", "data/grants.json", GRANTS])).toEqual(["done"]);
});

test("only these files are protected: nothing above, beside or like them", () => {
  const folder = temporaryFolder();
  writeFiles(folder, { "home/a": "", "home-two/a": "", "file.json": "", "other.json": "" });
  const own = new OwnPaths([join(folder, "home"), join(folder, "file.json"), join(folder, "nothing", "here")]);
  const held = ["home", "home/a", "home/a/b", "home/not/there", "file.json", "nothing/here", "nothing/here/below"];
  const free = [".", "home-two", "home-two/a", "other.json", "nothing", "nothing/else", "hom"];
  for (const path of held) expect([path, own.holds(join(folder, path))]).toEqual([path, true]);
  for (const path of free) expect([path, own.holds(join(folder, path))]).toEqual([path, false]);
  writeFileSync(join(folder, "x"), "");
  expect(own.holds(join(folder, "x"))).toBe(false);
});
