import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { keptBlocks } from "../../src/audit/blocks.ts";
import { historyIn } from "../../src/audit/history.ts";
import { factsIn } from "../support/audit-log.ts";
import { on, onToolCall, scriptedUi, startSession } from "../support/session.ts";

const GRANT = {
  capabilities: {
    events: { see: ["*"], guardResult: ["*"] },
    ui: ["confirm" as const],
    tools: ["slow"],
    exec: [{ program: "sleep", args: ["20"], fullAccess: true }],
  },
};

/** What a hook is in the middle of when its agent gives up. */
const BODIES: Record<string, string> = {
  "what never settles": "await new Promise(() => {});",
  "a program": 'await ctx.exec("sleep", ["20"]);',
  "a program, and blocks after it":
    'const { killed } = await ctx.exec("sleep", ["20"]); return { block: true, reason: String(killed) };',
  "a blocking program": 'require("node:child_process").execFileSync("sleep", ["20"]);',
  "a dialog, and blocks without an answer":
    'if (!(await ctx.ui.confirm("x", "y"))) return { block: true, reason: "said no" };',
  "a dialog, and passes in any case": 'try { await ctx.ui.confirm("x", "y"); } catch {}',
};

async function started(source: string) {
  const ui = { ...scriptedUi(), confirm: () => delay(600, false, { ref: false }) };
  const session = await startSession({ slow: { source, grant: GRANT }, beside: onToolCall("") }, { ui });
  const home = join(session.folder, "home");
  const told = () => factsIn(home).filter(({ event, capability }) => event !== "load" && capability === undefined);
  /** The lines since the start, once the call is over for its hook. */
  const lines = async () => {
    await expect.poll(() => told().some(({ outcome }) => outcome === "cancelled"), { timeout: 10_000 }).toBe(true);
    return told().map(({ hook, event, value, outcome }) => [hook, event, value, outcome].filter(Boolean).join(" "));
  };
  return { ...session, home, lines };
}
const EVENT = { type: "tool_call", toolName: "bash", toolCallId: "1", input: {} } as const;

describe.each(["abort", "close"] as const)("%s while a hook judges a call", (how) => {
  test.each(Object.entries(BODIES))("by %s", async (_what, body) => {
    const { host, errors, home, lines } = await started(onToolCall(body));
    const abort = new AbortController();
    const judged = host.emitToolCall(EVENT, { signal: abort.signal });
    await delay(150);
    if (how === "abort") abort.abort();
    else await host.close();
    expect(await judged).toEqual({ block: true, reason: "The call was cancelled", hook: "" });
    expect(await lines()).toEqual(["slow tool_call bash cancelled"]);
    expect([errors, keptBlocks(home), host.lastBlock]).toEqual([[], [], undefined]);
    expect(host.hooks).toMatchObject([{ state: "active", blocks: 0 }, { state: "active" }]);
    const history = (await historyIn(home)).get("slow");
    expect([history?.crashes, history?.lastBlock, history?.stopped]).toEqual([0, undefined, undefined]);
  });
});

test("of a call that was given up before it came, no hook hears", async () => {
  const { host, home } = await started(onToolCall('throw new Error("heard");'));
  const judged = await host.emitToolCall(EVENT, { signal: AbortSignal.abort() });
  expect(judged).toEqual({ block: true, reason: "The call was cancelled", hook: "" });
  // What comes after it is heard, and alone.
  await host.emitToolCall({ ...EVENT, toolName: "later" });
  const heard = factsIn(home).filter(({ event }) => event === "tool_call");
  expect(heard.map(({ value }) => value)).toEqual([expect.stringMatching(/^later/)]);
});

test("a hook that breaks a limit in a call that was given up is still one that crashed", async () => {
  const { host, errors, home, lines } = await started(onToolCall("for (;;) ;"));
  const abort = new AbortController();
  const judged = host.emitToolCall(EVENT, { signal: abort.signal });
  await delay(150);
  abort.abort();
  await judged;
  // The agent does not wait until the hook is ended.
  expect(factsIn(home).filter(({ event }) => event !== "load")).toEqual([]);
  expect(await lines()).toEqual([
    expect.stringMatching(/^slow crash .* CPU_EXCEEDED$/),
    "slow tool_call bash cancelled",
  ]);
  expect(errors.map(({ code }) => code)).toContain("CPU_EXCEEDED");
});

test("blocks of calls that were given up do not offer to disable the hook", async () => {
  const { host, lines } = await started(onToolCall(BODIES["a program, and blocks after it"] as string));
  for (let time = 0; time < 6; time++) {
    const abort = new AbortController();
    const judged = host.emitToolCall(EVENT, { signal: abort.signal });
    await delay(60);
    abort.abort();
    await judged;
  }
  await lines();
  expect(host.hooks[0]?.disabled).toBe(false);
});

test("a tool of a hook's that the agent aborts, and a result under way when the host closes", async () => {
  const tool = `pi.registerTool({ name: "slow", label: "s", description: "d", parameters: { type: "object" }, execute: (_id: any, _p: any, signal: any) => new Promise((_, no) => signal.addEventListener("abort", () => no(new Error("stopped")))) });`;
  const source = `${on("tool_result", "await new Promise(() => {});").replace("(pi: any) {", `(pi: any) {\n  ${tool}`)}`;
  const { host, errors, lines } = await started(source);
  const abort = new AbortController();
  const run = host.offers.runTool("slow", {}, { toolCallId: "1", signal: abort.signal });
  await delay(150);
  abort.abort();
  expect(await run).toMatchObject({ isError: true });
  expect(await lines()).toEqual(["slow tool slow cancelled"]);
  const result = {
    type: "tool_result",
    toolName: "bash",
    toolCallId: "1",
    input: {},
    content: [],
    isError: false,
  } as const;
  const passed = host.emitToolResult({ ...result, details: {} } as never);
  await delay(150);
  await host.close();
  expect((await passed).result).toMatchObject({ isError: true });
  const all = await lines();
  expect(all.some((line) => line.endsWith(" withheld"))).toBe(false);
  expect(all.filter((line) => line.startsWith("slow tool_result")).at(-1)).toMatch(/ cancelled$/);
  expect(errors).toEqual([]);
});
