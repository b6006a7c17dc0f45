import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { GrantEntry } from "../../src/grants/grant.ts";
import { HookHost } from "../../src/host/host.ts";
import { placement } from "../../src/host/placement.ts";
import { Hook, type Origin } from "../../src/session/hook.ts";
import { onToolCall, startSession, temporaryFolder, writeFiles } from "../support/session.ts";
import { eventually, sandboxesOf } from "./proc.ts";

function hook(path: string, origin: Origin, entry?: GrantEntry): Hook {
  return new Hook({
    id: path,
    key: path,
    typed: path,
    path,
    realPath: path,
    root: "/",
    origin,
    trusted: false,
    given: entry,
  });
}

const option: Origin = { kind: "option" };
const user: Origin = { kind: "user", folder: "/home/u/.pi/agent/hooks" };
const project: Origin = { kind: "project", folder: "/p/.pi/hooks" };

describe("the process of a hook", () => {
  test.each([
    [
      "hooks of the user's folder share one",
      hook("/home/u/.pi/agent/hooks/a.ts", user),
      hook("/home/u/.pi/agent/hooks/b.ts", user),
      true,
    ],
    ["a project's hooks share one", hook("/p/.pi/hooks/a.ts", project), hook("/p/.pi/hooks/b.ts", project), true],
    ["a project's hooks and the user's do not", hook("/p/.pi/hooks/a.ts", project), hook("/h/b.ts", user), false],
    ["named hooks of one folder share one", hook("/x/a.ts", option), hook("/x/b.ts", option), true],
    ["named hooks of two folders do not", hook("/x/a.ts", option), hook("/y/b.ts", option), false],
    [
      "a named hook in the project's folder does not share with the project's",
      hook("/p/.pi/hooks/a.ts", option),
      hook("/p/.pi/hooks/b.ts", project),
      false,
    ],
  ])("%s", (_name, first, second, shared) => {
    expect(placement(first) === placement(second)).toBe(shared);
  });

  const powers: [string, GrantEntry][] = [
    ["exec", { capabilities: { exec: [{ program: "git", args: ["status"] }] } }],
    ["send", { capabilities: { send: {} } }],
    ["session", { capabilities: { session: ["entries"] } }],
    ["model", { capabilities: { model: ["anthropic"] } }],
    ["the JIT", { limits: { jit: true } }],
    ["eval", { limits: { eval: true } }],
    ["a larger heap", { limits: { memoryMb: 128 } }],
  ];
  test.each(powers)("a hook granted %s has its own", (_name, entry) => {
    expect(placement(hook("/x/a.ts", option, entry))).not.toBe(placement(hook("/x/b.ts", option)));
    expect(placement(hook("/x/a.ts", option, entry))).not.toBe(placement(hook("/x/b.ts", option, entry)));
  });

  test("a hook with only events and dialogs granted shares", () => {
    const entry: GrantEntry = { capabilities: { events: { see: ["*"], rewriteInput: ["*"] }, ui: ["select"] } };
    expect(placement(hook("/x/a.ts", option, entry))).toBe(placement(hook("/x/b.ts", option)));
  });
});

const HOOK = onToolCall("return undefined;");
/** The hooks' processes and the spare. */
const settlesAt = (count: number) => eventually(`${count} processes`, () => sandboxesOf().length === count);

test("three hooks of one folder run in one process, and a spare waits", async () => {
  await startSession({ a: HOOK, b: HOOK, c: HOOK }, { spare: true });
  await settlesAt(2);
});

test("a hook with a power runs in a process of its own, and so does a hook of another folder", async () => {
  const other = temporaryFolder();
  writeFiles(other, { "d.ts": HOOK });
  const folder = temporaryFolder();
  mkdirSync(join(folder, "work"));
  writeFiles(folder, { "a.ts": HOOK, "b.ts": HOOK, "c.ts": HOOK });
  const host = await HookHost.start({
    cwd: join(folder, "work"),
    home: join(folder, "home"),
    discover: false,
    hooks: [
      join(folder, "a.ts"),
      join(folder, "b.ts"),
      { path: join(folder, "c.ts"), grant: { capabilities: { send: {} } } },
      join(other, "d.ts"),
    ],
  });
  onTestFinished(() => host.close());
  await settlesAt(4);
});

test("sixty hooks of one folder run in three processes, and none of them ends", async () => {
  const names = Array.from({ length: 60 }, (_, at) => `hook-${at}`);
  const { host } = await startSession(Object.fromEntries(names.map((name) => [name, HOOK])));
  const failed: string[] = [];
  host.onError(({ error }) => failed.push(error));
  expect(await host.emitToolCall({ type: "tool_call", toolName: "bash", toolCallId: "1", input: {} })).toBeUndefined();
  expect(host.states).toEqual(names.map(() => "active"));
  expect(failed).toEqual([]);
  await settlesAt(3);
});
