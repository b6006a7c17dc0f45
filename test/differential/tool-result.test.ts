import { describe, expect, test } from "vitest";
import { expectSame } from "./compare.ts";
import { hook, toolResult } from "./events.ts";
import { TOOL_RESULT } from "./probes/tool-result.ts";
import { scenarioOf } from "./scenario.ts";

describe("tool_result does the same in Cordon as in pi", () => {
  test.each(TOOL_RESULT)("%s", async (...probe) => {
    const { loading } = await expectSame(scenarioOf(probe));
    expect(loading).toEqual([]);
  });

  test("the test notices a changed result", async () => {
    const { steps } = await expectSame({
      hooks: { one: hook([["tool_result", 'return { content: [{ type: "text", text: "new" }], details: 1 };']]) },
      script: [{ emit: toolResult("bash", "old") }],
    });
    expect(steps[0]?.outcome).toEqual({ content: [{ type: "text", text: "new" }], details: 1 });
  });
});
