import { expect, test } from "vitest";
import type { AgentsGrant } from "../../src/powers/agents-grant.ts";
import { agentsOf, answers, lender, READS, runs } from "./agents-lender.ts";

const IN_READ = `{ tools: ["read"], sessionManager: SessionManager.inMemory() }`;

test("a hook has an agent of its own, and hears all that it does, in order", async () => {
  const { services, made } = lender();
  const source = runs(
    `const { session } = await make();
     const heard: string[] = [];
     session.subscribe((event: any) => heard.push(event.type + (event.messages ? event.messages.length : "")));
     await session.prompt("what?", { source: "extension" });
     const [user, answer] = session.messages;
     return [heard, session.state.messages === session.messages, user.content[0].text, answer.content[0].text,
       session.getLastAssistantText(), session.isStreaming, session.getSessionStats().tokens.total,
       session.sessionManager.buildSessionContext().messages.length, session.getActiveToolNames()];`,
    IN_READ,
  );
  const { go, audit } = await agentsOf(source, { agents: READS, services });
  expect(await go()).toEqual([
    [
      "agent_start",
      "turn_start",
      "message_start",
      "message_end",
      "message_start",
      "message_end",
      "turn_end",
      "agent_end2",
    ],
    true,
    "what?",
    "an answer",
    "an answer",
    false,
    3,
    2,
    ["read"],
  ]);
  expect(made.map(({ setup, done }) => [setup.tools, done])).toEqual([[["read"], [["prompt", "what?", {}]]]]);
  expect(
    audit
      .filter(({ capability }) => capability?.startsWith("agents"))
      .map(({ capability, value }) => [capability, value]),
  ).toEqual(
    expect.arrayContaining([
      ["agents.create", "an agent with read"],
      ["agents.prompt", "a prompt of 5 characters for an agent of its own"],
    ]),
  );
});

// biome-ignore format: a table
const GRANTED: [claim: string, agents: AgentsGrant | undefined, options: string, passes: boolean][] = [
  ["without a grant none is made", undefined, `{ tools: [] }`, false],
  ["an empty grant makes none", [], `{ tools: [] }`, false],
  ["no tool needs none in the grant", [{ tools: [] }], `{ tools: [] }`, true],
  ["a granted tool may be had", READS, `{ tools: ["read"] }`, true],
  ["one tool more may not", READS, `{ tools: ["read", "grep"] }`, false],
  ["two entries are two agents, not one with both", [{ tools: ["read"] }, { tools: ["grep"] }], `{ tools: ["read", "grep"] }`, false],
  ["a star is a name like any other", [{ tools: ["*"] }], `{ tools: ["read"] }`, false],
  ["an agent has pi's four tools if it does not say", READS, `{}`, false],
  ["and may have them", [{ tools: ["read", "bash", "edit", "write"] }], `{}`, true],
  ["tools that are left out need no grant", READS, `{ excludeTools: ["bash", "edit", "write"] }`, true],
  ["older versions of pi take tools instead of names", READS, `{ tools: [{ name: "read" }] }`, true],
  ["a runtime of models names none", READS, `{ tools: [], modelRuntime: await ModelRuntime.create({ modelsPath: null }) }`, true],
  ["a tool of the hook's own needs no grant", [{ tools: [] }], `{ tools: ["look"], customTools: [{ name: "look" }] }`, true],
  ["but one that takes the place of the agent's does", [{ tools: [] }], `{ tools: ["bash"], customTools: [{ name: "bash" }] }`, false],
  ["and may with it", [{ tools: ["bash"] }], `{ tools: ["bash"], customTools: [{ name: "bash" }] }`, true],
  ["the model of the session needs no more", READS, `{ tools: [], model: { provider: "p", id: "m" } }`, true],
  ["another one needs its provider", READS, `{ tools: [], model: { provider: "p", id: "other" } }`, false],
  ["by its name", [{ tools: [], models: ["q"] }], `{ tools: [], model: { provider: "p", id: "other" } }`, false],
  ["and has it then", [{ tools: [], models: ["p"] }], `{ tools: [], model: { provider: "p", id: "other" } }`, true],
];

