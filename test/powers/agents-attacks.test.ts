import { expect, test } from "vitest";
import { MAX_AGENT_PROMPT } from "../../sandbox/wire/operations.ts";
import type { AgentsGrant } from "../../src/powers/agents-grant.ts";
import type { AgentCall, Judged } from "../../src/powers/lent-agents.ts";
import { eventually } from "../support/eventually.ts";
import { sampled } from "../support/length.ts";
import { type Sources, startSession } from "../support/session.ts";
import { agentsOf, answers, lender, type Made, READS, runs } from "./agents-lender.ts";

const IN_READ = `{ tools: ["read"] }`;
const call = (toolName: string, input: unknown = { path: "a" }): AgentCall => ({ toolName, toolCallId: "c", input });
const GATE = (body: string): string =>
  `export default (pi: any) => { pi.on("tool_call", async (event: any) => { ${body} }); };`;
const guard = (body: string, more: object = {}): Sources => ({
  guard: { source: GATE(body), grant: { capabilities: { events: { see: ["tool_call"], block: true, ...more } } } },
});
const reasonOf = (judged: Judged | undefined): string => (judged && "blocked" in judged ? judged.blocked : "it passed");

/** The agent that the hook made, while its prompt is not done. */
async function working(
  more: Sources = {},
  agents: AgentsGrant = READS,
  body = `void session.prompt("x").catch(() => {});`,
) {
  const { services, made } = lender(() => new Promise(() => {}));
  const session = await agentsOf(runs(`const { session } = await make(); ${body}`, IN_READ), {
    agents,
    services,
    more,
  });
  expect(await session.go()).toBeNull();
  await eventually(() => expect(made[0]?.done).not.toEqual([]));
  const [one] = made as [Made];
  return { ...session, one, made, judge: (given: AgentCall) => one.watch.judge(given) };
}

test("a gate blocks a call of an agent's as any other, and both are on record", async () => {
  const { judge, audit } = await working(
    guard(`if (event.toolName === "read") return { block: true, reason: "not this" };`),
  );
  expect(await judge(call("read"))).toEqual({ blocked: "Blocked by hook guard: not this" });
  const facts = audit.filter(({ capability }) => capability === "agents.tool");
  expect(facts).toMatchObject([{ hook: "maker", value: "read", outcome: "block" }]);
});

test("what a gate made of a call is what runs, and a call that passes is on record under the hook's name", async () => {
  const { judge, audit } = await working(guard(`event.input.path = "b";`, { rewriteInput: ["read"] }));
  expect(await judge(call("read"))).toEqual({ input: { path: "b" } });
  expect(audit.filter(({ capability }) => capability === "agents.tool")).toMatchObject([
    { hook: "maker", value: "read", outcome: "allowed" },
  ]);
});

// biome-ignore format: a table
const BLOCKED: [claim: string, body: string, given: AgentCall, reason: RegExp][] = [
  ["a gate that throws", `throw new Error("broken");`, call("read"), /broken/],
  ["a gate that never answers", `await new Promise(() => {});`, call("read"), /guard.*TIMEOUT/],
  ["a gate that dies", `for (;;) {}`, call("read"), /guard.*(CPU|TIMEOUT|CRASHED)/],
  ["a tool that the agent was made without", ``, call("bash"), /made without the tool bash/],
  ["a tool by a name of every object's", ``, call("constructor"), /made without the tool constructor/],
  ["an input that JSON would change", ``, call("read", { path: new Map() }), /Blocked by Cordon/],
  ["an input that is no object", ``, call("read", 7), /Blocked by Cordon/],
];

test.each(sampled(BLOCKED, 2))("a call is blocked: %s", async (_claim, body, given, reason) => {
  const { services, made } = lender(() => new Promise(() => {}));
  const more = guard(body);
  const session = await startSession(
    {
      maker: {
        source: runs(`const { session } = await make(); void session.prompt("x").catch(() => {});`, IN_READ),
        grant: { capabilities: { commands: ["go"], agents: READS } },
      },
      ...more,
    },
    { agent: services, hookTimeout: 500 },
  );
  await session.host.offers.runCommand("command", "go", "");
  expect(reasonOf(await made[0]?.watch.judge(given))).toMatch(reason);
});

