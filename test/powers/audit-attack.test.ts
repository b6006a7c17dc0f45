import { join } from "node:path";
import { expect, test } from "vitest";
import { HookHost } from "../../src/host/host.ts";
import { quoted } from "../../src/powers/quoted.ts";
import { factsIn } from "../support/audit-log.ts";
import { cordon } from "../support/command.ts";
import { onToolCall, startSession, temporaryFolder } from "../support/session.ts";
import { chains, displays, values } from "./audit-attack.ts";
import { hash, layFiles, makeLog, verified } from "./audit-attack-log.ts";

const WRITER = onToolCall(`
  const fsp: any = await import("node:fs/promises");
  const text = JSON.parse(event.input.text);
  await fsp.readFile(text).catch(() => {});
  await ctx.exec("echo", [text]).catch(() => {});
  return { block: true, reason: text };`);

test("any value takes one line of the log and is read back as it was", async () => {
  const { call, folder, errors } = await startSession({ writer: WRITER });
  const home = join(folder, "home");
  let before = factsIn(home).length;
  const record = async (given: string) => {
    await call({ text: JSON.stringify(given) });
    const lines = factsIn(home).slice(before);
    before += lines.length;
    return lines.map(({ event, capability, value, outcome }) => [capability ?? event, outcome, value]);
  };
  const recorded = (given: string, path: string | null = given, reason = given) => [
    ...(path === null ? [] : [["fs.read", "NOT_GRANTED", `read ${quoted(path)}`.slice(0, 2000)]]),
    ["exec", "NOT_GRANTED", expect.stringMatching(/^echo /)],
    ["tool_call", "block", `bash: ${reason || "Tool execution was blocked by a hook"}`],
  ];
  // The damage of one value does not count against the next one.
  let known = { missing: 0, faults: 0 };
  const isWhole = async (name: string) => {
    const { told, faults } = await verified(home);
    const now = { missing: before - told, faults: faults.length };
    expect.soft(now, name).toEqual(known);
    known = now;
  };
  for (const { name, given, path, reason, works } of values) {
    expect.soft(await record(given), name).toEqual(recorded(given, path, reason));
    await isWhole(name);
    expect.soft(await record(works), `${name}: works`).toEqual(recorded(works));
    await isWhole(`${name}: works`);
  }
  for (const { code } of errors) expect(code).toBe("NOT_GRANTED");
});

test.each([
  [2, "1 time"],
  [500, "499 times"],
])("%d refusals are recorded with their count, and reported once", async (count, more) => {
  const source = onToolCall(`const fs: any = await import("node:fs");
    for (let at = 0; at < ${count}; at++) { try { fs.readFileSync("/a"); } catch {} }`);
  const { call, folder, errors, host } = await startSession({ flooder: source });
  await call();
  await host.close();
  const home = join(folder, "home");
  const refusals = factsIn(home).filter(({ outcome }) => outcome?.startsWith("NOT_GRANTED"));
  expect(refusals.map(({ outcome }) => outcome)).toEqual(["NOT_GRANTED", `NOT_GRANTED (${more} more)`]);
  expect((await verified(home)).faults).toEqual([]);
  expect(errors).toHaveLength(1);
});

test("two hosts with one log write one chain, whatever values their hooks cause", async () => {
  const { call, folder } = await startSession({ writer: WRITER });
  const home = join(folder, "home");
  const second = await HookHost.start({
    spare: false,
    cwd: join(folder, "work"),
    home,
    discover: false,
    hooks: [{ path: join(folder, "hooks", "writer.ts"), id: "second" }],
    log: () => {},
  });
  const ask = (text: string) =>
    second.emitToolCall({
      type: "tool_call",
      toolName: "bash",
      toolCallId: "1",
      input: { text: JSON.stringify(text) },
    });
  for (let at = 0; at < 10; at++)
    await Promise.all([call({ text: JSON.stringify(`a\n${at}`) }), ask(`b","prev":"${at}`)]);
  await second.close();
  const lines = factsIn(home);
  for (const hook of ["writer", "second"])
    expect(lines.filter((line) => line.hook === hook && line.event !== "load")).toHaveLength(30);
  expect((await verified(home)).faults).toEqual([]);
});

test("a forged log fails verification", async () => {
  const home = temporaryFolder();
  const { lines, own } = makeLog();
  const head = hash(lines.at(-1) as string);
  // The kept hash is that of a line: the next line contains it, or it is the hash of the last line.
  const isThere = async (files: Record<string, string>) => {
    const last = Object.entries(files).sort().at(-1)?.[1].trimEnd().split("\n").at(-1) ?? "";
    return [...(await verified(home)).hashes, hash(last)].includes(head);
  };
  for (const { name, forge, byHead, works } of chains) {
    const forged = forge(lines, hash, own);
    layFiles(home, forged);
    if (byHead) {
      expect.soft((await verified(home)).faults, name).toEqual([]);
      expect.soft(await isThere(forged), name).toBe(false);
    } else expect.soft((await verified(home)).faults, name).not.toEqual([]);
    const whole = works(lines, hash, own);
    layFiles(home, whole);
    expect.soft((await verified(home)).faults, `${name}: works`).toEqual([]);
    if (byHead) expect.soft(await isThere(whole), `${name}: works`).toBe(true);
  }
});

test("a forged line has no effect on the terminal of a reader of the log", async () => {
  const home = temporaryFolder();
  const plain = {
    seq: 1,
    time: "2026-01-01T00:00:00.000Z",
    hook: "git",
    event: "load",
    outcome: "allowed",
    prev: hash(""),
  };
  for (const { name, line, flags = [], shows } of displays) {
    layFiles(home, { "2026-01-01.jsonl": `${JSON.stringify({ ...plain, ...line })}\n` });
    const { code, stdout, stderr } = await cordon(["audit", ...flags], { cwd: home, home });
    expect.soft(stdout, name).toMatch(shows);
    expect.soft(stdout, name).not.toMatch(/[\p{Cc}--\n]/v);
    const none = flags.length > 0;
    const said = none ? expect.stringMatching(/^(note: no line on record matches\n)?$/) : "";
    expect.soft([code, stderr, stdout.split("\n").length], name).toEqual([0, said, none ? 1 : 2]);
  }
  layFiles(home, { "2026-01-01.jsonl": `${JSON.stringify(plain)}\n` });
  const { stdout } = await cordon(["audit", "--power", "load"], { cwd: home, home });
  expect(stdout).toBe("2026-01-01 00:00:00Z allowed git load\n");
});
