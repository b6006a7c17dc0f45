import { describe, expect, test } from "vitest";
import { onToolCall, startSession } from "../support/session.ts";
import { aiRigs } from "./ai-rig.ts";
import { langchainRig } from "./langchain-rig.ts";
import { mcpRig } from "./mcp-rig.ts";
import type { ModelCall, Rig } from "./rig.ts";
import { strandsRig } from "./strands-rig.ts";

const RIGS: Rig[] = [...aiRigs, langchainRig, strandsRig, mcpRig];
const CALL: ModelCall = { tool: "bash", input: { command: "ls" } };

describe.each(RIGS)("$name", (rig) => {
  test("an agent that is aborted while a hook judges runs no tool", async () => {
    const { host } = await startSession({ slow: onToolCall("await new Promise(() => {});") }, { hookTimeout: 20_000 });
    const ran: string[] = [];
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 200);
    const started = performance.now();
    const run = rig.run(host, { calls: [CALL], execute: (tool) => ran.push(tool), signal: abort.signal });
    await expect(run).rejects.toThrow();
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(ran).toEqual([]);
  });

  test("a tool hears that its agent is aborted", async () => {
    const { host } = await startSession({ gate: onToolCall("") });
    const abort = new AbortController();
    let aborted = false;
    const execute = (_tool: string, _input: unknown, signal: AbortSignal | undefined) =>
      new Promise<string>((resolve) => {
        signal?.addEventListener("abort", () => {
          aborted = true;
          resolve("stopped");
        });
        setTimeout(() => abort.abort(), 100);
      });
    await rig.run(host, { calls: [CALL], execute, signal: abort.signal }).catch(() => {});
    expect(aborted).toBe(true);
  });

  test("two agents at once on one host, and two on hosts of their own, are judged each by its own", async () => {
    const block = (what: string) =>
      onToolCall(`if (event.input.command === "${what}") return { block: true, reason: "${what}" };`);
    const [one, two] = await Promise.all([startSession({ one: block("a") }), startSession({ two: block("b") })]);
    const calls = ["a", "b"].map((command): ModelCall => ({ tool: "bash", input: { command } }));
    const execute = (_tool: string, input: unknown) => `ran ${(input as { command: string }).command}`;
    const read = await Promise.all([one, one, two].map(({ host }) => rig.run(host, { calls, execute })));
    const ofOne = ["Blocked by hook one: a", "ran b"];
    expect(read).toEqual([ofOne, ofOne, ["ran a", "Blocked by hook two: b"]]);
  });

  test("a host that is closed blocks", async () => {
    const { host } = await startSession({ gate: onToolCall("") });
    await host.close();
    const read = await rig.run(host, { calls: [CALL], execute: () => "ran" });
    expect(read).toEqual(["Blocked: the hook host is closed"]);
  });
});