test("a hook has no more agents at once than were granted, however many it asks for", async () => {
  const { services, made } = lender();
  const source = runs(
    `const all = [];
     let refused = "";
     for (let count = 0; count < 18; count++)
       try { all.push(await make()); } catch (e: any) { refused ||= e.code + " " + e.message; }
     const most = all.length;
     all[0].session.dispose();
     await new Promise((resolve) => setTimeout(resolve, 50));
     await make();
     return [most, refused];`,
    IN_READ,
  );
  const { go } = await agentsOf(source, { agents: [{ tools: ["read"], atOnce: 3 }], services });
  expect(await go()).toEqual([3, expect.stringMatching(/^RATE_LIMITED .*maker.* 3 agents/)]);
  expect(made.map(({ isOver }) => isOver)).toEqual([true, false, false, false]);
});

test("a thousand requests for agents make no more than those", async () => {
  const { services, made } = lender();
  const source = runs(
    `const host = (globalThis as any)[Symbol.for("cordon.host")];
     const codes = new Set();
     for (let round = 0; round < 10; round++) {
       await Promise.all(Array.from({ length: 100 }, () => host.call("agents.create", [{ tools: ["read"], own: [] }]).catch((e: any) => codes.add(e.code))));
       await new Promise((resolve) => setTimeout(resolve, 450));
     }
     return [...codes];`,
  );
  const { go } = await agentsOf(source, { agents: READS, services });
  expect(await go()).toEqual(["RATE_LIMITED"]);
  expect(made).toHaveLength(4);
});

test("an agent that does not end is ended, and what it still asks is blocked", async () => {
  const { judge, one, log } = await working(
    {},
    [{ tools: ["read"], timeoutMs: 300 }],
    `
    void session.prompt("x").catch((e: any) => console.log("failed " + e.message));`,
  );
  expect("input" in (await judge(call("read")))).toBe(true);
  await eventually(() => expect(one.isOver).toBe(true));
  expect(reasonOf(await judge(call("read")))).toMatch(/more than 300 ms/);
  expect(log.map(({ text }) => text).join()).not.toContain("it passed");
});

const EVIL = `{ provider: "evil", id: "m" }`;
const COMBINED: [claim: string, agents: AgentsGrant, options: string, body: string, passes: boolean][] = [
  [
    "a model that only an agent without tools may have",
    [{ tools: ["bash"] }, { tools: [], models: ["evil"] }],
    `{ tools: ["bash"] }`,
    "",
    false,
  ],
  [
    "the same, after it gave its tools up",
    [{ tools: ["bash"] }, { tools: [], models: ["evil"] }],
    `{ tools: ["bash"] }`,
    "session.setActiveToolsByName([]);",
    false,
  ],
  [
    "a model that an agent with its tools may have",
    [{ tools: ["bash"], models: ["evil"] }],
    `{ tools: ["bash"] }`,
    "",
    true,
  ],
  ["a model that an agent without tools may have", [{ tools: [], models: ["evil"] }], `{ tools: [] }`, "", true],
];

test.each(COMBINED)("an agent that was made goes over to %s", async (_claim, agents, options, first, passes) => {
  const { services, made } = lender();
  const body = `const { session } = await make(); ${first} await session.setModel(${EVIL}); await session.prompt("x"); return "done";`;
  const said = await (await agentsOf(runs(body, options), { agents, services })).go();
  if (passes) expect(said).toBe("done");
  else expect(said).toEqual(["NOT_GRANTED", expect.stringContaining('"tools":["bash"],"models":["evil"]')]);
  expect(made[0]?.done.some((one) => Array.isArray(one) && one[0] === "prompt")).toBe(passes);
});

