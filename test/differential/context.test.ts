import { describe, expect, test } from "vitest";
import { expectSame } from "./compare.ts";
import { agentStart } from "./events.ts";
import { CONTEXT } from "./probes/context.ts";
import { MODULES } from "./probes/modules.ts";

describe("ctx and pi do the same in Cordon as in pi", () => {
  test.each(CONTEXT)("$name", async (probe) => {
    const { steps, loading } = await expectSame(probe);
    expect(loading).toEqual([]);
    expect(steps.flatMap(({ errors }) => errors)).toEqual([]);
    expect(steps.some(({ shown, sent }) => shown.length + sent.length > 0)).toBe(true);
  });
});

test.each(Object.entries(MODULES))("a module with %s works as in pi", async (_name, source) => {
  const { steps, loading } = await expectSame({
    name: "module",
    hooks: { module: source },
    script: [{ emit: agentStart }],
  });
  expect(loading).toEqual([]);
  expect(steps[0]?.shown).toHaveLength(1);
});
