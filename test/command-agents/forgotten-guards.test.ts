/** Guards of more than calls that are gone after the daemon died, in the same session. */
import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { World } from "./world.ts";

const REDACTS = `export default (pi) => { pi.on("tool_result", ({ content }) => ({ content: [{ type: "text", text: content[0].text.replace("SECRET", "***") }] })); };`;
const DENIES = `export default (pi) => { pi.on("permission_request", () => ({ deny: "never" })); };`;

/** A session with one hook, of which the daemon dies; then the hook is taken away. */
async function forgotten(source: string, events: object) {
  const world = new World({ guard: source }, { guard: { capabilities: { events } } });
  const result = () =>
    world.run(
      "claude-code",
      "PostToolUse",
      world.event("PostToolUse", "s", "Bash", { command: "x" }, { tool_response: { stdout: "SECRET", stderr: "" } }),
      { kind: "note" },
    );
  const asks = () =>
    world.run("claude-code", "PermissionRequest", world.event("PermissionRequest", "s", "Bash", { command: "x" }));
  const before = { result: (await result()).stdout, asks: (await asks()).stdout };
  await world.kill();
  rmSync(world.hook("guard"));
  const call = await world.bash("ls", "s");
  return { before, result: (await result()).stdout, asks: (await asks()).stdout, call: call.stdout + call.stderr };
}

const MISSING = /hook \S+guard\.ts guarded this session, and is not there/;

test.each([
  ["redacts results", REDACTS, { see: ["tool_result"], guardResult: ["*"], rewriteResult: ["*"] }],
  ["denies what a person is asked", DENIES, { see: ["permission_request"], block: true }],
])("a hook that %s is missed", async (what, source, events) => {
  const { before, result, asks, call } = await forgotten(source, events);
  if (what === "redacts results") expect(before.result).toContain("***");
  else expect(before.asks).toContain("never");
  expect(JSON.parse(result).hookSpecificOutput.updatedToolOutput).toEqual({
    stdout: expect.stringMatching(/^Result withheld: hook \S+guard\.ts guarded this session, and is not there/),
    stderr: "",
  });
  expect(asks).toMatch(MISSING);
  expect(JSON.parse(asks).hookSpecificOutput.decision).toMatchObject({ behavior: "deny" });
  expect(call).toMatch(MISSING);
});

test("a hook that only hears of results is not", async () => {
  const { result, asks, call } = await forgotten(REDACTS, { see: ["tool_result"], rewriteResult: ["*"] });
  expect({ result, asks, call }).toEqual({ result: "", asks: "", call: "" });
});