test("prompts are counted: one more than were granted is refused", async () => {
  const { services, made } = lender();
  const source = runs(
    `const { session } = await make();
     const said = [];
     for (let count = 0; count < 3; count++) try { await session.prompt("x"); said.push(1); } catch (e: any) { said.push(e.code); }
     return said;`,
    IN_READ,
  );
  const { go } = await agentsOf(source, { agents: [{ tools: ["read"], perMinute: 2 }], services });
  expect(await go()).toEqual([1, 1, "RATE_LIMITED"]);
  expect(made[0]?.done).toHaveLength(2);
});

test("the agent of another hook is nobody's by its number", async () => {
  const { services, made } = lender();
  const thief = `export default (pi: any) => { pi.registerCommand("steal", { handler: async () => {
    const host = (globalThis as any)[Symbol.for("cordon.host")];
    const said = [];
    for (const [name, ...args] of [["prompt", "x", {}], ["messages", "state", [], true], ["read"], ["abort"], ["end"], ["change", {}], ["conversation", 0]])
      said.push(await host.call("agents." + name, [1, ...args]).then(() => name, (e: any) => e.message));
    console.log(JSON.stringify(said));
  } }); };`;
  const { host, go, log } = await agentsOf(runs(`await make(); return "made";`, IN_READ), {
    agents: READS,
    services,
    more: { thief: { source: thief, grant: { capabilities: { commands: ["steal"], agents: READS } } } },
  });
  expect(await go()).toBe("made");
  await host.offers.runCommand("command", "steal", "");
  expect(JSON.parse(log.at(-1)?.text ?? "")).toEqual(Array(7).fill("this agent is over"));
  expect(made[0]).toMatchObject({ done: [], isOver: false });
});

// biome-ignore format: a table
const ENDINGS: [claim: string, end: (session: Awaited<ReturnType<typeof working>>) => unknown][] = [
  ["its grant is revoked", ({ host }) => host.grants.revoke("maker", "agents")],
  ["all grants of its hook are revoked", ({ host }) => host.grants.revoke("maker", undefined)],
  ["its hook is restarted", ({ host }) => host.reload("maker")],
  ["its hook dies", ({ host }) => host.offers.runCommand("command", "die", "")],
  ["the session ends", ({ host }) => host.close()],
];

test.each(sampled(ENDINGS, 2))("an agent ends, and no call of it passes any more, when %s", async (_claim, end) => {
  const { services, made } = lender(() => new Promise(() => {}));
  const source = runs(`const { session } = await make(); void session.prompt("x").catch(() => {});`, IN_READ).replace(
    "export default (pi: any) => {",
    `export default (pi: any) => { pi.registerCommand("die", { handler: () => { for (;;) {} } });`,
  );
  const session = await startSession(
    { maker: { source, grant: { capabilities: { commands: ["go", "die"], agents: READS } } } },
    { agent: services },
  );
  await session.host.offers.runCommand("command", "go", "");
  const [one] = made as [Made];
  const judge = (given: AgentCall) => one.watch.judge(given);
  expect("input" in (await judge(call("read")))).toBe(true);
  await end({ ...session, go: async () => null, one, made, judge });
  await eventually(() => expect(one.isOver).toBe(true));
  expect("blocked" in (await judge(call("read")))).toBe(true);
  const own = await one.watch.runTool(call("read"), {});
  expect(own.isError).toBe(true);
});

test("a hook judges its own agent's calls, while its handler waits for that agent", async () => {
  const judged: Judged[] = [];
  const { services } = lender(async (one, text) => {
    judged.push(await one.watch.judge(call("read")));
    answers(one, text);
  });
  const source = `import { createAgentSession } from "@earendil-works/pi-coding-agent";
    export default (pi: any) => pi.on("tool_call", async (event: any) => {
      if (event.toolName === "read") return { block: true, reason: "I know this one" };
      const { session } = await createAgentSession({ tools: ["read"] });
      await session.prompt("is it safe?");
      return { block: true, reason: session.getLastAssistantText() };
    });`;
  const capabilities = { events: { see: ["tool_call"], block: true }, agents: READS };
  const { call: bash } = await startSession({ maker: { source, grant: { capabilities } } }, { agent: services });
  expect(await bash("ls")).toMatchObject({ block: true, reason: "an answer" });
  expect(judged).toEqual([{ blocked: "Blocked by hook maker: I know this one" }]);
});

