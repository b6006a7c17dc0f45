import { describe, expect, test } from "vitest";
import type { HookEvent } from "../../src/hook-api.ts";
import { sharedSession, startSession } from "../support/session.ts";
import { DIALECTS, type Dialect, granted, hasMatchers, inDialect, TELL, told, toolNameIn } from "./fold-hooks.ts";

const hook = (dialect: Dialect, body: string, priority = 0, tools: readonly string[] = []) => ({
  source: inDialect(dialect, { body, priority }),
  grant: granted(tools, hasMatchers(dialect, priority)),
});

describe("each hook sees an event in its own dialect's shape, with its own tool names", () => {
  const tell = "(event) => console.log(JSON.stringify(event))";
  const session = sharedSession({
    pi: `export default (pi) => { for (const type of ["tool_call", "tool_result", "message", "params"]) pi.on(type, ${tell}); };`,
    interceptors: `import { getGlobalInterceptorRegistry } from "cordon/interceptors";
      for (const name of ["tool.before", "tool.after", "message.before", "params.before"])
        getGlobalInterceptorRegistry().add({ id: name, name, handler: (...both) => (${tell})(both) });`,
    openclaw: `export default { register(api) {
      for (const name of ["before_tool_call", "after_tool_call", "message_received"])
        api.on(name, ({ timestamp, ...event }) => (${tell})(event));
    } };`,
    strands: `import { AfterToolCallEvent, BeforeToolCallEvent } from "@strands-agents/sdk";
      export default { name: "strands", initAgent(agent) {
        for (const type of [BeforeToolCallEvent, AfterToolCallEvent]) agent.addHook(type, ${tell});
      } };`,
  });
  const input = { command: "ls" };
  const call = { toolName: "bash", toolCallId: "c1", input };
  const exec = { toolName: "exec", toolCallId: "c1" };
  const content = [{ type: "text" as const, text: "a.txt" }];
  const toolUse = { name: "bash", toolUseId: "c1", input };
  const metadata = { a: 1 };
  const origin = { agentId: "main", provider: "p", model: "m" };
  const levels = { provider: "p", model: "m", thinkLevel: "low" };

  // biome-ignore format: a table
  const SHAPES: [event: HookEvent, seen: Partial<Record<Dialect, unknown>>][] = [
    [{ type: "tool_call", ...call }, {
      pi: { type: "tool_call", ...call },
      interceptors: [exec, { args: input }],
      openclaw: { ...exec, params: input },
      strands: { type: "beforeToolCallEvent", toolUse },
    }],
    [{ type: "tool_result", ...call, content, details: { n: 1 }, isError: false, durationMs: 5 }, {
      pi: { type: "tool_result", ...call, content, details: { n: 1 }, isError: false, durationMs: 5 },
      interceptors: [{ ...exec, isError: false }, { result: { content, details: { n: 1 }, output: "a.txt" } }],
      openclaw: { ...exec, params: input, result: { content, details: { n: 1 } }, durationMs: 5 },
      strands: { type: "afterToolCallEvent", toolUse,
        result: { toolResult: { toolUseId: "c1", status: "success", content: [{ text: "a.txt" }] } } },
    }],
    [{ type: "message", text: "hi", metadata, ...origin }, {
      pi: expect.objectContaining({ type: "message", text: "hi", metadata, agentId: "main" }),
      interceptors: [origin, { message: "hi", metadata }],
      openclaw: expect.objectContaining({ from: "user", content: "hi", metadata }),
    }],
    [{ type: "params", ...levels, metadata, message: "hi" }, {
      pi: expect.objectContaining({ type: "params", ...levels, metadata }),
      interceptors: [{ agentId: "", message: "hi", metadata }, levels],
    }],
  ];

  test.each(SHAPES)("$type", async (event, seen) => {
    const { host, log, errors } = session;
    expect(host.hooks.map(({ dialect, state }) => [dialect, state])).toEqual(DIALECTS.map((one) => [one, "active"]));
    log.length = 0;
    await host.emit(event);
    expect(Object.fromEntries(log.map(({ hook, text }) => [hook, JSON.parse(text)]))).toEqual(seen);
    expect(errors).toEqual([]);
  });
});

/** Gates that only judge a `write`, and may rewrite a `bash`; and rewriters of both that come after them. */
const gatesAndRewriters = () =>
  startSession({
    ...Object.fromEntries(
      DIALECTS.map((one) => [
        `gate ${one}`,
        hook(one, `${TELL} if (input.gate === "${one}" && input.command.includes("rm")) block = "no rm";`, 5, ["bash"]),
      ]),
    ),
    ...Object.fromEntries(
      DIALECTS.map((one) => [
        `rewriter ${one}`,
        hook(one, `${TELL} if (input.rewriter === "${one}") input.command = input.command.replace("X", "rm");`, 0, [
          "*",
        ]),
      ]),
    ),
  });

