/**
 * A guard's process ends after the check that all guards are there, while hooks before it are asked: its next instance has not
 * heard of the session yet. What that instance says counts only once it has.
 */
import { expect, test } from "vitest";
import type { HookEvent } from "../../src/hook-api.ts";
import { sampled } from "../support/length.ts";
import { type Sources, scriptedUi, startSession, type TestSession, writeFiles } from "../support/session.ts";
import { ASKS } from "./guarded-things.ts";

const GUARDS = {
  "registers its handlers with the session": `export default (pi: any) => { pi.on("session", () => {
    pi.on("tool_call", (event: any) => (event.input.command === "rm" ? { block: true, reason: "no" } : undefined));
    pi.on("tool_result", () => ({ content: [{ type: "text", text: "key=***" }] }));
    pi.on("permission_request", () => ({ deny: "no" }));
    pi.on("user_bash", () => ({ result: { output: "no", exitCode: 1, cancelled: false, truncated: false } }));
  }); };`,
  "gets its rules with the session": `export default (pi: any) => {
    const rules: string[] = [];
    pi.on("session", () => void rules.push("rm"));
    pi.on("tool_call", (event: any) => (rules.includes(event.input.command) ? { block: true, reason: "no" } : undefined));
    pi.on("tool_result", () => (rules.length > 0 ? { content: [{ type: "text", text: "key=***" }] } : undefined));
    pi.on("permission_request", () => (rules.length > 0 ? { deny: "no" } : undefined));
    const result = { output: "no", exitCode: 1, cancelled: false, truncated: false };
    pi.on("user_bash", () => (rules.length > 0 ? { result } : undefined));
  };`,
};

/** It is asked first, in a process of its own, and waits until the test lets it go on. */
const SLOW = `export default (pi: any) => {
  const wait = async (_event: any, ctx: any) => void (await ctx.ui.confirm("wait", ""));
  for (const type of ["tool_call", "tool_result", "permission_request", "user_bash"]) pi.on(type, wait);
};`;
const SEES = ["session", "agent_start", "tool_call", "tool_result", "permission_request", "user_bash"];
const slow: Sources[string] = {
  source: SLOW,
  grant: { capabilities: { events: { see: SEES }, ui: ["confirm"], exec: [{ program: "true", args: [] }] } },
};
const GUARDING = { see: SEES, block: true, guardResult: ["*"], rewriteResult: ["*"], rewriteUserInput: true };
const guard = (source: string): Sources[string] => ({ source, grant: { capabilities: { events: GUARDING } } });
/** Shares the guard's process. */
const neighbour: Sources[string] = {
  source: `export default (pi: any) => { pi.on("agent_start", () => { for (;;); }); };`,
  grant: { capabilities: { events: { see: SEES } }, limits: { cpuMs: 200 } },
};

const START = {
  ...{ type: "session", reason: "start", entries: [] },
  ...{ sessionFile: null, previousSessionFile: null },
} as const satisfies HookEvent;

const ENDS: Record<string, (session: TestSession) => Promise<unknown>> = {
  "a neighbour ends its process": ({ host }) => host.emit({ type: "agent_start" }),
  "it is reloaded": ({ host }) => host.reload("guard"),
  "it is being reloaded": async ({ host }) => void host.reload("guard"),
};

const JUDGED: Record<string, [ask: (session: TestSession) => Promise<unknown>, verdict: object]> = {
  "a call": [ASKS["a call"], { block: true, hook: "guard", reason: "no" }],
  "a result": [ASKS["a result"], { content: [{ type: "text", text: "key=***" }] }],
  "a permission": [ASKS["a permission"], { deny: expect.stringMatching(/no$/) }],
  "a person's command": [ASKS["a person's command"], { result: { output: "no", exitCode: 1 } }],
};

const rows = Object.keys(GUARDS).flatMap((how) =>
  Object.keys(ENDS).flatMap((end) => Object.keys(JUDGED).map((judged) => ({ how, end, judged }))),
);

