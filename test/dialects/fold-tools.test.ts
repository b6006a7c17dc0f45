import { expect, test } from "vitest";
import { wrapToolsWithHooks } from "../../src/host/wrap-tools.ts";
import { type Sources, startSession } from "../support/session.ts";
import { DIALECTS, granted, hasMatchers, inDialect, TELL, told, toolNameIn } from "./fold-hooks.ts";

/** A strands hook that chooses the tool that the input names for the one that was called. */
const chooser = (tools: readonly string[], priority = 0, more = "") => ({
  source: inDialect("strands", { body: `${TELL} chosen = input.choose?.[tool]; ${more}`, priority }),
  grant: granted(tools),
});
const gates = Object.fromEntries(
  DIALECTS.map((one, at) => [
    one,
    {
      source: inDialect(one, {
        body: `${TELL} if (input.blocker === "${one}" && tool === "${toolNameIn(one, "bash")}") block = "no shell";`,
        priority: 10 - at,
      }),
      grant: granted([], hasMatchers(one, 10 - at)),
    },
  ]),
);

test("a choice of another tool is judged as a call of that tool, by all", async () => {
  const { call, log, audit } = await startSession({ ...gates, chooser: chooser(["*"]) });
  const input = { command: "ls", choose: { read: "bash" } };
  expect(await call(input, "read")).toEqual({ input, toolName: "bash" });
  // Those that only judge were not asked about a call that was not to be.
  for (const one of DIALECTS) expect(told(log, one)).toEqual([`${toolNameIn(one, "bash")}: ls`]);
  expect(told(log, "chooser")).toEqual(["read: ls", "bash: ls"]);
  expect(audit).toContainEqual(expect.objectContaining({ hook: "chooser", value: "read: bash", outcome: "rewrite" }));
  for (const blocker of DIALECTS) {
    expect(await call({ ...input, blocker }, "read")).toEqual({ block: true, reason: "no shell", hook: blocker });
    expect(await call({ command: "ls", blocker }, "read")).toBeUndefined();
  }
});

test("a choice needs a grant for the called tool and for the chosen tool", async () => {
  const cases = { none: [], called: ["read"], chosen: ["bash"], others: ["write", "exec"] };
  const choosers = Object.entries(cases).map(([name, tools]) => {
    const body = `if (input.who === "${name}") { chosen = input.choose[tool]; input.command = "rm"; }`;
    return [name, { source: inDialect("strands", { body, name }), grant: granted(tools) }];
  });
  const { call, errors, log, audit } = await startSession({ ...gates, ...Object.fromEntries(choosers) });
  for (const who of Object.keys(cases)) {
    log.length = 0;
    const input = { command: "ls", choose: { read: "bash" }, who };
    for (let times = 0; times < 2; times++) expect([who, await call(input, "read")]).toEqual([who, undefined]);
    for (const one of DIALECTS) expect(told(log, one)).toEqual(["read: ls", "read: ls"]);
    const power = `events.rewriteInput for ${who === "called" ? "bash" : "read"}`;
    const reported = errors.filter(({ hookPath }) => hookPath.endsWith(`/${who}.ts`));
    const dropped = expect.stringContaining(`${power}: its choice of the tool bash was dropped`);
    expect(reported).toMatchObject([{ code: "NOT_GRANTED", error: dropped }]);
    const lines = audit.filter((line) => line.hook === who && line.outcome === "NOT_GRANTED");
    expect(lines.map(({ capability }) => capability)).toEqual([power, power]);
  }
});

const THREE = { a: "b", b: "c", c: "d" };
const CHOOSER = { chooser: chooser(["*"]) };
const once = (from: string, to: string) => ({
  source: inDialect("strands", { body: `if (tool === "${from}") chosen = "${to}";`, name: from }),
  grant: granted(["*"]),
});
const RING = { ab: once("a", "b"), bc: once("b", "c"), cd: once("c", "d"), da: once("d", "a") };
const REWRITER = { source: inDialect("pi", { body: 'input.command = "rm";' }), grant: granted(["*"]) };

interface Row {
  claim: string;
  hooks: Sources;
  tool: string;
  input: { command: string } & Record<string, unknown>;
  /** The verdict on this input. */
  comes: (input: Row["input"]) => unknown;
  /** The calls that the chooser was shown. */
  told?: string[];
}
const passes = () => undefined;
const becomes = (toolName: string) => (input: object) => ({ input, toolName });
const tooMany = () => ({ block: true, reason: "hooks chose another tool more than 3 times", hook: "" });

