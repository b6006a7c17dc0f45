import fc from "fast-check";
import { expect, test } from "vitest";
import { LONG } from "../support/length.ts";
import { HOOKS, IDS, type Setup, sharedFolder, startAll, startPlanned } from "./fold-hosts.ts";
import { type Call, fold, type ModelHook, type Plan, type Step } from "./fold-model.ts";

const folder = sharedFolder();

const TOKENS = ["<1>", "<2>", "<3>"];
const TOOLS = ["bash", "read", "write"];
const TIMEOUT = { timeout: 240_000 };

/** Mostly nothing: otherwise hardly a call would pass six hooks. */
const seldom = (...values: string[]) => fc.oneof({ weight: 6, arbitrary: fc.constant("") }, fc.constantFrom(...values));
const choose = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  fc.dictionary(fc.constantFrom(...TOOLS, "exec"), fc.constantFrom(...TOOLS, "other"), { noNullPrototype: true }),
);
const step: fc.Arbitrary<Step> = fc.record({
  block: seldom(...TOKENS, "rm", "ls"),
  boom: seldom(...TOKENS, "rm"),
  set: seldom("rm", "rm<1>", "ls", "<2><3>"),
  add: seldom(...TOKENS),
  choose,
  late: fc.boolean(),
});
const planOf = (steps: fc.Arbitrary<Step>): fc.Arbitrary<Plan> =>
  fc.record(Object.fromEntries(IDS.map((id) => [id, steps])), { noNullPrototype: true });
const callOf = (steps: fc.Arbitrary<Step>, tools = TOOLS): fc.Arbitrary<Call> =>
  fc.record({
    toolName: fc.constantFrom(...tools),
    command: fc.constantFrom("ls", "ls<1>", "rm"),
    plan: planOf(steps),
  });
const callsOf = (steps: fc.Arbitrary<Step>, tools?: string[]) =>
  fc.array(callOf(steps, tools), { minLength: 8, maxLength: 16 });

// Priorities of pi's hooks come from their grants: in a tie with one of them only load order may count, as it does at 0.
const hookOf = (id: string) =>
  fc.record({
    id: fc.constant(id),
    dialect: fc.constant(HOOKS[id] ?? "pi"),
    place: HOOKS[id] === "pi" ? fc.constantFrom(-2, 0, 2) : fc.constantFrom(-1, 0, 1),
    grants: fc.constantFrom([], ["bash"], ["bash", "read"], ["*"]),
    failsOpen: fc.constantFrom(false, false, false, true),
    ownProcess: fc.constantFrom(false, false, false, true),
  });
const setup: fc.Arbitrary<Setup> = fc.record({
  hooks: fc
    .tuple(...IDS.map(hookOf))
    .chain((hooks) => fc.shuffledSubarray(hooks, { minLength: hooks.length, maxLength: hooks.length })),
  bystanders: fc.boolean(),
});

/** A setup that is the same each time, with the grants and load order that a test wants. */
const fixed = (grants: (id: string, at: number) => readonly string[], order: readonly string[] = IDS): Setup => ({
  hooks: order.map((id, at) => ({
    id,
    dialect: HOOKS[id] ?? "pi",
    place: (((IDS.length - at) % 3) - 1) * (HOOKS[id] === "pi" ? 2 : 1),
    grants: grants(id, IDS.indexOf(id)),
    failsOpen: false,
    ownProcess: at === 1,
  })),
  bystanders: false,
});
/** What holds of a call that passes, by what the hooks themselves say: each that guards judged what runs, or left it so. */
function expectJudged(
  hooks: readonly ModelHook[],
  call: Call,
  verdict: unknown,
  seen: Record<string, unknown[]>,
): void {
  const { input, toolName = call.toolName } = (verdict ?? {}) as { input?: { command: string }; toolName?: string };
  const command = input?.command ?? call.command;
  for (const { id, grants } of hooks) {
    const [tool, saw, left] = seen[id] ?? [];
    const asCalled = tool === toolName || (tool === "exec" && toolName === "bash");
    const rewrote = left === command && (grants.includes("*") || grants.includes(toolName));
    expect([id, asCalled, saw === command || rewrote]).toEqual([id, true, true]);
  }
}