test.each(GRANTED)("%s", async (_claim, agents, options, passes) => {
  const { services, made } = lender();
  const { go } = await agentsOf(runs(`await make(); return "made";`, options), { agents, services });
  const said = await go();
  if (passes) expect(said).toBe("made");
  else
    expect(said).toEqual([
      "NOT_GRANTED",
      expect.stringMatching(/maker.*agents.*; add "agents": \[\{"tools".* to the grant that its host gives it/),
    ]);
  expect(made).toHaveLength(passes ? 1 : 0);
});

test("what a hook gives an agent reaches it, and nothing else does", async () => {
  const { services, made } = lender();
  const source = runs(
    `const loader = new DefaultResourceLoader({ cwd: "/elsewhere", systemPrompt: "Review.", appendSystemPrompt: ["Be brief."],
       agentsFilesOverride: () => ({ agentsFiles: [{ path: "A.md", content: "a", more: 1 }] }),
       skillsOverride: () => ({ skills: [{ name: "s", description: "d", filePath: "/s/SKILL.md", source: "x" }], diagnostics: [] }) });
     await loader.reload();
     await createAgentSession({ cwd: "/etc", agentDir: "/root", tools: [], resourceLoader: loader, thinkingLevel: "high",
       settingsManager: { getCompactionSettings: () => ({ enabled: false }) }, modelRuntime: {}, authStorage: {} });`,
  );
  const { go } = await agentsOf(source, { agents: [{ tools: [] }], services });
  expect(await go()).toBeNull();
  expect(made[0]?.setup).toEqual({
    tools: [],
    own: [],
    thinkingLevel: "high",
    systemPrompt: "Review.",
    appendSystemPrompt: ["Be brief."],
    files: [{ path: "A.md", content: "a" }],
    skills: [{ name: "s", description: "d", filePath: "/s/SKILL.md" }],
    compacts: false,
  });
});

// biome-ignore format: a table
const REFUSED: [claim: string, body: string, message: RegExp][] = [
  ["an agent has no extensions by its loader", `new DefaultResourceLoader({ extensionFactories: [() => {}] });`, /extensionFactories.*runs no extensions/],
  ["nor by paths", `new DefaultResourceLoader({ additionalExtensionPaths: ["x.ts"] });`, /additionalExtensionPaths/],
  ["nor by a loader of the hook's", `await createAgentSession({ tools: [], resourceLoader: { getExtensions: () => ({ extensions: [{}] }) } });`, /runs none/],
  ["what needs the agent's process says so", `const { session } = await make(); session.executeBash("ls");`, /AgentSession.executeBash is not offered/],
  ["an agent that was disposed of takes no prompt", `const { session } = await make(); session.dispose(); await session.prompt("x");`, /disposed of/],
];

test.each(REFUSED)("%s", async (_claim, body, message) => {
  const { services } = lender();
  const { go } = await agentsOf(runs(body, `{ tools: [] }`), { agents: [{ tools: [] }], services });
  expect(await go()).toEqual([expect.any(String), expect.stringMatching(message)]);
});

test("an agent that lends none says so", async () => {
  const { go } = await agentsOf(runs(`await make();`, `{ tools: [] }`), { agents: [{ tools: [] }], services: {} });
  expect(await go()).toEqual([expect.any(String), expect.stringMatching(/does not offer agents of a hook's own/)]);
});

test("a conversation is set, kept and changed before the next prompt", async () => {
  const { services, made } = lender();
  const source = runs(
    `const user = (text: string) => ({ role: "user", content: text, timestamp: 1 });
     const sessionManager = SessionManager.inMemory();
     sessionManager.appendMessage(user("before"));
     const { session } = await createAgentSession({ tools: ["read", "grep"], sessionManager });
     session.agent.state.messages = [user("one"), user("two")];
     session.setActiveToolsByName(["grep"]);
     await session.prompt("three");
     session.messages.pop();
     session.setThinkingLevel("low");
     await session.prompt("four");
     return [session.messages.map((m: any) => m.content[0].text ?? m.content), session.getActiveToolNames()];`,
  );
  const { go } = await agentsOf(source, { agents: [{ tools: ["read", "grep"] }], services });
  expect(await go()).toEqual([["one", "two", "three", "four", "an answer"], ["grep"]]);
  expect(made[0]?.done).toEqual([
    ["messages", "session", 1],
    ["messages", "state", 2],
    ["change", { tools: ["grep"] }],
    ["prompt", "three", {}],
    ["change", { thinkingLevel: "low" }],
    ["messages", "state", 3],
    ["prompt", "four", {}],
  ]);
});

const TOOLS = `{ tools: ["look", "fail"], customTools: [
  { name: "look", label: "Look", description: "looks", parameters: { type: "object", properties: { at: { type: "string" } } },
    async execute(id: string, params: any, signal: any, onUpdate: any, ctx: any) {
      onUpdate({ content: [{ type: "text", text: "looking" }] });
      return { content: [{ type: "text", text: id + " " + params.at + " in " + (ctx.cwd.length > 0) }], details: { seen: 1 } };
    } },
  { name: "fail", execute() { throw new Error("no luck"); } } ] }`;

test("tools of the hook's own run in it, with its ctx, and need no grant of tools", async () => {
  const results: unknown[] = [];
  const partial: unknown[] = [];
  const { services, made } = lender(async (one, text) => {
    for (const toolName of ["look", "fail", "read"]) {
      const call = { toolName, toolCallId: "c1", input: { at: "here" } };
      results.push(await one.watch.runTool(call, { onUpdate: (part) => partial.push(part) }));
    }
    answers(one, text);
  });
  const source = runs(`const { session } = await make(); await session.prompt("x"); session.dispose();`, TOOLS);
  const { go, errors } = await agentsOf(source, { agents: [{ tools: [] }], services });
  expect(await go()).toBeNull();
  expect(made[0]?.setup.own[0]).toEqual({
    name: "look",
    label: "Look",
    description: "looks",
    parameters: { type: "object", properties: { at: { type: "string" } } },
  });
  expect(results).toEqual([
    { content: [{ type: "text", text: "c1 here in true" }], details: { seen: 1 }, isError: false },
    { content: [{ type: "text", text: "no luck" }], isError: true },
    { content: [{ type: "text", text: "the hook has no tool read" }], isError: true },
  ]);
  expect(partial).toEqual([{ content: [{ type: "text", text: "looking" }] }]);
  expect(errors.map(({ code }) => code)).toEqual(["HOOK_THREW"]);
});
