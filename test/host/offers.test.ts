import { describe, expect, test } from "vitest";
import { EVENT_NAMES } from "../../sandbox/wire/events.ts";
import { offeredTools } from "../../src/host/offered-tools.ts";
import { wrapToolsWithHooks } from "../../src/host/wrap-tools.ts";
import { eventually } from "../support/eventually.ts";
import { needsTime } from "../support/needs.ts";
import { onToolCall, startSession } from "../support/session.ts";

/** A hook of an extension that registers, with the grant that lets it offer `tools` and `commands`. */
const extension = (body: string, capabilities: object = { tools: ["*"], commands: ["*"] }, top = "") => ({
  source: `import { Type } from "@sinclair/typebox";\n${top}\nexport default (pi: any) => { ${body} };`,
  grant: { capabilities: { events: { see: ["tool_call"] }, ...capabilities } },
});

const tool = (name: string, execute: string, more = ""): string =>
  `pi.registerTool({ name: ${JSON.stringify(name)}, label: "L", description: "D", ${more}
     parameters: Type.Object({ text: Type.String() }),
     async execute(id: string, params: any, signal: any, onUpdate: any, ctx: any) { ${execute} } });`;

const text = (body: string): string => `return { content: [{ type: "text", text: ${body} }], details: { from: id } };`;

