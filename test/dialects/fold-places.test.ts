import { expect, test } from "vitest";
import { HookHost } from "../../src/index.ts";
import { startSession, temporaryFolder, writeFiles } from "../support/session.ts";
import { DIALECTS, type Dialect, granted, hasMatchers, inDialect, told } from "./fold-hooks.ts";

/** The order of bundles, as those that rewrite see it: each adds its name to the command. */
const adds = (name: string): string => `input.command += " ${name}";`;
const at = (dialect: Dialect, name: string, priority: number, more: object = hasMatchers(dialect, priority)) => ({
  source: inDialect(dialect, { body: adds(name), priority, name }),
  grant: granted(["*"], more),
});
const orderOf = (verdict: unknown): string =>
  (verdict as { input: { command: string } }).input.command.replace(/^ls /, "");

test("a bundle's place is its priority: pi's grant, a handler's own, a negative order of strands", async () => {
  const { call } = await startSession({
    a: at("pi", "a", -3),
    b: at("strands", "b", -2),
    c: at("openclaw", "c", -1),
    d: at("interceptors", "d", 0),
    e: at("strands", "e", 1),
    f: at("interceptors", "f", 1.5),
    g: at("pi", "g", 2),
    h: at("openclaw", "h", 2000),
  });
  expect(orderOf(await call())).toBe("h g f e d c b a");
});

const MIXED = ["strands", "pi", "openclaw", "interceptors", "interceptors", "openclaw", "pi", "strands"] as const;
const tied = (priority: number) => {
  const hooks = MIXED.map((dialect, index) => [`${dialect}${index}`, at(dialect, `${dialect}${index}`, priority)]);
  return startSession(Object.fromEntries(hooks));
};

test("ties go by load order, whatever the dialects", async () => {
  const { call } = await tied(0);
  expect(orderOf(await call())).toBe(MIXED.map((dialect, index) => `${dialect}${index}`).join(" "));
});

test("ties go by load order, also where pi's hooks have their place by a grant", async () => {
  const { call } = await tied(5);
  expect(orderOf(await call())).toBe(MIXED.map((dialect, index) => `${dialect}${index}`).join(" "));
});

test("ties go by load order, also where a grant says a priority that its handlers do not go by", async () => {
  const { call } = await startSession({
    first: at("pi", "first", 0),
    second: at("openclaw", "second", 0, { priority: 9 }),
    third: at("interceptors", "third", 0, { priority: 10 }),
    fourth: at("strands", "fourth", -11, { priority: 11 }),
  });
  expect(orderOf(await call())).toBe("first second third fourth");
});

test("the grant's priority is where handlers stand that say none: openclaw; from where strands' orders count", async () => {
  const says = (name: string) => `export default { register(api) {
    api.on("before_tool_call", ({ params }) => ({ params: { ...params, command: params.command + " ${name}" } }));
  } };`;
  const { call } = await startSession({
    a: { source: says("a"), grant: granted(["*"], { priority: 3 }) },
    b: at("pi", "b", 4),
    c: at("strands", "c", 2, { priority: 3 }),
    d: at("strands", "d", -2, { priority: 3 }),
  });
  expect(orderOf(await call())).toBe("c b a d");
});

test("the highest priority among the handlers that match: its handlers run together, others do not count", async () => {
  const two = (name: string, tools: readonly [string, number][]) => `
    import { getGlobalInterceptorRegistry } from "cordon/interceptors";
    for (const [tool, priority] of ${JSON.stringify(tools)})
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
    i: {
      source: two("i", [
        ["read", 50],
        ["exec", -5],
        ["exec|read", 7],
      ]),
      grant,
    },
    only: { source: two("only", [["read", 60]]), grant },
    o: { source: plugin("o", [-9, 8]), grant },
    s: { source: orders("s", [9, -7.5]), grant },
    p: at("pi", "p", 0),
  });
  // Of openclaw's handlers, who all see the original, the last one's params count.
  expect(orderOf(await call("ls", "bash"))).toBe("o-9 s-7.5 s9 i7 i-5 p");
  expect(orderOf(await call("ls", "read"))).toBe("only60 i50 i7 o-9 s-7.5 s9 p");
  expect(orderOf(await call("ls", "write"))).toBe("o-9 s-7.5 s9 p");
  // Who wants nothing of a call is not asked about it.
  await host.close();
  const asked = (hook: string) =>
    audit.filter((line) => line.hook === hook && line.event === "tool_call").map(({ value }) => value);
  expect(new Set(asked("only"))).toEqual(new Set(["read"]));
  expect(new Set(asked("i"))).toEqual(new Set(["bash", "read"]));
});

test("a manifest's priority is pi's place until a grant has one", async () => {
  const folder = temporaryFolder();
  const source = (name: string) => inDialect("pi", { body: adds(name) });
  const path = (name: string) => `${folder}/hooks/${name}.ts`;
  writeFiles(folder, {
    "hooks/a.ts": source("a"),
    "hooks/b.ts": source("b"),
    "hooks/b.hook.json": '{"priority": 5}',
    "hooks/c.ts": source("c"),
    "hooks/c.hook.json": '{"priority": 50}',
  });
  await using host = await HookHost.start({
    cwd: folder,
    home: `${folder}/home`,
    agentDir: `${folder}/agent`,
    discover: false,
    hooks: [
      { path: path("a"), id: "a", grant: granted(["*"]) },
      { path: path("b"), id: "b", grant: granted(["*"]) },
      { path: path("c"), id: "c", grant: granted(["*"], { priority: 4 }) },
    ],
  });
  const call = { type: "tool_call", toolName: "bash", toolCallId: "1", input: { command: "ls" } } as const;
  expect(orderOf(await host.emitToolCall(call))).toBe("b c a");
});

test("a handler that is registered later changes the place of its bundle", async () => {
  const { call } = await startSession({
    first: at("pi", "first", 5),
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

test("judges are asked, results, messages and parameters passed on, in the order of places", async () => {
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

test("whatever the load order, places decide", async () => {
  const place: Record<Dialect, number> = { pi: 1, interceptors: 2, openclaw: 3, strands: 4 };
  for (const dialects of [DIALECTS, [...DIALECTS].reverse()]) {
    const { call } = await startSession(Object.fromEntries(dialects.map((one) => [one, at(one, one, place[one])])));
    expect(orderOf(await call())).toBe("strands openclaw interceptors pi");
  }
});
