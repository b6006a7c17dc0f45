import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Blocked } from "../../src/verdicts/blocked.ts";
import { onToolCall, startSession, temporaryFolder } from "../support/session.ts";

afterEach(() => vi.unstubAllEnvs());

const GUARDS = { capabilities: { events: { see: ["tool_call"], block: true } } };
const guard = (source: string, limits = {}) => ({ source, grant: { ...GUARDS, limits } });
const noRm = onToolCall('if (event.input.command.includes("rm")) return { block: true, reason: "no rm" };');

/** Hooks that would block each call, and why. */
const BLOCKERS: [what: string, hook: ReturnType<typeof guard>, why: RegExp][] = [
  ["says so", guard(onToolCall('return { block: true, reason: "no" };')), /^no$/],
  ["throws", guard(onToolCall('throw new Error("oops");')), /oops/],
  ["takes the CPU", guard(onToolCall("for (;;) {}"), { cpuMs: 200 }), /CPU/],
  ["eats memory", guard(onToolCall("const all = []; for (;;) all.push(new Array(1e6).fill(1));")), /memory/],
  ["never answers", guard(onToolCall("await new Promise(() => {});")), /did not (answer|finish)|time|late/i],
  ["answers nonsense", guard(onToolCall("return 7;")), /./],
  ["cannot be loaded", guard("export default () => { throw new Error('at load'); };"), /at load/],
  ["is no program", guard("export default ("), /./],
];

/** A session that monitors while `mode.on`. */
async function monitored(hooks: Parameters<typeof startSession>[0], options = {}) {
  const mode = { on: true };
  const session = await startSession(hooks, { monitor: () => mode.on, hookTimeout: 1500, ...options });
  const would: Blocked[] = [];
  const call = (command = "ls", more = {}) =>
    session.host.emitToolCall(
      { type: "tool_call", toolName: "bash", toolCallId: "1", input: { command } },
      { onWouldBlock: (block) => would.push(block), ...more },
    );
  return { ...session, mode, would, call };
}

describe("where hooks only monitor", () => {
  test.each(BLOCKERS)("a call runs that a hook would block which %s; it is recorded", async (_what, hook, why) => {
    const { call, would, audit, mode } = await monitored({ hook });
    expect(await call()).toBeUndefined();
    expect(would).toEqual([{ block: true, hook: "hook", reason: expect.stringMatching(why) }]);
    const lines = audit.filter(({ outcome }) => outcome === "would block");
    expect(lines).toEqual([expect.objectContaining({ hook: "hook", event: "tool_call", monitor: true })]);
    expect(audit.some(({ outcome }) => outcome === "block")).toBe(false);
    // The same call blocks as soon as the person wants it to.
    mode.on = false;
    expect(await call()).toMatchObject({ block: true, hook: "hook" });
    expect(audit.at(-1)).not.toHaveProperty("monitor");
  });

  test("all hooks judge, and changes are made as ever", async () => {
    const { call, would } = await monitored({
      first: guard(onToolCall('return { block: true, reason: "one" };')),
      changes: {
        source: onToolCall('event.input.command = "ls -l";'),
        grant: { capabilities: { events: { see: ["tool_call"], block: true, rewriteInput: ["bash"] } } },
      },
      last: guard(onToolCall("return { block: true, reason: event.input.command };")),
    });
    expect(await call()).toEqual({ input: { command: "ls -l" } });
    expect(would.map(({ hook, reason }) => [hook, reason])).toEqual([
      ["first", "one"],
      ["last", "ls -l"],
    ]);
  });

  test("every line of the audit says so", async () => {
    const { call, audit } = await monitored({ gate: guard(noRm) });
    await call();
    await call("rm x");
    expect(audit.map(({ outcome }) => outcome)).toEqual(expect.arrayContaining(["pass", "would block"]));
    expect(audit.every(({ monitor }) => monitor === true)).toBe(true);
  });

  test("powers are refused as ever", async () => {
    const { call, audit } = await monitored({
      reads: guard(onToolCall('await ctx.exec("ls", []);')),
    });
    expect(await call()).toBeUndefined();
    expect(audit).toContainEqual(expect.objectContaining({ capability: "exec", outcome: "NOT_GRANTED" }));
  });

  test("a hook that a policy requires blocks, and so does its absence", async () => {
    const policy = join(temporaryFolder(), "policy.json");
    vi.stubEnv("CORDON_POLICY", policy);
    writeFileSync(policy, JSON.stringify({ version: 1, required: ["gate"] }));
    const { call, would } = await monitored({ gate: guard(noRm), other: guard(noRm) });
    expect(await call("rm x")).toMatchObject({ block: true, hook: "gate", reason: "no rm" });
    expect(await call("ls")).toBeUndefined();
    writeFileSync(policy, JSON.stringify({ version: 1, required: ["absent"] }));
    const without = await monitored({ other: guard(noRm) });
    expect(await without.call()).toMatchObject({ block: true, reason: expect.stringContaining("absent") });
    expect(would.map(({ hook }) => hook)).toEqual([]);
  });

  test("a call that is cancelled, or cannot be judged as it stands, is blocked", async () => {
    const { host, call } = await monitored({
      gate: guard(noRm),
      slow: guard(onToolCall("await new Promise(() => {});")),
    });
    const given = { type: "tool_call", toolName: "bash", toolCallId: "1" } as const;
    const input = { command: "ls", made: new Date() };
    expect(await host.emitToolCall({ ...given, input })).toMatchObject({ block: true, hook: "" });
    const cancel = new AbortController();
    const judged = call("ls", { signal: cancel.signal });
    cancel.abort();
    expect(await judged).toMatchObject({ block: true });
  });

  test("nobody is asked about a call that runs", async () => {
    const { call, would } = await monitored({ gate: guard(noRm) });
    expect(await call("rm x", { isQuestion: () => true })).toBeUndefined();
    expect(would).toHaveLength(1);
  });

  test("a block of the adapter's own for a hook does not hold, one of Cordon's does", async () => {
    const { host, mode, audit } = await monitored({ gate: guard(noRm) });
    expect(host.holds("bash", { hook: "gate", reason: "why" })).toBe(false);
    expect(audit.at(-1)).toMatchObject({ hook: "gate", value: "bash: why", outcome: "would block" });
    expect(host.holds("bash", { hook: "", reason: "why" })).toBe(true);
    mode.on = false;
    expect(host.holds("bash", { hook: "gate", reason: "why" })).toBe(true);
    expect(audit.at(-1)).toMatchObject({ outcome: "block" });
  });
});

test.each([
  [
    "throws",
    () => {
      throw new Error("no");
    },
  ],
  ["answers something else", () => "yes" as never],
  ["is not there", undefined],
])("a mode that %s is none: calls are blocked", async (_what, monitor) => {
  const { host } = await startSession({ gate: guard(noRm) }, monitor ? { monitor } : {});
  const event = { type: "tool_call", toolName: "bash", toolCallId: "1", input: { command: "rm x" } } as const;
  expect(await host.emitToolCall(event)).toMatchObject({ block: true });
});
