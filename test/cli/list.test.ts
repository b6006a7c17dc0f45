import { join } from "node:path";
import { expect, test } from "vitest";
import { Machine } from "../market/world.ts";
import { onToolCall, writeFiles } from "../support/session.ts";

test.each([
  ["a hook of one's own without a decision", undefined, "events ui"],
  ["what hears and blocks", { events: { see: ["tool_call"], block: true } }, "only blocking"],
  ["what hears tool calls and may not block them", { events: { see: ["tool_call"], block: false } }, "only hearing"],
  ["what hears other events", { events: { see: ["session"] } }, "only hearing"],
  [
    "what guards results",
    { events: { see: ["tool_call"], block: false, guardResult: ["read"] } },
    "only withholding results",
  ],
  ["what guards both", { events: { see: ["tool_call"], guardResult: ["*"] } }, "only blocking and withholding results"],
  ["what has a power", { events: { see: ["tool_call"], block: true }, env: ["NAME"] }, "env"],
  ["what has nothing", {}, "none"],
])("the last column says of %s", async (_name, capabilities, says) => {
  const machine = new Machine();
  const gate = join(machine.home, "hooks", "gate.ts");
  writeFiles(machine.home, {
    "hooks/gate.ts": onToolCall(""),
    ...(capabilities ? { "grants.json": JSON.stringify({ version: 1, hooks: { [gate]: { capabilities } } }) } : {}),
  });
  const { stdout } = await machine.run(["list"]);
  expect(stdout.split("\n")[1]).toMatch(new RegExp(`^gate .* 0 +${says}$`));
  const { hooks } = await machine.json<{ hooks: object[] }>(["list"]);
  expect(hooks).toEqual([expect.not.objectContaining({ least: expect.anything() })]);
});

test("of a hook that does not run, the list says why, and of others nothing", async () => {
  const machine = new Machine();
  writeFiles(machine.home, { "hooks/gate.ts": "export default function (pi {", "hooks/fine.ts": onToolCall("") });
  const { stdout } = await machine.run(["list"]);
  expect(stdout).toMatch(/^ +failed: .*gate\.ts:1:/m);
  const { hooks } = await machine.json<{ hooks: { name: string; reason?: string }[] }>(["list"]);
  expect(hooks.map(({ name, reason }) => [name, reason === undefined])).toEqual([
    ["fine", true],
    ["gate", false],
  ]);
});
