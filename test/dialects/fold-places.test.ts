import { describe, expect, test } from "vitest";
import { type Sources, startSession } from "../support/session.ts";
import { DIALECTS, type Dialect, granted, hasMatchers, inDialect, told } from "./fold-hooks.ts";

/** A hook that adds its name to the command: the order of bundles, as those that rewrite see it. */
const adds = (dialect: Dialect, name: string, priority: number, grant: object = hasMatchers(dialect, priority)) => ({
  source: inDialect(dialect, { body: `input.command += " ${name}";`, priority, name }),
  grant: granted(["*"], grant),
});
const orderOf = (verdict: unknown): string =>
  (verdict as { input: { command: string } }).input.command.replace(/^ls /, "");

type Placed = [name: string, dialect: Dialect, priority: number, more?: { grant?: object; manifest?: object }];

const MIXED = [...DIALECTS, ...[...DIALECTS].reverse()];
const tied = (priority: number) => MIXED.map((dialect, at): Placed => [`${dialect}${at}`, dialect, priority]);
const IN_LOAD_ORDER = MIXED.map((dialect, at) => `${dialect}${at}`).join(" ");
const BY_NAME: Placed[] = [
  ["pi", "pi", 1],
  ["interceptors", "interceptors", 2],
  ["openclaw", "openclaw", 3],
  ["strands", "strands", 4],
];

// biome-ignore format: a table
const ORDERS: [claim: string, hooks: Placed[], order: string][] = [
  ["a bundle's priority is pi's grant, a handler's own priority, or a negative order of strands",
    [["a", "pi", -3], ["b", "strands", -2], ["c", "openclaw", -1], ["d", "interceptors", 0], ["e", "strands", 1],
      ["f", "interceptors", 1.5], ["g", "pi", 2], ["h", "openclaw", 2000]], "h g f e d c b a"],
  ["priorities decide, in any load order", BY_NAME, "strands openclaw interceptors pi"],
  ["priorities decide, in any load order: reversed", [...BY_NAME].reverse(), "strands openclaw interceptors pi"],
  ["load order decides ties, in all dialects", tied(0), IN_LOAD_ORDER],
  ["load order decides ties, even if pi's hooks have their priority by a grant", tied(5), IN_LOAD_ORDER],
  ["load order decides ties, even if a grant has a priority that its handlers override",
    [["first", "pi", 0], ["second", "openclaw", 0, { grant: { priority: 9 } }],
      ["third", "interceptors", 0, { grant: { priority: 10 } }], ["fourth", "strands", -11, { grant: { priority: 11 } }]],
    "first second third fourth"],
  ["the orders of strands are relative to its grant's priority",
    [["b", "pi", 4], ["c", "strands", 2, { grant: { priority: 3 } }], ["d", "strands", -2, { grant: { priority: 3 } }]],
    "c b d"],
  ["a manifest's priority applies to pi until a grant has one",
    [["a", "pi", 0, { grant: {} }], ["b", "pi", 0, { grant: {}, manifest: { priority: 5 } }],
      ["c", "pi", 0, { grant: { priority: 4 }, manifest: { priority: 50 } }]], "b c a"],
];

describe("the order of bundles", () => {
  test.each(ORDERS)("%s", async (_claim, hooks, order) => {
    const sources: Sources = {};
    for (const [name, dialect, priority, { grant, manifest } = {}] of hooks)
      sources[name] = { ...adds(dialect, name, priority, grant), ...(manifest ? { manifest } : {}) };
    expect(orderOf(await (await startSession(sources)).call())).toBe(order);
  });
});

test("handlers of openclaw without a priority have the priority of their grant", async () => {
  const source = `export default { register(api) {
    api.on("before_tool_call", ({ params }) => ({ params: { ...params, command: params.command + " a" } }));
  } };`;
  const { call } = await startSession({
    a: { source, grant: granted(["*"], { priority: 3 }) },
    b: adds("pi", "b", 4),
    d: adds("strands", "d", -2, { priority: 3 }),
  });
  expect(orderOf(await call())).toBe("b a d");
});

