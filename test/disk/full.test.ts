/** What cannot be written whole is not written in part: the next line would be part of it. */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { keptBlocks } from "../../src/audit/blocks.ts";
import { needs } from "../support/needs.ts";
import { onToolCall, startSession } from "../support/session.ts";
import { mayMount, smallDisk } from "../support/small-disk.ts";

const GATE = onToolCall('return { block: true, reason: "no " + event.input.command.slice(0, 10) };');
const linesOf = (path: string): unknown[] =>
  readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("on a disk that fills", needs(!mayMount && "the right to mount a file system"), () => {
  test("the next block that is kept is whole", async () => {
    const { folder: home, fill } = smallDisk();
    const session = await startSession({ gate: GATE }, { home });
    await session.call("first");
    fill();
    for (let at = 0; at < 6; at++) await session.call(`full ${at} ${"y".repeat(900)}`);
    for (const name of readdirSync(home)) if (name.startsWith("filler")) rmSync(join(home, name));
    await session.call("last");
    await session.host.close();
    expect(keptBlocks(home).at(-1)).toMatchObject({ reason: "no last", input: { command: "last" } });
    expect(linesOf(join(home, "blocked.jsonl")).length).toBeGreaterThan(1);
  });

  test("a recording has whole lines", async () => {
    const { folder: home, fill } = smallDisk();
    const session = await startSession({ gate: GATE }, { home, record: true });
    const path = session.host.recording?.path ?? "";
    await session.call("first");
    await expect.poll(() => readFileSync(path, "utf8")).toContain("first");
    fill();
    for (let at = 0; at < 6; at++) await session.call(`full ${at} ${"y".repeat(900)}`);
    await session.host.close();
    expect(linesOf(path).length).toBeGreaterThan(0);
  });
});
