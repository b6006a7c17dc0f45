import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { SettingsManager } from "@mariozechner/pi-coding-agent";
import { discoverAndLoadHooks } from "@mariozechner/pi-coding-agent/hooks";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { HookHost } from "../../src/host/host.ts";
import type { HookHostOptions } from "../../src/session/options.ts";
import { accept as acceptHook } from "../host/places.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";
import { hook } from "./events.ts";

const GATE = hook([["tool_call", 'return { block: true, reason: "gate" };']]);
const QUIET = hook([["agent_start", ""]]);
const CALL = { type: "tool_call", toolName: "bash", toolCallId: "1", input: {} } as const;

let folder: string;
let agentDir: string;
let cwd: string;

beforeEach(() => {
  folder = temporaryFolder();
  agentDir = join(folder, "agent");
  cwd = join(folder, "project");
  mkdirSync(cwd);
  vi.stubEnv("HOME", join(folder, "user"));
});
afterEach(() => void vi.unstubAllEnvs());

/** What pi itself loads: its settings manager, its loader and paths from its command line. */
async function asPi(commandLine: string[] = []): Promise<{ loaded: string[]; failed: string[] }> {
  const configured = [...SettingsManager.create(cwd, agentDir).getHookPaths(), ...commandLine];
  const { hooks, errors } = await discoverAndLoadHooks(configured, cwd, agentDir);
  return { loaded: hooks.map(({ resolvedPath }) => resolvedPath), failed: errors.map(({ path }) => path) };
}

async function asCordon(
  commandLine: string[] = [],
  more: Partial<HookHostOptions> = {},
): Promise<{ host: HookHost; loaded: string[] }> {
  const host = await HookHost.start({
    spare: false,
    cwd,
    agentDir,
    home: join(folder, "home"),
    hooks: commandLine,
    log: () => {},
    ...more,
  });
  onTestFinished(() => host.close());
  return { host, loaded: host.hooks.filter(({ state }) => state === "active").map(({ id }) => id) };
}

const settings = (where: string, hooks: string[]): void =>
  writeFiles(where, { "settings.json": JSON.stringify({ hooks }) });

/** Accepts a project's hooks, like a person. */
async function accept(): Promise<void> {
  const { host } = await asCordon();
  for (const hook of host.hooks) if (hook.state === "pending") await acceptHook(folder, hook);
}

describe("hooks are found where pi finds them, and in its order", () => {
  test("the user's folder, the project's once accepted, settings, the command line", async () => {
    writeFiles(folder, {
      "agent/hooks/b.ts": QUIET,
      "agent/hooks/a.ts": QUIET,
      "agent/hooks/notes.md": "x",
      "agent/hooks/plain.js": QUIET,
      "agent/hooks/deeper/c.ts": QUIET,
      "project/.pi/hooks/z.ts": QUIET,
      "project/.pi/hooks/y.ts": QUIET,
      "project/own/relative.ts": QUIET,
      "user/home.ts": QUIET,
      "with space.ts": QUIET,
      "absolute.ts": QUIET,
    });
    settings(agentDir, ["~/home.ts", join(folder, "absolute.ts"), join(folder, "with\u00a0space.ts")]);
    await accept();
    const commandLine = ["own/relative.ts"];
    const { loaded } = await asPi(commandLine);
    expect(loaded.map((path) => basename(path))).toEqual([
      "a.ts",
      "b.ts",
      "y.ts",
      "z.ts",
      "home.ts",
      "absolute.ts",
      "with space.ts",
      "relative.ts",
    ]);
    expect((await asCordon(commandLine)).loaded).toEqual(loaded);
  });

  test("a file that is named twice keeps its first position", async () => {
    writeFiles(folder, { "agent/hooks/a.ts": QUIET, "agent/hooks/b.ts": QUIET });
    const commandLine = [join(agentDir, "hooks", "a.ts")];
    const { loaded } = await asPi(commandLine);
    expect(loaded.map((path) => basename(path))).toEqual(["a.ts", "b.ts"]);
    expect((await asCordon(commandLine)).loaded).toEqual(loaded);
  });

  test("without folders and settings there are no hooks", async () => {
    expect(await asPi()).toEqual({ loaded: [], failed: [] });
    const { host } = await asCordon();
    expect(host.hooks).toEqual([]);
    expect(host.hasHandlers("tool_call")).toBe(false);
  });
});

