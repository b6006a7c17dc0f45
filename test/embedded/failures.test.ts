import { describe, expect, test } from "vitest";
import { onToolCall, startSession } from "../support/session.ts";
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

describe.each(RIGS)("$name", (rig) => {
  test.each(FAILURES)("%s the call, and the model reads that", async (_what, body, read) => {
    const { host } = await startSession({ bad: onToolCall(body) }, { hookTimeout: 500 });
    const ran: string[] = [];
    const results = await rig.run(host, { calls: [CALL], execute: (tool) => ran.push(tool) });
    expect(results[0]).toMatch(read);
    expect(ran).toEqual([]);
  });
});
