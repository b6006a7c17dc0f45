import { expect, test } from "vitest";
import type { HookAPI } from "../../src/hook-api.ts";

/** Checked by `tsc`: each line that must not compile says so, and one that does is an error itself. */
export function compileTime(pi: HookAPI): void {
  pi.on("tool_call", () => undefined);
  pi.on("tool_call", () => {});
  pi.on("tool_call", () => ({}));
  pi.on("tool_call", () => ({ block: true, reason: "x" }));
  pi.on("tool_call", async () => ({ block: true }));
  pi.on("tool_call", async ({ input }) => (input.command === "x" ? { block: true, reason: "x" } : undefined));
  pi.on("tool_call", async ({ input }) => {
    if (input.command === "x") return { block: true, reason: "x" };
  });
  // @ts-expect-error a mistyped key
  pi.on("tool_call", () => ({ blocked: true, reason: "x" }));
  // @ts-expect-error a mistyped key, async
  pi.on("tool_call", async () => ({ blocked: true, reason: "x" }));
  // @ts-expect-error a reason without a block
  pi.on("tool_call", () => ({ reason: "x" }));
  // @ts-expect-error a reason without a block, async
  pi.on("tool_call", async () => ({ reason: "x" }));
}

test("the types of a tool call's result are checked when the tests are compiled", () => {
  expect(compileTime).toBeTypeOf("function");
});
