import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { scriptedUi, startSession } from "../support/session.ts";

/** The commands that plugins of OpenClaw register for people, and the services that they run. */

const GRANT = { capabilities: { commands: ["*"], ui: ["notify"] } };
const plugin = (body: string, grant: object = GRANT) => ({
  source: `export default { id: "p", register(api) { ${body} } };`,
  grant,
});
const command = (handler: string, more = ""): string =>
  `api.registerCommand({ name: "Status ", description: "shows", acceptsArgs: true, ${more} handler: ${handler} });`;

async function started(body: string, grant?: object) {
  const ui = scriptedUi();
  const session = await startSession({ mine: plugin(body, grant) }, { hasUI: true, ui });
  const run = (args = "") => session.host.offers.runCommand("command", "status", args);
  return { ...session, run, shown: ui.shown };
}

describe("commands", () => {
  test("are offered by the names that OpenClaw gives them, and their reply is a notice", async () => {
    const { host, run, shown } = await started(command(`(ctx) => ({ text: "all " + ctx.args })`));
    expect(host.offers.commands("command")).toEqual([
      { hook: "mine", name: "status", description: "shows", completes: false },
    ]);
    expect(await run(" well ")).toEqual({});
    expect(shown).toEqual([{ kind: "notify", title: "[hook mine] all well", rest: "info" }]);
    expect(host.hooks[0]).not.toHaveProperty("unsupported");
  });

  test.each([
    ["a promise of a reply", `async () => ({ text: "later" })`, [["later", "info"]]],
    ["a reply that says that it failed", `() => ({ text: "no", isError: true })`, [["no", "error"]]],
    ["no reply", "() => undefined", []],
    ["a reply without a text", `() => ({ mediaUrl: "x", text: " " })`, []],
    ["a text alone, which OpenClaw ignores", `() => "text"`, []],
    ["its own command as this", `function () { return { text: this.description }; }`, [["shows", "info"]]],
  ])("%s", async (_what, handler, notices) => {
    const { run, shown } = await started(command(handler));
    expect(await run()).toEqual({});
    expect(shown.map(({ title, rest }) => [title.replace("[hook mine] ", ""), rest])).toEqual(notices);
  });

  test.each([
    ["with arguments", "acceptsArgs: true,", "a  b", { args: "a  b", commandBody: "/status a  b" }],
    ["without", "acceptsArgs: true,", "  ", { commandBody: "/status" }],
    ["that takes none", "acceptsArgs: false,", "a", { commandBody: "/status" }],
  ])("one %s is told who types it, and what", async (_what, more, typed, told) => {
    const { folder, run, log } = await started(
      command(
        `async (ctx) => { const bound = [await ctx.requestConversationBinding(), await ctx.detachConversationBinding(),
           await ctx.getCurrentConversationBinding()]; console.log(JSON.stringify({ ...ctx, bound })); }`,
        more,
      ),
    );
    await run(typed);
    expect(log.map(({ text }) => JSON.parse(text))).toEqual([
      {
        ...{ channel: "cordon", isAuthorizedSender: true, ...told },
        config: {
          agents: { defaults: { workspace: join(folder, "work") } },
          plugins: { entries: { p: { enabled: true, config: {} } } },
        },
        bound: [
          { status: "error", message: "This command cannot bind the current conversation." },
          { removed: false },
          null,
        ],
      },
    ]);
  });

  test("one whose reply may not be shown says which power it lacks", async () => {
    const { run, shown } = await started(command(`() => ({ text: "x" })`), { capabilities: { commands: ["*"] } });
    expect((await run()).error).toMatch(
      /was not granted ui: notify; add "ui": \["notify"\] to the grant that its host gives it/,
    );
    expect(shown).toMatchObject([{ kind: "select", title: expect.stringContaining("wants to use ui: notify") }]);
  });

  test("one that throws has failed, with its own words", async () => {
    const { run, shown } = await started(command(`async () => { throw new Error("broken"); }`));
    expect((await run()).error).toContain("broken");
    expect(shown).toEqual([]);
  });

  test.each([
    ["has no handler", `{ name: "a", description: "d" }`, "its handler is not a function"],
    ["has no description", `{ name: "a", description: " ", handler() {} }`, "it has no description"],
    ["has no name", `{ description: "d", handler() {} }`, "its name is not a letter"],
    ["has another name", `{ name: "1a", description: "d", handler() {} }`, "its name is not a letter"],
    ["is nothing", "undefined", "its handler is not a function"],
  ])("one that %s is left out, as there, and the rest stays", async (_what, given, why) => {
    const { host, log } = await started(`api.registerCommand(${given}); ${command(`() => ({ text: "x" })`)}`);
    expect(host.offers.commands("command").map(({ name }) => name)).toEqual(["status"]);
    expect(log).toMatchObject([{ level: "error", text: expect.stringContaining(`a command is left out: ${why}`) }]);
  });

  test("complete no arguments, as in OpenClaw: typing one runs nothing", async () => {
    const { host, shown, log } = await started(
      command(
        `() => { console.log("runs"); return { text: "x" }; }`,
        `getArgumentCompletions: () => [{ value: "all" }],`,
      ),
    );
    expect(host.offers.commands("command")).toMatchObject([{ name: "status", completes: false }]);
    expect(await host.offers.complete("status", "al")).toEqual([]);
    expect([shown, log]).toEqual([[], []]);
  });

  test("the first of two with a name has it", async () => {
    const { run, shown } = await started(command(`() => ({ text: "first" })`) + command(`() => ({ text: "second" })`));
    await run();
    expect(shown).toMatchObject([{ title: "[hook mine] first" }]);
  });

  test("are not offered without the power", async () => {
    const { host, run } = await started(command("() => {}"), { capabilities: {} });
    expect(host.offers.commands("command")).toEqual([]);
    await expect(run()).rejects.toMatchObject({ code: "NOT_GRANTED" });
  });
});

