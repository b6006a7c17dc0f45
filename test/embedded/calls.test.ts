import { describe, expect, test } from "vitest";
import { on, onToolCall, type Sources, scriptedUi, sharedSession } from "../support/session.ts";
import { aiRigs } from "./ai-rig.ts";
import { langchainRig } from "./langchain-rig.ts";
import { mcpRig } from "./mcp-rig.ts";
import type { ModelCall, Plan, Rig } from "./rig.ts";
import { strandsRig } from "./strands-rig.ts";

const RIGS: Rig[] = [...aiRigs, langchainRig, strandsRig, mcpRig];

const bash = (command: string): ModelCall => ({ tool: "bash", input: { command } });
const granted = (source: string, events: object, more: object = {}) => ({
  source,
  grant: { capabilities: { events: { see: ["*"], block: true, ...events }, ...more } },
});

/** One hook each; all judge, and each looks at the calls that are its own. */
const HOOKS: Sources = {
  gate: onToolCall(
    `if (String(event.input.command).includes("rm -rf")) return { block: true, reason: "not with rm -rf" };`,
  ),
  rewrite: granted(onToolCall(`if (event.input.command === "echo asked") event.input.command = "echo rewritten";`), {
    rewriteInput: ["bash"],
  }),
  redact: granted(
    on(
      "tool_result",
      `const content = event.content.map((one) => ({ ...one, text: one.text.replaceAll("hunter2", "***") }));
       if (JSON.stringify(content) !== JSON.stringify(event.content)) return { content };`,
    ),
    { rewriteResult: ["bash"] },
  ),
  asks: granted(
    onToolCall(`
      if (event.input.command !== "ask") return;
      const { code } = await ctx.exec("true", []);
      if (code !== 0) return { block: true, reason: "it is not true" };`),
    {},
  ),
};
/** As a plugin of Strands, whose API has a word for that. */
const CHOOSER = granted(
  `import { BeforeToolCallEvent } from "@strands-agents/sdk";
   export default {
     name: "chooser",
     initAgent(agent: any) {
       agent.addHook(BeforeToolCallEvent, (event: any) => {
         if (event.toolUse.input.command === "elsewhere") event.selectedTool = agent.toolRegistry.get("read");
       });
     },
   };`,
  { rewriteInput: ["*"] },
);
const MANIFEST = { capabilities: { exec: [{ program: "true", args: [] }] } };

/** Runs an agent, with what its tools got. */
async function run(rig: Rig, host: Parameters<Rig["run"]>[0], calls: ModelCall[], more: Partial<Plan> = {}) {
  const ran: unknown[] = [];
  const execute: Plan["execute"] = (tool, input, signal) => {
    ran.push([tool, input]);
    return more.execute ? more.execute(tool, input, signal) : `ran ${(input as { command?: string }).command}`;
  };
  const read = await rig.run(host, { ...more, calls, execute });
  return { read, ran };
}

describe.each(RIGS)("$name", (rig) => {
  const answers: string[] = [];
  const asked: string[] = [];
  const session = sharedSession(
    {
      ...HOOKS,
      chooser: CHOOSER,
      asks: { ...(HOOKS.asks as object), source: (HOOKS.asks as { source: string }).source, manifest: MANIFEST },
    },
    {
      ui: scriptedUi({
        select: (title) => {
          asked.push(title);
          return answers.shift() ?? null;
        },
      }),
    },
  );

  test("a call that hooks let pass runs, and the model reads its result", async () => {
    expect(await run(rig, session.host, [bash("ls")])).toEqual({
      read: ["ran ls"],
      ran: [["bash", { command: "ls" }]],
    });
  });

  test("a call that a hook blocks does not run, and the model reads why", async () => {
    expect(await run(rig, session.host, [bash("rm -rf /")])).toEqual({
      read: ["Blocked by hook gate: not with rm -rf"],
      ran: [],
    });
  });

  test("of parallel calls each is judged", async () => {
    const calls = [bash("ls"), bash("rm -rf a"), { tool: "read", input: { path: "x" } } as const, bash("rm -rf b")];
    const { read, ran } = await run(rig, session.host, calls, { execute: (tool) => `${tool} ran` });
    const blocked = "Blocked by hook gate: not with rm -rf";
    expect(read).toEqual(["bash ran", blocked, "read ran", blocked]);
    expect(ran).toHaveLength(2);
  });

  test("what a hook makes of an input is what runs", async () => {
    const { ran } = await run(rig, session.host, [bash("echo asked")]);
    expect(ran).toEqual([["bash", { command: "echo rewritten" }]]);
  });

  test("of a redacted result the model reads nothing else", async () => {
    const text = await run(rig, session.host, [bash("cat a")], { execute: () => "the password is hunter2" });
    expect(text.read).toEqual(["[Changed by hook redact]\nthe password is ***"]);
    const object = await run(rig, session.host, [bash("cat b")], { execute: () => ({ password: "hunter2", of: [1] }) });
    expect(object.read).toEqual(['[Changed by hook redact]\n{"password":"***","of":[1]}']);
  });

  test("a result that no hook changes is the tool's own", async () => {
    const { read } = await run(rig, session.host, [bash("cat c")], { execute: () => ({ of: [1, null] }) });
    expect(read[0]).toContain('{"of":[1,null]}');
  });

  test("a hook's question for a power is asked, and its answer counts", async () => {
    const answer = (question: string) => {
      asked.push(question);
      return answers.shift() ?? "Deny";
    };
    answers.push("Allow once", "Deny");
    const allowed = await run(rig, session.host, [bash("ask")], { answer });
    expect(allowed).toEqual({ read: ["ran ask"], ran: [["bash", { command: "ask" }]] });
    expect(asked.at(-1)).toMatch(/^Cordon asks: .*\btrue\b/s);
    const denied = await run(rig, session.host, [bash("ask")], { answer });
    expect(denied.ran).toEqual([]);
    expect(denied.read[0]).toMatch(/^Blocked by hook asks: /);
    expect(asked).toHaveLength(2);
  });

  test("tools have the names for hooks that `toolNames` gives them", async () => {
    const renamed = await run(rig, session.host, [{ tool: "read", input: { command: "echo asked" } }], {
      toolNames: { read: "bash" },
    });
    expect(renamed.ran).toEqual([["read", { command: "echo rewritten" }]]);
  });

  test("a hook may choose another tool where the agent can run that, and else no tool runs", async () => {
    const { read, ran } = await run(rig, session.host, [bash("elsewhere")]);
    if (rig.runsOthers) expect(ran).toEqual([["read", { command: "elsewhere" }]]);
    else expect({ read, ran }).toEqual({ read: [expect.stringMatching(/this agent cannot run/)], ran: [] });
  });

  test("an input that JSON would change runs nothing, and the model, or the client, reads why", async () => {
    const ran: unknown[] = [];
    const calls: ModelCall[] = [{ tool: "bash", input: { command: "ls", half: "\ud800" } }];
    const read = await rig
      .run(session.host, { calls, execute: (...call) => ran.push(call) })
      .catch((error: Error) => [error.message]);
    expect(read[0]).toMatch(/^Blocked: the tool's input.half has half of a character|Cordon: half of a character/);
    expect(ran).toEqual([]);
  });
});
