import { join } from "node:path";
import { HookRunner, loadHooks } from "@mariozechner/pi-coding-agent/hooks";
import { describe, expect, onTestFinished, test } from "vitest";
import { HookHost } from "../../src/host/host.ts";
import { sampled } from "../support/length.ts";
import { scriptedUi, startSession, temporaryFolder, writeFiles } from "../support/session.ts";
import { playBoth } from "./compare.ts";
import { LOADING, SHAPES } from "./differences/broken.ts";
import { CONTEXT } from "./differences/context.ts";
import { EVENTS_AND_RESULTS } from "./differences/events.ts";
import { agentStart, beforeCompact, hook } from "./events.ts";
import type { LiveSession } from "./scenario.ts";

describe.each([
  ["events and results", EVENTS_AND_RESULTS],
  ["ctx and pi", CONTEXT],
  ["hooks that do not load", LOADING],
  ["results of the wrong shape", SHAPES],
] as const)("Cordon differs from pi on purpose: %s", (_part, differences) => {
  test.each(sampled(differences).map((one) => [one.claim, one.rule, one] as const))(
    "%s (%s)",
    async (_claim, _rule, { see, pi, cordon, ...scenario }) => {
      const traces = await playBoth(scenario);
      expect(see(traces.pi)).toEqual(pi);
      expect(see(traces.cordon)).toEqual(cordon);
    },
  );
});

// Cordon puts the hook's name before each dialog's title.
test("each dialog's title begins with the hook's name, and each further line with its mark, in pi they do not", async () => {
  const source = hook([
    [
      "agent_start",
      `
        ctx.ui.notify("told", "info");
        await ctx.ui.select("a", ["x"]);
        await ctx.ui.confirm("b", "m");
        await ctx.ui.input("c", "p");`,
    ],
  ]);
  const folder = temporaryFolder();
  writeFiles(folder, { "asker.ts": source });
  const runner = new HookRunner((await loadHooks([join(folder, "asker.ts")], folder)).hooks, folder);
  const pi = scriptedUi();
  runner.setUIContext(pi as never, true);
  await runner.emit(agentStart as never);

  const cordon = scriptedUi();
  const { host } = await startSession({ asker: source }, { ui: cordon });
  await host.emit({ type: "agent_start" });

  expect(pi.shown.map(({ title }) => title)).toEqual(["told", "a", "b", "c"]);
  const marked = pi.shown.map(({ kind, title, rest }) => ({
    kind,
    title: `[hook asker] ${title}`,
    rest: kind === "confirm" ? `| ${rest}` : rest,
  }));
  expect(cordon.shown).toEqual(marked);
});

// What a hook sends is labelled with its origin, limited in rate and size, and framed as untrusted text.
test("a message into the session names its hook, in pi it does not", async () => {
  const source = hook([["agent_start", 'pi.send("do\\u001b[31m this");']]);
  const folder = temporaryFolder();
  writeFiles(folder, { "sender.ts": source });
  const runner = new HookRunner((await loadHooks([join(folder, "sender.ts")], folder)).hooks, folder);
  const pi: string[] = [];
  runner.setSendHandler((text) => pi.push(text));
  await runner.emit(agentStart as never);

  const cordon: unknown[] = [];
  const grant = { capabilities: { events: { see: ["*"] }, send: {} } };
  const { host } = await startSession(
    { sender: { source, grant } },
    { onSend: (text, _attachments, origin) => cordon.push([text, origin]) },
  );
  await host.emit({ type: "agent_start" });

  expect(pi).toEqual(["do\u001b[31m this"]);
  expect(cordon).toEqual([
    ["Message from hook sender (not from the user): do this", { hook: "sender", text: "do this" }],
  ]);
});

// A `tool_call` may wait for a person all day, and one that never settles blocks; pi has no limit here.
describe("pi waits forever for a handler that never settles, and Cordon ends it at its deadline", () => {
  const stuck = "await new Promise(() => {});";
  const live = { note: () => {} } as unknown as LiveSession;
  const call = { type: "tool_call", toolName: "bash", toolCallId: "1", input: {} } as const;

  test.each([
    {
      type: "tool_call",
      pi: (runner: HookRunner) => runner.emitToolCall(call as never),
      cordon: (host: HookHost) => host.emitToolCall(call),
      outcome: { block: true, hook: "stuck" },
      told: ["Hook timed out after 700ms"],
    },
    {
      type: "session",
      pi: (runner: HookRunner) => runner.emit(beforeCompact()(live) as never),
      cordon: (host: HookHost) => host.emit(beforeCompact()(live) as never),
      outcome: undefined,
      told: ["Hook timed out after 700ms"],
    },
  ])("$type", async ({ type, pi, cordon, outcome, told }) => {
    const source = hook([[type, stuck]]);
    const { host, folder, errors } = await startSession({ stuck: source }, { hookTimeout: 700 });
    const runner = new HookRunner((await loadHooks([join(folder, "hooks", "stuck.ts")], folder)).hooks, folder, 700);
    let over = false;
    void pi(runner).finally(() => {
      over = true;
    });
    const given = await cordon(host);
    if (outcome) expect(given).toMatchObject(outcome);
    else expect(given).toBeUndefined();
    expect(errors.map(({ error }) => error)).toEqual(told);
    expect(over).toBe(false);
  });
});

// pi 0.27.9 skips what does not load, so a mistyped path removes a gate. Cordon blocks guarded calls.
test("a mistyped path removes a gate in pi, and closes it in Cordon", async () => {
  const folder = temporaryFolder();
  const loaded = await loadHooks(["./no-such-gate.ts"], folder);
  const host = await HookHost.start({
    spare: false,
    cwd: folder,
    home: join(folder, "home"),
    discover: false,
    hooks: ["./no-such-gate.ts"],
    log: () => {},
  });
  onTestFinished(() => host.close());
  const call = { type: "tool_call", toolName: "bash", toolCallId: "1", input: {} } as const;
  expect(loaded).toMatchObject({ hooks: [], errors: [{ path: "./no-such-gate.ts" }] });
  expect(await new HookRunner(loaded.hooks, folder).emitToolCall(call as never)).toBeUndefined();
  expect(await host.emitToolCall(call)).toMatchObject({ block: true, reason: expect.stringContaining("no such file") });
});
