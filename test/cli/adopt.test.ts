import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { install, type Place, planOfInstall } from "../../src/agents/setup/install.ts";
import { pi } from "../../src/agents/setup/pi.ts";
import { attemptOr } from "../../src/base/attempt.ts";
import { HOOK } from "../market/hostile-tar.ts";
import { joined, Terminal } from "../market/journey-terminal.ts";
import { World } from "../market/world.ts";
import { factsIn } from "../support/audit-log.ts";
import { needs } from "../support/needs.ts";
import { onToolCall, writeFiles } from "../support/session.ts";

vi.setConfig({ testTimeout: 300_000 });

const hasTmux = attemptOr(() => execFileSync("tmux", ["-V"]) !== undefined, false);

let world: World;
let agent: string;
beforeEach(async () => {
  world = await World.make();
  agent = join(world.home, "agent");
  mkdirSync(agent, { recursive: true });
});

const PACKAGE = { name: "gate", version: "1.0.0", pi: { extensions: ["./index.ts"], skills: ["./skills"] } };
const FILES = { "index.ts": HOOK, "skills/one/SKILL.md": "---\nname: one\n---\n" };

/** pi has the package in its own folder, as `pi install npm:gate` leaves it. */
function hasPackage(json: { name: string; version: string } = PACKAGE, files: Record<string, string> = FILES): void {
  const { name, version, ...rest } = json;
  world.registry.publish({ name, version, files, json: rest });
  writeFiles(join(agent, "npm/node_modules", name), { "package.json": JSON.stringify(json), ...files });
}

const settings = (text?: string): string => {
  const path = join(agent, "settings.json");
  if (text !== undefined) writeFileSync(path, text);
  return readFileSync(path, "utf8");
};

/** As `cordon install pi` leaves it. */
function entered(): void {
  const env = { PI_CODING_AGENT_DIR: agent };
  const place: Place = { setup: pi, home: world.home, places: { user: "/", env }, project: undefined };
  install(place, planOfInstall(place), { node: process.execPath, monitor: false });
}

interface Row {
  name: string;
  source?: string;
  why?: string;
  hooks?: { id: string; uses: string[] }[];
}

const list = async (): Promise<Row[]> => (await world.json<{ found: Row[] }>(["adopt", "pi", "--dry-run"])).found;

test("the list says of each whether it can be contained, from where, and what it uses; nothing of it runs", async () => {
  const ran = join(world.folder, "ran");
  const loud = `import { writeFileSync } from "node:fs"; import { execSync } from "node:child_process";
    writeFileSync(${JSON.stringify(ran)}, ""); ${HOOK}`;
  hasPackage();
  hasPackage({ ...PACKAGE, name: "changed" });
  writeFiles(join(agent, "npm/node_modules/changed"), { "index.ts": onToolCall("return undefined;") });
  hasPackage({ ...PACKAGE, name: "other-name" });
  writeFiles(join(agent, "npm/node_modules/other-name"), { "package.json": JSON.stringify(PACKAGE) });
  writeFiles(agent, {
    "extensions/mine.ts": HOOK,
    "extensions/loud.ts": loud,
    "extensions/broken.ts": "export default (",
    "extensions/imports.ts": `import "./helper/x.ts"; ${HOOK}`,
    "extensions/helper/x.ts": "",
    "extensions/bare/index.ts": HOOK,
    "extensions/\u001b[2Jclear.ts": HOOK,
    "elsewhere/linked.ts": HOOK,
  });
  symlinkSync(join(agent, "elsewhere/linked.ts"), join(agent, "extensions/link.ts"));
  symlinkSync("/dev/zero", join(agent, "extensions/zero.ts"));
  symlinkSync(join(agent, "nowhere"), join(agent, "extensions/gone.ts"));
  settings(
    JSON.stringify({
      packages: [
        "npm:gate",
        "npm:changed@^1",
        "npm:other-name",
        "npm:not-there",
        { source: "git:github.com/a/b", extensions: [] },
        7,
      ],
      extensions: ["!*.js", "-extensions/x.ts", "many/*.ts", "~no/such.ts"],
    }),
  );
  entered();
  const rows = await list();
  const short = rows.map(({ name, source, why }) => [
    name.replace(`${agent}/`, ""),
    source?.replace(agent, "AGENT") ?? why?.replaceAll(agent, "AGENT"),
  ]);
  expect(Object.fromEntries(short)).toEqual({
    "npm:gate": "npm:gate",
    "npm:changed@^1": "path:AGENT/npm/node_modules/changed",
    "npm:other-name": "path:AGENT/npm/node_modules/other-name",
    "npm:not-there": "its code is not on this disk",
    "many/*.ts": expect.stringContaining("a pattern"),
    "~no/such.ts": "its code is not on this disk",
    "extensions/mine.ts": "path:AGENT/extensions/mine.ts",
    "extensions/loud.ts": expect.stringContaining("does not load"),
    "extensions/broken.ts": expect.stringContaining("broken.ts"),
    "extensions/imports.ts": expect.stringContaining("helper"),
    "extensions/bare": expect.stringContaining("package.json"),
    "extensions/\u001b[2Jclear.ts": expect.stringContaining("the name of a hook's file"),
    "extensions/link.ts": "path:AGENT/extensions/link.ts",
    "extensions/zero.ts": expect.stringContaining("not a regular file"),
    "extensions/gone.ts": "its code is not on this disk",
  });
  expect(existsSync(ran)).toBe(false);
  expect(world.disk()).toMatchObject({ lock: {}, grants: {}, installed: [] });
  const { stdout } = await world.run(["adopt", "pi", "--dry-run"]);
  expect(stdout).not.toContain("\u001b");
});

