import { beforeAll, describe, expect, test } from "vitest";
import type { HookError } from "../../src/session/hook-error.ts";
import { LONG } from "../support/length.ts";
import { on, scriptedUi, sharedSession, startSession, type TestSession } from "../support/session.ts";
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
  return new RegExp(`hook ${hook} .*\\((${codes.join("|")})\\).*cordon (restart|remove|disable) \\S*${hook}`, "s");
}

/** The number of an attack among those of its hook, which an event names. */
type At = number;

async function block(session: TestSession, attack: Attack, at: At): Promise<void> {
  const verdict = session.call({ command: "ls", attack: at });
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

async function report(session: TestSession, attack: Attack, at: At): Promise<void> {
  const before = session.errors.length;
  const done = session.host.emit({ type: "turn_start", turnIndex: at, timestamp: 1 });
  await goodAnswers(session);
  expect(await done).toBeUndefined();
  const reports = reportsOf(session.errors.slice(before), "turn_start");
  expect(reports.map(({ event }) => event)).toContain("turn_start");
  for (const { code } of reports) expect(attack.codes).toContain(code);
}

async function withhold(session: TestSession, attack: Attack, at: At): Promise<void> {
  const before = session.errors.length;
  const result = await session.host.emit({
    type: "tool_result",
    toolName: "read",
    toolCallId: "call-1",
    input: { path: "notes", attack: at },
    content: [{ type: "text", text: "the content" }],
    details: { of: "the tool" },
    isError: false,
  });
  expect(result).toMatchObject({ details: {}, isError: true });
  expect(JSON.stringify(result)).not.toContain("the content");
  expect(JSON.stringify(result)).toMatch(/withheld.*hook bad/s);
  for (const { code } of reportsOf(session.errors.slice(before), "tool_result")) expect(attack.codes).toContain(code);
}

/** What a loop uses up in each kind of event. A bomb has longer: it must reach a limit of memory. */
const cpuMsFor = (attacks: readonly Attack[]): number =>
  attacks.every(({ codes }) => codes.every((code) => code === "CPU_EXCEEDED")) ? 100 : 200;

const sourcesOf = (attacks: readonly Attack[]) => ({
  good,
  bad: {
    source: sourceOf(attacks),
    grant: {
      capabilities: {
        events: { see: ["*"], block: true, guardResult: ["*"], rewriteResult: ["*"] },
        ui: ["notify" as const, "confirm" as const],
      },
      limits: { cpuMs: cpuMsFor(attacks) },
    },
  },
});

/** A hook that waits reaches its deadline. The one of a hook that computes is far: it shares the machine with other suites. */
const optionsFor = (attacks: readonly Attack[]) => ({
  hookTimeout: attacks.some(({ codes }) => codes.includes("TIMEOUT")) ? 500 : 5000,
  ui: scriptedUi(),
  hasUI: false,
});

/** In a short run a call, and one of the other two. */
function stagesOf({ stages, name }: Attack): readonly Stage[] {
  const all = ALL.filter((stage) => !stages || stages.includes(stage));
  const left = name.length % 2 === 0 ? "turn_start" : "tool_result";
  return LONG || all.length < ALL.length ? all : all.filter((stage) => stage !== left);
}

function nameOf(attack: Attack): string {
  const did = { turn_start: "is reported", tool_call: "blocks the call", tool_result: "withholds the result" };
  const done = stagesOf(attack).map((stage) => did[stage]);
  return `${attack.name} ${done.join(", ")}`;
}

async function attempt(session: TestSession, attack: Attack, at: At): Promise<void> {
  expect(session.host.hooks.map(({ state }) => state)).toEqual(["active", "active"]);
  const stages = stagesOf(attack);
  if (stages.includes("turn_start")) await report(session, attack, at);
  if (stages.includes("tool_call")) await block(session, attack, at);
  if (stages.includes("tool_result")) await withhold(session, attack, at);
  await goodAnswers(session);
}

/** An attack that ends no process: a hook that threw, or whose result is refused, goes on. */
const isMild = ({ codes }: Attack): boolean => codes.every((code) => code === "HOOK_THREW" || code === "BAD_RESULT");

/**
 * Tries each attack in every kind of event: an observer's agent gets a report, a call is blocked, a result is withheld,
 * a hook elsewhere keeps running, and no process is left. Attacks that end no process are those of one hook.
 */
export function testContainment(attacks: readonly Attack[]): void {
  for (const attack of attacks.filter((one) => !isMild(one)))
    test(nameOf(attack), async () => {
      const groups = new GroupWatch();
      const session = await startSession(sourcesOf([attack]), optionsFor([attack]));
      await attempt(session, attack, 0);
      await session.host.close();
      expect(await groups.left(), "processes left").toEqual([]);
    });

  const mild = attacks.filter(isMild);
  describe.runIf(mild.length > 0)("in a process that goes on", () => {
    let groups: GroupWatch;
    beforeAll(() => {
      groups = new GroupWatch();
    });
    const session = sharedSession(sourcesOf(mild), optionsFor(mild));
    test.each(mild.map((attack, at) => ({ name: nameOf(attack), attack, at })))("$name", async ({ attack, at }) => {
      await attempt(session, attack, at);
      expect(session.errors.filter(({ event }) => event === "crash")).toEqual([]);
    });

    test("and no process is left", async () => {
      await session.host.close();
      expect(await groups.left(), "processes left").toEqual([]);
    });
  });
}
