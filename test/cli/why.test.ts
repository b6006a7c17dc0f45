import { appendFileSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Blocks, keptBlocks } from "../../src/audit/blocks.ts";
import { SourcePositions } from "../../src/bundle/source-positions.ts";
import { whyLines } from "../../src/session/why.ts";
import { changeGrant } from "../../src/store/grants-file.ts";
import { cordon } from "../support/command.ts";
import { onToolCall, startSession, temporaryFolder } from "../support/session.ts";

/** A hook of each dialect with two handlers, of which the one in line 4 blocks. */
const DIALECTS: Record<string, string> = {
  pi: `
export default (pi: any) => {
  pi.on("tool_call", () => undefined);
  pi.on("tool_call", async (event: any) => event.input.command === "pi" ? { block: true, reason: "by pi" } : undefined);
};`,
  openclaw: `import type { OpenClawPluginApi } from "openclaw/plugin-sdk";
export default { id: "x", register(api: OpenClawPluginApi) {
  api.on("before_tool_call", () => undefined);
  api.on("before_tool_call", (event: any) => event.params.command === "openclaw" ? { block: true, blockReason: "by openclaw" } : undefined);
} };`,
  interceptors: `export default (registry: any) => {
  const idle = { id: "a", name: "tool.before", handler: () => {} };
  registry.add(idle);
  registry.add({ id: "b", name: "tool.before", handler: async (input: any, output: any) => { if (output.args.command === "interceptors") { output.block = true; output.blockReason = "by interceptors"; } } });
};`,
  strands: `import { BeforeToolCallEvent } from "@strands-agents/sdk";
export default { name: "x", initAgent(agent: any) {
  agent.addHook(BeforeToolCallEvent, () => {});
  agent.addHook(BeforeToolCallEvent, (event: any) => { if (event.toolUse.input.command === "strands") event.cancel = "by strands"; });
} };`,
};

const NOT_HERE = "no command here finds this hook: its agent or a command line named it, and can leave it out";

test("why names the hook, the line of the handler, the input, the time and the way out", async () => {
  const session = await startSession({
    ...DIALECTS,
    interceptors: { source: DIALECTS.interceptors as string, manifest: { dialect: "interceptors", capabilities: {} } },
    broken: onToolCall('if (event.input.command === "throw") throw new Error("oops");'),
  });
  const home = join(session.folder, "home");
  const why = async (...args: string[]) => {
    const { code, stdout } = await cordon(["why", ...args, "--json"], { cwd: session.folder, home });
    return { code, blocks: code === 0 ? JSON.parse(stdout).blocks : [] };
  };
  for (const name of [...Object.keys(DIALECTS), "throw"]) await session.call({ command: name, secret: "s3cret" });

  const { code, blocks } = await why("--tail", "9");
  expect(code).toBe(0);
  expect(blocks.map(({ hook }: { hook: string }) => hook)).toEqual(["broken", ...Object.keys(DIALECTS).reverse()]);
  for (const name of Object.keys(DIALECTS)) {
    const block = blocks.find(({ hook }: { hook: string }) => hook === name);
    expect(block).toMatchObject({
      tool: "bash",
      reason: expect.stringContaining(`by ${name}`),
      at: expect.stringMatching(new RegExp(`/hooks/${name}\\.ts:4:\\d+$`)),
      input: { command: name, secret: "s3cret" },
    });
    // Only this test's host knows it by that name.
    expect(block.remedies).toContain(NOT_HERE);
  }
  expect(blocks[0]).toMatchObject({ code: "HOOK_THREW", reason: expect.stringContaining("oops") });

  expect((await why("strands")).blocks).toMatchObject([{ hook: "strands" }]);
  expect((await why()).blocks).toMatchObject([{ hook: "broken" }]);
  const { stdout } = await cordon(["why", "pi"], { cwd: session.folder, home });
  expect(stdout).toMatch(/^hook pi blocked bash on \d{4}-\d\d-\d\d at \d\d:\d\d:\d\d UTC\n +because: by pi\n/);
  expect(stdout).toMatch(/handler: .*pi\.ts:4:/);

  // Of a disabled hook, the way back is said.
  changeGrant(join(home, "grants.json"), "pi", (entry) => ({ ...entry, disabled: true }));
  expect((await why("pi")).blocks[0].remedies).toEqual([
    "cordon enable pi: it is disabled, and blocks nothing until then",
  ]);
  const wrong = await cordon(["why", "stands"], { cwd: session.folder, home });
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("did you mean strands?")]);

  // The input is kept for the owner alone, and is not in the audit.
  if (process.platform !== "win32") expect(statSync(join(home, "blocked.jsonl")).mode & 0o777).toBe(0o600);
  expect(JSON.stringify(session.audit)).not.toContain("s3cret");
  expect(session.host.lastBlock).toMatchObject({ hook: "broken", tool: "bash" });
});

test("a code is said once, also where the reason has it", () => {
  const block = { time: "2026-01-01T00:00:00.000Z", hook: "gate", tool: "bash", remedies: [] };
  const because = (reason: string): string | undefined => whyLines({ ...block, reason, code: "TIMEOUT" }, "gate")[1];
  expect(because("it was slow (TIMEOUT); to go on: x")).toBe("  because: it was slow (TIMEOUT); to go on: x");
  expect(because("it was slow")).toBe("  because: it was slow (TIMEOUT)");
});

test("where nothing was blocked, why says so", async () => {
  const home = temporaryFolder();
  const { code, stdout } = await cordon(["why"], { cwd: home, home });
  expect([code, stdout]).toEqual([0, "no call was blocked yet\n"]);
});

describe("what is kept", () => {
  const block = { time: "2026-01-01T00:00:00.000Z", hook: "gate", tool: "bash", reason: "no", input: {} };

  test.each([
    ["at the limit, an input is whole", 4000, false],
    ["over it, it is cut", 4001, true],
  ])("%s", (_name, length, isCut) => {
    const home = temporaryFolder();
    const input = { text: "x".repeat(length - '{"text":""}'.length) };
    new Blocks(home).keep({ ...block, input });
    expect(keptBlocks(home)).toEqual([{ ...block, input: isCut ? `${JSON.stringify(input).slice(0, 4000)}…` : input }]);
  });

  test("the file stays small, and has the newest", () => {
    const home = temporaryFolder();
    const blocks = new Blocks(home);
    for (let at = 0; at < 300; at++) blocks.keep({ ...block, reason: `${at}`, input: { text: "x".repeat(3000) } });
    expect(statSync(join(home, "blocked.jsonl")).size).toBeLessThan(270 * 1024);
    expect(keptBlocks(home).at(-1)?.reason).toBe("299");
  });

  test("nothing is written through a link, and a damaged line is left out", () => {
    const home = temporaryFolder();
    const target = join(home, "target");
    writeFileSync(target, "");
    symlinkSync(target, join(home, "blocked.jsonl"));
    new Blocks(home).keep(block);
    expect(readFileSync(target, "utf8")).toBe("");
    const other = temporaryFolder();
    new Blocks(other).keep(block);
    appendFileSync(join(other, "blocked.jsonl"), '{"time":1}\nnull\n{\n');
    expect(keptBlocks(other)).toEqual([block]);
  });
});

test.each(["0:0", "999999999:1", "1:999999999", "", "x", "1"])(
  "a place that is none in the bundle, as a process may claim it, is nothing: %j",
  (place) => {
    const map = { version: 3, sources: ["hook.ts"], names: [], mappings: "" };
    expect(new SourcePositions(JSON.stringify(map), "/hooks").positionOf(place)).toBeUndefined();
  },
);