test("folders that are huge are refused before they are read", async () => {
  hasPackage();
  const huge = join(agent, "npm/node_modules/gate/huge.bin");
  writeFileSync(huge, "");
  truncateSync(huge, 8e12);
  settings('{ "packages": ["npm:gate"] }');
  const started = Date.now();
  expect(await list()).toEqual([expect.objectContaining({ why: expect.stringMatching(/more than .* MB/) })]);
  expect(Date.now() - started).toBeLessThan(30_000);
});

test("commands of other agents are listed, with why they cannot be contained", async () => {
  const user = join(world.folder, "user");
  writeFiles(user, {
    ".claude/settings.json": JSON.stringify({
      hooks: {
        PreToolUse: [{ hooks: [{ type: "command", command: "mine.sh" }] }],
        Stop: [{ hooks: [{ command: "bell" }] }],
      },
      enabledPlugins: { "a@b": true, "c@d": false },
    }),
  });
  const { found } = await world.json<{ found: Row[] }>(["adopt", "claude-code"]);
  expect(found.map(({ name, why }) => [name, why])).toEqual([
    ["mine.sh", expect.stringContaining("a command")],
    ["bell", expect.stringContaining("a command")],
    ["plugin a@b", expect.stringContaining("a plugin")],
  ]);
});

test("without a terminal nothing is moved, and before Cordon is entered neither", async () => {
  writeFiles(agent, { "extensions/mine.ts": HOOK });
  expect(await world.run(["adopt", "pi"])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/not entered in pi/),
  });
  entered();
  expect(await world.run(["adopt", "pi"])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/takes a terminal/),
  });
  expect(await world.run(["adopt", "pi", "--undo"])).toMatchObject({ code: 0 });
  expect(existsSync(join(agent, "extensions/mine.ts"))).toBe(true);
});

const SETTINGS = '{\n   "packages": [ "npm:gate",  "npm:kept" ],\n\n "extensions": ["./two.ts"], "z": 1 }\n';

/** Answers the questions in their order: no, or yes without powers. */
const answering = (terminal: Terminal, answers: Record<string, "yes" | "no">) => async (): Promise<void> => {
  for (const [id, answer] of Object.entries(answers)) {
    await terminal.shows(`Move ${id} from pi into Cordon?`);
    terminal.press(...(answer === "yes" ? ["Down", "Enter"] : ["Enter"]));
  }
};

const ADOPTED = ["gate", "mine", "two"];
const ids = (): string[] => Object.keys(world.disk().lock).sort();