test(
  "for all hooks, orders and priorities, the outcome and the inputs of each hook match the model",
  TIMEOUT,
  async () => {
    const property = fc.asyncProperty(setup, callsOf(step), async (given, calls) => {
      const host = await startPlanned(folder, given);
      try {
        const { verdicts, seen } = await host.judge(calls);
        for (const [at, call] of calls.entries()) {
          const expected = fold(host.hooks, call);
          expect(verdicts[at]).toEqual(expected.verdict);
          expect(seen[at]).toEqual(expected.seen);
          if (!verdicts[at] || "input" in verdicts[at]) expectJudged(host.hooks, call, verdicts[at], seen[at] ?? {});
        }
      } finally {
        await host.close();
      }
    });
    await fc.assert(property, { numRuns: LONG ? 6 : 3, endOnFailure: true });
  },
);

test("random combinations of hooks' acts match the model", TIMEOUT, async () => {
  const grants = [["*"], ["bash", "read"], ["read"], ["*"], [], ["bash", "write"]];
  const host = await startPlanned(
    folder,
    fixed((_id, at) => grants[at] ?? []),
  );
  let [passed, blocked, rewritten, chosen] = [0, 0, 0, 0];
  const property = fc.asyncProperty(callsOf(step), async (calls) => {
    const { verdicts, seen } = await host.judge(calls);
    for (const [at, call] of calls.entries()) {
      const verdict = verdicts[at];
      const expected = fold(host.hooks, call);
      expect(verdict).toEqual(expected.verdict);
      expect(seen[at]).toEqual(expected.seen);
      if (verdict && "block" in verdict) blocked++;
      else expectJudged(host.hooks, call, verdict, seen[at] ?? {});
      if (!verdict) passed++;
      else if ("toolName" in verdict) chosen++;
      else if ("input" in verdict) rewritten++;
    }
  });
  await fc.assert(property, { numRuns: LONG ? 40 : 15, endOnFailure: true });
  // Enough cases of each kind.
  for (const count of [passed, blocked, rewritten, chosen]) expect(count).toBeGreaterThan(4);
});

test(
  "no combination turns a block into a pass: without rewrites, a call passes only if no hook blocks it",
  TIMEOUT,
  async () => {
    const orders = [IDS, [...IDS].reverse()];
    const hosts = await Promise.all(
      orders.map((order) =>
        startPlanned(
          folder,
          fixed(() => [], order),
        ),
      ),
    );
    const property = fc.asyncProperty(callsOf(step), async (calls) => {
      for (const host of hosts) {
        const { verdicts } = await host.judge(calls);
        const refuses = ({ command, plan }: Call) =>
          Object.values(plan).some(({ block, boom }) =>
            [block, boom].some((part) => part !== "" && command.includes(part)),
          );
        const expected = calls.map((call) => (refuses(call) ? { block: true } : {}));
        expect(verdicts.map((verdict) => verdict ?? {})).toMatchObject(expected);
        expect(verdicts.filter((verdict) => verdict && "input" in verdict)).toEqual([]);
      }
    });
    await fc.assert(property, { numRuns: LONG ? 25 : 10, endOnFailure: true });
  },
);

test(
  "a hook that sees nothing of a call changes nothing: by its grant, its matcher or its events",
  TIMEOUT,
  async () => {
    const given = fixed((_id, at) => (at % 2 === 0 ? ["*"] : []));
    const alone = await startPlanned(folder, given);
    const beside = await startPlanned(folder, { ...given, bystanders: true });
    const property = fc.asyncProperty(callsOf(step), async (calls) => {
      expect(await beside.judge(calls)).toEqual(await alone.judge(calls));
    });
    await fc.assert(property, { numRuns: LONG ? 25 : 10, endOnFailure: true });
  },
);

/** Hooks whose changes have the same result in any order. A hook that blocks its own addition would contradict itself. */
const adding = step
  .map((one): Step => ({ ...one, set: "", choose: {} }))
  .filter(({ add, block, boom }) => add === "" || (add !== block && add !== boom));

test("the order of load does not change whether a call is blocked, nor what runs", TIMEOUT, async () => {
  const middle = [...IDS.slice(3), ...IDS.slice(0, 3)];
  const orders = [IDS, [...IDS].reverse(), middle];
  const grants = (id: string) => (id === "pi2" || id === "strands2" ? [] : ["*"]);
  const hosts = await startAll(
    folder,
    orders.map((order) => fixed(grants, order)),
  );
  const property = fc.asyncProperty(callsOf(adding), async (calls) => {
    const outcomes = await Promise.all(
      hosts.map(async (host) => {
        const { verdicts } = await host.judge(calls);
        return verdicts.map((verdict) => {
          if (!verdict || "block" in verdict) return verdict && "block" in verdict;
          return (verdict.input.command as string).split("<").sort();
        });
      }),
    );
    for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0]);
  });
  await fc.assert(property, { numRuns: LONG ? 25 : 10, endOnFailure: true });
});
