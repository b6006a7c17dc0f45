/**
 * A guard that sets itself up as a session begins judges nothing before it has heard of that session, and none goes on with the
 * one before beside it.
 */
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { HookEvent } from "../../src/hook-api.ts";
import { type Sources, startSession } from "../support/session.ts";
import { ASKS, begins, GRANT } from "./guarded-things.ts";

/** It has its rules once it was told. */
const TOLD = `export default (pi: any) => {
  let rules = false;
  pi.on("session", () => { rules = true; });
  pi.on("tool_call", () => rules && { block: true, reason: "one" });
  pi.on("tool_result", () => rules && { content: [{ type: "text", text: "key=***" }] });
  pi.on("permission_request", () => rules && { deny: "one" });
  pi.on("user_bash", () => rules && { result: { output: "one", exitCode: 1, cancelled: false, truncated: false } });
};`;
/** It exists once it was told. */
const REGISTERED = `export default (pi: any) => {
  pi.on("session", () => { pi.on("tool_call", () => ({ block: true, reason: "one" })); });
};`;
const hook = (source: string): Sources[string] => ({ source, grant: GRANT });

const HUGE = { mode: "x".repeat(9_000_000) };

/** How an agent keeps the start of a session from its hooks, once. */
const FAILURES: Record<string, () => object> = {
  "whose state throws": () => {
    throw new Error("the context is stale");
  },
  "whose state is too large": () => HUGE,
};

/** An agent that does so with the next events. */
function agent(fails: () => object) {
  const state = { left: 0 };
  return { state, options: { agent: { state: () => (state.left-- > 0 ? fails() : {}) } } };
}

describe.each(Object.entries(FAILURES))("with an agent %s once,", (_how, fails) => {
  test.each(Object.keys(ASKS) as (keyof typeof ASKS)[])("%s passes no guard that was restarted", async (thing) => {
    const { state, options } = agent(fails);
    const session = await startSession({ guard: hook(TOLD) }, options);
    await session.host.emit(begins("start"));
    await session.host.reload("guard");
    state.left = 1;
    const during = await ASKS[thing](session).catch((error: Error) => ({ thrown: error.message }));
    expect(JSON.stringify(during)).toMatch(/one|\*\*\*|Result withheld|could not be told|too large|stale/);
    expect(JSON.stringify(await ASKS[thing](session))).toMatch(/one|\*\*\*/);
  });

  test("a guard that registers itself exists at the first call", async () => {
    const { state, options } = agent(fails);
    const session = await startSession({ guard: hook(REGISTERED) }, options);
    state.left = 1;
    await session.host.emit(begins("start")).catch(() => {});
    expect(await session.call("rm")).toMatchObject({ block: true, reason: "one" });
  });

  test("one that cannot be told for long blocks, and judges as soon as it was told", async () => {
    const { state, options } = agent(fails);
    const session = await startSession({ guard: hook(TOLD) }, options);
    await session.host.emit(begins("start"));
    await session.host.reload("guard");
    state.left = Number.POSITIVE_INFINITY;
    for (let calls = 0; calls < 2; calls++)
      expect(await session.call("rm")).toMatchObject({
        block: true,
        reason: expect.stringMatching(/could not be told|too large|stale/),
      });
    state.left = 0;
    expect(await session.call("rm")).toMatchObject({ reason: "one" });
  });
});

/** Its rules are those of the session. Those of "old" take it a while. */
const SLOW = `export default (pi: any) => {
  let rules: string[] = [];
  pi.on("session", async ({ reason, sessionFile }: any) => {
    if (reason === "shutdown") return;
    if (sessionFile === "old") await new Promise((done) => setTimeout(done, 600));
    rules = sessionFile === "new" ? ["rm"] : [];
  });
  pi.on("tool_call", (event: any) => rules.includes(event.input.command) ? { block: true, reason: "new" } : undefined);
};`;
const of = (reason: "start" | "clear", sessionFile: string): HookEvent =>
  ({ ...begins(reason), sessionFile }) as HookEvent;

test.each([
  ["that was restarted in it", undefined, true],
  ["that takes too long for it", 200, false],
])("a guard %s has the rules of the next session for good", async (_which, hookTimeout, isRestarted) => {
  const session = await startSession({ guard: hook(SLOW) }, hookTimeout === undefined ? {} : { hookTimeout });
  await session.host.emit(of("start", "old"));
  if (isRestarted) await session.host.reload("guard");
  const first = session.call("ls");
  await pause(50);
  await session.host.emit(of("clear", "new"));
  expect(await session.call("rm")).toMatchObject({ block: true, reason: "new" });
  await first;
  await pause(800);
  expect(await session.call("rm")).toMatchObject({ block: true, reason: "new" });
});