describe("services", () => {
  test("have no hook that a plugin can name", async () => {
    const { host, log } = await started(
      `for (const name of ["service start", "service stop"]) api.on(name, () => console.log("runs"));`,
      {
        capabilities: { events: { see: ["session"] } },
      },
    );
    expect(host.hooks[0]).toMatchObject({ unsupported: ["service start", "service stop"] });
    await host.emit({ type: "session", reason: "start", sessionFile: null, previousSessionFile: null, entries: [] });
    expect(log.map(({ text }) => text)).not.toContain("runs");
  });

  const HEARS = { capabilities: { events: { see: ["session", "tool_call"], block: true } } };
  const say = (what: string): string => `console.log("${what}");`;
  const service = (id: string, more = ""): string =>
    `api.registerService({ id: "${id}",
       async start(ctx) { ${say(`${id} starts`)} ${more} await null; ${say(`${id} runs`)} },
       stop() { console.log(this.id + " stops"); } });`;
  const session = (reason: "start" | "shutdown" | "clear") =>
    ({ type: "session", reason, sessionFile: null, previousSessionFile: null, entries: [] as object[] }) as const;

  test("start one after the other before a session's hooks, and stop after them", async () => {
    const { host, log } = await started(
      `${service("one")} ${service("two")}
       for (const name of ["gateway_start", "session_start", "session_end", "gateway_stop"])
         api.on(name, (event) => console.log(name, JSON.stringify(event)));`,
      HEARS,
    );
    const said = () => log.splice(0).map(({ text }) => text);
    expect(host.hooks[0]?.events).toEqual(["session"]);
    await host.emit(session("start"));
    expect(said()).toEqual([
      ...["one starts", "one runs", "two starts", "two runs"],
      'gateway_start {"port":0}',
      'session_start {"sessionId":""}',
    ]);
    await host.emit(session("start"));
    expect(said()).toEqual(['gateway_start {"port":0}', 'session_start {"sessionId":""}']);
    await host.emit(session("clear"));
    expect(said()).toEqual(['session_end {"sessionId":""}', 'session_start {"sessionId":""}']);
    await host.emit(session("shutdown"));
    expect(said()).toEqual([
      ...['session_end {"sessionId":""}', 'gateway_stop {"reason":"shutdown"}'],
      ...["one stops", "two stops"],
    ]);
    await host.emit(session("shutdown"));
    expect(said()).not.toContain("one stops");
    expect(host.hooks[0]).not.toHaveProperty("unsupported");
  });

  test("get the folders and a log; the log names what else they read", async () => {
    const { host, folder, log } = await started(
      `api.registerService({ id: "s", start(ctx) {
         ctx.logger.info([ctx.workspaceDir, ctx.config.agents.defaults.workspace, ctx.internalDiagnostics].join());
         ctx.logger.info(ctx.stateDir); } });`,
      HEARS,
    );
    await host.emit(session("start"));
    const work = join(folder, "work");
    expect(log.filter(({ level }) => level !== "warn").map(({ text }) => text)).toEqual([
      `${work},${work},`,
      expect.stringMatching(/[\\/]\.openclaw$/),
    ]);
    expect(log).toContainEqual(
      expect.objectContaining({ level: "warn", text: "api.service.internalDiagnostics is not supported here" }),
    );
  });

  test("one that fails is reported, and the others run", async () => {
    const { host, log, errors, call } = await started(
      `${service("one", 'throw new Error("no port");')} ${service("two")} api.registerService({ id: "three" });
       api.on("before_tool_call", () => ({ block: true, blockReason: "guarded" }));`,
      HEARS,
    );
    await host.emit(session("start"));
    expect(log.map(({ text }) => text)).toEqual(["one starts", "two starts", "two runs"]);
    expect(errors.map(({ error }) => error)).toEqual([
      expect.stringContaining("no port"),
      expect.stringMatching(/start|function/),
    ]);
    expect(await call()).toMatchObject({ block: true, reason: "guarded" });
  });

  test("one that a later handler registers is heard from then on", async () => {
    const { host } = await started(`api.on("before_tool_call", () => { ${service("late")} });`, HEARS);
    expect(host.hooks[0]?.events).toEqual(["tool_call"]);
    await host.emit({ type: "tool_call", toolName: "bash", toolCallId: "1", input: { command: "true" } });
    expect(host.hooks[0]?.events).toEqual(["tool_call", "session"]);
  });
});
