import { describe, expect, test } from "vitest";
import type { AgentServices } from "../../src/powers/lent-session.ts";
import { sampled } from "../support/length.ts";
import { onToolCall, scriptedUi, startSession } from "../support/session.ts";

const ENTRIES = Array.from({ length: 5 }, (_, at) => ({ id: `e${at}`, type: "message", text: `text ${at}` }));

/** An agent that records what it is made to do. */
function agent(more: Partial<AgentServices> = {}) {
  const done: unknown[] = [];
  const sent: unknown[] = [];
  const act = (name: string) => async (args: readonly unknown[], origin: { hook: string }) => {
    done.push([name, ...args, origin.hook]);
    return name === "setModel" ? true : name === "newSession" ? { cancelled: false } : undefined;
  };
  const services: AgentServices = {
    state: () => ({
      mode: "tui",
      model: { provider: "p", id: "m" },
      thinkingLevel: "high",
      contextUsage: { tokens: 10, contextWindow: 100, percent: 10 },
      isIdle: true,
      hasPendingMessages: false,
      isProjectTrusted: true,
    }),
    session: {
      branch: () => ENTRIES,
      entries: () => ENTRIES,
      entry: (id) => ENTRIES.find((entry) => entry.id === id),
      leafId: () => "e4",
      label: () => undefined,
      sessionName: () => "mine",
      systemPrompt: () => "You are.",
    },
    read: {
      activeTools: () => ["bash"],
      allTools: () => [{ name: "bash" }],
      commands: () => [{ name: "plan" }],
      models: () => [],
    },
    act: Object.fromEntries(
      ["appendEntry", "setSessionName", "setModel", "setActiveTools", "abort", "compact", "newSession"].map((name) => [
        name,
        act(name),
      ]),
    ),
    sendMessage: (message, options, origin) => sent.push([message, options, origin.hook]),
    ...more,
  };
  return { services, done, sent };
}

/** What a handler's body returns as JSON, in a hook with these powers. */
async function inHook(body: string, capabilities: object, services = agent().services) {
  const ui = { ...scriptedUi(), shows: [] as unknown[] };
  const shown: unknown[] = [];
  const session = await startSession(
    {
      gate: {
        source: onToolCall(
          `let said; try { said = await (async () => { ${body} })(); } catch (e: any) { said = [e.code, e.message]; }
           return { block: true, reason: JSON.stringify(said) ?? "undefined" };`,
        ),
        grant: { capabilities: { events: { see: ["tool_call"] }, ...capabilities } },
      },
    },
    {
      agent: services,
      ui: {
        ...ui,
        show: (what: string, args: readonly unknown[], origin) => shown.push([what, ...args, origin?.hook]),
        editor: async (_title: string, prefill?: string) => `${prefill}!`,
        editorText: () => "half a prompt",
      },
    },
  );
  const verdict = await session.call();
  const said = verdict && "reason" in verdict ? verdict.reason : "";
  // Calls without an answer end a moment later.
  await session.call();
  return { said: said === "undefined" ? undefined : JSON.parse(said), shown, session };
}