test("a gate that approved X judges Y after a rewrite of X to Y, in each pair of dialects", async () => {
  const { call, log } = await gatesAndRewriters();
  for (const gate of DIALECTS) {
    for (const rewriter of DIALECTS) {
      for (const tool of ["bash", "write"]) {
        const ask = async (command: string) => {
          log.length = 0;
          const verdict = await call({ command, gate, rewriter }, tool);
          return [gate, rewriter, verdict, told(log, `gate ${gate}`)];
        };
        const name = toolNameIn(gate, tool);
        expect(await ask("ls")).toEqual([gate, rewriter, undefined, [`${name}: ls`]]);
        const approved = tool === "bash" ? [`${name}: X`] : [];
        const blocked = { block: true, reason: "no rm", hook: `gate ${gate}` };
        expect(await ask("X")).toEqual([gate, rewriter, blocked, [...approved, `${name}: rm`]]);
      }
    }
  }
});

test("hooks that may rewrite run before those that judge, whatever their priorities", async () => {
  const { call, log } = await gatesAndRewriters();
  for (const rewriter of DIALECTS) {
    log.length = 0;
    const input = { command: "X", rewriter };
    expect(await call(input, "write")).toEqual({ input: { ...input, command: "rm" } });
    const lines = log.map((line) => `${line.hook} ${line.text}`);
    const own = DIALECTS.indexOf(rewriter);
    expect(lines).toEqual([
      ...DIALECTS.map((one, at) => `rewriter ${one} write: ${at <= own ? "X" : "rm"}`),
      // Hooks that judged X judge its rewrite, in their order among the others.
      ...DIALECTS.map((one) => `gate ${one} write: rm`),
      ...DIALECTS.slice(0, own).map((one) => `rewriter ${one} write: rm`),
    ]);
  }
});

/** The answers of each dialect that are not a block. */
const APPROVALS: Record<Dialect, string> = {
  pi: 'export default (pi) => pi.on("tool_call", () => ({ block: false, reason: "approved" }));',
  interceptors: `export default { id: "a", name: "tool.before", priority: 1000, handler(_input, output) { output.block = false; } };`,
  openclaw: `export default [{ hookName: "before_tool_call", handler: () => ({ block: false }), priority: 1000 }];`,
  strands: `import { BeforeToolCallEvent } from "@strands-agents/sdk";
    export default { name: "a", initAgent(agent) { agent.addHook(BeforeToolCallEvent, (event) => { event.cancel = false; }, { order: -1000 }); } };`,
};

test("any block blocks, even if other hooks approve before or after it", async () => {
  const approvals = (when: string) => DIALECTS.map((one) => [`${when} ${one}`, APPROVALS[one]] as const);
  const decides = (one: Dialect) =>
    hook(
      one,
      `if (input.${one} === "block") block = "by ${one}"; if (input.${one} === "throw") throw new Error("${one} broke");`,
    );
  const { call } = await startSession({
    ...Object.fromEntries(approvals("early")),
    ...Object.fromEntries(DIALECTS.map((one) => [one, decides(one)])),
    ...Object.fromEntries(approvals("late")),
  });
  for (const chosen of subsets(DIALECTS)) {
    for (const how of ["block", "throw"]) {
      const input = Object.fromEntries(chosen.map((one) => [one, how]));
      const [first] = chosen;
      const reason = how === "block" ? `by ${first}` : `${first} broke`;
      expect([chosen, await call(input)]).toEqual([chosen, first && { block: true, reason, hook: first }]);
    }
  }
});

const subsets = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: 2 ** all.length }, (_, bits) => all.filter((_one, at) => (bits >> at) % 2 === 1));

test("a rewrite without its grant is dropped, reported once and recorded each time, in each dialect", async () => {
  const { call, errors, audit, log } = await startSession({
    ...Object.fromEntries(
      DIALECTS.map((one) => [one, hook(one, 'input.command = "rm";', 1, one === "pi" ? [] : ["read", "exec"])]),
    ),
    gate: hook("pi", TELL),
  });
  for (let times = 0; times < 3; times++) expect(await call("ls")).toBeUndefined();
  expect(told(log, "gate")).toEqual(["bash: ls", "bash: ls", "bash: ls"]);
  expect(errors.map(({ code, event }) => `${event} ${code}`)).toEqual(DIALECTS.map(() => "tool_call NOT_GRANTED"));
  for (const one of DIALECTS) {
    const error = errors.find(({ hookPath }) => hookPath.endsWith(`/${one}.ts`));
    expect(error?.error).toContain("events.rewriteInput for bash: its change of the input was dropped");
    const lines = audit.filter((line) => line.hook === one && line.outcome === "NOT_GRANTED");
    expect(lines.map(({ capability }) => capability)).toEqual(Array(3).fill("events.rewriteInput for bash"));
  }
  expect(await call("ls", "read")).toEqual({ input: { command: "rm" } });
});
