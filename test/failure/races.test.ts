import { join } from "node:path";
import { expect, test } from "vitest";
import { changeGrant } from "../../src/store/grants-file.ts";
import { grantsPath } from "../../src/store/grants-text.ts";
import { eventually } from "../support/eventually.ts";
import { LONG } from "../support/length.ts";
import { onToolCall, startSession, temporaryFolder } from "../support/session.ts";
import { sandboxes } from "./processes.ts";

const CALLS = LONG ? 20_000 : 600;
const AT_ONCE = 50;

/** Gates, each with a verdict that shows its input. The first three share a process. */
const GATES = {
  /** Answers at once. */
  quick: `if (event.input.by === "quick") return { block: true, reason: "quick" };`,
  /** Answers late, and leaves unhandled rejections. */
  stray: `
    const { by } = event.input;
    setTimeout(() => void Promise.reject(new Error("stray")), Math.random() * 20);
    await new Promise((done) => setTimeout(done, Math.random() * 20));
    if (by === "stray") return { block: true, reason: "stray" };`,
  /** Answers after the others. */
  late: `
    await new Promise((done) => setTimeout(done, Math.random() * 10));
    if (event.input.by === "late") return { block: true, reason: "late" };`,
  /** Has powers, which are revoked while it judges: it reports whether it can read one of them. */
  alone: `
    await new Promise((done) => setTimeout(done, Math.random() * 10));
    const { by, revoked } = event.input;
    // Not each time: a hook that is refused without end is not listened to any more.
    const read = revoked > 0 && Math.random() < 0.05 ? process.env["RACE_" + (revoked - 1)] : undefined;
    if (read !== undefined) return { block: true, reason: "read what was revoked: " + read };
    if (by === "alone") return { block: true, reason: "alone" };`,
};
type Gate = keyof typeof GATES;
const NAMES = Object.keys(GATES) as Gate[];

/** Variables that one of the gates may read at first. */
const VARIABLES = Array.from({ length: 40 }, (_, at) => `RACE_${at}`);

/** The same numbers each time. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

/** The errors of a hook that is restarted, or whose process is killed from outside, while it judges. */
const RESTARTED = /restarted meanwhile|is starting|not running/;
const KILLED = /its sandbox died \(SIGKILL\)|is stopped|is (failed|stopped) \(CRASHED\)/;

test(`${CALLS} calls in races with reloads, restarts, revocations, kills, aborts and stray rejections: none passes wrongly, none hangs, no innocent hook is blamed`, {
  timeout: LONG ? 1_800_000 : 240_000,
}, async () => {
  const home = join(temporaryFolder(), "home");
  changeGrant(grantsPath(home), "alone", () => ({ capabilities: { env: VARIABLES } }));
  for (const name of VARIABLES) process.env[name] = name;
  const others = new Set(sandboxes());
  const session = await startSession(Object.fromEntries(NAMES.map((name) => [name, onToolCall(GATES[name])])), {
    home,
  });
  const { host } = session;
  const random = numbers(20);
  const wrong: string[] = [];
  let [made, kills, revoked, aborts] = [0, 0, 0, 0];
  const one = async (): Promise<void> => {
    while (made++ < CALLS) {
      // No gate blocks a fifth of the calls; each gate blocks some of the others.
      const by = ([...NAMES, "nobody"] as const)[Math.floor(random() * 5)] as Gate | "nobody";
      const abort = new AbortController();
      const aborted = random() < 0.1;
      if (aborted) {
        aborts++;
        setTimeout(() => abort.abort(), random() * 15);
      }
      const outcome = await host.emitToolCall(
        { type: "tool_call", toolName: "bash", toolCallId: String(made), input: { by, revoked } },
        { signal: abort.signal },
      );
      const blocked = outcome !== undefined && "block" in outcome;
      if (by !== "nobody" && !blocked) wrong.push(`a call that ${by} blocks passed`);
      if (!blocked || aborted || outcome.hook === by) continue;
      if (!RESTARTED.test(outcome.reason) && !(kills > 0 && KILLED.test(outcome.reason)))
        wrong.push(`a call by ${by} was blocked by ${outcome.hook}: ${outcome.reason}`);
    }
  };
  const anyName = (): Gate => NAMES[Math.floor(random() * NAMES.length)] as Gate;
  /** Takes one more variable from the grant. */
  const revoke = (): void => {
    const left = VARIABLES.slice(revoked + 1);
    if (left.length === 0) return;
    changeGrant(grantsPath(home), "alone", () => ({ capabilities: { env: left } }));
    // A host reads the file again after 5 ms.
    setTimeout(() => revoked++, 10);
  };
  const kill = (): void => {
    const mine = sandboxes().filter((pid) => !others.has(pid));
    const victim = mine[Math.floor(random() * mine.length)];
    if (victim === undefined) return;
    kills++;
    process.kill(victim, "SIGKILL");
  };
  let over = false;
  const disturb = async (): Promise<void> => {
    for (let at = 0; !over; at++) {
      await pause(random() * 30);
      // It was killed too often.
      for (const { id, state } of host.hooks) if (state === "stopped" || state === "failed") await host.reload(id);
      if (at % 16 === 15) await host.reload();
      else if (at % 8 === 7) kill();
      else if (at % 3 === 2) revoke();
      else await host.reload(anyName());
    }
  };
  const disturbing = disturb();
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  over = true;
  await disturbing;
  expect(wrong.slice(0, 10)).toEqual([]);
  expect([aborts, kills, revoked].every((count) => count > 0)).toBe(true);
  await host.reload();
  // One that was just killed is starting again by itself.
  await expect
    .poll(() => host.hooks.map(({ id, state }) => [id, state]))
    .toEqual(NAMES.map((name) => [name, "active"]));
  // It rejects on every call, and a host tells no more than so many errors a minute.
  const isStray = ({ code, hookPath }: (typeof session.errors)[number]): boolean =>
    hookPath.endsWith("stray.ts") && (code === "HOOK_THREW" || code === "RATE_LIMITED");
  const blamed = session.errors.filter((error) => !isStray(error));
  const innocent = blamed.filter(
    ({ error, code }) =>
      code !== "NOT_GRANTED" && !RESTARTED.test(error) && !(code === "CRASHED" && KILLED.test(error)),
  );
  expect(innocent.slice(0, 10)).toEqual([]);
  const crashes = session.audit.filter(({ event }) => event === "crash");
  // Three share a process.
  expect(crashes.length).toBeLessThanOrEqual(3 * kills);
});

