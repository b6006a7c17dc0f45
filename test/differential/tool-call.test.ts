import { describe, expect, test } from "vitest";
import { expectSame } from "./compare.ts";
import { TOOL_CALL } from "./probes/tool-call.ts";

describe("tool_call does the same in Cordon as in pi", () => {
  test.each(TOOL_CALL)("$name", async ({ blocks, ...probe }) => {
    const { steps, loading } = await expectSame(probe);
    expect(loading).toEqual([]);
    expect(steps.some(({ outcome }) => typeof outcome === "object" && outcome !== null && "blocked" in outcome)).toBe(
      blocks,
    );
  });
});
