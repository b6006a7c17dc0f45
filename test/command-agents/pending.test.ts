import { describe, expect, test } from "vitest";
import type { Waiting } from "../../src/daemon/questions.ts";
import { askDaemon } from "../../src/shim/ask-daemon.ts";
import { onToolCall } from "../support/session.ts";
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

const waiting = async (session: string, count = 1): Promise<Waiting[]> => {
  const here = async () =>
    ((await askDaemon(world.home, "questions")) as Waiting[]).filter((one) => one.session === `codex ${session}`);
  await expect.poll(async () => (await here()).length, { timeout: 10_000 }).toBe(count);
  return here();
};
const answer = (question: Waiting | undefined, text: string) =>
  askDaemon(world.home, "answer", { id: question?.id, answer: text });

describe.each(["deploy", "select", "input"])("an answer to a question of %s", (what) => {
  test("is for the one call that is listed beside it", async () => {
    const session = `two ${what}`;
    const [staging, production] = ["staging", "production"].map((to) => codex(`${what} ${to}`, session, 8000));
    const questions = await waiting(session, 2);
    const about = questions.find(({ call }) => call?.includes("staging"));
    expect(about?.call).toBe(`bash {"command":"${what} staging"}`);
    expect(await answer(about, "yes")).toBe(true);
    expect(await answer(about, "yes")).toBe(false);
    expect(await staging).toEqual(passes);
    expect(await production).toMatchObject(blocked);
  });

  test("that comes after its call is kept for that call, once", async () => {
    const session = `late ${what}`;
    const call = (to: string) => codex(`${what} ${to}`, session, 4000);
    expect(await call("staging")).toMatchObject(blocked);
    const [question] = await waiting(session);
    expect(await answer(question, "yes")).toBe(true);
    expect(await call("production")).toMatchObject(blocked);
    expect(await call("staging")).toEqual(passes);
    expect(await call("staging")).toMatchObject(blocked);
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
