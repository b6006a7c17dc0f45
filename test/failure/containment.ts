import { expect, test } from "vitest";
import type { HookError } from "../../src/session/reporter.ts";
import { on, scriptedUi, startSession, type TestSession } from "../support/session.ts";
import { type Attack, type Stage, sourceOf } from "./attack.ts";
import { clearing } from "./clearing.ts";
import { GroupWatch } from "./processes.ts";

const ALL: readonly Stage[] = ["turn_start", "tool_call", "tool_result"];

/** A hook in a process of its own that refuses to clear the session. */
const good = {
  source: on("session", "return { cancel: true };"),
  grant: { capabilities: { events: { see: ["session"], block: true, cancel: true }, send: {} } },
};

async function goodAnswers({ host }: TestSession): Promise<void> {
  expect(await host.emit(clearing()), "a hook in another process answers").toEqual({ cancel: true });
}

/** The reason of a block names the hook, the code and a command that helps. */
export function namesAll(hook: string, codes: readonly string[]): RegExp {
  return new RegExp(`hook ${hook} .*\\((${codes.join("|")})\\).*cordon (restart|remove) ${hook}`, "s");
}

async function block(session: TestSession, attack: Attack): Promise<void> {
  const verdict = session.call();
  await goodAnswers(session);
  expect(await verdict).toEqual({
    block: true,
    hook: "bad",
    reason: expect.stringMatching(attack.reason ?? namesAll("bad", attack.codes)),
  });
}

/** Finds the report of a failure in an event, or of the process's end that it caused. */
const reportsOf = (errors: readonly HookError[], stage: Stage): HookError[] =>
  errors.filter(({ event, hookPath }) => hookPath.endsWith("bad.ts") && (event === stage || event === "crash"));

async function report(session: TestSession, attack: Attack): Promise<void> {
  const done = session.host.emit({ type: "turn_start", turnIndex: 1, timestamp: 1 });
  await goodAnswers(session);
  expect(await done).toBeUndefined();
  const reports = reportsOf(session.errors, "turn_start");
  expect(reports.map(({ event }) => event)).toContain("turn_start");
  for (const { code } of reports) expect(attack.codes).toContain(code);
}

async function withhold(session: TestSession, attack: Attack): Promise<void> {
  const result = await session.host.emit({
    type: "tool_result",
    toolName: "read",
    toolCallId: "call-1",
    input: { path: "notes" },
    content: [{ type: "text", text: "the content" }],
    details: { of: "the tool" },
    isError: false,
  });
  expect(result).toMatchObject({ details: {}, isError: true });
  expect(JSON.stringify(result)).not.toContain("the content");
  expect(JSON.stringify(result)).toMatch(/withheld.*hook bad/s);
  for (const { code } of reportsOf(session.errors, "tool_result")) expect(attack.codes).toContain(code);
}

/**
 * Tries each attack in every kind of event: an observer's agent gets a report, a call is blocked, a result is withheld,
 * a hook elsewhere keeps running, and no process is left.
 */
export function testContainment(attacks: readonly Attack[]): void {
  for (const attack of attacks) {
    const stages = ALL.filter((stage) => !attack.stages || attack.stages.includes(stage));
    const did = { turn_start: "is reported", tool_call: "blocks the call", tool_result: "withholds the result" };
    test(`${attack.name} ${stages.map((stage) => did[stage]).join(", ")}`, async () => {
      const groups = new GroupWatch();
      const session = await startSession(
        {
          good,
          bad: {
            source: sourceOf(attack),
            grant: {
              capabilities: {
                events: { see: ["*"], block: true, guardResult: ["*"], rewriteResult: ["*"] },
                ui: ["notify", "confirm"],
              },
              limits: { cpuMs: 200 },
            },
          },
        },
        { hookTimeout: 500, ui: scriptedUi(), hasUI: false },
      );
      expect(session.host.hooks.map(({ state }) => state)).toEqual(["active", "active"]);
      if (stages.includes("turn_start")) await report(session, attack);
      if (stages.includes("tool_call")) await block(session, attack);
      if (stages.includes("tool_result")) await withhold(session, attack);
      await goodAnswers(session);
      await session.host.close();
      expect(await groups.left(), "processes left").toEqual([]);
    });
  }
}
