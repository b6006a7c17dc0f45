import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Waiting } from "../../src/daemon/questions.ts";
import { askDaemon } from "../../src/shim/ask-daemon.ts";
import { cordon } from "../support/command.ts";
import { sampled } from "../support/length.ts";
import { onToolCall, writeFiles } from "../support/session.ts";
import { type Ended, World } from "./world.ts";

/** Its questions say nothing of the call. */
const world = new World({
  confirm: onToolCall(
    'if (event.input.command.startsWith("deploy") && !(await ctx.ui.confirm("Deploy?", ""))) return { block: true, reason: "denied" };',
  ),
  select: onToolCall(
    'if (event.input.command.startsWith("select") && (await ctx.ui.select("Which?", ["yes", "none"])) !== "yes") return { block: true, reason: "denied" };',
  ),
  input: onToolCall(
    'if (event.input.command.startsWith("input") && (await ctx.ui.input("Why?")) !== "yes") return { block: true, reason: "denied" };',
  ),
});

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));
const codex = (command: string, session: string, waitMs = 20_000): Promise<Ended> =>
  world.run("codex", "PreToolUse", world.event("PreToolUse", session, "Bash", { command }), { waitMs });
const passes = { exit: 0, stdout: "", stderr: "" };
const blocked = { exit: 2, stderr: expect.stringContaining("waits for you") };

// The daemon runs before: how long it takes to start is not what is tried here.
beforeAll(async () => void (await codex("ls", "first")));

const waiting = async (session: string, count = 1): Promise<Waiting[]> => {
  for (const end = Date.now() + 15_000; Date.now() < end; await pause(50)) {
    const all = (await askDaemon(world.home, "questions")) as Waiting[];
    const here = all.filter((one) => one.session === `codex ${session}`);
    if (here.length === count) return here;
  }
  throw new Error(`there are not ${count} questions of ${session}`);
};
const answer = (question: Waiting | undefined, text: string) =>
  askDaemon(world.home, "answer", { id: question?.id, answer: text });

describe.concurrent.each(sampled(["deploy", "select", "input"], 2))("an answer to a question of %s", (what) => {
  test("that comes after its call is kept for that call, once", async () => {
    const session = `late ${what}`;
    const call = (to: string) => codex(`${what} ${to}`, session, 8000);
    expect(await call("staging")).toMatchObject(blocked);
    const [question] = await waiting(session);
    expect(await answer(question, "yes")).toBe(true);
    expect(await call("production")).toMatchObject(blocked);
    expect(await call("staging")).toEqual(passes);
    expect(await call("staging")).toMatchObject(blocked);
  });

  test("is for the one call that is listed beside it", async () => {
    const session = `two ${what}`;
    const [staging, production] = ["staging", "production"].map((to) => codex(`${what} ${to}`, session, 12_000));
    const questions = await waiting(session, 2);
    const about = questions.find(({ call }) => call?.includes("staging"));
    expect(about?.call).toBe(`bash {"command":"${what} staging"}`);
    expect(await answer(about, "yes")).toBe(true);
    expect(await answer(about, "yes")).toBe(false);
    expect(await staging).toEqual(passes);
    expect(await production).toMatchObject(blocked);
  });
});

test("of two equal calls that wait, one answer is for one", async () => {
  const ended: Ended[] = [];
  const calls = [0, 1].map(async () => ended.push(await codex("deploy twice", "equal")));
  const [first, second] = await waiting("equal", 2);
  expect(await answer(first, "yes")).toBe(true);
  await expect.poll(() => ended.length).toBe(1);
  await pause(500);
  expect(ended).toEqual([passes]);
  expect(await answer(second, "yes")).toBe(true);
  await Promise.all(calls);
  expect(ended).toEqual([passes, passes]);
});

describe("what was asked about a power before its hook's powers were revoked", () => {
  const granted = () => JSON.parse(readFileSync(join(powers.home, "grants.json"), "utf8")).hooks[powers.hook("reads")];
  const powers = new World(
    {
      reads: onToolCall(
        'try { return { block: true, reason: `read ${await readFile("secret.txt", "utf8")}` }; } catch { return { block: true, reason: "refused" }; }',
        'import { readFile } from "node:fs/promises";',
      ),
    },
    { reads: { capabilities: { events: { see: ["tool_call"], block: true }, env: ["HOME"] } } },
  );
  writeFiles(powers.work, { "secret.txt": "KEY" });
  const call = (session: string, waitMs = 4000) =>
    powers.run("codex", "PreToolUse", powers.event("PreToolUse", session, "Bash", { command: "ls" }), { waitMs });
  const open = async () => (await askDaemon(powers.home, "questions")) as Waiting[];
  const say = (id: string | undefined, answer: string) => askDaemon(powers.home, "answer", { id, answer });
  const revoke = (power: string[] = []) =>
    cordon(["revoke", powers.hook("reads"), ...power], { cwd: powers.work, home: powers.home });

  // Its daemon runs before a call of four seconds counts on it.
  const started = powers.event("SessionStart", "first", "", {}, { source: "startup" });
  beforeAll(async () => void (await powers.run("codex", "SessionStart", started, { kind: "note" })));

  test("counts while nothing is revoked", async () => {
    await call("kept");
    expect(await say((await open())[0]?.id, "session")).toBe(true);
    expect((await call("kept")).stderr).toContain("read KEY");
  });

  test.each(["session", "always", "once"])("is gone: an answer of %s that came too late", async (answer) => {
    await call(answer);
    expect(await say((await open())[0]?.id, answer)).toBe(true);
    await revoke();
    expect((await call(answer)).stderr).not.toContain("KEY");
    expect(granted().capabilities.fs).toBeUndefined();
    expect((await open()).map(({ session }) => session)).toEqual([`codex ${answer}`]);
    await revoke();
  });

  test("is gone: a question that waits, whatever is revoked", async () => {
    const ended = call("waits", 20_000);
    await expect.poll(async () => (await open()).length, { timeout: 15_000 }).toBe(1);
    const [question] = await open();
    await revoke(["model"]);
    expect(await say(question?.id, "always")).toBe(false);
    expect((await ended).stderr).toContain("refused");
    expect(granted().capabilities.fs).toBeUndefined();
  });
});