test.each(sampled(rows, 3))(
  "a guard that $how judges $judged, although $end meanwhile",
  async ({ how, end, judged }) => {
    let act = async (): Promise<unknown> => undefined;
    const ui = { ...scriptedUi(), confirm: async () => Boolean(await act()) };
    const hooks = { slow, guard: guard(GUARDS[how as keyof typeof GUARDS]), neighbour };
    const session = await startSession(hooks, { ui, hasUI: true });
    const [ask, verdict] = JUDGED[judged] as (typeof JUDGED)[string];
    await session.host.emit(START);
    expect(await ask(session)).toMatchObject(verdict);
    let ended = false;
    act = async () => {
      act = async () => undefined;
      await ENDS[end]?.(session);
      ended = true;
    };
    expect(await ask(session)).toMatchObject(verdict);
    expect(ended).toBe(true);
  },
);

test("a guard judges, although its process ends while a neighbour is asked for its priority", async () => {
  const session = await startSession({
    asked: `export default [{ id: "asked", name: "tool.before", toolMatcher: /exec/, handler() {},
      get priority() { while ((globalThis as any).armed); return 1; } }];
      setTimeout(() => { (globalThis as any).armed = true; console.log("armed"); }, 50);`,
    guard: guard(GUARDS["registers its handlers with the session"]),
  });
  await session.host.emit(START);
  await expect.poll(() => session.log.map(({ text }) => text)).toContain("armed");
  expect(await session.call("rm")).toMatchObject({ block: true, hook: "guard", reason: "no" });
  expect(session.errors.map(({ event }) => event)).toContain("crash");
});

test("a guard that a person restarts hears of the session before it is asked again", async () => {
  const source = `export default (pi: any) => { pi.on("session", () => { pi.on("tool_call", ({ input }: any) => {
    if (input.command === "loop") for (;;);
    return { block: true, reason: "no" };
  }); }); };`;
  const ui = scriptedUi({ select: (_title, options) => options[0] ?? null });
  const session = await startSession({ guard: { source, grant: { limits: { cpuMs: 200 } } } }, { ui, hasUI: true });
  await session.host.emit(START);
  // It loops again, and the person is asked once.
  expect(await session.call("loop")).toMatchObject({ block: true, hook: "guard" });
  expect(ui.shown.map(({ kind }) => kind)).toEqual(["select"]);
});

test.each(sampled(Object.entries(JUDGED), 2))(
  "without its handler, a guard that was reloaded meanwhile does not let pass %s",
  async (...row) => {
    const [, [ask]] = row;
    const source = `export default async (pi: any) => {
    const { stdout } = await pi.exec("sh", ["-c", "if [ -e mark ]; then echo again; else touch mark; echo first; fi"]);
    if (stdout.trim() === "first")
      for (const type of ["tool_call", "tool_result", "permission_request", "user_bash"]) pi.on(type, () => undefined);
    pi.on("session", () => undefined);
  };`;
    let act = async (): Promise<unknown> => undefined;
    const ui = { ...scriptedUi(), confirm: async () => Boolean(await act()) };
    const exec = [{ program: "sh", args: ["-c", { kind: "text" as const }], fullAccess: true }];
    const session = await startSession(
      { slow, guard: { source, grant: { capabilities: { events: GUARDING, exec } } } },
      { ui, hasUI: true },
    );
    await session.host.emit(START);
    expect(await ask(session)).toBeUndefined();
    act = () => session.host.reload("guard");
    expect(JSON.stringify(await ask(session))).toMatch(/guarded .* before, but now it has no handler/);
    // From the start of the next one, too.
    expect(JSON.stringify(await ask(session))).toMatch(/guarded .* before, but now it has no handler/);
  },
);

const OUT = {
  "crashed too often": [
    `export default (pi: any) => { for (const type of ["permission_request", "user_bash"]) pi.on(type, () => { for (;;); }); };`,
    "stopped",
  ],
  "did not load": [`throw new Error("broken");`, "failed"],
} as const;
const REFUSALS = {
  permission_request: ["a permission", (reason: string) => ({ deny: expect.stringContaining(reason) })],
  user_bash: [
    "a person's command",
    (reason: string) => ({ result: { output: expect.stringContaining(reason), exitCode: 126 } }),
  ],
} as const;

