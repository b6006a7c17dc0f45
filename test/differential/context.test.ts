import { describe, expect, test } from "vitest";
import { expectSame } from "./compare.ts";
import { agentStart, emits } from "./events.ts";
import { CONTEXT } from "./probes/context.ts";
import { MODULES } from "./probes/modules.ts";
import { scenarioOf } from "./scenario.ts";

describe("ctx and pi do the same in Cordon as in pi", () => {
  test.each(CONTEXT)("%s", async (...probe) => {
    const { steps, loading } = await expectSame(scenarioOf(probe));
    expect(loading).toEqual([]);
    expect(steps.flatMap(({ errors }) => errors)).toEqual([]);
    expect(steps.some(({ shown, sent }) => shown.length + sent.length > 0)).toBe(true);
  });
});

test.each(Object.entries(MODULES))("a module with %s works as in pi", async (_name, source) => {
  const { steps, loading } = await expectSame({ hooks: { module: source }, script: emits(agentStart) });
  expect(loading).toEqual([]);
  expect(steps[0]?.shown).toHaveLength(1);
});