describe("what hooks offer", () => {
  test("a tool's schema is made of ordinary objects, in which no key reaches a prototype", async () => {
    const schema =
      '{"type":"object","properties":{"a":{"type":"string","__proto__":{"polluted":1}}},"__proto__":{"polluted":2}}';
    const { host } = await startSession({
      mine: extension(`pi.registerTool({ name: "mine", label: "L", description: "D", parameters: JSON.parse(${JSON.stringify(schema)}),
        async execute() { return { content: [] }; } });`),
    });
    const [tool] = host.offers.tools;
    expect(JSON.stringify(tool?.parameters)).not.toContain("polluted");
    expect(Object.getPrototypeOf(tool?.parameters)).toBe(Object.prototype);
  });

  test("tools, commands, shortcuts and flags, with texts that say whose they are", async () => {
    const { host } = await startSession({
      mine: extension(
        `${tool("greet", text("params.text"), `promptGuidelines: ["Be:\\n  kind,  \\u001b[2Jalways."], executionMode: "sequential",`)}
         pi.registerCommand("plan", { description: "plans\\u001b[2J", handler: async () => {},
           getArgumentCompletions: () => null });
         pi.registerShortcut("ctrl+alt+p", { description: "toggles", handler: async () => {} });
         pi.registerFlag("strict", { type: "boolean", default: true, description: "strictly" });`,
      ),
    });
    expect(host.offers.tools).toEqual([
      {
        hook: "mine",
        name: "greet",
        label: "L",
        description: "D\n(A tool of the hook mine.)",
        parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
        promptGuidelines: ["Be:\n  kind,  always. (From the hook mine.)"],
        executionMode: "sequential",
      },
    ]);
    expect(host.offers.commands("command")).toEqual([
      { hook: "mine", name: "plan", description: "plans", completes: true },
    ]);
    expect(host.offers.commands("shortcut")).toEqual([
      { hook: "mine", name: "ctrl+alt+p", description: "toggles", completes: false },
    ]);
    expect(host.offers.flags).toEqual([
      { hook: "mine", name: "strict", description: "strictly", type: "boolean", default: true },
    ]);
    expect(host.hooks[0]).not.toHaveProperty("unsupported");
  });

  test("what is not offered is refused with its reason: not granted, mistyped, or nobody's", async () => {
    const body = `${tool("greet", text(`"x"`))} pi.registerCommand("plan", { handler: () => {} });`;
    const bare = await startSession({ mine: extension(body, {}) });
    const run = (host: typeof bare.host, name: string) => host.offers.runTool(name, {}, { toolCallId: "1" });
    const code = "NOT_GRANTED";
    await expect(run(bare.host, "greet")).rejects.toMatchObject({
      code,
      message: expect.stringMatching(
        /^hook mine was not granted tools for greet: its tool is not offered; add "tools": \["greet"\] to the grant that its host gives it$/,
      ),
    });
    await expect(bare.host.offers.runCommand("command", "plan", "")).rejects.toThrow("not granted commands for plan");
    const { host } = await startSession({ mine: extension(body) });
    await expect(run(host, "great")).rejects.toMatchObject({
      code,
      message: "no hook offers the tool great here; did you mean greet?",
    });
    await expect(run(host, "plan")).rejects.toThrow(/^no hook offers the tool plan here$/);
    const untyped = host.offers.runTool as (name: string, params: object) => Promise<unknown>;
    await expect(untyped.call(host.offers, "greet", {})).rejects.toMatchObject({
      code: "BAD_GRANT",
      message: "runTool: its third argument must have a toolCallId, a text",
    });
  });

  test.each([
    ["a tool", tool("greet", text(`"x"`)), "tools", "greet"],
    ["a command", `pi.registerCommand("plan", { handler: () => {} });`, "commands", "plan"],
    ["a shortcut", `pi.registerShortcut("ctrl+x", { handler: () => {} });`, "commands", "ctrl+x"],
  ])("%s is offered only by a grant, and the refusal names it", async (_what, body, power, name) => {
    const refused: unknown[] = [];
    const { host } = await startSession(
      { mine: extension(body, { ui: ["notify"] }) },
      { onRefused: (refusal) => refused.push(refusal) },
    );
    const offered = [...host.offers.tools, ...host.offers.commands("command"), ...host.offers.commands("shortcut")];
    expect(offered).toEqual([]);
    expect(refused).toMatchObject([{ hook: "mine", wanted: { capability: power, grant: [name] } }]);
  });

  test("a tool named like one of the agent's own needs a grant of that name", async () => {
    const { host } = await startSession({
      any: extension(`${tool("bash", text(`"any"`))} ${tool("free", text(`"any"`))}`),
      named: extension(tool("read", text(`"named"`)), { tools: ["read"] }),
    });
    expect(host.offers.tools.map(({ name, hook }) => [name, hook])).toEqual([
      ["free", "any"],
      ["read", "named"],
    ]);
  });

  test("of two tools with one name, the first hook's is offered", async () => {
    const { host } = await startSession({
      one: extension(tool("greet", text(`"one"`))),
      two: extension(tool("greet", text(`"two"`))),
    });
    expect(host.offers.tools).toMatchObject([{ name: "greet", hook: "one" }]);
    expect((await host.offers.runTool("greet", { text: "" }, { toolCallId: "1" })).content).toEqual([
      { type: "text", text: "one" },
    ]);
  });

  test("what is registered later is told to the agent", async () => {
    const { host } = await startSession({
      mine: extension(`pi.registerCommand("more", { handler: async () => { ${tool("late", text(`"late"`))} } });`),
    });
    let told = 0;
    host.onOffers(() => told++);
    expect(host.offers.tools).toEqual([]);
    expect(await host.offers.runCommand("command", "more", "")).toEqual({});
    expect(host.offers.tools).toMatchObject([{ name: "late" }]);
    await eventually(() => expect(told).toBe(1));
  });
});

