import { describe, expect, onTestFinished, test } from "vitest";
import { needs } from "../../support/needs.ts";
import { temporaryFolder } from "../../support/session.ts";
import { lacksNamespace } from "./install.ts";
import type { Turn } from "./model-server.ts";
import { Scene } from "./scene.ts";
import { contained } from "./scenes.ts";

const TOOL = `export default (pi: any) => pi.registerTool({ name: "both", label: "Both", description: "runs two", parameters: { type: "object", properties: {} },
  async execute(id: string, params: any, signal: any, onUpdate: any, ctx: any) {
    const said: unknown[] = [];
    for (const [name, args] of [["bash", { command: "echo made > made.txt && cat made.txt" }], ["read", { path: "no.txt" }], ["bash", { path: 1 }], ["bash", { command: "echo bad" }]] as const) {
      const { toolCall, result, isError } = await ctx.executeTool(name, args).catch((e: any) => ({ toolCall: { name }, result: { content: [{ text: e.message }] }, isError: "rejected" }));
      said.push([toolCall.id, toolCall.name, isError, result.content[0]?.text]);
    }
    return { content: [{ type: "text", text: JSON.stringify(said) }], details: {} };
  } });`;
const GATE = `export default (pi: any) => pi.on("tool_call", (event: any) => event.input.command === "echo bad" ? { block: true, reason: "not that" } : undefined);`;
const CALLS: Turn[] = [{ calls: [{ name: "both", args: {} }] }, { text: "so" }];

async function run(
  extensions: Record<string, string>,
  files = {},
  version: "1.5.2" | "0.87.1" = "1.5.2",
): Promise<unknown> {
  const scene = await Scene.start({
    version,
    mode: "print",
    prompt: "go",
    folder: temporaryFolder(),
    extensions,
    files,
    turns: CALLS,
  });
  onTestFinished(async () => {
    await scene.end();
  });
  await scene.end();
  return JSON.parse((scene.results[0] ?? "").replaceAll(scene.work, "WORK"));
}

const granted = (calls: string[]) => ({ source: TOOL, capabilities: { tools: ["both"], calls } });

describe("tools of hooks that run tools of pi's", needs(lacksNamespace()), () => {
  test("they do so as without Cordon, and gates judge each call", async () => {
    const plain = (await run({ tool: TOOL, gate: GATE })) as unknown[][];
    const { extension, files } = contained({ tool: granted(["bash", "read"]), gate: GATE });
    const inside = (await run({ cordon: extension }, files)) as unknown[][];
    expect(plain.map(([, name, isError]) => [name, isError])).toEqual([
      ["bash", false],
      ["read", true],
      ["bash", true],
      ["bash", true],
    ]);
    expect(inside.slice(0, 3)).toEqual(plain.slice(0, 3));
    expect(plain[3]?.[3]).toBe("not that");
    expect(inside[3]).toEqual([...(plain[3] ?? []).slice(0, 3), "Blocked by hook gate: not that"]);
  });

  test("a tool that was not granted is not run", async () => {
    const { extension, files } = contained({ tool: granted(["read"]) });
    const said = (await run({ cordon: extension }, files)) as unknown[][];
    expect(said[0]).toEqual([null, "bash", "rejected", expect.stringMatching(/not granted calls: bash/)]);
  });

  test("pi 0.87 runs no tools for others, which is said", async () => {
    const { extension, files } = contained({ tool: granted(["bash", "read"]) });
    const said = (await run({ cordon: extension }, files, "0.87.1")) as unknown[][];
    expect(said[0]?.[3]).toBe("this agent does not offer ctx.executeTool here");
  });
});