test("a gate that has an agent for each call, whose calls it judges with an agent, ends at the limit", async () => {
  const judged: Judged[] = [];
  const { services, made } = lender(async (one, text) => {
    judged.push(await one.watch.judge(call("read")));
    answers(one, text);
  });
  const source = `import { createAgentSession } from "@earendil-works/pi-coding-agent";
    export default (pi: any) => pi.on("tool_call", async () => {
      const { session } = await createAgentSession({ tools: ["read"] });
      await session.prompt("is it safe?");
    });`;
  const capabilities = { events: { see: ["tool_call"], block: true }, agents: [{ tools: ["read"], atOnce: 3 }] };
  const { call: bash } = await startSession({ maker: { source, grant: { capabilities } } }, { agent: services });
  await bash("ls");
  expect(made).toHaveLength(3);
  expect(reasonOf(judged[0])).toMatch(/3 agents of its own at once/);
});

test.each([
  ["at the limit", MAX_AGENT_PROMPT, "done"],
  ["one over it", MAX_AGENT_PROMPT + 1, ["TypeError", expect.stringContaining("agents.prompt")]],
])("a prompt %s", async (_claim, length, said) => {
  const { services, made } = lender();
  const source = runs(
    `const { session } = await make(); await session.prompt("x".repeat(${length})); return "done";`,
    IN_READ,
  );
  const { go, errors } = await agentsOf(source, { agents: READS, services });
  expect(await go()).toEqual(said);
  expect(made[0]?.done).toHaveLength(said === "done" ? 1 : 0);
  expect(errors).toEqual([]);
});

// biome-ignore format: a table
const MESSAGES: [claim: string, message: string, passes: boolean][] = [
  ["a user's", `{ role: "user", content: "x", timestamp: 1 }`, true],
  ["of no known role", `{ role: "root", content: "x", timestamp: 1 }`, false],
  ["without its content", `{ role: "user", timestamp: 1 }`, false],
  ["an answer without its usage", `{ role: "assistant", content: [], api: "a", provider: "p", model: "m", stopReason: "stop", timestamp: 1 }`, false],
  ["a call whose arguments are a text", `{ ...ANSWER, content: [{ type: "toolCall", id: "1", name: "read", arguments: "x" }] }`, false],
  ["a call", `{ ...ANSWER, content: [{ type: "toolCall", id: "1", name: "read", arguments: {} }] }`, true],
  ["null", `null`, false],
];

test.each(MESSAGES)("a message of a conversation: %s", async (_claim, message, passes) => {
  const { services, made } = lender();
  const top = `const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };
    const ANSWER = { role: "assistant", content: [], api: "a", provider: "p", model: "m", usage, stopReason: "stop", timestamp: 1 };`;
  const body = `const { session } = await make(); session.agent.state.messages = [${message}]; await session.prompt("x"); return "done";`;
  const { go, errors } = await agentsOf(runs(body, IN_READ, top), { agents: READS, services });
  if (passes) expect(await go()).toBe("done");
  else expect(await go()).toEqual([expect.any(String), expect.stringMatching(/no known shape/)]);
  expect(made[0]?.done.map((one) => (one as unknown[])[0])).toEqual(passes ? ["messages", "prompt"] : []);
  expect(errors).toEqual([]);
});

const AT_MOST = 8_000_000;

test("a conversation has a limit, however many parts it comes in", async () => {
  const { services, made } = lender();
  const body = `const { session } = await make();
    const message = (length: number) => ({ role: "user", content: "x".repeat(length), timestamp: 1 });
    session.agent.state.messages = Array.from({ length: ${AT_MOST / 200_000 + 1} }, () => message(200_000));
    await session.prompt("x");`;
  const { go } = await agentsOf(runs(body, IN_READ), { agents: READS, services });
  expect(await go()).toEqual(["Error", expect.stringContaining(`more than ${AT_MOST} characters`)]);
  expect(made[0]?.done.at(-1)).toEqual(["messages", "state", AT_MOST / 200_000 - 1]);
});