describe("what a hook sees of the agent without a power", () => {
  test("its state, as of the event", async () => {
    const { said } = await inHook(
      `return [ctx.mode, ctx.model.id, ctx.thinkingLevel, ctx.getContextUsage().percent, ctx.isIdle(),
        ctx.hasPendingMessages(), ctx.isProjectTrusted(), ctx.scopedModels, ctx.signal.aborted];`,
      {},
    );
    expect(said).toEqual(["tui", "m", "high", 10, true, false, true, [], false]);
  });

  test("its state as of the newest event, also by a ctx that was kept, and of one whose hook did not look", async () => {
    let tokens = 1;
    const { services } = agent({
      state: () => ({ isIdle: tokens === 3, contextUsage: { tokens, contextWindow: 9, percent: 1 } }),
    });
    const { call } = await startSession(
      {
        gate: `let kept: any;
          export default (pi: any) => { pi.on("tool_call", (event: any, ctx: any) => {
            kept ??= ctx;
            if (event.input.command === "look away") return;
            return { block: true, reason: JSON.stringify([kept.getContextUsage().tokens, kept.isIdle()]) };
          }); };`,
      },
      { agent: services },
    );
    expect(await call("look")).toMatchObject({ reason: "[1,false]" });
    tokens = 2;
    expect(await call("look")).toMatchObject({ reason: "[2,false]" });
    await call("look away");
    tokens = 3;
    expect(await call("look")).toMatchObject({ reason: "[3,true]" });
  });

  test("its state as it has become, in a handler that waits for it", async () => {
    let asked = 0;
    const { services } = agent({ state: () => ({ isIdle: asked++ > 3, model: { id: `m${asked}` } }) });
    const { said, session } = await inHook(
      `const before = ctx.isIdle();
       for (const end = Date.now() + 5000; !ctx.isIdle() && Date.now() < end; ) await new Promise((next) => setTimeout(next, 5));
       return [before, ctx.isIdle()];`,
      {},
      services,
    );
    expect(said).toEqual([false, true]);
    // Once for the event, and not for each turn of the loop.
    const times = session.audit.filter(({ capability }) => capability === "agent.state").length;
    expect(times).toBeGreaterThan(1);
    expect(times).toBeLessThan(8);
  });

  test("its state after the hook has acted", async () => {
    let model = "old";
    const { services } = agent({
      state: () => ({ model: { id: model } }),
      act: {
        setModel: async () => {
          model = "new";
          return true;
        },
      },
    });
    const body =
      'const before = ctx.model.id; await pi.setModel({ provider: "p", id: "n" }); return [before, ctx.model.id];';
    expect((await inHook(body, { agent: ["setModel"] }, services)).said).toEqual(["old", "new"]);
  });

  test("its state where the agent's answer is an error is that of the event", async () => {
    let asked = 0;
    const { services } = agent({
      state: () => {
        if (asked++ > 0) throw new Error("gone");
        return { isIdle: true };
      },
    });
    const body = "await new Promise((next) => setTimeout(next, 150)); return ctx.isIdle();";
    expect((await inHook(body, {}, services)).said).toBe(true);
  });

  test("an agent that says nothing of itself", async () => {
    const { said } = await inHook(
      "return [ctx.mode, ctx.model ?? null, ctx.isIdle(), ctx.isProjectTrusted()];",
      {},
      {},
    );
    expect(said).toEqual(["rpc", null, false, false]);
  });

  test("the functions of ctx can be taken out of it, wrapped and replaced, and show nothing of what they are linked to", async () => {
    const { said } = await inHook(
      `const isIdle: any = ctx.isIdle, setTitle: any = ctx.ui.setTitle;
       const others = [undefined, null, 1, "ctx", {}, () => {}, Object.create(ctx), new Proxy(ctx, {}), { ...ctx }, event];
       const answers = others.flatMap((other) => [isIdle.call(other), setTitle.call(other, "t") ?? null]);
       const names = [ctx, ctx.ui].map((one) => Reflect.ownKeys(one).map(String));
       const bound: any = new Proxy(ctx.ui, { get(of: any, name, all) {
         const value = Reflect.get(of, name, all); return typeof value === "function" ? value.bind(of) : value;
       } });
       bound.setTitle("t"); await bound.notify("told");
       const { notify } = ctx.ui; notify("told, too");
       ctx.ui.notify = (text: string) => { notify("mine: " + text); }; ctx.ui.notify("told");
       return [isIdle.call(ctx), answers.length, [...new Set(answers)], names];`,
      {},
    );
    const names = [
      ["exec", "ui", "hasUI", "cwd", "sessionFile"],
      ["select", "confirm", "input", "notify"],
    ];
    expect(said).toEqual([true, 20, [true, null], names]);
  });
});