describe("running what hooks offer", () => {
  test("a tool gets its arguments, and sends parts of its result", async () => {
    const parts: object[] = [];
    const { host, audit } = await startSession({
      mine: extension(
        tool(
          "greet",
          `onUpdate({ content: [{ type: "text", text: "half" }] }); ${text("params.text + signal.aborted")}`,
        ),
      ),
    });
    const options = { toolCallId: "call 1", onUpdate: (part: object) => parts.push(part) };
    expect(await host.offers.runTool("greet", { text: "hi " }, options)).toEqual({
      content: [{ type: "text", text: "hi false" }],
      details: { from: "call 1" },
      isError: false,
    });
    expect(parts).toEqual([{ content: [{ type: "text", text: "half" }] }]);
    expect(audit.at(-1)).toMatchObject({ hook: "mine", event: "tool", value: "greet", outcome: "ran" });
  });

  test("a tool works under its hook's powers", async () => {
    const { host } = await startSession({
      mine: extension(tool("run", text(`(await ctx.exec("node", ["-p", "1"])).stdout`))),
    });
    expect(await host.offers.runTool("run", {}, { toolCallId: "1" })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("was not granted exec") }],
    });
  });

  test.each([
    ["throws", `throw new Error("no luck");`, "no luck"],
    ["returns something else", `return "done";`, "a tool returned something other than"],
    ["returns content of the wrong shape", "return { content: [{ type: 'sound' }] };", "invalid for run"],
    ["never yields", "for (;;);", "CPU"],
    ["takes all memory", "const all = []; for (;;) all.push(new Array(1e6).fill(all.length));", "memory"],
  ])("a tool that %s is an error to the model", async (_what, execute, why) => {
    const { host, call } = await startSession({ mine: extension(tool("greet", execute)) });
    const outcome = await host.offers.runTool("greet", { text: "" }, { toolCallId: "1" });
    expect(outcome).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(why) }] });
    // Its hook is up again.
    expect(await call()).toBeUndefined();
    expect(host.offers.tools).toHaveLength(1);
  });

  // Ten seconds of work: in parts of 200 ms, none of which is too long by itself.
  const works = (ms: number): string => `
    for (const start = Date.now(); Date.now() - start < ${ms}; ) {
      for (const part = Date.now(); Date.now() - part < 200; );
      await new Promise((done) => setTimeout(done, 1));
    }
    ${text(`"done"`)}`;

  test("a tool has ten seconds of CPU time in all, in as many parts as it likes", needsTime(), async () => {
    const { host, call } = await startSession({ mine: extension(tool("greet", works(60_000))) });
    const outcome = await host.offers.runTool("greet", { text: "" }, { toolCallId: "1" });
    expect(outcome).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("10000 ms of CPU time in all") }],
    });
    expect(await call()).toBeUndefined();
  });

  test("a tool that works for longer than an event may is let", async () => {
    const { host } = await startSession({ mine: extension(tool("greet", works(2000))) }, { hookTimeout: 500 });
    expect(await host.offers.runTool("greet", { text: "" }, { toolCallId: "1" })).toMatchObject({ isError: false });
  });

  test("an agent that gives up tells the tool", async () => {
    const { host } = await startSession({
      mine: extension(
        tool(
          "wait",
          `await new Promise((done) => signal.addEventListener("abort", () => done(1))); ${text(`"stopped"`)}`,
        ),
      ),
    });
    const giveUp = new AbortController();
    const running = host.offers.runTool("wait", {}, { toolCallId: "1", signal: giveUp.signal });
    setTimeout(() => giveUp.abort(), 50);
    expect((await running).content).toEqual([{ type: "text", text: "stopped" }]);
  });

  test("a hook's gate judges while its tool runs, and tools run side by side", async () => {
    const { host, call } = await startSession({
      mine: extension(
        `${tool("wait", `await new Promise((done) => setTimeout(done, 150)); ${text("params.text")}`)}
         pi.on("tool_call", () => ({ block: true, reason: "judged" }));`,
      ),
    });
    const both = ["a", "b"].map((one) => host.offers.runTool("wait", { text: one }, { toolCallId: one }));
    expect(await call()).toMatchObject({ reason: "judged" });
    expect((await Promise.all(both)).map(({ content }) => content[0])).toMatchObject([{ text: "a" }, { text: "b" }]);
  });

  test("a command gets its arguments and a ctx, a shortcut a ctx", async () => {
    const { host, log } = await startSession({
      mine: extension(
        `pi.registerCommand("plan", { handler: async (args: string, ctx: any) => console.log("plan", args, ctx.hasUI) });
         pi.registerShortcut("ctrl+x", { handler: async (ctx: any) => console.log("key", ctx.cwd.length > 0) });
         pi.registerCommand("fail", { handler: async () => { throw new Error("no luck"); } });`,
      ),
    });
    expect(await host.offers.runCommand("command", "plan", "a b")).toEqual({});
    expect(await host.offers.runCommand("shortcut", "ctrl+x", "")).toEqual({});
    expect(log.map(({ text: line }) => line)).toEqual(["plan a b false", "key true"]);
    expect(await host.offers.runCommand("command", "fail", "")).toEqual({ error: "no luck" });
    await expect(host.offers.runCommand("command", "none", "")).rejects.toMatchObject({ code: "NOT_GRANTED" });
  });

  test("completions, without what a terminal would obey", async () => {
    const { host } = await startSession({
      mine: extension(
        `pi.registerCommand("plan", { handler: async () => {},
           getArgumentCompletions: (start: string) => [{ value: start + "1", label: "one\\u001b[2J" }] });`,
      ),
    });
    expect(await host.offers.complete("plan", "x")).toEqual([{ value: "x1", label: "one" }]);
  });

  test("a flag has its default until the person gives it a value", async () => {
    const { host, log } = await startSession({
      mine: extension(
        `pi.registerFlag("mode", { type: "string", default: "soft" });
         pi.registerCommand("say", { handler: async () => console.log(pi.getFlag("mode"), pi.getFlag("other")) });`,
      ),
    });
    await host.offers.runCommand("command", "say", "");
    host.offers.setFlag("mode", "hard");
    await host.offers.runCommand("command", "say", "");
    expect(log.map(({ text: line }) => line)).toEqual(["soft undefined", "hard undefined"]);
  });
});

