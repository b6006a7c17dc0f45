import { expect, test } from "vitest";
import { LONG } from "../support/length.ts";
import { onToolCall, startSession } from "../support/session.ts";

const CALLS = LONG ? 20_000 : 600;
const AT_ONCE = 50;

/** Gates that share a process, each with a verdict that tells from what it saw. */
const GATES = {
  /** Answers at once. */
  quick: `if (event.input.by === "quick") return { block: true, reason: "quick" };`,
  /** Answers late, and leaves rejections behind that nobody handles. */
  stray: `
    const { by } = event.input;
    setTimeout(() => void Promise.reject(new Error("stray")), Math.random() * 20);
    await new Promise((done) => setTimeout(done, Math.random() * 20));
    if (by === "stray") return { block: true, reason: "stray" };`,
  /** Answers after a while, behind the others. */
  late: `
    await new Promise((done) => setTimeout(done, Math.random() * 10));
    if (event.input.by === "late") return { block: true, reason: "late" };`,
};
type Gate = keyof typeof GATES;
const NAMES = Object.keys(GATES) as Gate[];

/** The same numbers each time. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

test(`${CALLS} calls in races with reloads, aborts and stray rejections: none passes wrongly, none hangs, nobody innocent is blamed`, {
  timeout: LONG ? 1_800_000 : 240_000,
}, async () => {
  const session = await startSession(Object.fromEntries(NAMES.map((name) => [name, onToolCall(GATES[name])])));
  const random = numbers(20);
  const wrong: string[] = [];
  let made = 0;
  const one = async (): Promise<void> => {
    while (made++ < CALLS) {
      // A third of the calls is wanted by nobody; each gate blocks some of the others.
      const by = ([...NAMES, "nobody"] as const)[Math.floor(random() * 4)] as Gate | "nobody";
      const abort = new AbortController();
      const aborted = random() < 0.1;
      if (aborted) setTimeout(() => abort.abort(), random() * 15);
      const outcome = await session.host.emitToolCall(
        { type: "tool_call", toolName: "bash", toolCallId: String(made), input: { by } },
        { signal: abort.signal },
      );
      const blocked = outcome !== undefined && "block" in outcome;
      if (by !== "nobody" && !blocked) wrong.push(`a call that ${by} blocks passed`);
      if (
        blocked &&
        outcome.hook !== by &&
        !aborted &&
        !/restarted meanwhile|is starting|not running/.test(outcome.reason)
      )
        wrong.push(`a call by ${by} was blocked by ${outcome.hook}: ${outcome.reason}`);
    }
  };
  let over = false;
  const reloads = (async () => {
    while (!over) {
      await new Promise((done) => setTimeout(done, random() * 30));
      await session.host.reload(NAMES[Math.floor(random() * NAMES.length)]);
    }
  })();
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  over = true;
  await reloads;
  expect(wrong.slice(0, 10)).toEqual([]);
  expect(session.host.hooks.map(({ id, state }) => [id, state])).toEqual(NAMES.map((name) => [name, "active"]));
  const blamed = session.errors.filter(({ code, hookPath }) => code !== "HOOK_THREW" || !hookPath.endsWith("stray.ts"));
  const innocent = blamed.filter(({ error }) => !/restarted meanwhile|is starting|not running/.test(error));
  expect(innocent.slice(0, 10)).toEqual([]);
  expect(session.audit.filter(({ event }) => event === "crash")).toEqual([]);
});

test("a hook that is reloaded before its turn came blocks that call alone, and the one behind it is asked", async () => {
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

test("a rejection that nobody handles fails the call whose handler left it, and no other", async () => {
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
