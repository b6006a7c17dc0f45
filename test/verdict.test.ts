import { expect, test } from "vitest";
import { onToolCall, startSession } from "./support/session.ts";

test("a hook that says nothing lets the call pass", async () => {
  const { call } = await startSession({ gate: onToolCall("return undefined;") });
  expect(await call("ls")).toBeUndefined();
});

test("a hook's block carries its reason and its id", async () => {
  const { call } = await startSession({
    gate: onToolCall('if (event.input.command.includes("rm")) return { block: true, reason: "no rm" };'),
  });
  expect(await call("rm -rf /")).toEqual({ block: true, reason: "no rm", hook: "gate" });
  expect(await call("ls")).toBeUndefined();
});
