import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { lacksNamespace } from "../agents/pi/install.ts";
import { piWith } from "../agents/pi/scenes.ts";
import { needs } from "../support/needs.ts";
import { on, onToolCall } from "../support/session.ts";

/** The pi among the packages of this repository. The other versions, and more of this one: `npm run test:agents`. */
const version = "0.87.1";
const bash = (command: string) => ({ calls: [{ name: "bash", args: { command } }] });
const EVENTS = { see: ["tool_call", "tool_result"], block: true };
const granted = (source: string, more: object = {}) => ({ source, capabilities: { events: { ...EVENTS, ...more } } });

const HOOKS = {
  gate: onToolCall('if (event.input.command?.includes("rm -rf")) return { block: true, reason: "not with rm -rf" };'),
  asks: {
    source: onToolCall(
      'if (event.input.command?.startsWith("make") && !(await ctx.ui.confirm("Build?", event.input.command)))' +
        ' return { block: true, reason: "you said no" };',
    ),
    capabilities: { events: EVENTS, ui: ["confirm"] },
  },
  longer: granted(
    onToolCall('if (event.input.command === "echo asked > out") event.input.command = "echo rewritten > out";'),
    { rewriteInput: ["bash"] },
  ),
  redacts: granted(
    on(
      "tool_result",
      'if (event.content[0].text.includes("hunter2")) return { content: [{ type: "text", text: "the password is ***" }] };',
    ),
    { rewriteResult: ["bash"] },
  ),
  hangs: onToolCall('if (event.input.command === "hang") for (;;) {}'),
};

describe("pi itself", needs(lacksNamespace()), () => {
  test("passes, blocks, changes, redacts and asks as contained hooks say, and goes on after one that hangs", async () => {
    const answers = [false, true];
    const scene = await piWith(HOOKS, {
      version,
      mode: "rpc",
      // The one dialog besides is Cordon's own, about the hook that hangs.
      answer: ({ method }) => {
        if (method === "confirm") return { confirmed: answers.shift() };
        return method === "select" ? { value: "Keep blocking" } : undefined;
      },
      turns: [
        bash("echo one > one"),
        bash("rm -rf one"),
        bash("echo asked > out"),
        bash("echo hunter$((1+1))"),
        bash("make -v > no"),
        bash("make -v > yes || echo > yes"),
        bash("hang"),
        bash("echo on > on"),
      ],
    });
    await scene.prompt("go");
    expect(scene.results).toEqual([
      "(no output)",
      "Blocked by hook gate: not with rm -rf",
      "(no output)",
      "[Changed by hook redacts]\nthe password is ***",
      "Blocked by hook asks: you said no",
      expect.stringMatching(/no output/),
      expect.stringMatching(/^Blocked by hook hangs: .*(CPU|TIMEOUT)/),
      "(no output)",
    ]);
    const there = (name: string): boolean => existsSync(join(scene.work, name));
    expect(["one", "no", "yes", "on"].map(there)).toEqual([true, false, true, true]);
    expect(readFileSync(join(scene.work, "out"), "utf8")).toBe("rewritten\n");
    expect(JSON.stringify([scene.requests, scene.entries])).not.toContain("hunter2");
    expect(await scene.end()).toBe(0);
  });
});
