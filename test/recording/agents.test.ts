import { existsSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { logPath } from "../../src/disk/daemon-places.ts";
import { stopRecordings } from "../../src/recording/places.ts";
import { blockOf, World } from "../command-agents/world.ts";
import { cordon, served } from "../support/command.ts";
import { onToolCall } from "../support/session.ts";

const world = new World({
  gate: onToolCall('if (event.input.command === "rm") return { block: true, reason: "no rm" };'),
});
const at = { cwd: world.work, home: world.home };
const said = async (...args: string[]): Promise<string> => (await cordon(args, at)).stdout;

test("the next session of an agent is recorded when a person wants it, and every status says so", async () => {
  await world.bash("ls", "before");
  expect(await said("record", "list")).toContain("there are no recordings");
  expect(await said("record")).toContain("the next session of an agent with Cordon is recorded");
  expect(await said("daemon", "status")).toContain("records    the next session that begins");
  expect(await said("doctor")).toContain("recording: the next session that begins is recorded");
  // One that goes on is none that begins.
  await world.bash("ls", "before");
  expect(await said("record", "list")).toContain("the next session that begins");

  const { stdout } = await world.bash("ls", "recorded");
  expect(JSON.parse(stdout).systemMessage).toMatch(/^Cordon records this session in .*\.jsonl$/);
  await world.bash("rm", "recorded");
  await world.bash("ls", "another");
  const status = await said("daemon", "status");
  expect(status).toMatch(/records {4}claude-code \S*recorded in .*\.jsonl; to end it: cordon record stop/);
  expect(status).not.toContain("the next session");
  expect(await said("doctor")).toContain("is recorded; to end it");

  await said("record", "stop");
  await world.bash("ls", "recorded");
  await expect.poll(() => said("daemon", "status")).not.toContain("records");
  const { now, recordings } = JSON.parse(await said("record", "list", "--json"));
  expect([now, recordings.length]).toEqual([[], 1]);
  const lines = readFileSync(recordings[0].path, "utf8").trimEnd().split("\n");
  expect(
    lines.map((line) => JSON.parse(line)).flatMap(({ type, input }) => (type === "tool_call" ? input.command : [])),
  ).toEqual(["ls", "rm"]);
});

test("a wish is taken back, and for a bad place there is none", async () => {
  await said("record");
  await said("record", "stop");
  await world.bash("ls", "later");
  expect(await said("daemon", "status")).not.toContain("records");
  writeFileSync(join(world.work, "notes"), "mine");
  expect(await cordon(["record", "--out", "notes"], at)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("stays as it is"),
  });
  expect(await cordon(["record", "--out", "nowhere/a.jsonl"], at)).toMatchObject({
    code: 1,
    stderr: `cordon: ${join(world.work, "nowhere", "a.jsonl")}: there is no folder ${join(world.work, "nowhere")}\n`,
  });
  expect(existsSync(join(world.work, "nowhere"))).toBe(false);
  expect(existsSync(join(world.home, "recordings", "next.json"))).toBe(false);
});

test("a second wish takes the place of the first, and says so", async () => {
  const [a, b] = ["a.jsonl", "b.jsonl"].map((name) => join(world.work, name));
  expect(await said("record", "--out", "a.jsonl")).not.toContain("no longer");
  expect(await said("record", "--out", "b.jsonl")).toContain(`recorded, in ${b} and no longer in ${a};`);
  expect(JSON.parse(await said("record", "--json"))).toEqual({ recordsNext: true, replaced: b });
  expect(await said("record", "--out", "b.jsonl")).toContain(`in ${b} and no longer in Cordon's home;`);
  await said("record", "stop");
});

test("a session over JSON-RPC is a session of an agent, too", async () => {
  await said("record");
  await served(["ls"], at);
  const { recordings, recordsNext } = JSON.parse(await said("record", "list", "--json"));
  expect(recordsNext).toBeUndefined();
  const newest = recordings
    .map(({ path }: { path: string }) => readFileSync(path, "utf8"))
    .find((text: string) => text.includes('"command":"ls"') && !text.includes('"rm"'));
  expect(newest).toContain('"type":"tool_call"');
});

test("a session is judged, and not recorded, where the file that was wished for is there by then", async () => {
  const out = join(world.work, "wished.jsonl");
  await said("record", "--out", out);
  writeFileSync(out, "mine");
  expect(blockOf(await world.bash("rm", "wished"))).toMatch(/no rm$/);
  expect(await world.bash("ls", "wished")).toMatchObject({ exit: 0 });
  expect(readFileSync(out, "utf8")).toBe("mine");
  expect(readFileSync(logPath(world.home), "utf8")).toContain("error this session is not recorded: ");
});

test("a recording ends when a person ends it, though the clock was set back since it began", async () => {
  await said("record");
  await world.bash("ls", "clock");
  stopRecordings(world.home);
  const hourAgo = new Date(Date.now() - 3_600_000);
  utimesSync(join(world.home, "recordings", "stop"), hourAgo, hourAgo);
  await world.bash("ls", "clock");
  await expect.poll(() => said("daemon", "status")).not.toContain("records");
});
