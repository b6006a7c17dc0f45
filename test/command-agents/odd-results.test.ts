/** A tool writes its result: nothing that it writes keeps that from the hooks that guard it. */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { World } from "./world.ts";

const REDACTS = `export default (pi) => { pi.on("tool_result", ({ content }) => ({ content: [{ type: "text", text: content[0].text.replaceAll("SECRET", "***") }] })); };`;
const RIGHTS = { see: ["*"], guardResult: ["*"], rewriteResult: ["*"] };

const deep = (depth: number): string => `${"[".repeat(depth)}"SECRET"${"]".repeat(depth)}`;

// biome-ignore format: a table
const ODD: Record<string, string> = {
  "half of a character": '{"stdout":"SECRET \\ud800","stderr":""}',
  "an integer of twenty digits": '{"n":12345678901234567890,"s":"SECRET"}',
  "a number beyond all": '{"n":1e400,"s":"SECRET"}',
  "a key that stands twice": '{"stdout":"SECRET","stdout":"SECRET too","stderr":""}',
  "five thousand levels": deep(5000),
  "eight thousand levels, and a name that is a number": `{"structuredContent":{"0":1,"a":${deep(8000)}}}`,
  "eight thousand levels, and the name toJSON": `{"toJSON":1,"a":${deep(8000)}}`,
  "eight thousand levels in a list": `[{"0":1,"type":"text","text":"SECRET","a":${deep(8000)}}]`,
  "eleven million characters": JSON.stringify({ stdout: `SECRET${"x".repeat(11_000_000)}`, stderr: "" }),
};

test.each(Object.keys(ODD))("a result with %s is guarded", async (what) => {
  const world = new World({ guard: REDACTS }, { guard: { capabilities: { events: RIGHTS } } });
  for (const tool of ["Bash", "mcp__server__tool"]) {
    const event = world
      .event("PostToolUse", "one", tool, { command: "x" }, { tool_response: 0 })
      .replace('"tool_response":0', () => `"tool_response":${ODD[what]}`);
    const { exit, stdout } = await world.run("claude-code", "PostToolUse", event, { kind: "note" });
    expect([exit, stdout.slice(0, 300)]).toEqual([0, expect.stringMatching(/updated(MCP)?ToolOutput/)]);
    expect(stdout).not.toContain("SECRET");
  }
});

test.each([
  [
    "bytes that are no UTF-8",
    (event: Buffer) =>
      Buffer.concat(
        splitAt(event, "SECRET")
          .flatMap((part) => [part, Buffer.from([0xff])])
          .slice(0, -1),
      ),
  ],
  ["a byte order mark before it", (event: Buffer) => Buffer.concat([Buffer.from("\ufeff"), event])],
])("a result with %s is guarded, and a call with it is blocked", async (_what, make) => {
  const world = new World({ guard: REDACTS }, { guard: { capabilities: { events: RIGHTS } } });
  const result = make(
    Buffer.from(
      world.event("PostToolUse", "one", "Bash", { command: "x" }, { tool_response: { stdout: "the SECRET" } }),
    ),
  );
  const { exit, stdout } = await world.run("claude-code", "PostToolUse", result, { kind: "note" });
  expect([exit, stdout]).toEqual([0, expect.stringContaining("updatedToolOutput")]);
  expect(stdout).not.toContain("SECRET");
  const call = make(Buffer.from(world.event("PreToolUse", "one", "Bash", { command: "the SECRET" })));
  expect((await world.run("claude-code", "PreToolUse", call)).exit).toBe(2);
});

/** The parts before and from this word on. */
function splitAt(bytes: Buffer, word: string): [Buffer, Buffer] {
  const at = bytes.indexOf(word);
  return [bytes.subarray(0, at), bytes.subarray(at)];
}

test("what is kept of a session is not forgotten by the end of one before it with its name", async () => {
  const guard = `export default (pi) => {
    pi.on("session_shutdown", async () => { await new Promise((done) => setTimeout(done, 1500)); });
    pi.on("tool_call", ({ input }) => input.command === "rm x" ? { block: true, reason: "no rm" } : undefined);
  };`;
  const world = new World({ guard }, { guard: { capabilities: { events: { see: ["*"], block: true } } } });
  await world.bash("ls", "same");
  const event = { session_id: "same", cwd: world.work, hook_event_name: "SessionEnd", reason: "other" };
  const ending = world.run("claude-code", "SessionEnd", JSON.stringify(event), { kind: "note" });
  await delay(500);
  await world.bash("ls", "same");
  await ending;
  expect(readdirSync(join(world.home, "run", "sessions"))).toHaveLength(1);
  await world.kill();
  rmSync(world.hook("guard"));
  const { stdout, stderr } = await world.bash("rm x", "same");
  expect(stdout + stderr).toContain("guarded this session");
});
