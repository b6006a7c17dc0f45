import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { LONG } from "../support/length.ts";
import { EXEC, type Powers, READ, type Step, USES, type Use, World } from "./decision-world.ts";

const powers: fc.Arbitrary<Powers> = fc.tuple(fc.subarray(EXEC), fc.subarray(READ)).map(([exec, read]) => ({
  capabilities: {
    events: { see: ["*"], block: true },
    ...(exec.length > 0 ? { exec: exec.map(([entry]) => entry) } : {}),
    ...(read.length > 0 ? { fs: { read: read.map(([pattern]) => pattern) } } : {}),
  },
  covered: [...exec, ...read].flatMap(([, uses]) => uses),
}));

const host = fc.constantFrom(0, 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("allow" as const),
      host,
      use: fc.constantFrom(...USES),
      answer: fc.constantFrom("once", "session", "always"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("revoke" as const), power: fc.constantFrom("exec", "fs", undefined) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("edit" as const),
      powers: fc.oneof({ weight: 5, arbitrary: powers }, fc.constantFrom("gone" as const, "broken" as const)),
    }),
  },
  fc.record({ do: fc.constant("update" as const), asks: powers }),
  fc.record({ do: fc.constant("policy" as const), maximum: fc.option(powers, { nil: undefined }) }),
  fc.record({ do: fc.constantFrom("restart" as const, "reload" as const), host }),
);

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const grants = (exec: number[], read: number[]): Powers => {
  const [entries, patterns] = [exec.map((at) => EXEC[at]), read.map((at) => READ[at])] as [typeof EXEC, typeof READ];
  return {
    capabilities: {
      events: { see: ["*"], block: true },
      exec: entries.map(([entry]) => entry),
      fs: { read: patterns.map(([pattern]) => pattern) },
    },
    covered: [...entries, ...patterns].flatMap(([, uses]) => uses),
  };
};
const NOTHING = grants([], []);
const ALL = grants([2], [2]);
const LESS = grants([0], [1]);
const allow = (host: number, use: Use, answer: "session" | "always"): Step => ({ do: "allow", host, use, answer });

/** Sequences that every run tries, before random ones. */
const SEQUENCES: [Powers, Step[]][] = [
  [NOTHING, [allow(0, "exec a", "session"), allow(1, "exec a", "always"), { do: "revoke", power: "exec" }]],
  [NOTHING, [allow(0, "read a.txt", "session"), { do: "revoke", power: undefined }, { do: "reload", host: 0 }]],
  [
    ALL,
    [
      { do: "edit", powers: LESS },
      { do: "reload", host: 0 },
      { do: "edit", powers: ALL },
      { do: "reload", host: 1 },
    ],
  ],
  [
    ALL,
    [
      { do: "policy", maximum: LESS },
      { do: "restart", host: 0 },
      allow(0, "exec b", "always"),
      { do: "reload", host: 0 },
    ],
  ],
  [
    ALL,
    [
      { do: "update", asks: LESS },
      { do: "restart", host: 1 },
      { do: "edit", powers: "gone" },
      { do: "reload", host: 1 },
    ],
  ],
];

test(
  "after any steps, a hook can use only what the last decision allows",
  async () => {
    vi.spyOn(process.stdout, "write").mockReturnValue(true);
    await fc.assert(
      fc.asyncProperty(powers, fc.array(step, { minLength: 4, maxLength: 10 }), async (first, steps) => {
        const world = new World();
        await world.start(first);
        try {
          for (const at of [0, 1]) expect(await world.used(at, USES, false)).toEqual(world.decided(at));
          for (const one of steps) {
            await world.take(one);
            for (const at of [0, 1])
              expect(world.decided(at)).toEqual(expect.arrayContaining(await world.used(at, USES, false)));
          }
          // Remembered answers count, too. New questions are denied.
          for (const at of [0, 1])
            expect(world.decided(at)).toEqual(expect.arrayContaining(await world.used(at, USES, true)));
        } finally {
          await world.close();
        }
      }),
      { numRuns: LONG ? 100 : SEQUENCES.length + 2, endOnFailure: true, examples: SEQUENCES },
    );
  },
  LONG ? 600_000 : 120_000,
);
