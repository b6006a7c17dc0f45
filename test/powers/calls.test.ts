import { expect, test, vi } from "vitest";
import type { CallTool } from "../../src/supervisor/prepared-event.ts";
import { startSession } from "../support/session.ts";

/** A hook whose tool `work` runs this body, and answers with what it returns as JSON. */
const works = (body: string, more = ""): string => `export default (pi: any) => {
  ${more}
  pi.registerTool({ name: "work", description: "", parameters: { type: "object" }, async execute(id: string, params: any, signal: any, onUpdate: any, ctx: any) {
    let said;
    try { said = await (async () => { ${body} })(); } catch (e: any) { said = [e.code ?? e.name, e.message]; }
    return { content: [{ type: "text", text: JSON.stringify(said ?? null) }] };
  } });
};`;

const fine: CallTool = async (name, args) => ({
  toolCall: { type: "toolCall", id: "c1/1", name, arguments: args },
  result: { content: [{ type: "text", text: `ran ${name}` }], details: { at: 1 } },
  isError: false,
});

interface Options {
  calls?: string[];
  callTool?: CallTool | undefined;
  events?: object;
  signal?: AbortSignal;
}

async function hook(source: string, { calls, callTool = fine, events, signal }: Options = {}) {
  const capabilities = {
    tools: ["work"],
    ...(calls ? { calls } : {}),
    ...(events ? { events: { see: [], ...events } } : {}),
  };
  const session = await startSession({ worker: { source, grant: { capabilities } } });
  const work = async (): Promise<unknown> => {
    const options = { toolCallId: "c1", callTool, ...(signal ? { signal } : {}) };
    const { content } = await session.host.offers.runTool("work", {}, options);
    const [part] = content;
    const text = part?.type === "text" ? part.text : "";
    return /^[["{n]/.test(text) ? JSON.parse(text) : text;
  };
  return { ...session, work };
}

test("a tool runs a granted tool of the agent's, with its arguments, and gets its result", async () => {
  const { work, audit } = await hook(works(`return ctx.executeTool("read", { path: "a" });`), { calls: ["read"] });
  expect(await work()).toEqual(await fine("read", { path: "a" }, new AbortController().signal));
  expect(audit.filter(({ capability }) => capability === "calls.run")).toMatchObject([
    { hook: "worker", value: "read", outcome: "allowed" },
  ]);
});

// biome-ignore format: a table
const REFUSED: [claim: string, calls: string[] | undefined][] = [
  ["without a grant", undefined],
  ["by an empty grant", []],
  ["by the grant of another tool", ["grep", "reader"]],
  ["by a star, which is a name like any other", ["*"]],
];

test.each(REFUSED)("a tool is not run %s", async (_claim, calls) => {
  const callTool = vi.fn(fine);
  const { work } = await hook(works(`return ctx.executeTool("read", {});`), { ...(calls ? { calls } : {}), callTool });
  expect(await work()).toEqual([
    "NOT_GRANTED",
    expect.stringMatching(/worker.*calls.*read.*; add "calls": .* to the grant that its host gives it/),
  ]);
  expect(callTool).not.toHaveBeenCalled();
});

test("an agent that runs no tools for others says so", async () => {
  const session = await startSession({
    worker: {
      source: works(`return ctx.executeTool("read", {});`),
      grant: { capabilities: { tools: ["work"], calls: ["read"] } },
    },
  });
  const { content } = await session.host.offers.runTool("work", {}, { toolCallId: "c1" });
  expect(content).toMatchObject([{ text: expect.stringContaining("this agent does not offer ctx.executeTool here") }]);
});

test("what is no tool that runs can run none", async () => {
  const source = works(
    "",
    `pi.registerCommand("go", { handler: async (_args: string, ctx: any) => { await ctx.executeTool("read", {}); } });
     pi.on("tool_call", async (_event: any, ctx: any) => { await ctx.executeTool("read", {}); });`,
  );
  const capabilities = {
    tools: ["work"],
    commands: ["go"],
    calls: ["read"],
    events: { see: ["tool_call"], block: true },
  };
  const { host, call } = await startSession({ worker: { source, grant: { capabilities } } });
  const refused = expect.stringContaining("does not offer ctx.executeTool here");
  expect(await host.offers.runCommand("command", "go", "")).toEqual({ error: refused });
  expect(await call("ls")).toMatchObject({ block: true, reason: refused });
});

test("a hook judges the calls of its own tool, which waits for them", async () => {
  let judge: CallTool = fine;
  const source = works(
    `return (await ctx.executeTool("read", { path: "secret" })).result.content[0].text;`,
    `pi.on("tool_call", (event: any) => event.input.path === "secret" ? { block: true, reason: "mine" } : undefined);`,
  );
  const { work, host } = await hook(source, {
    calls: ["read"],
    events: { see: ["tool_call"], block: true },
    callTool: (...asked) => judge(...asked),
  });
  judge = async (name, args, signal) => {
    const verdict = await host.emitToolCall({
      type: "tool_call",
      toolName: name,
      toolCallId: "c1/1",
      input: Object(args),
    });
    const blocked = verdict !== undefined && "block" in verdict;
    const done = await fine(name, args, signal);
    return blocked ? { ...done, result: { content: [{ type: "text", text: verdict.reason }] }, isError: true } : done;
  };
  expect(await work()).toBe("mine");
});

test("a tool that runs itself ends at the limit", async () => {
  let depth = 0;
  let again: CallTool = fine;
  const { work } = await hook(works(`return (await ctx.executeTool("work", {})).result.content[0].text;`), {
    calls: ["work"],
    callTool: (...asked) => again(...asked),
  });
  again = async (name, args) => {
    depth++;
    return {
      toolCall: { type: "toolCall", id: "c", name, arguments: args },
      result: { content: [{ type: "text", text: String(await work()) }] },
      isError: false,
    };
  };
  expect(JSON.stringify(await work())).toMatch(/may run 8 others at once/);
  expect(depth).toBe(8);
});

test.each([
  [
    "its call is aborted",
    `const gone = new AbortController(); setTimeout(() => gone.abort(), 100); await ctx.executeTool("read", {}, { signal: gone.signal });`,
  ],
  [
    "its hook dies",
    `void ctx.executeTool("read", {}); await new Promise((resolve) => setTimeout(resolve, 200)); for (;;) {}`,
  ],
])("a tool that runs is aborted when %s", async (_claim, body) => {
  const aborted = vi.fn();
  const { work } = await hook(works(body), {
    calls: ["read"],
    callTool: (_name, _args, signal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => {
          aborted();
          reject(new Error("aborted"));
        }),
      ),
  });
  await work();
  expect(aborted).toHaveBeenCalled();
});

test.each([
  ["that is not JSON", `{ content: [], details: { at: 10n } }`],
  ["that does not fit", `{ content: [{ type: "text", text: "x".repeat(9_000_000) }] }`],
])("a result %s is an error to the hook", async (_claim, result) => {
  const { work, errors } = await hook(works(`await ctx.executeTool("read", {}); return "came";`), {
    calls: ["read"],
    callTool: async (name, args, signal) => ({
      ...(await fine(name, args, signal)),
      result: new Function(`return ${result}`)(),
    }),
  });
  expect(await work()).toEqual([expect.any(String), expect.stringContaining("could not be passed on")]);
  expect(errors).toEqual([]);
});
