import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { onToolCall } from "../support/session.ts";
import { blockOf, World } from "./world.ts";

const READS = onToolCall(`
  let read;
  try { read = require("node:fs").readFileSync(process.cwd() + "/notes.txt", "utf8"); } catch { read = "refused"; }
  return { block: true, reason: read };`);
const powers = { events: { see: ["*"], block: true }, fs: { read: ["$CWD/**"] } };

const world = new World({ reads: READS }, { reads: { capabilities: powers } });
writeFileSync(join(world.work, "notes.txt"), "read it");

const policy = (name: string, rules: object): string => {
  const path = join(world.work, name);
  writeFileSync(path, JSON.stringify({ version: 1, ...rules }));
  return path;
};
const takes = policy("takes.json", { maximum: {} });
const allows = policy("allows.json", { maximum: { fs: { read: ["$CWD/**"] } } });
const requires = policy("requires.json", { required: ["absent"] });
const broken = policy("broken.json", { maximun: {} });

/** Its daemon has no variables: the agent's hold for the sessions that it begins. */
describe("CORDON_POLICY of an agent", () => {
  // biome-ignore format: a table
  test.each([
    { claim: "none: the hook has what was granted",       named: undefined,                says: "read it" },
    { claim: "a policy that allows it",                   named: allows,                   says: "read it" },
    { claim: "a policy that takes it",                    named: takes,                    says: "refused" },
    { claim: "two policies, of which the second takes it", named: `${allows}:${takes}`,    says: "refused" },
    { claim: "a path from the session's folder",          named: "takes.json",             says: "refused" },
    { claim: "a policy that requires a hook",             named: requires,                 says: "absent" },
    { claim: "a policy with a mistyped key",              named: broken,                   says: "maximun" },
    { claim: "a policy that is not there",                named: "/nonexistent/none.json", says: "there is no such policy" },
  ])("$claim", async ({ claim, named, says }) => {
    const env = named === undefined ? {} : { CORDON_POLICY: named };
    expect(blockOf(await world.bash("ls", claim, { env }))).toContain(says);
  });

  test("holds for its own session, and not for another agent's of the same daemon", async () => {
    await world.bash("ls", "with", { env: { CORDON_POLICY: takes } });
    expect(blockOf(await world.bash("ls", "without"))).toContain("read it");
    expect(blockOf(await world.bash("ls", "with"))).toContain("refused");
  });

  // biome-ignore format: a table
  test.each([
    ["claude-code", "SessionStart", "PreToolUse"],
    ["codex", "SessionStart", "PreToolUse"],
    ["kiro", "agentSpawn", "preToolUse"],
    ["copilot-cli", "sessionStart", "preToolUse"],
    ["cline", "agent_start", "tool_call"],
  ])("holds where the session of %s starts again in another folder, and back in the first", async (agent, start, call) => {
    const below = join(world.work, "below");
    mkdirSync(below, { recursive: true });
    const run = async (name: string, cwd: string, kind: "gate" | "note") => {
      const said = {
        ...(agent === "kiro" ? {} : { session_id: "moves", sessionId: "moves", taskId: "moves" }),
        ...{ cwd, workspaceRoots: [cwd], hook_event_name: name, source: "resume" },
        ...{ tool_name: "x", tool_input: {}, toolName: "x", toolArgs: {}, tool_call: { name: "x", input: {} } },
      };
      const { stdout, stderr } = await world.run(agent, name, JSON.stringify(said), { kind, cwd, env: { CORDON_POLICY: requires } });
      return stdout + stderr;
    };
    for (const cwd of [world.work, below, world.work]) {
      await run(start, cwd, "note");
      for (const place of [world.work, below]) expect(await run(call, place, "gate"), cwd).toContain("requires the hook absent");
    }
  });
});
