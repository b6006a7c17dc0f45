import { expect, test } from "vitest";
import { errorText } from "../../src/session/hook-error.ts";
import { onToolCall, startSession } from "../support/session.ts";

test("a hook that catches a refusal has not failed, as a person reads it", async () => {
  const { errors, call } = await startSession({
    careful: onToolCall('try { require("node:fs").readFileSync("/etc/hosts"); } catch { return undefined; }'),
    broken: onToolCall('throw new Error("oh");'),
  });
  await call("ls");
  const texts = errors.map((error) => [error.code, errorText(error)]);
  expect(texts).toEqual([
    ["NOT_GRANTED", expect.stringMatching(/^hook .*careful.* was refused in tool_call: .*was not granted fs: /)],
    ["HOOK_THREW", expect.stringMatching(/^hook .*broken.* failed in tool_call: oh/)],
  ]);
  const limited = { hookPath: "a.ts", event: "tool_call", error: "too often", code: "RATE_LIMITED" } as const;
  expect(errorText(limited)).toBe("hook a.ts was refused in tool_call: too often");
});