test.each(
  sampled(
    Object.keys(OUT).flatMap((how) => Object.keys(REFUSALS).map((type) => ({ how, type }))),
    3,
  ),
)("a guard that $how refuses each $type", async ({ how, type }) => {
  const [source, state] = OUT[how as keyof typeof OUT];
  const [judged, refusal] = REFUSALS[type as keyof typeof REFUSALS];
  const grant = {
    capabilities: { events: { see: [type], block: true, rewriteUserInput: true } },
    limits: { cpuMs: 200 },
  };
  const session = await startSession({ guard: { source, grant } });
  const [ask] = JUDGED[judged] as (typeof JUDGED)[string];
  await expect
    .poll(async () => {
      expect(await ask(session)).toMatchObject(refusal("guard"));
      return session.host.hooks[0]?.state;
    })
    .toBe(state);
  expect(session.host.hasHandlers(type)).toBe(true);
  expect(await ask(session)).toMatchObject(refusal("cordon restart"));
});

test("a hook that may only hear of permissions and commands is no guard of them", async () => {
  const events = { see: ["permission_request", "user_bash"] };
  const session = await startSession({
    hears: { source: `throw new Error("broken");`, grant: { capabilities: { events } } },
  });
  for (const [judged] of Object.values(REFUSALS)) expect(await JUDGED[judged]?.[0](session)).toBeUndefined();
  expect(session.host.hasHandlers("user_bash")).toBe(false);
});

const BEGINS = ["start", "switch", "branch", "clear"] as const;
const begins = (reason: (typeof BEGINS)[number]) => ({ ...START, reason }) as HookEvent;
const HEARS = `export default (pi: any) => {
  const rules: string[] = [];
  pi.on("session", (event: any) => { console.log("heard " + event.reason); rules.push("rm"); });
  pi.on("tool_call", (event: any) => (rules.includes(event.input.command) ? { block: true, reason: "no" } : undefined));
};`;
const heard = ({ log }: TestSession): string[] => log.flatMap(({ text }) => (text.startsWith("heard") ? [text] : []));

test.each(sampled(BEGINS, 2))("no hook keeps a guard from hearing of a session that began: %s", async (reason) => {
  const cancels =
    'export default (pi: any) => pi.on("session", () => ({ cancel: true, skipConversationRestore: true }));';
  const session = await startSession({ cancels, guard: HEARS });
  expect(await session.host.emit(begins(reason))).not.toMatchObject({ cancel: true });
  expect(await session.call("rm")).toMatchObject({ block: true, hook: "guard", reason: "no" });
  expect(heard(session)).toEqual([`heard ${reason}`]);
});

/** Each dialog of the slow hook by its title, for the test to end. */
function dialogs(acts: Record<string, () => Promise<unknown>>) {
  return {
    ...scriptedUi(),
    confirm: async (title: string) =>
      Boolean(await acts[Object.keys(acts).find((one) => title.includes(one)) ?? ""]?.()),
  };
}

const SLOW_EVERYWHERE: Sources[string] = {
  ...slow,
  source: `export default (pi: any) => {
    for (const type of ["session", "tool_call"]) pi.on(type, async (_event: any, ctx: any) => void (await ctx.ui.confirm(type, "")));
  };`,
};

test("a session that begins while a call is judged is heard by each guard once, and before it judges", async () => {
  const released = Promise.withResolvers<void>();
  const acts: Record<string, () => Promise<unknown>> = {};
  const session = await startSession(
    { slow: SLOW_EVERYWHERE, guard: HEARS, neighbour },
    { ui: dialogs(acts), hasUI: true },
  );
  await session.host.emit(START);
  let switched: Promise<unknown> | undefined;
  acts.tool_call = async () => {
    await session.host.emit({ type: "agent_start" });
    acts.session = () => released.promise;
    switched = session.host.emit(begins("switch"));
  };
  expect(await session.call("rm")).toMatchObject({ block: true, hook: "guard", reason: "no" });
  released.resolve();
  await switched;
  expect(heard(session)).toEqual(["heard start", "heard switch"]);
});

