import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { builtForHost } from "../../src/base/package-root.ts";
import { onToolCall, writeFiles } from "../support/session.ts";
import { move } from "./failures.ts";
import { blockOf, World } from "./world.ts";

/** The guard is the project's own: only a session that began in its folder has it. */
const world = new World({});
const guard = join(world.work, ".cordon/hooks/guard.ts");
const below = join(world.work, "below");

beforeAll(() => {
  mkdirSync(below);
  writeFiles(world.work, {
    ".cordon/hooks/guard.ts": onToolCall('if (event.input.command === "no") return { block: true, reason: "no" };'),
  });
  const check = [builtForHost("cli", "start.js"), "check", guard, "--json"];
  const { digest } = JSON.parse(
    execFileSync(process.execPath, check, { env: { ...process.env, CORDON_HOME: world.home }, encoding: "utf8" }),
  );
  const capabilities = { events: { see: ["tool_call"], block: true } };
  writeFiles(world.home, {
    "grants.json": JSON.stringify({ version: 1, hooks: { [guard]: { digest, capabilities } } }),
  });
});

const start = (session: string, source: string, cwd: string) =>
  world.run("claude-code", "SessionStart", world.event("SessionStart", session, "", {}, { source, cwd }), {
    kind: "note",
    cwd,
  });
const call = async (session: string, command: string, cwd = world.work) =>
  blockOf(
    await world.run("claude-code", "PreToolUse", world.event("PreToolUse", session, "Bash", { command }, { cwd }), {
      cwd,
    }),
  );

describe.each([
  ["its daemon goes on", async () => {}],
  ["its daemon was killed", () => world.kill()],
])("where %s, a session that the agent starts again in another folder", (way, between) => {
  test.each(["compact", "clear"])("%s: goes on with the hooks of its own folder", async (source) => {
    const session = `${source} ${way}`;
    await start(session, "startup", world.work);
    expect(await call(session, "no")).toContain(": no");
    await between();
    await start(session, source, below);
    for (const cwd of [below, world.work]) {
      expect(await call(session, "no", cwd)).toContain(": no");
      expect(await call(session, "fine", cwd)).toBeUndefined();
    }
  });

  test.each(["resume", "startup", "unknown"])("%s: passes no call without the hook that guarded it", async (source) => {
    const session = `${source} ${way}`;
    await start(session, "startup", world.work);
    expect(await call(session, "fine")).toBeUndefined();
    await between();
    await start(session, source, below);
    for (const cwd of [below, world.work]) expect(await call(session, "fine", cwd)).toContain("guarded this session");
    await start(session, source, world.work);
    expect(await call(session, "no")).toContain(": no");
    expect(await call(session, "fine")).toBeUndefined();
  });
});

test("the folder that a model runs a command in is not that of its session", async () => {
  for (const [at, cwd] of [below, "/", "below", 7].entries()) {
    const event = (command_line: string) =>
      JSON.stringify({
        agent_action_name: "pre_run_command",
        trajectory_id: `chosen ${at}`,
        tool_info: { command_line, cwd },
      });
    expect(await world.run("windsurf", "pre_run_command", event("no"))).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining(": no"),
    });
    expect(await world.run("windsurf", "pre_run_command", event("fine"))).toMatchObject({ exit: 0 });
  }
});

test("a session that ended begins anew wherever it is", async () => {
  expect(await call("ended", "no")).toContain(": no");
  await world.run("claude-code", "SessionEnd", world.event("SessionEnd", "ended", "", {}), { kind: "note" });
  await start("ended", "resume", below);
  expect(await call("ended", "no", below)).toBeUndefined();
});

test("a guard that waits to be accepted again is missed after its daemon died", async () => {
  expect(await call("pending", "fine")).toBeUndefined();
  await world.kill();
  move(join(world.home, "grants.json"));
  expect(await call("pending", "fine")).toContain("guarded this session");
  expect(await call("not guarded", "fine")).toBeUndefined();
});

test("a guard that did not load is missed after its daemon died and its file went", async () => {
  const own = new World({ broken: 'throw new Error("x");' });
  const ask = async (session: string) => blockOf(await own.bash("ls", session));
  expect(await ask("a")).toContain("cannot judge this call");
  await own.kill();
  rmSync(join(own.home, "hooks", "broken.ts"));
  expect(await ask("a")).toMatch(/hooks\/broken\.ts guarded this session, and is not there/);
  expect(await ask("b")).toBeUndefined();
});

/** How many processes the daemon has. */
async function processesOf(one: World): Promise<number> {
  const pid = (await one.status())?.pid;
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).length;
}

test("a session that is called while it begins elsewhere has one set of hooks, and none once it ended", async () => {
  // A power gives it a process of its own, which can be counted.
  const counted = new World(
    {
      slow: `export default (pi) => {
        pi.on("tool_call", (event) => event.input.command === "no" ? { block: true, reason: "no" } : undefined);
        pi.on("session", async (event) => { if (event.reason === "shutdown") await new Promise((done) => setTimeout(done, 300)); });
      };`,
    },
    { slow: { capabilities: { events: { see: ["tool_call", "session"], block: true }, env: ["HOME"] } } },
  );
  await counted.bash("fine");
  const processes = () => processesOf(counted);
  await expect.poll(processes, { timeout: 5000 }).toBe(1);
  for (const cwd of [counted.folder, counted.work]) {
    const text = counted.event("SessionStart", "one", "", {}, { source: "resume", cwd });
    const started = counted.run("claude-code", "SessionStart", text, { kind: "note", cwd });
    const calls = [60, 120, 180, 240].map(async (ms) => {
      await new Promise((done) => setTimeout(done, ms));
      return blockOf(await counted.bash("no")) ?? "passed";
    });
    expect(await Promise.all(calls)).toEqual(Array(4).fill(expect.stringContaining(": no")));
    await started;
  }
  await expect.poll(processes, { timeout: 5000 }).toBe(1);
  await counted.run("claude-code", "SessionEnd", counted.event("SessionEnd", "one", "", {}), { kind: "note" });
  await expect.poll(processes, { timeout: 5000 }).toBe(0);
});

test("a session that cannot begin leaves no process, and its calls are blocked", async () => {
  const full = new World(
    { guard: onToolCall("") },
    { guard: { capabilities: { events: { see: ["tool_call"], block: true }, env: ["HOME"] } } },
  );
  await full.bash("fine", "another");
  await expect.poll(() => processesOf(full), { timeout: 5000 }).toBe(1);
  const sessions = join(full.home, "run/sessions");
  rmSync(sessions, { recursive: true });
  // As with a disk that is full: what guards a session cannot be kept.
  writeFileSync(sessions, "");
  for (let at = 0; at < 3; at++) expect(blockOf(await full.bash("fine"))).toContain("could not judge");
  await expect.poll(() => processesOf(full), { timeout: 5000 }).toBe(1);
});
