import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { logPath } from "../../src/disk/daemon-places.ts";
import { cordon } from "../support/command.ts";
import { blockOf, World } from "./world.ts";

const world = new World({ gate: `export default (pi) => { pi.on("tool_call", () => {}); };` });
const run = (...args: string[]) => cordon(args, { cwd: world.work, home: world.home });

test.each<[what: string, text: string, says: string]>([
  ["text that is no JSON", "{", "not exact JSON"],
  [
    "a call whose own words are those of doctor's",
    '{"tool_input":{"sessionID":"probe"},"a":1,"a":2}',
    "not exact JSON",
  ],
  [
    "an event without its input",
    JSON.stringify({ session_id: "a", cwd: "/", hook_event_name: "PreToolUse", tool_name: "Bash" }),
    "tool_input",
  ],
])("a call that could not be judged is blocked, and on record: %s", async (_what, text, says) => {
  expect(blockOf(await world.run("claude-code", "PreToolUse", text))).toContain(says);
  expect((await run("why")).stdout).toContain(says);
  const { stdout } = await run("audit", "--tail", "1", "--outcome", "block");
  expect(stdout).toContain("claude-code PreToolUse: Cordon could not judge");
  expect((await run("audit", "--verify")).code).toBe(0);
});

test("an event that an agent does not have is named", async () => {
  const input = JSON.stringify({ session_id: "a", cwd: "/", hook_event_name: "PreToolUze" });
  const { code, stderr } = await cordon(["hook", "claude-code"], { cwd: world.work, home: world.home, input });
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining("PreToolUze is no event that Cordon knows for claude-code"),
  ]);
});

test("what doctor asks is no fault in the daemon's log, and on no record", async () => {
  const before = (await run("audit", "--json", "--outcome", "block")).stdout;
  expect(blockOf(await world.run("claude-code", "probe", ""))).toContain("could not judge probe");
  expect(readFileSync(logPath(world.home), "utf8")).toMatch(/ info .*asked by cordon doctor, for claude-code\n$/);
  expect((await run("audit", "--json", "--outcome", "block")).stdout).toBe(before);
});

test("of calls without end that cannot be judged, a hundred in a minute are on record", async () => {
  const size = async () => (await run("audit", "--json", "--outcome", "block")).stdout.split("\n").length;
  const before = await size();
  for (let turn = 0; turn < 6; turn++)
    await Promise.all(Array.from({ length: 20 }, () => world.run("claude-code", "PreToolUse", "{")));
  expect((await size()) - before).toBeLessThanOrEqual(100);
});

test("a call of a known tool that names its file otherwise than is known is blocked", async () => {
  const call = (tool_input: object) =>
    world.run(
      "cursor",
      "preToolUse",
      JSON.stringify({ conversation_id: "s", hook_event_name: "preToolUse", tool_name: "Read", tool_input }),
    );
  expect(await call({ file_path: "/a" })).toMatchObject({ exit: 0 });
  expect(await call({ target_file: "/a" })).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('has "target_file" and no text "path"'),
  });
});