/** A use, the power that it needs, and what it returns. */
const READS: [use: string, power: object, value: unknown][] = [
  ["ctx.sessionManager.getBranch().length", { session: ["entries"] }, 5],
  ["ctx.sessionManager.getEntries()[4].text", { session: ["entries"] }, "text 4"],
  [`ctx.sessionManager.getEntry("e2").text`, { session: ["entries"] }, "text 2"],
  ["ctx.getSystemPrompt()", { session: ["entries"] }, "You are."],
  ["ctx.sessionManager.getLeafId()", { session: ["messages"] }, "e4"],
  ["pi.getSessionName()", { session: ["messages"] }, "mine"],
  ["pi.getActiveTools()", { agent: ["activeTools"] }, ["bash"]],
  ["pi.getAllTools()", { agent: ["allTools"] }, [{ name: "bash" }]],
  ["pi.getCommands()", { agent: ["commands"] }, [{ name: "plan" }]],
  ["ctx.modelRegistry.getAvailable()", { agent: ["models"] }, []],
  ["ctx.ui.getEditorText()", { ui: ["editor"] }, "half a prompt"],
  [`await ctx.ui.editor("Edit", "text")`, { ui: ["editor"] }, "text!"],
];

describe("what a hook reads of the session and the agent", () => {
  test.each(sampled(READS, 2))("%s", async (use, power, value) => {
    expect((await inHook(`return ${use};`, power)).said).toEqual(value);
  });

  test.each(sampled(READS))("%s without its power", async (use) => {
    expect((await inHook(`return ${use};`, { ui: ["notify"] })).said).toEqual(["NOT_GRANTED", expect.any(String)]);
  });

  test("a session of 50 MB comes in parts, as far as it is read", async () => {
    let asked = 0;
    const large = Array.from({ length: 50 }, (_, at) => ({ id: `e${at}`, text: "x".repeat(1_000_000) }));
    const { services } = agent({
      session: {
        branch: () => {
          asked++;
          return large.slice(0, 12);
        },
        entries: () => large,
        leafId: () => "e49",
      },
    });
    const { said } = await inHook(
      "return [ctx.sessionManager.getLeafId(), ctx.sessionManager.getBranch().length];",
      { session: ["entries"] },
      services,
    );
    expect(said).toEqual(["e49", 12]);
    // An entry a part, and two calls.
    expect(asked).toBe(24);
  });

  test("an agent that lacks a service is named in the error", async () => {
    const { said } = await inHook("return pi.getActiveTools();", { agent: ["activeTools"] }, {});
    expect(said[1]).toContain("this agent does not offer activeTools");
  });
});

/** A use, the name of the act, and what reaches the agent. */
const ACTS: [use: string, name: string, done: unknown[]][] = [
  [`pi.appendEntry("mine", { count: 1 })`, "appendEntry", ["appendEntry", "mine", { count: 1 }, "gate"]],
  [`pi.setSessionName("other")`, "setSessionName", ["setSessionName", "other", "gate"]],
  [`pi.setActiveTools(["read"])`, "setActiveTools", ["setActiveTools", ["read"], "gate"]],
  [`await pi.setModel({ provider: "p", id: "m" })`, "setModel", ["setModel", { provider: "p", id: "m" }, "gate"]],
  ["ctx.abort()", "abort", ["abort", "gate"]],
  [`ctx.compact({ customInstructions: "short" })`, "compact", ["compact", "short", "gate"]],
];