describe("Cordon's discovery differs on purpose", () => {
  // "Duplicates by path, first wins (*Cordon: by real path …*)"
  test("a link to a hook that is already found is the same hook", async () => {
    writeFiles(folder, { "agent/hooks/a.ts": QUIET });
    symlinkSync(join(agentDir, "hooks", "a.ts"), join(agentDir, "hooks", "link.ts"));
    expect((await asPi()).loaded.map((path) => basename(path))).toEqual(["a.ts", "link.ts"]);
    expect((await asCordon()).loaded).toEqual([join(agentDir, "hooks", "a.ts")]);
  });

  test("a link to a hook elsewhere is that hook, on both sides", async () => {
    writeFiles(folder, { "elsewhere/real.ts": QUIET, "agent/hooks/a.ts": QUIET });
    symlinkSync(join(folder, "elsewhere", "real.ts"), join(agentDir, "hooks", "link.ts"));
    expect((await asPi()).loaded).toEqual([join(agentDir, "hooks", "a.ts"), join(agentDir, "hooks", "link.ts")]);
    expect((await asCordon()).loaded).toEqual([join(agentDir, "hooks", "a.ts"), join(folder, "elsewhere", "real.ts")]);
  });

  // "*Cordon: … sorted by name*"
  test("a folder's hooks come sorted by name, whatever order they were made in", async () => {
    for (const name of ["m", "c", "x", "a", "b10", "b9", "B"]) writeFiles(agentDir, { [`hooks/${name}.ts`]: QUIET });
    const { loaded } = await asCordon();
    expect(loaded.map((path) => basename(path, ".ts"))).toEqual(["B", "a", "b10", "b9", "c", "m", "x"]);
    expect([...(await asPi()).loaded].sort()).toEqual(loaded);
  });

  // "*Cordon: … `.d.ts` ignored*"
  test("a declaration file is not a hook, pi tries to load it", async () => {
    writeFiles(folder, { "agent/hooks/a.ts": QUIET, "agent/hooks/types.d.ts": "export interface Nothing {}\n" });
    expect((await asPi()).failed.map((path) => basename(path))).toEqual(["types.d.ts"]);
    const { host } = await asCordon();
    expect(host.hooks.map(({ path, state }) => [basename(path), state])).toEqual([["a.ts", "active"]]);
  });

  // Issue, 4: "a project's only once accepted: until then `pending`, and the user is told how"
  test("a project's hook is pending and inert until it is accepted, pi runs it", async () => {
    writeFiles(folder, { "project/.pi/hooks/gate.ts": GATE });
    expect((await asPi()).loaded).toEqual([join(cwd, ".pi", "hooks", "gate.ts")]);
    const told: string[] = [];
    const { host } = await asCordon([], { log: ({ text }) => told.push(text) });
    expect(host.hooks).toMatchObject([{ id: join(cwd, ".pi", "hooks", "gate.ts"), state: "pending" }]);
    expect(told.filter((text) => text.includes("gate.ts") && text.includes("cordon accept"))).toHaveLength(1);
    expect(host.hasHandlers("tool_call")).toBe(false);
    expect(await host.emitToolCall(CALL)).toBeUndefined();

    await accept();
    const accepted = await asCordon();
    expect(accepted.host.hooks).toMatchObject([{ state: "active" }]);
    expect(await accepted.host.emitToolCall(CALL)).toMatchObject({ block: true, reason: "gate" });
  });

  // "*project settings never activate anything by themselves*"
  test("a project's settings activate nothing, in pi they do", async () => {
    writeFiles(folder, { "project/gate.ts": GATE });
    settings(join(cwd, ".pi"), ["gate.ts"]);
    expect((await asPi()).loaded).toEqual([join(cwd, "gate.ts")]);
    const { host } = await asCordon();
    expect(host.hooks.filter(({ state }) => state !== "pending")).toEqual([]);
    expect(await host.emitToolCall(CALL)).toBeUndefined();
  });

  test("a project's settings do not remove the user's hooks, in pi they do", async () => {
    writeFiles(folder, { "mine.ts": GATE });
    settings(agentDir, [join(folder, "mine.ts")]);
    settings(join(cwd, ".pi"), []);
    expect((await asPi()).loaded).toEqual([]);
    const { host } = await asCordon();
    expect(await host.emitToolCall(CALL)).toMatchObject({ block: true, reason: "gate" });
  });

  // pi 0.27.9 skips what does not load. Cordon blocks guarded calls.
  test("a missing hook of the settings closes the gate, pi continues without it", async () => {
    settings(agentDir, [join(folder, "gone.ts")]);
    expect(await asPi()).toEqual({ loaded: [], failed: [join(folder, "gone.ts")] });
    const { host } = await asCordon();
    expect(host.hooks).toMatchObject([{ state: "failed" }]);
    expect(await host.emitToolCall(CALL)).toMatchObject({ block: true });
  });

  test("with discover: false there is no discovery", async () => {
    writeFiles(folder, { "agent/hooks/a.ts": GATE });
    writeFileSync(join(cwd, "named.ts"), QUIET);
    expect((await asCordon(["named.ts"], { discover: false })).loaded).toEqual([join(cwd, "named.ts")]);
  });
});
