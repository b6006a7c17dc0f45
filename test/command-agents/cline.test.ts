import { describe, expect, test } from "vitest";
import { onToolCall } from "../support/session.ts";
import { World } from "./world.ts";

const world = new World(
  { longer: onToolCall('if (event.input.command === "ls") event.input.command = "ls -l";') },
  { longer: { capabilities: { events: { see: ["tool_call"], block: true, rewriteInput: ["bash"] } } } },
);

describe("Cline", () => {
  const ask = async (commands: string[]) => {
    const call = { hookName: "tool_call", taskId: "c", workspaceRoots: [world.work] };
    const text = JSON.stringify({ ...call, tool_call: { name: "run_commands", input: { commands } } });
    return JSON.parse((await world.run("cline", "tool_call", text)).stdout);
  };

  test("one command alone runs as hooks changed it", async () => {
    expect(await ask(["ls"])).toEqual({ overrideInput: { commands: ["ls -l"] } });
    expect(await ask(["pwd"])).toEqual({});
  });

  test("of several commands none can be changed", async () => {
    for (const commands of [
      ["ls", "pwd"],
      ["pwd", "ls"],
    ])
      expect(await ask(commands)).toMatchObject({
        cancel: true,
        errorMessage: expect.stringContaining("several things at once"),
      });
  });
});