describe("what a hook makes the agent do", () => {
  test.each<["newSession" | "abort", unknown[] | undefined]>([
    ["newSession", ["newSession", null, "gate"]],
    ["abort", undefined],
  ])("a command has a new session begin, or not, with the power %j", async (power, expected) => {
    const { services, done } = agent();
    const { host } = await startSession(
      {
        gate: {
          source: `export default (pi: any) => pi.registerCommand("fresh", { handler: async (_args: string, ctx: any) => { await ctx.newSession(); } });`,
          grant: { capabilities: { events: { see: [] }, commands: ["fresh"], agent: [power] } },
        },
      },
      { agent: services },
    );
    const { error } = await host.offers.runCommand("command", "fresh", "");
    expect([done, error === undefined]).toEqual([expected ? [expected] : [], expected !== undefined]);
  });

  test.each(sampled(ACTS, 2))("%s", async (use, name, expected) => {
    const { services, done } = agent();
    const { session } = await inHook(`${use};`, { agent: [name] }, services);
    expect(done).toContainEqual(expected);
    const audited = session.audit.filter(({ capability }) => capability === "agent.act");
    expect(audited[0]).toMatchObject({ outcome: "allowed", value: expect.stringContaining(name) });
  });

  test.each(sampled(ACTS))("%s without its power", async (use, name) => {
    const { services, done } = agent();
    const other = name === "abort" ? "shutdown" : "abort";
    await inHook(`${use};`, { agent: [other] }, services);
    expect(done).toEqual([]);
  });

  test("a custom message begins with the hook's name", async () => {
    const { services, sent } = agent();
    await inHook(
      `pi.sendMessage({ customType: "note", content: "I am the user", display: true }, { deliverAs: "nextTurn" });`,
      { send: {} },
      services,
    );
    expect(sent[0]).toEqual([
      { customType: "note", content: "Message from hook gate (not from the user): I am the user", display: true },
      { deliverAs: "nextTurn" },
      "gate",
    ]);
  });

  test("a custom message without a text gets none", async () => {
    const { services, sent } = agent();
    await inHook(`pi.sendMessage({ customType: "note", content: "", display: true });`, { send: {} }, services);
    expect(sent[0]).toEqual([{ customType: "note", content: "", display: true }, {}, "gate"]);
  });

  test.each([
    ["", {}],
    [", { deliverAs: 'steer' }", { deliverAs: "steer" }],
    [", { expandPromptTemplates: true }", { expandPromptTemplates: true }],
  ])(
    "a message in the person's place begins with the hook's name, and says how it is meant%s",
    async (how, options) => {
      const sent: unknown[] = [];
      const onSend = (...args: unknown[]) => sent.push(args);
      const { call } = await startSession(
        {
          gate: {
            source: onToolCall(`pi.sendUserMessage([{ type: "text", text: "/quit\\u001b[2J" }]${how});`),
            grant: { capabilities: { events: { see: ["tool_call"] }, send: {} } },
          },
        },
        { onSend },
      );
      await call();
      await call();
      const origin = { hook: "gate", text: "/quit", ...options };
      expect(sent[0]).toEqual(["Message from hook gate (not from the user): /quit", undefined, origin]);
    },
  );

  test("a message with an unknown way of delivery is an error to its hook", async () => {
    const { said } = await inHook(`pi.sendUserMessage("x", { deliverAs: "now" }); return "goes on";`, { send: {} });
    expect(said).toBe("goes on");
  });

  test("what the agent shows of it has nothing that a terminal would obey", async () => {
    const { services, done, sent } = agent();
    await inHook(
      `pi.setSessionName("one\\u001b[2J\\ntwo"); pi.sendMessage({ customType: "n\\u001b[2J", content: "x\\u001b]0;t\\u0007" });`,
      { agent: ["setSessionName"], send: {} },
      services,
    );
    expect(done).toContainEqual(["setSessionName", "one two", "gate"]);
    expect(sent[0]).toMatchObject([
      { customType: "n", content: "Message from hook gate (not from the user): x" },
      {},
      "gate",
    ]);
  });

  test("messages in a loop stop at the rate of the grant", async () => {
    const { services, sent } = agent();
    await inHook(
      `for (let at = 0; at < 50; at++) pi.sendMessage({ customType: "n", content: "x" });`,
      { send: { perMinute: 3 } },
      services,
    );
    expect(sent).toHaveLength(3);
  });
});

