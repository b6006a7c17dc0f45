import fc from "fast-check";
import { expect, test } from "vitest";
import { DispatchRun } from "../../src/supervisor/dispatch-run.ts";
import type { HostedIsolate } from "../../src/supervisor/hosted-isolate.ts";
import type { Failure, Outcome } from "../../src/supervisor/outcome.ts";
import { Tasks } from "../../src/supervisor/tasks.ts";

const REMOVED: Failure = { code: "CRASHED", summary: "removed" };

/** A run through isolates with the numbers 1 to `count`, and its outcomes once it is over. */
function begin(count: number) {
  const isolates = Array.from({ length: count }, (_, at) => ({ number: at + 1 }) as HostedIsolate);
  const over: { outcomes?: Outcome[] } = {};
  const settle = (outcomes: Outcome[]): void => {
    over.outcomes = outcomes;
  };
  return { isolates, over, run: new DispatchRun({ tasks: new Tasks(), limitMs: 1, isolates, settle }) };
}

test("passes count for the isolates up to the one that they name, whichever hooks were removed, and for no other", () => {
  const step = fc.record({ isRemoved: fc.boolean(), at: fc.nat(7) });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), fc.array(step, { maxLength: 20 }), (count, steps) => {
      const { isolates, over, run } = begin(count);
      /** What is known of each isolate; those that have not answered are behind all that have. */
      const known: ("passed" | "removed" | undefined)[] = Array.from({ length: count }, () => undefined);
      const isGone = new Set<number>();
      const catchUp = (): void => {
        for (let at = 0; at < count; at++) {
          if (known[at] !== undefined) continue;
          if (!isGone.has(at)) return;
          known[at] = "removed";
        }
      };
      for (const { isRemoved, at: any } of steps) {
        const at = any % count;
        const isOver = known.every((one) => one !== undefined);
        if (isRemoved) {
          run.remove(isolates[at] as HostedIsolate, REMOVED);
          if (known[at] === undefined) isGone.add(at);
          catchUp();
        } else {
          expect(run.passUntil(at + 1)).toBe(!isOver && known[at] === undefined);
          if (known[at] === undefined)
            for (let one = 0; one <= at; one++) known[one] ??= isGone.has(one) ? "removed" : "passed";
          catchUp();
        }
      }
      const all = known.every((one) => one !== undefined);
      expect(over.outcomes?.map((outcome) => ("failure" in outcome ? "removed" : "passed"))).toEqual(
        all ? known : undefined,
      );
    }),
  );
});

test("passes of an isolate that is not in the run count for nothing", () => {
  const { over, run } = begin(2);
  for (const number of [0, 3, -1, Number.NaN]) expect(run.passUntil(number)).toBe(false);
  expect(over.outcomes).toBeUndefined();
});