// biome-ignore format: a table
const CHOICES: Row[] = [
  { claim: "a call may become one of another tool three times", hooks: CHOOSER,
    tool: "a", input: { command: "1", choose: THREE }, comes: becomes("d"), told: ["a: 1", "b: 1", "c: 1", "d: 1"] },
  { claim: "a fourth choice blocks", hooks: CHOOSER,
    tool: "a", input: { command: "2", choose: { ...THREE, d: "e" } }, comes: tooMany },
  { claim: "circular choices block", hooks: CHOOSER,
    tool: "a", input: { command: "3", choose: { a: "b", b: "a" } }, comes: tooMany },
  ...["a", "b", "c", "d"].map((tool): Row => ({ claim: `choices of several hooks count as one, from ${tool}`,
    hooks: RING, tool, input: { command: "ls" }, comes: tooMany })),
  { claim: "a tool without a choice passes", hooks: RING, tool: "e", input: { command: "ls" }, comes: passes },
  { claim: "a choice and a block are a block", hooks: { chooser: chooser(["*"], 0, 'if (input.blocked) block = "both";') },
    tool: "read", input: { command: "ls", choose: { read: "bash" }, blocked: true },
    comes: () => ({ block: true, reason: "both", hook: "chooser" }) },
  { claim: "choosing the called tool is not a choice", hooks: CHOOSER,
    tool: "read", input: { command: "ls", choose: { read: "read" } }, comes: passes },
  { claim: "a hook that would choose as it judges an input again after rewrites blocks it",
    hooks: { chooser: chooser(["*"], 5, 'if (!input.command.includes("rm")) chosen = undefined;'), rewriter: REWRITER },
    tool: "read", input: { command: "ls", choose: { read: "bash" } },
    comes: () => ({ block: true, hook: "chooser", reason: "another hook changed the call after this one, which would change it back" }),
    told: ["read: ls", "read: rm", "read: ls", "read: rm"] },
];

test.each(CHOICES.map((row) => [row.claim, row] as const))("%s", async (_claim, row) => {
  const { hooks, tool, input, comes, told: lines } = row;
  const { call, log, audit } = await startSession(hooks);
  expect(await call(input, tool)).toEqual(comes(input));
  // A block of Cordon's own is on record, too.
  if (comes === tooMany) expect(audit.at(-1)).toMatchObject({ hook: "", outcome: "block" });
  if (lines) expect(told(log, "chooser")).toEqual(lines);
});

test("a choice includes changes of the input, also those of earlier hooks", async () => {
  const { call, log } = await startSession({
    ...gates,
    before: {
      source: inDialect("openclaw", { body: 'if (tool === "read") input.command += " before";', priority: 5 }),
      grant: granted(["read"]),
    },
    chooser: chooser(["*"], 0, 'if (chosen) input.command += " chosen";'),
    after: {
      source: inDialect("interceptors", { body: 'input.command += " after-" + tool;', priority: -5 }),
      grant: granted(["read", "bash"]),
    },
  });
  const choose = { read: "bash" };
  expect(await call({ command: "ls", choose }, "read")).toEqual({
    input: { command: "ls before chosen after-exec", choose },
    toolName: "bash",
  });
  for (const one of DIALECTS)
    expect(told(log, one)).toEqual([`${toolNameIn(one, "bash")}: ls before chosen after-exec`]);
});

test("the chosen tool runs if the agent wrapped it; otherwise no tool runs", async () => {
  const { host } = await startSession({ chooser: chooser(["*"]) });
  const ran: unknown[] = [];
  const tools = ["read", "bash"].map((name) => ({
    name,
    execute: async (_id: string, params: object) => {
      ran.push([name, params]);
      return { content: [] };
    },
  }));
  const [read] = wrapToolsWithHooks(tools, host);
  await read?.execute("1", { choose: { read: "bash" } });
  expect(ran).toEqual([["bash", { choose: { read: "bash" } }]]);
  await expect(read?.execute("1", { choose: { read: "Bash" } })).rejects.toThrow(
    "Blocked: a hook chose the tool Bash instead, which this agent cannot run",
  );
  expect(ran).toHaveLength(1);
});

test("an agent that does not name its other tools never runs the called tool with input for another", async () => {
  const { host, audit } = await startSession({ chooser: chooser(["*"]) });
  const event = {
    type: "tool_call",
    toolName: "read",
    toolCallId: "1",
    input: { command: "ls", choose: { read: "bash" } },
  } as const;
  const blocked = { block: true, reason: "a hook chose the tool bash instead, which this agent cannot run", hook: "" };
  expect(await host.emitToolCall(event)).toEqual(blocked);
  expect(await host.emit(event)).toEqual(blocked);
  expect(await host.emitToolCall(event, { canRun: (tool) => tool === "Bash" })).toEqual(blocked);
  expect(await host.emitToolCall(event, { canRun: (tool) => tool === "bash" })).toMatchObject({ toolName: "bash" });
  expect(audit).toContainEqual(expect.objectContaining({ outcome: "block", value: `read: ${blocked.reason}` }));
});
