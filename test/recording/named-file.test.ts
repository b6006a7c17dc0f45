import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { cordon, RpcAgent, startCordon } from "../support/command.ts";
import { temporaryFolder } from "../support/session.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

/** A line of a recording. */
const OLD = '{"type":"agent_start","recorded":{"version":1,"at":"now"}}\n';
const EVENT = '{"type":"agent_start"}\n';

test.each([
  ["a recording", OLD],
  ["a file of events", EVENT],
])("cordon run --record names %s that is there: it stays, and the line says what was meant", async (_what, text) => {
  writeFileSync(join(folder, "keep.jsonl"), text);
  const at = { cwd: folder, home: join(folder, "home") };
  const { code, stderr } = await cordon(["run", "--no-discover", "--record", "keep.jsonl"], { ...at, input: EVENT });
  expect([code, stderr]).toEqual([
    1,
    `cordon: ${join(folder, "keep.jsonl")}: there is such a file already, which stays as it is; name a new one, or give hooks the events in it: cordon run keep.jsonl --record\n`,
  ]);
  expect(readFileSync(join(folder, "keep.jsonl"), "utf8")).toBe(text);
});

test("of two commands that record into one new file at once, one does, whole", async () => {
  const at = { cwd: folder, home: join(folder, "home"), input: EVENT.repeat(20) };
  const both = await Promise.all([1, 2].map(() => cordon(["run", "--no-discover", "--record=one.jsonl"], at)));
  expect(both.map(({ code }) => code).sort()).toEqual([0, 1]);
  expect(both.map(({ stderr }) => stderr).join("")).toContain("which stays as it is");
  const lines = readFileSync(join(folder, "one.jsonl"), "utf8").trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).type)).toEqual(Array(20).fill("agent_start"));
});

test("cordon serve --record refuses a recording that is there, with the session", async () => {
  const old = join(folder, "keep.jsonl");
  writeFileSync(old, OLD);
  const at = { cwd: folder, home: join(folder, "home") };
  const agent = new RpcAgent(startCordon(["serve", "--no-discover", "--record", old], at));
  const answer = await agent.request("initialize", { protocolVersion: 1, cwd: folder });
  expect(answer.error?.message ?? "").toContain("which stays as it is");
  agent.child.stdin.end();
  await agent.ended;
  expect(readFileSync(old, "utf8")).toBe(OLD);
});
