import { describe, expect, test } from "vitest";
import { sandboxesOf } from "../sandbox/proc.ts";
import { onToolCall, scriptedUi, startSession } from "../support/session.ts";
import { aiRigs } from "./ai-rig.ts";
import { langchainRig } from "./langchain-rig.ts";
import { mcpRig } from "./mcp-rig.ts";
import type { ModelCall, Rig } from "./rig.ts";
import { strandsRig } from "./strands-rig.ts";

const RIGS: Rig[] = [...aiRigs, langchainRig, strandsRig, mcpRig];
const CALL: ModelCall = { tool: "bash", input: { command: "ls" } };

// biome-ignore format: a table
const FAILURES: [what: string, body: string, read: RegExp][] = [
  ["a hook that never answers blocks", "await new Promise(() => {});", /^Blocked by hook bad: hook bad cannot judge/],
  ["a hook that loops blocks", "for (;;) {}", /^Blocked by hook bad: hook bad cannot judge this call/],
  ["a hook that eats memory blocks", "const all = []; for (;;) all.push(new Array(1e6).fill(all.length));", /^Blocked by hook bad: hook bad cannot judge this call/],
  ["a hook that throws blocks", 'throw new Error("broken");', /^Blocked by hook bad: .*broken/],
];

test.each(FAILURES)("%s the call, and the model reads that, in each agent", async (_what, body, read) => {
  const results = RIGS.map(async (rig): Promise<[string, unknown]> => {
    const { host } = await startSession({ bad: onToolCall(body) }, { hookTimeout: 500 });
    const ran: string[] = [];
    const results = await rig.run(host, { calls: [CALL], execute: (tool) => ran.push(tool) });
    return [rig.name, [...results, ...ran]];
  });
  expect(Object.fromEntries(await Promise.all(results))).toEqual(
    Object.fromEntries(RIGS.map(({ name }) => [name, [expect.stringMatching(read)]])),
  );
});

describe.each(RIGS)("$name", (rig) => {
  test("a hook whose process is killed while it judges blocks the call", async () => {
    const body = `await ctx.ui.confirm("ready", ""); await new Promise(() => {});`;
    const others = new Set(sandboxesOf());
    const kill = async (): Promise<boolean> => {
      for (const pid of sandboxesOf()) if (!others.has(pid)) process.kill(pid, "SIGKILL");
      return true;
    };
    const { host } = await startSession(
      {
        bad: {
          source: onToolCall(body),
          grant: { capabilities: { events: { see: ["*"], block: true }, ui: ["confirm"] } },
        },
      },
      { ui: { ...scriptedUi(), confirm: kill } },
    );
    const ran: string[] = [];
    const execute = (tool: string) => ran.push(tool);
    const [read] = await rig.run(host, { calls: [CALL], execute, answer: () => String(kill()) });
    expect(read).toMatch(/^Blocked by hook bad: hook bad cannot judge this call/);
    expect(ran).toEqual([]);
  });
});
