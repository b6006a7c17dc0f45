import { describe, expect, test } from "vitest";
import { sharedSession, startSession } from "../support/session.ts";

/** A hook of each dialect, that does this for its command alone. */
const DIALECTS: Record<string, (command: string, body: string) => string> = {
  pi: (command, body) =>
    `export default (pi: any) => { pi.on("tool_call", async (event: any): Promise<any> => { if (event.input.command !== "${command}") return; ${body} }); };`,
  openclaw: (command, body) =>
    `export default { id: "p", register(api: any) { api.on("before_tool_call", async (event: any): Promise<any> => { if (event.params.command !== "${command}") return; ${body} }); } };`,
  interceptors: (command, body) =>
    `export default [{ id: "i", name: "tool.before", handler: async (input: any, output: any): Promise<any> => { if (output.args.command !== "${command}") return; ${body} } }];`,
  strands: (command, body) => `import { BeforeToolCallEvent } from "@strands-agents/sdk";
export default { name: "plugin", initAgent(agent: any) { agent.addHook(BeforeToolCallEvent, (event: any): any => { if (event.toolUse.input.command !== "${command}") return; ${body} }); } };`,
};

const PASSES = "passes";
const BLOCKS = "blocks";
/** The key in the message. */
const meant = (key: string) => new RegExp(`did you mean ${key}\\?`);

const RESULTS: readonly [dialect: string, body: string, comes: string | RegExp][] = [
  ["pi", "return {};", PASSES],
  ["pi", "return undefined;", PASSES],
  ["pi", "return { block: undefined };", PASSES],
  ["pi", "return { block: false };", PASSES],
  ["pi", "return { terminate: true };", PASSES],
  ["pi", "return { block: undefined, reason: undefined };", PASSES],
  ["pi", "return { block: true };", BLOCKS],
  ["pi", `return { block: "yes" };`, BLOCKS],
  ["pi", "return { block: 1, reason: 'x' };", BLOCKS],
  ["pi", "return { block: {} };", BLOCKS],
  ["pi", `return { blocked: true, reason: "x" };`, meant("block")],
  ["pi", `return { Block: true };`, meant("block")],
  ["pi", `return { reason: "x" };`, /reason without block/],
  ["pi", `return { deny: true };`, meant("block")],
  ["pi", `return { terminate: true, reason: "x" };`, /reason without block/],
  ["pi", "return new Map([['block', true]]);", /none of: block/],
  ["openclaw", "return {};", PASSES],
  ["openclaw", "return { block: undefined };", PASSES],
  ["openclaw", "return { params: undefined };", PASSES],
  ["openclaw", "return { block: true };", BLOCKS],
  ["openclaw", "return { block: 'yes' };", BLOCKS],
  ["openclaw", `return { blocked: true, blockReason: "x" };`, meant("block")],
  ["openclaw", `return { blockReason: "x" };`, /blockReason without block/],
  ["openclaw", `return { param: {} };`, meant("params")],
  ["openclaw", `return { reason: "x" };`, /returned reason without block/],
  ["interceptors", "return undefined;", PASSES],
  ["interceptors", "output.note = 1;", PASSES],
  ["interceptors", "output.block = false;", PASSES],
  ["interceptors", "output.block = true;", BLOCKS],
  ["interceptors", "output.block = 'yes';", BLOCKS],
  ["interceptors", "output.blocked = true;", meant("block")],
  ["interceptors", "output.blok = true;", meant("block")],
  ["interceptors", `output.blockReason = "x";`, /blockReason without block/],
  ["interceptors", "return Object.assign(output, { block: true });", BLOCKS],
  ["interceptors", "return { block: true };", /returned "block", and what it returns is ignored; set output\.block/],
  [
    "interceptors",
    "return { blocked: true };",
    /returned "blocked", and what it returns is ignored; set output\.block/,
  ],
  ["interceptors", `output.blockReson = "x";`, meant("blockReason")],
  ["strands", "return undefined;", PASSES],
  ["strands", "event.note = 1;", PASSES],
  ["strands", "return { anything: 1 };", PASSES],
  ["strands", "event.cancel = false;", PASSES],
  ["strands", "event.cancel = true;", BLOCKS],
  ["strands", "event.cancel = 'no';", BLOCKS],
  ["strands", "return Object.assign(event, { cancel: 'no' });", BLOCKS],
  ["strands", "event.cancelled = true;", meant("cancel")],
  ["strands", "event.cancelTool = 'no';", meant("cancel")],
  ["strands", "event.cancle = true;", meant("cancel")],
  ["strands", "return { cancel: true };", /returned "cancel", and what it returns is ignored; set event\.cancel/],
  ["strands", "return { block: true };", /returned "block", and what it returns is ignored; set event\.cancel/],
];

describe("what a handler gives back", () => {
  const rows = RESULTS.map(([dialect, body, comes], at) => ({ name: `row-${at}`, dialect, body, comes }));
  const session = sharedSession(
    Object.fromEntries(
      rows.map(({ name, dialect, body }) => [
        name,
        (DIALECTS[dialect] as (command: string, body: string) => string)(name, body),
      ]),
    ),
  );

  test.each(rows)("in $dialect, $body $comes", async ({ name, comes }) => {
    const outcome = await session.call(name);
    if (comes === PASSES) expect(outcome).toBeUndefined();
    else if (comes === BLOCKS) expect((outcome as { reason: string }).reason).not.toContain("BAD_RESULT");
    else expect((outcome as { reason: string }).reason).toMatch(comes);
    if (comes !== PASSES) expect(outcome).toMatchObject({ block: true, hook: name });
  });
});

test.each([
  [
    "tool_result",
    { toolName: "read", toolCallId: "1", input: {}, content: [], isError: false },
    "{ contents: [], isError: true }",
    "contents",
  ],
  ["message", { text: "x", metadata: {} }, `{ txt: "y", metadata: {} }`, "txt"],
  ["params", { provider: "p", model: "m", metadata: {} }, `{ temprature: 1, thinkLevel: "high" }`, "temprature"],
  [
    "session",
    { reason: "before_clear", entries: [], sessionFile: null, previousSessionFile: null },
    "{ cancle: true, cancel: false }",
    "cancle",
  ],
])("an unknown key in a result of %s is reported, by name", async (type, event, result, key) => {
  const source = `export default (pi: any) => { pi.on(${JSON.stringify(type)}, async (): Promise<any> => (${result})); };`;
  const { host, errors } = await startSession({ hook: source });
  await host.emit({ type, ...event } as never);
  expect(errors).toContainEqual(
    expect.objectContaining({ code: "BAD_RESULT", event: type, error: expect.stringContaining(`"${key}"`) }),
  );
});