test("a hook that is reloaded before its turn blocks only that call, and the next hook judges it", async () => {
  const session = await startSession({
    first: onToolCall("await new Promise((done) => setTimeout(done, 300));"),
    second: onToolCall(""),
    third: onToolCall(`if (event.input.command === "third") return { block: true, reason: "third" };`),
  });
  const call = session.call("third");
  await new Promise((done) => setTimeout(done, 100));
  await session.host.reload("second");
  expect(await call).toMatchObject({
    block: true,
    hook: "second",
    reason: expect.stringContaining("restarted meanwhile"),
  });
  expect(await session.call("third")).toEqual({ block: true, hook: "third", reason: "third" });
  expect(session.audit.filter(({ event }) => event === "crash")).toEqual([]);
});

test("a hook that is reloaded while it waits for an answer is restarted", async () => {
  const session = await startSession({
    asks: onToolCall(
      `const end = Date.now() + 200;
       while (event.input.command === "ask" && Date.now() < end) process.env.ANY;
       if (event.input.command === "no") return { block: true, reason: "no" };`,
    ),
  });
  const call = session.call("ask");
  await pause(100);
  await session.host.reload("asks");
  expect(await call).toMatchObject({ block: true, reason: expect.stringContaining("restarted meanwhile") });
  expect(session.host.hooks.map(({ state }) => state)).toEqual(["active"]);
  expect(await session.call("no")).toEqual({ block: true, hook: "asks", reason: "no" });
  expect(session.audit.filter(({ event }) => event === "crash")).toEqual([]);
});

test("a hook that is reloaded during an endless loop is not counted as a crash, and restarts with its neighbour", async () => {
  const session = await startSession({
    loops: onToolCall(`if (event.input.command === "loop") for (;;) {}`),
    other: onToolCall(`if (event.input.command !== "ls") return { block: true, reason: "other" };`),
  });
  const call = session.call("loop");
  await pause(100);
  await session.host.reload("loops");
  expect(await call).toMatchObject({ block: true, reason: expect.stringMatching(/restarted meanwhile/) });
  const all = () => session.host.hooks.map(({ state }) => state);
  await eventually(() => expect(all()).toEqual(["active", "active"]));
  expect(await session.call("rm")).toEqual({ block: true, hook: "other", reason: "other" });
  expect(await session.call("ls")).toBeUndefined();
  const charged = session.audit.filter(({ event, outcome }) => event === "crash" && outcome !== "restarted");
  expect(charged).toEqual([]);
});

test("an unhandled rejection fails the call of its handler, and no other", async () => {
  const session = await startSession({
    stray: onToolCall(`
      if (event.input.command === "now") void Promise.reject(new Error("now"));
      else if (event.input.command === "later") setTimeout(() => void Promise.reject(new Error("later")), 5);
      else await new Promise((done) => setTimeout(done, 50));`),
  });
  const waiting = [session.call("a"), session.call("b")];
  expect(await session.call("later")).toBeUndefined();
  expect(await session.call("now")).toMatchObject({ block: true, reason: expect.stringContaining("HOOK_THREW") });
  expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
  expect(session.errors.filter(({ event }) => event === "background")).toHaveLength(1);
});