test("a gate judges the tools of hooks like the agent's own", async () => {
  const { host } = await startSession({
    mine: extension(tool("greet", text("params.text"))),
    gate: onToolCall(
      `if (event.toolName === "greet" && event.input.text === "bad") return { block: true, reason: "no" };`,
    ),
  });
  const [greet] = wrapToolsWithHooks(offeredTools(host), host);
  expect(await greet?.execute("1", { text: "good" } as never)).toMatchObject({ content: [{ text: "good" }] });
  await expect(greet?.execute("2", { text: "bad" } as never)).rejects.toThrow("Blocked by hook gate: no");
});

describe("attacks", () => {
  test("ten thousand registrations end at the limit", async () => {
    const { host, log } = await startSession({
      mine: extension(
        `let at = 0; try { for (; at < 10_000; at++) pi.registerCommand("c" + at, { handler() {} }); }
         catch (error: any) { console.log(at, error.message); }`,
      ),
    });
    expect(host.offers.commands("command")).toHaveLength(200);
    expect(log[0]?.text).toContain("200 a hook may register 200");
  });

  test.each(["two words", "line\nbreak", "escape\u001b[2J", "", "x".repeat(129), "ünïcode"])(
    "no tool has a name that a terminal obeys or a person misreads: %j",
    async (name) => {
      const { host } = await startSession({
        mine: extension(`try { ${tool(name, text(`"x"`))} } catch {} ${tool("good", text(`"x"`))}`),
      });
      expect(host.offers.tools.map((one) => one.name)).toEqual(["good"]);
    },
  );

  test("a hook that registers again and again tells the agent a few times", async () => {
    const { host } = await startSession({
      mine: extension(
        `pi.registerCommand("storm", { handler: async () => {
           for (let at = 0; at < 2000; at++) pi.registerCommand("same", { handler() {}, description: String(at) }); } });`,
      ),
    });
    let told = 0;
    host.onOffers(() => told++);
    await host.offers.runCommand("command", "storm", "");
    await eventually(() => expect(told).toBeGreaterThan(0));
    expect(told).toBeLessThan(20);
    expect(host.offers.commands("command").find(({ name }) => name === "same")?.description).toBe("1999");
  });

  test("a description of a megabyte is an error in the hook", async () => {
    const { host } = await startSession({
      mine: extension(
        `pi.registerCommand("ok", { handler() {} });
         try { pi.registerCommand("big", { handler() {}, description: "x".repeat(1_000_000) }); } catch {}`,
      ),
    });
    expect(host.offers.commands("command").map(({ name }) => name)).toEqual(["ok"]);
  });

  test("nobody but the host makes a hook run something", () => {
    expect(EVENT_NAMES).not.toContain("run");
  });

  test("a hook cannot hear or answer what another hook's tool is asked", async () => {
    const { host, log } = await startSession({
      owner: extension(tool("secret", text(`"kept"`))),
      thief: extension(`pi.on("run", (event: any) => console.log(JSON.stringify(event)));`),
    });
    const { content } = await host.offers.runTool("secret", { text: "password" }, { toolCallId: "1" });
    expect(content).toEqual([{ type: "text", text: "kept" }]);
    expect(log.some(({ text: line }) => line.includes("password"))).toBe(false);
  });
});