test.each([
  ["does not guard", "", { hook: "guard", reason: "no" }],
  [
    "guards",
    'pi.on("tool_call", () => undefined);',
    { hook: "asks", reason: expect.stringContaining("has not handled the start") },
  ],
])(
  "a restarted hook that %s, and that waits in the session for a call, holds that up no longer than it may",
  async (...row) => {
    const [, more, verdict] = row;
    const asks: Sources[string] = {
      source: `export default (pi: any) => {
      ${more}
      pi.on("session", async (_event: any, ctx: any) => void (await ctx.ui.confirm("session", "")));
      pi.on("agent_start", () => { for (;;); });
    };`,
      grant: {
        capabilities: {
          events: { see: SEES, block: more !== "" },
          ui: ["confirm"],
          exec: [{ program: "true", args: [] }],
        },
        limits: { cpuMs: 200 },
        priority: 1,
      },
    };
    const acts: Record<string, () => Promise<unknown>> = {};
    const session = await startSession({ asks, guard: HEARS }, { ui: dialogs(acts), hasUI: true, hookTimeout: 1000 });
    await session.host.emit(START);
    await session.host.emit({ type: "agent_start" });
    let inside: unknown;
    acts.session = async () => {
      acts.session = async () => undefined;
      inside = await session.call("rm");
    };
    await expect
      .poll(async () => {
        await session.host.emit({ type: "agent_end", messages: [] });
        return inside;
      })
      .toMatchObject({ block: true, ...verdict });
    expect(await session.call("rm")).toMatchObject({ block: true });
  },
);

test("a guard whose files changed is waited for while it is built anew", async () => {
  let act = async (): Promise<unknown> => undefined;
  const ui = { ...scriptedUi(), confirm: async () => Boolean(await act()) };
  const session = await startSession(
    { slow, guard: guard(GUARDS["gets its rules with the session"]) },
    { ui, hasUI: true },
  );
  await session.host.emit(START);
  for (const [at, [ask, verdict]] of Object.values(JUDGED).entries()) {
    let reloaded: Promise<unknown> | undefined;
    act = async () => {
      act = async () => undefined;
      writeFiles(session.folder, { "hooks/guard.ts": `${GUARDS["gets its rules with the session"]} // ${at}` });
      reloaded = session.host.reload("guard");
    };
    expect(await ask(session)).toMatchObject(verdict);
    await reloaded;
  }
});

const DOWN = `throw new Error("broken");`;
const MAY = { see: ["permission_request", "user_bash"], block: true, rewriteUserInput: true };

test.each(Object.values(REFUSALS))(
  "a guard that fails open, or only monitors, refuses no such thing: %s",
  async (judged) => {
    const open = await startSession({
      guard: { source: DOWN, grant: { failure: "open", capabilities: { events: MAY } } },
    });
    expect(await JUDGED[judged]?.[0](open)).toBeUndefined();
    const watched = await startSession(
      { guard: { source: DOWN, grant: { capabilities: { events: MAY } } } },
      { monitor: () => true },
    );
    expect(await JUDGED[judged]?.[0](watched)).toBeUndefined();
    expect(watched.audit).toContainEqual(expect.objectContaining({ hook: "guard", outcome: "would block" }));
  },
);

test("where the agent's state throws, a restarted guard's call is blocked, and nothing goes on for ever", async () => {
  let isBroken = false;
  const state = () => {
    if (isBroken) throw new Error("no state");
    return {};
  };
  const session = await startSession({ guard: HEARS, neighbour }, { agent: { state } });
  await session.host.emit(START);
  await session.host.emit({ type: "agent_start" });
  await expect.poll(() => session.host.hooks.every((hook) => hook.state === "active")).toBe(true);
  isBroken = true;
  expect(await session.call("ls")).toMatchObject({
    block: true,
    hook: "",
    reason: expect.stringContaining("no state"),
  });
  isBroken = false;
  await session.host.reload("guard");
  expect(await session.call("rm")).toMatchObject({ block: true, hook: "guard", reason: "no" });
});
