import { linkSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { writeFiles } from "../support/session.ts";
import { blocking, discoverIn, idle, places } from "./places.ts";

afterEach(() => vi.unstubAllEnvs());

test("hooks load in pi's order: the user's folder, the project's, the user's settings, then named hooks", async () => {
  const folder = places({
    "agent/hooks/user.ts": idle,
    "project/.pi/hooks/project.ts": idle,
    "project/set.ts": idle,
    "project/named.ts": idle,
    "agent/settings.json": '{ "hooks": ["./set.ts"] }',
  });
  const { paths, host } = await discoverIn(folder, { hooks: ["./named.ts"] });
  expect(paths()).toEqual(["agent/hooks/user.ts", "project/.pi/hooks/project.ts", "project/set.ts", "./named.ts"]);
  expect(host.hooks.map(({ state }) => state)).toEqual(["active", "pending", "active", "active"]);
});

test("a folder's hooks are sorted by name; other files, declarations and subfolders are ignored", async () => {
  const folder = places({
    "agent/hooks/b.ts": idle,
    "agent/hooks/a.ts": idle,
    "agent/hooks/10.ts": idle,
    "agent/hooks/Z.ts": idle,
    "agent/hooks/types.d.ts": "export {};",
    "agent/hooks/old.js": idle,
    "agent/hooks/gone.ts.bak": idle,
    "agent/hooks/a.hook.json": "{}",
    "agent/hooks/deeper/c.ts": idle,
  });
  mkdirSync(join(folder, "agent/hooks/folder.ts"));
  const { paths } = await discoverIn(folder);
  expect(paths()).toEqual(["agent/hooks/10.ts", "agent/hooks/Z.ts", "agent/hooks/a.ts", "agent/hooks/b.ts"]);
});

test("a file that is found twice is one hook, by its real path; the first position counts", async () => {
  const folder = places({
    "agent/hooks/one.ts": idle,
    "agent/settings.json": JSON.stringify({ hooks: ["../agent/hooks/one.ts", "./link.ts", "./two.ts"] }),
    "project/two.ts": idle,
  });
  symlinkSync(join(folder, "agent/hooks/one.ts"), join(folder, "project/link.ts"));
  symlinkSync(join(folder, "agent/hooks/one.ts"), join(folder, "agent/hooks/same.ts"));
  linkSync(join(folder, "project/two.ts"), join(folder, "agent/hooks/zwei.ts"));
  const { paths } = await discoverIn(folder);
  expect(paths()).toEqual(["agent/hooks/one.ts", "agent/hooks/zwei.ts", "project/two.ts"]);
});

const spaces = ["\u00a0", "\u2000", "\u2003", "\u200a", "\u202f", "\u205f", "\u3000"];

test("settings: ~ is the home, Unicode spaces are spaces, relative paths start at the working directory", async () => {
  const folder = places({
    "user/home.ts": idle,
    "user/deep/er.ts": idle,
    "project/with space.ts": idle,
    "project/sub/rel.ts": idle,
    "user/absolute.ts": idle,
  });
  vi.stubEnv("HOME", join(folder, "user"));
  const hooks = [
    "~/home.ts",
    "~/deep/er.ts",
    "./sub/rel.ts",
    "sub/../sub/rel.ts",
    join(folder, "user/absolute.ts"),
    ...spaces.map((space) => `./with${space}space.ts`),
  ];
  writeFiles(folder, { "agent/settings.json": JSON.stringify({ hooks }) });
  const { paths, host } = await discoverIn(folder);
  expect(paths()).toEqual([
    "user/home.ts",
    "user/deep/er.ts",
    "project/sub/rel.ts",
    "user/absolute.ts",
    "project/with space.ts",
  ]);
  expect(host.hooks.map(({ state }) => state)).toEqual(Array(5).fill("active"));
});

test("options: ~ and Unicode spaces are read likewise", async () => {
  const folder = places({ "user/a b.ts": blocking("found") });
  vi.stubEnv("HOME", join(folder, "user"));
  const { host, blocked } = await discoverIn(folder, { hooks: ["~/a\u00a0b.ts"], discover: false });
  expect(host.hooks).toMatchObject([{ id: join(folder, "user/a b.ts"), state: "active" }]);
  expect(await blocked()).toContain("found");
});

test("the agent's folder is PI_CODING_AGENT_DIR, else ~/.pi/agent; Cordon's is CORDON_HOME, else ~/.cordon", async () => {
  const folder = places({ "user/.pi/agent/hooks/default.ts": idle, "elsewhere/hooks/env.ts": idle });
  vi.stubEnv("HOME", join(folder, "user"));
  vi.stubEnv("PI_CODING_AGENT_DIR", "");
  vi.stubEnv("CORDON_HOME", join(folder, "home"));
  expect((await discoverIn(folder, { agentDir: undefined, home: undefined })).paths()).toEqual([
    "user/.pi/agent/hooks/default.ts",
  ]);
  vi.stubEnv("PI_CODING_AGENT_DIR", join(folder, "elsewhere"));
  expect((await discoverIn(folder, { agentDir: undefined, home: undefined })).paths()).toEqual([
    "elsewhere/hooks/env.ts",
  ]);
});

test("discover: false finds no hooks", async () => {
  const folder = places({
    "agent/hooks/a.ts": idle,
    "project/.pi/hooks/b.ts": idle,
    "agent/settings.json": '{ "hooks": ["./c.ts"], "hookTimeout": 5 }',
  });
  const { paths, host } = await discoverIn(folder, { discover: false });
  expect(paths()).toEqual([]);
  expect(host.hasHandlers("tool_call")).toBe(false);
});

test.each([
  ["that is missing", "./mistyped.ts", "mistyped.ts: no such file"],
  ["that is a folder without one", "./empty", "empty: there is no hook in this folder; name its file"],
])("a hook of the settings %s blocks, since it may have been a gate", async (_what, named, says) => {
  const folder = places({
    "agent/settings.json": JSON.stringify({ hooks: [named] }),
    "project/empty/notes.md": "none",
  });
  const { blocked, host } = await discoverIn(folder);
  expect(host.hooks).toMatchObject([{ state: "failed", reason: expect.stringContaining(says) }]);
  expect(await blocked()).toContain("LOAD_FAILED");
});

test("a folder is a hook by its index", async () => {
  const folder = places({ "agent/settings.json": '{ "hooks": ["./gate"] }', "project/gate/index.ts": idle });
  const { host } = await discoverIn(folder);
  expect(host.hooks).toMatchObject([{ state: "active" }]);
});

test("an unreadable settings file is reported and does not stop the other sources", async () => {
  const folder = places({ "agent/settings.json": "{ hooks:", "agent/hooks/a.ts": blocking("still here") });
  const { log, blocked } = await discoverIn(folder);
  expect(log).toMatchObject([{ level: "warn", text: expect.stringContaining("settings.json") }]);
  expect(await blocked()).toContain("still here");
});

test("settings with another shape are ignored", async () => {
  for (const text of [
    "null",
    "[]",
    '"x"',
    '{ "hooks": "a.ts" }',
    '{ "hooks": [1, null, {}] }',
    '{ "hookTimeout": "soon" }',
    '{ "hookTimeout": -1 }',
  ]) {
    const { host } = await discoverIn(places({ "agent/settings.json": text }));
    expect(host.hooks, text).toEqual([]);
  }
});

const stuck = 'export default (pi: any) => pi.on("tool_call", () => new Promise(() => {}));\n';

test("hookTimeout comes from the user's settings, and an option overrides it", async () => {
  const folder = places({ "agent/hooks/stuck.ts": stuck, "agent/settings.json": '{ "hookTimeout": 150 }' });
  expect(await (await discoverIn(folder)).blocked()).toMatch(/150 ?ms.*TIMEOUT/);
  expect(await (await discoverIn(folder, { hookTimeout: 120 })).blocked()).toMatch(/120 ?ms.*TIMEOUT/);
});

test("a project's settings activate nothing and set no timeout", async () => {
  const settings = JSON.stringify({ hooks: ["./evil.ts", ".pi/evil.ts"], hookTimeout: 1 });
  const folder = places({
    "project/.pi/settings.json": settings,
    "project/.pi/agent/settings.json": settings,
    "project/settings.json": settings,
    "project/evil.ts": blocking("evil"),
    "project/.pi/evil.ts": blocking("evil"),
    "agent/hooks/slow.ts":
      'export default (pi: any) => pi.on("tool_call", async () => { await new Promise((r) => setTimeout(r, 100)); return { block: true, reason: "slow" }; });',
  });
  const { paths, blocked } = await discoverIn(folder);
  expect(paths()).toEqual(["agent/hooks/slow.ts"]);
  expect(await blocked()).toBe("agent/hooks/slow.ts: slow");
});

test("naming a project's hook makes it the user's own", async () => {
  const folder = places({ "project/.pi/hooks/gate.ts": blocking("named") });
  const { host, blocked, paths } = await discoverIn(folder, { hooks: [".pi/hooks/gate.ts"] });
  expect(paths()).toEqual([".pi/hooks/gate.ts"]);
  expect(host.hooks).toMatchObject([{ state: "active" }]);
  expect(await blocked()).toContain("named");
});
