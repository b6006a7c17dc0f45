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
    "an event without its input",
    JSON.stringify({ session_id: "a", cwd: "/", hook_event_name: "PreToolUse", tool_name: "Bash" }),
    "tool_input",
  ],
  [
    "an event that the agent does not have",
    JSON.stringify({ session_id: "a", cwd: "/", hook_event_name: "PreToolUze" }),
    "PreToolUze is no event that Cordon knows for claude-code",
  ],
])("a call that could not be judged is blocked, and on record: %s", async (_what, text, says) => {
  const ended = await world.run("claude-code", text.includes("PreToolUze") ? "" : "PreToolUse", text);
  expect(blockOf(ended)).toContain(says);
  expect((await run("why")).stdout).toContain(says);
  const { stdout } = await run("audit", "--tail", "1", "--outcome", "block");
  expect(stdout).toContain("claude-code");
  expect((await run("audit", "--verify")).code).toBe(0);
});

test("what doctor asks is no fault in the daemon's log, and on no record", async () => {
  const before = (await run("audit", "--json", "--outcome", "block")).stdout;
  expect(blockOf(await world.run("claude-code", "probe", ""))).toContain("could not judge probe");
  expect(readFileSync(logPath(world.home), "utf8")).toMatch(/ info .*cordon doctor asked for claude-code\n$/);
  expect((await run("audit", "--json", "--outcome", "block")).stdout).toBe(before);
});
