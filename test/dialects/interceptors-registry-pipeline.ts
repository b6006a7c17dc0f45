import type { AgentToolResult, AnyRegistration, ToolAfterOutput } from "../../sandbox/guest/interceptors/types.ts";
import type { Library, Row } from "./interceptors-registry-rows.ts";

type Handler = (input: never, output: never) => unknown;
type Args = Record<string, unknown>;

const on = (name: string, handler: Handler, more: object = {}): AnyRegistration =>
  ({ id: `${name} ${Math.random()}`, name, handler, ...more }) as AnyRegistration;
const result = (text: string): AgentToolResult => ({ content: [{ type: "text", text }] });
/** A result as interceptors are shown it: with all its text. */
const shown = (text: string): AgentToolResult => ({ ...result(text), output: text });
const settled = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (value) => ({ value }),
    (error) => ({ error: error instanceof Error ? error.message : String(error) }),
  );

/** A tool that keeps what it is called with, inside interceptors. */
function wrapped(library: Library, interceptors: AnyRegistration[], act: () => unknown = () => result("ran")) {
  const registry = library.createInterceptorRegistry();
  for (const interceptor of interceptors) registry.add(interceptor as never);
  const calls: unknown[][] = [];
  const tool = {
    name: "bash",
    label: "Shell",
    async execute(...given: [string, Args, ...unknown[]]): Promise<AgentToolResult> {
      calls.push(given);
      return act() as AgentToolResult;
    },
  };
  return { registry, tool, calls, outside: library.wrapToolWithInterceptors(tool as never, registry) as typeof tool };
}

const BUILT_IN = [
  ["builtin:command-safety-guard", "tool.before", 100, "/^exec$/"],
  ["builtin:security-audit", "tool.before", 99, "/^(read|write|edit)$/"],
];

