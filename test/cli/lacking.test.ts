import { describe, expect, test } from "vitest";
import { unavailableIn } from "../../src/bundle/unavailable-members.ts";
import { cordon } from "../support/command.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

function machine(source: string) {
  const cwd = temporaryFolder();
  writeFiles(cwd, { "hook.ts": source });
  return (...args: string[]) => cordon(args, { cwd, home: `${cwd}/home` });
}

const AGENT = "@earendil-works/pi-coding-agent";

/** Loads, and then blocks every call. */
const BRICKS = `import { createAgentSessionRuntime } from "${AGENT}";
export default (pi) => { pi.on("tool_call", async () => { await createAgentSessionRuntime(); }); };`;

const GUARDS = "guards calls and uses";

test("a guard that uses what no hook can have: check says that it would block every call", async () => {
  const run = machine(BRICKS);
  const { stdout, code } = await run("check", "hook.ts");
  const shown = stdout.replace(/\s+/g, " ");
  expect(shown).toContain(
    `${GUARDS} createAgentSessionRuntime of ${AGENT}, which is not available: it would block every call`,
  );
  expect(shown).toContain("it blocks every call: createAgentSessionRuntime");
  expect(code).toBe(0);
  const { lacks, blocksEveryCall } = JSON.parse((await run("check", "hook.ts", "--json")).stdout);
  expect(lacks).toEqual([`createAgentSessionRuntime of ${AGENT}`]);
  expect(blocksEveryCall).toContain("createAgentSessionRuntime");
});

test("trace says it, too", async () => {
  const { stdout } = await machine(BRICKS)("trace", "hook.ts");
  expect(stdout).toContain(`it ${GUARDS} createAgentSessionRuntime`);
});

test("a member of ctx that throws is found by its name", async () => {
  const run = machine(
    `export default (pi) => { pi.on("tool_call", async (event, ctx) => { await ctx.modelRegistry.classify({}); }); };`,
  );
  const { stdout } = await run("check", "hook.ts");
  expect(stdout.replace(/\s+/g, " ")).toContain(`${GUARDS} ctx.modelRegistry.classify, which is not available`);
});

test("a hook that guards and lacks nothing is not warned of", async () => {
  const { stdout } = await machine(`export default (pi) => { pi.on("tool_call", () => undefined); };`)(
    "check",
    "hook.ts",
  );
  expect(stdout).not.toContain(GUARDS);
  expect(stdout).not.toContain("would block");
});

describe("members of pi's API that no hook has", () => {
  // biome-ignore format: a table
  const ROWS: [source: string, found: string[]][] = [
    ["const { modelRegistry } = ctx; modelRegistry.classify(m); modelRegistry.classify(n)", ["ctx.modelRegistry.classify"]],
    ["await ctx.ui.custom(f)", []],
    ["ctx.modelRegistry?.getProviderAuth(f)", ["ctx.modelRegistry.getProviderAuth"]],
    ["modelRegistry\n    .registerProvider(f)", ["ctx.modelRegistry.registerProvider"]],
    ["this.classify('bash')", []],
    ["ctx.modelRegistry.getProviderAuth('x'); ctx.modelRegistry.find('x', 'y')", ["ctx.modelRegistry.getProviderAuth"]],
    ["modelRegistry.classifies(); ctx.ui.notify('classify'); modelRegistry.stream(); modelRegistry.getProvider()", []],
    ["myModelRegistry.classify()", []],
  ];

  test.each(ROWS)("%s", (source, found) => {
    expect(unavailableIn(source)).toEqual(found);
  });

  test("a hostile source is searched in time", () => {
    const started = performance.now();
    unavailableIn(`ui${" ".repeat(2_000_000)}`);
    unavailableIn("ui .".repeat(500_000));
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