test(
  "what a person accepts moves, what they refuse stays, and all of it comes back byte for byte",
  needs(!hasTmux && "tmux"),
  async () => {
    hasPackage();
    hasPackage({ name: "kept", version: "1.0.0", pi: { extensions: ["./index.ts"] } } as never, { "index.ts": HOOK });
    writeFiles(agent, { "two.ts": HOOK, "extensions/mine.ts": HOOK, "extensions/broken.ts": "export default (" });
    settings(SETTINGS);
    entered();
    const terminal = await Terminal.open(world);
    const said = await terminal.run(
      "cordon adopt pi",
      answering(terminal, { gate: "yes", kept: "no", two: "yes", mine: "yes" }),
    );
    expect(said).toMatch(/broken\.ts: left as it is/);
    expect(ids()).toEqual(ADOPTED);
    expect(JSON.parse(settings())).toEqual({
      packages: [{ source: "npm:gate", extensions: [] }, "npm:kept"],
      extensions: [],
      z: 1,
    });
    expect([existsSync(join(agent, "extensions/mine.ts")), existsSync(join(agent, "two.ts"))]).toEqual([false, true]);
    expect((await list()).map(({ name }) => name.replace(`${agent}/`, ""))).toEqual([
      "npm:kept",
      "extensions/broken.ts",
    ]);
    // A second run finds only what was refused.
    await terminal.run("cordon adopt pi", answering(terminal, { kept: "no" }));
    expect(ids()).toEqual(ADOPTED);
    await terminal.run("cordon adopt pi --undo", async () => {
      await terminal.shows("with all its rights");
      terminal.press("y");
    });
    expect(settings()).toBe(SETTINGS);
    expect([readFileSync(join(agent, "extensions/mine.ts"), "utf8"), ids()]).toEqual([HOOK, []]);
    const decided = factsIn(world.home).filter(({ event }) => event === "decision");
    const hooksOf = (word: string) => decided.flatMap(({ hook, outcome }) => (outcome === word ? [hook] : [])).sort();
    expect([hooksOf("adopted"), hooksOf("removed")]).toEqual([ADOPTED, ADOPTED]);
  },
);

test(
  "what Cordon has already, since the command was killed then, is taken out of pi",
  needs(!hasTmux && "tmux"),
  async () => {
    writeFiles(agent, { "two.ts": HOOK });
    settings('{ "extensions": ["./two.ts"] }');
    entered();
    await world.install(join(agent, "two.ts"));
    const terminal = await Terminal.open(world);
    expect(await terminal.run("cordon adopt pi", answering(terminal, { two: "yes" }))).toContain("moved into Cordon");
    expect([ids(), settings()]).toEqual([["two"], '{ "extensions": [] }']);
    const out = await terminal.run("cordon uninstall pi", async () => {
      await terminal.shows("Yes");
      terminal.press("y");
    });
    expect(out.replace(/\s+/g, " ")).toContain("two stay in Cordon, and pi runs without them");
  },
);

test("code and settings that change while a person looks are left as they are", needs(!hasTmux && "tmux"), async () => {
  writeFiles(agent, { "two.ts": HOOK, "extensions/mine.ts": HOOK });
  settings('{ "extensions": ["./two.ts"] }');
  entered();
  const terminal = await Terminal.open(world);
  const said = await terminal.run("cordon adopt pi", async () => {
    await terminal.shows("Move two from pi into Cordon?");
    settings('{ "extensions": [] }');
    terminal.press("Down", "Enter");
    await terminal.shows("Move mine from pi into Cordon?");
    writeFiles(agent, { "extensions/mine.ts": "// another one" });
    terminal.press("Down", "Enter");
  });
  expect(joined(said)).toMatch(/two\.ts: left as it is: .*settings\.json changed meanwhile/);
  expect(joined(said)).toMatch(/mine\.ts: left as it is: .*changed while it was looked at/);
  expect(ids()).toEqual([]);
  expect(settings()).toBe('{ "extensions": [] }');
  expect(readFileSync(join(agent, "extensions/mine.ts"), "utf8")).toBe("// another one");
});

test(
  "where the entry cannot be taken out, Cordon does not have the hook either",
  needs(!hasTmux && "tmux"),
  async () => {
    writeFiles(agent, { "two.ts": HOOK });
    settings('{ "extensions": ["./two.ts"] }');
    entered();
    chmodSync(join(agent, "settings.json"), 0o400);
    const terminal = await Terminal.open(world);
    const said = await terminal.run("cordon adopt pi", answering(terminal, { two: "yes" }));
    expect(joined(said)).toMatch(/left as it is: .*read-only/);
    expect([ids(), settings()]).toEqual([[], '{ "extensions": ["./two.ts"] }']);
    expect(JSON.parse(readFileSync(join(world.home, "adopted.json"), "utf8")).adopted).toEqual([]);
  },
);

test(
  "an agent with an open session cannot move or give back anything for its person",
  needs(!hasTmux && "tmux"),
  async () => {
    writeFiles(agent, { "extensions/mine.ts": HOOK });
    entered();
    const event = { session_id: "s", cwd: world.work, hook_event_name: "PreToolUse", tool_name: "x", tool_input: {} };
    writeFiles(world.work, { "event.json": JSON.stringify(event) });
    const terminal = await Terminal.open(world);
    const said = await terminal.runBelowAgent("cordon hook claude-code < event.json", "cordon adopt pi");
    expect(joined(said)).toContain("started by an agent, whose process asked Cordon");
    expect(existsSync(join(agent, "extensions/mine.ts"))).toBe(true);
    rmSync(join(world.work, "event.json"));
  },
);