test("the highest priority among the handlers that match: its handlers run together, others do not count", async () => {
  const two = (name: string, tools: Record<string, number>) => `
    import { getGlobalInterceptorRegistry } from "cordon/interceptors";
    for (const [tool, priority] of Object.entries(${JSON.stringify(tools)}))
      getGlobalInterceptorRegistry().add({ id: tool, name: "tool.before", priority, toolMatcher: new RegExp("^(" + tool + ")$", "g"),
        handler(_input, output) { output.args.command += " ${name}" + priority; } });`;
  const plugin = (name: string, priorities: readonly number[]) => `export default { register(api) {
    for (const priority of ${JSON.stringify(priorities)})
      api.on("before_tool_call", ({ params }) => ({ params: { ...params, command: params.command + " ${name}" + priority } }), { priority });
    api.on("after_tool_call", () => {}, { priority: 100 });
  } };`;
  const orders = (name: string, given: readonly number[]) => `
    import { AfterToolCallEvent, BeforeToolCallEvent } from "@strands-agents/sdk";
    export default { name: "${name}", initAgent(agent) {
      for (const order of ${JSON.stringify(given)})
        agent.addHook(BeforeToolCallEvent, (event) => { event.toolUse.input.command += " ${name}" + order; }, { order });
      agent.addHook(AfterToolCallEvent, () => {}, { order: -100 });
    } };`;
  const grant = granted(["*"]);
  const { host, call, audit } = await startSession({
    i: { source: two("i", { read: 50, exec: -5, "exec|read": 7 }), grant },
    only: { source: two("only", { read: 60 }), grant },
    o: { source: plugin("o", [-9, 8]), grant },
    s: { source: orders("s", [9, -7.5]), grant },
    p: adds("pi", "p", 0),
  });
  // Of openclaw's handlers, who all see the original, the last one's params count.
  expect(orderOf(await call("ls", "bash"))).toBe("o-9 s-7.5 s9 i7 i-5 p");
  expect(orderOf(await call("ls", "read"))).toBe("only60 i50 i7 o-9 s-7.5 s9 p");
  expect(orderOf(await call("ls", "write"))).toBe("o-9 s-7.5 s9 p");
  // A hook without a matching handler does not judge the call.
  await host.close();
  const asked = (hook: string) =>
    audit.filter((line) => line.hook === hook && line.event === "tool_call").map(({ value }) => value);
  expect(new Set(asked("only"))).toEqual(new Set(["read"]));
  expect(new Set(asked("i"))).toEqual(new Set(["bash", "read"]));
});

test("a handler that is registered later changes the priority of its bundle", async () => {
  const { call } = await startSession({
    first: adds("pi", "first", 5),
    grows: {
      source: `import { getGlobalInterceptorRegistry } from "cordon/interceptors";
        const registry = getGlobalInterceptorRegistry();
        registry.add({ id: "low", name: "tool.before", priority: 0, handler(_input, output) {
          output.args.command += " low";
          if (output.args.grow) registry.add({ id: "high", name: "tool.before", priority: 10, handler: (_, { args }) => { args.command += " high"; } });
          if (output.args.shrink) registry.remove("high");
        } });`,
      grant: granted(["*"]),
    },
  });
  const ask = async (more: object = {}) => orderOf(await call({ command: "ls", ...more }));
  expect(await ask()).toBe("first low");
  expect(await ask({ grow: true })).toBe("first low");
  expect(await ask()).toBe("high low first");
  expect(await ask({ shrink: true })).toBe("high low first");
  expect(await ask()).toBe("first low");
});

test("judging hooks, results, messages and parameters follow the order of priorities", async () => {
  const exchange = {
    capabilities: {
      events: { see: ["*"], block: true, rewriteMessage: true, rewriteParams: true, rewriteResult: ["*"] },
    },
  };
  const pi = `const add = (text) => text + " pi";
    export default (pi) => {
      pi.on("tool_call", () => console.log("pi"));
      pi.on("tool_result", ({ content: [{ text }] }) => ({ content: [{ type: "text", text: add(text) }] }));
      pi.on("message", ({ text }) => ({ text: add(text) }));
      pi.on("params", ({ thinkLevel }) => ({ thinkLevel: add(thinkLevel) }));
    };`;
  const registrations = (name: string, priority: number) => `const add = (text) => text + " ${name}";
    const all = { priority: ${priority} };
    export default [
      { ...all, id: "1", name: "tool.before", handler: () => console.log("${name}") },
      { ...all, id: "2", name: "tool.after", handler(_, { result }) { result.output = add(result.output); } },
      { ...all, id: "3", name: "message.before", agentMatcher: /^main$/, handler(_, output) { output.message = add(output.message); } },
      { ...all, id: "4", name: "params.before", handler(_, output) { output.thinkLevel = add(output.thinkLevel); } },
    ];`;
  const { host, call, log } = await startSession({
    low: { source: registrations("low", -1), grant: exchange },
    pi: { source: pi, grant: exchange },
    high: { source: registrations("high", 1), grant: exchange },
  });
  await call();
  expect(told(log)).toEqual(["high", "pi", "low"]);
  const content = [{ type: "text" as const, text: "got" }];
  const result = { toolName: "read", toolCallId: "1", input: {}, content, isError: false };
  expect(await host.emit({ type: "tool_result", ...result })).toEqual({
    content: [{ type: "text", text: "got high pi low" }],
  });
  const message = { type: "message", text: "said", metadata: {} } as const;
  expect(await host.emit({ ...message, agentId: "main" })).toEqual({ text: "said high pi low" });
  expect(await host.emit({ ...message, agentId: "other" })).toEqual({ text: "said pi" });
  const params = { type: "params", provider: "p", model: "m", thinkLevel: "low", metadata: {} } as const;
  expect(await host.emit(params)).toEqual({ thinkLevel: "low high pi low" });
});
