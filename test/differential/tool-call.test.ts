import { describe, expect, test } from "vitest";
import { expectSame } from "./compare.ts";
import { BLOCKS, PASSES } from "./probes/tool-call.ts";
import { scenarioOf } from "./scenario.ts";

describe.each([
  { blocks: true, probes: BLOCKS },
  { blocks: false, probes: PASSES },
])("tool_call does the same in Cordon as in pi: blocks $blocks", ({ blocks, probes }) => {
  test.each(probes)("%s", async (...probe) => {
    const { steps, loading } = await expectSame(scenarioOf(probe));
    expect(loading).toEqual([]);
    const isBlocked = (outcome: unknown) => typeof outcome === "object" && outcome !== null && "blocked" in outcome;
    expect(steps.some(({ outcome }) => isBlocked(outcome))).toBe(blocks);
  });
});