describe("what a hook shows without a dialog", () => {
  test("lines and status, with nothing that a terminal would obey", async () => {
    const { shown } = await inHook(
      `ctx.ui.setStatus("k", "ok\\u001b[2J"); ctx.ui.setStatus("k", undefined);
       ctx.ui.setWidget("w", ["one\\u001b]0;title\\u0007", "  two \\n three"], { placement: "belowEditor" });
       ctx.ui.setTitle("t"); ctx.ui.setWorkingMessage("busy");`,
      { ui: ["show"] },
    );
    expect(shown.slice(0, 5)).toEqual([
      ["status", "k", "ok", "gate"],
      ["status", "k", null, "gate"],
      ["widget", "w", ["one", "  two   three"], "belowEditor", "gate"],
      ["title", "[hook gate] t", "gate"],
      ["workingMessage", "busy", "gate"],
    ]);
  });

  test("the person's prompt is not written with the power to show", async () => {
    const { shown } = await inHook(`ctx.ui.setEditorText("rm -rf /"); ctx.ui.pasteToEditor("x");`, { ui: ["show"] });
    expect(shown).toEqual([]);
  });
});

test.each([
  [`ctx.ui.select("t", ["a"], { timeout: 50 })`, null],
  [`ctx.ui.confirm("t", "m", { timeout: 50 })`, false],
  [`ctx.ui.input("t", "p", { signal: AbortSignal.timeout(50) })`, null],
])("a dialog ends by itself: %s", async (use, left) => {
  const never = () => new Promise<never>(() => {});
  const { call } = await startSession(
    { gate: onToolCall(`return { block: true, reason: JSON.stringify((await ${use}) ?? null) };`) },
    { ui: { select: never, confirm: never, input: never, notify: () => {} } },
  );
  expect(await call()).toMatchObject({ reason: JSON.stringify(left) });
});

test("a hook knows the folder of the agent's own files by a grant of that, and reads them by another", async () => {
  const top = `import { getDocsPath, getPackageDir } from "@earendil-works/pi-coding-agent";`;
  const lent = agent({ read: { packageDir: async () => "/opt/pi" } }).services;
  const source = onToolCall(
    `let said; try { said = [getPackageDir(), getDocsPath()]; } catch (e: any) { said = [e.code, e.message]; }
     return { block: true, reason: JSON.stringify(said) };`,
    top,
  );
  const said = async (granted: object, services: AgentServices): Promise<unknown> => {
    const capabilities = { events: { see: ["tool_call"], block: true }, ...granted };
    const { call } = await startSession({ asks: { source, grant: { capabilities } } }, { agent: services });
    const verdict = await call("ls");
    return verdict && "reason" in verdict ? JSON.parse(verdict.reason) : undefined;
  };
  const may = { agent: ["packageDir"] as "packageDir"[] };
  expect(await said(may, lent)).toEqual(["/opt/pi", "/opt/pi/docs"]);
  expect(await said({}, lent)).toEqual(["NOT_GRANTED", expect.stringContaining("packageDir")]);
  expect(await said(may, agent().services)).toEqual([null, "this agent does not offer packageDir"]);
});

test("a hook that looks for the agent's program where it is told to finds nothing, and nobody is asked", async () => {
  const ui = scriptedUi();
  const source = onToolCall(
    `return { block: true, reason: JSON.stringify([existsSync(process.argv[1]), existsSync("/other")]) };`,
    `import { existsSync } from "node:fs";`,
  );
  const { call, errors } = await startSession({ asks: source }, { ui });
  expect(await call("ls")).toMatchObject({ reason: "[false,false]" });
  expect(errors.map(({ error }) => error)).toEqual([expect.stringContaining("stat /other")]);
});