// biome-ignore format: a table
export const ROWS: Row[] = [
  ["a blocked result names the tool as normalized, and has a reason by default",
    ({ blockedResult }) => [blockedResult(" Bash", "no rm"), blockedResult("read"), blockedResult("x", undefined)],
    [{ status: "blocked", tool: "exec", reason: "no rm" },
      { status: "blocked", tool: "read", reason: "Blocked by interceptor" },
      { status: "blocked", tool: "x", reason: "Blocked by interceptor" }]],
  ["trigger runs those that match one after the other on one output, which it returns", async (library) => {
      const registry = library.createInterceptorRegistry();
      const trace: string[] = [];
      const add = (says: string, more: object, work?: Promise<unknown>) => {
        const handler = async (_input: never, { args }: { args: string[] }) => {
          trace.push(says);
          await work;
          args.push(says);
        };
        registry.add(on("tool.before", handler, more) as never);
      };
      add("last", { priority: -1 });
      add("slow", { priority: 1 }, new Promise((resolve) => setTimeout(resolve, 2)));
      add("quick", {});
      add("of another tool", { toolMatcher: /^read$/ });
      const output = { args: [] as unknown as Args };
      const input = { toolName: "exec", toolCallId: "1" };
      const returned = await library.triggerInterceptors(registry, "tool.before", input, output);
      return [returned === output, output.args, trace];
    }, [true, ["slow", "quick", "last"], ["slow", "quick", "last"]]],
  ["trigger asks matchers of agents for messages and parameters", async (library) => {
      const registry = library.createInterceptorRegistry();
      const seen: string[] = [];
      for (const name of ["message.before", "params.before"]) {
        const handler = ({ agentId }: { agentId: string }) => seen.push(`${name} ${agentId}`);
        registry.add(on(name, handler, { agentMatcher: /^coder$/ }) as never);
      }
      const message = { message: "", metadata: {} };
      const model = { provider: "p", model: "m" };
      for (const agentId of ["coder", "writer"]) {
        await library.triggerInterceptors(registry, "message.before", { agentId, ...model }, message);
        await library.triggerInterceptors(registry, "params.before", { agentId, ...message }, { ...model });
      }
      return seen;
    }, ["message.before coder", "params.before coder"]],
  ["trigger rejects with what one throws, and the rest do not run", async (library) => {
      const registry = library.createInterceptorRegistry();
      let later = false;
      registry.add(on("tool.before", () => Promise.reject(new Error("thrown"))) as never);
      registry.add(on("tool.before", () => { later = true; }) as never);
      const input = { toolName: "x", toolCallId: "1" };
      return [await settled(library.triggerInterceptors(registry, "tool.before", input, { args: {} })), later];
    }, [{ error: "thrown" }, false]],
  ["a wrapped tool is the tool: other fields, all arguments and its result are as they were", async (library) => {
      const { outside, tool, calls } = wrapped(library, []);
      const told = await outside.execute("id", { a: 1 }, "signal", "onUpdate");
      return [outside.name, outside.label, outside !== tool, told, calls];
    }, ["bash", "Shell", true, result("ran"), [["id", { a: 1 }, "signal", "onUpdate"]]]],
  ["a blocked tool does not run, tool.after neither, and the agent gets status, tool and reason as text",
    async (library) => {
      let after = false;
      const { outside, calls } = wrapped(library, [
        on("tool.before", (_input, output) => Object.assign(output, { block: true, blockReason: "rm -rf is not allowed" })),
        on("tool.after", () => { after = true; }),
      ]);
      const { content, details } = await outside.execute("id", {});
      const [first] = content;
      return [calls, after, content.length, first?.type === "text" && JSON.parse(first.text), details];
    },
    [[], false, 1, { status: "blocked", tool: "exec", reason: "rm -rf is not allowed" },
      { status: "blocked", tool: "exec", reason: "rm -rf is not allowed" }]],
  ["a block without a reason has the default one; one that a later interceptor unset is none", async (library) => {
      const block = on("tool.before", (_input, output) => Object.assign(output, { block: true }));
      const unblock = on("tool.before", (_input, output) => Object.assign(output, { block: false }), { priority: -1 });
      const { details } = await wrapped(library, [block]).outside.execute("id", {});
      const { calls, outside } = wrapped(library, [block, unblock]);
      await outside.execute("id", {});
      return [details, calls.length];
    }, [{ status: "blocked", tool: "exec", reason: "Blocked by interceptor" }, 1]],
  ["the tool runs with the arguments that the interceptors left, replaced or changed", async (library) => {
      const replace = on("tool.before", (_input, output: { args: Args }) => { output.args = { ...output.args, b: 2 }; });
      const change = on("tool.before", (_input, output: { args: Args }) => { output.args.c = output.args.b; });
      const { outside, calls } = wrapped(library, [replace, change]);
      await outside.execute("id", { a: 1 });
      return calls;
    }, [["id", { a: 1, b: 2, c: 2 }]]],
  ["inputs have the normalized name and the call's id; tool.after also isError", async (library) => {
      const inputs: unknown[] = [];
      const keep = (input: never): void => void inputs.push(input);
      await wrapped(library, [on("tool.before", keep), on("tool.after", keep)]).outside.execute("id", {});
      return inputs;
    }, [{ toolName: "exec", toolCallId: "id" }, { toolName: "exec", toolCallId: "id", isError: false }]],
  ["tool.after replaces or changes the result", async (library) => {
      const replace = on("tool.after", (_input, output: ToolAfterOutput) => {
        output.result = { ...output.result, details: { replaced: true } };
      });
      const change = on("tool.after", (_input, { result: { content } }: ToolAfterOutput) => {
        content.push({ type: "text", text: "and more" });
      });
      return wrapped(library, [replace, change]).outside.execute("id", {});
    }, { content: [{ type: "text", text: "ran" }, { type: "text", text: "and more" }], details: { replaced: true } }],
  ["a tool that throws shows tool.after its error with isError true, and the agent gets that error",
    async (library) => {
      const seen: unknown[] = [];
      const after = on("tool.after", ({ isError }: { isError: boolean }, output: ToolAfterOutput) => {
        seen.push(isError, output.result);
        output.result = result("nothing happened");
      });
      const fails = (thrown: unknown) =>
        wrapped(library, [after], () => { throw thrown; }).outside.execute("id", {});
      return [await settled(fails(new Error("no such file"))), await settled(fails("a text")), seen];
    }, [{ error: "no such file" }, { error: "a text" }, [true, shown("no such file"), true, shown("a text")]]],
  ["a throw in tool.before: the tool does not run", async (library) => {
      const { outside, calls } = wrapped(library, [on("tool.before", () => Promise.reject(new Error("gate broke")))]);
      return [await settled(outside.execute("id", {})), calls.length];
    }, [{ error: "gate broke" }, 0]],
  ["each call asks the registry as it is then", async (library) => {
      const { outside, registry, calls } = wrapped(library, []);
      await outside.execute("1", {});
      registry.add({ ...on("tool.before", (_input, output) => Object.assign(output, { block: true })), id: "b" } as never);
      await outside.execute("2", {});
      registry.remove("b");
      await outside.execute("3", {});
      return calls.map(([id]) => id);
    }, ["1", "3"]],
  ["the global registry is null before it is initialized and after a reset; between, it is one, from anywhere", (library) => {
      library.resetGlobalInterceptors();
      const before = library.getGlobalInterceptorRegistry();
      const made = library.initializeGlobalInterceptors();
      const same = [library.getGlobalInterceptorRegistry() === made, library.initializeGlobalInterceptors() === made];
      library.resetGlobalInterceptors();
      library.resetGlobalInterceptors();
      return [before, same, library.getGlobalInterceptorRegistry()];
    }, [null, [true, true], null]],
  ["initialize puts the two guards in once; taken out again, they stay out until a reset", (library) => {
      library.resetGlobalInterceptors();
      const registry = library.initializeGlobalInterceptors();
      const guards = () => library.initializeGlobalInterceptors().list()
        .map(({ id, name, priority, toolMatcher }) => [id, name, priority, String(toolMatcher)]);
      const first = guards();
      registry.remove("builtin:command-safety-guard");
      const second = guards();
      library.resetGlobalInterceptors();
      return [first, second, guards(), library.getGlobalInterceptorRegistry() === registry, registry.list()];
    }, [BUILT_IN, BUILT_IN.slice(1), BUILT_IN, false, []]],
];
