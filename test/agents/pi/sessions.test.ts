import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { needs } from "../../support/needs.ts";
import { onToolCall } from "../../support/session.ts";
import { lacksNamespace, PI_VERSIONS } from "./install.ts";
import { piWith } from "./scenes.ts";
import type { PiLine } from "./world.ts";

const call = (name: string, args: object) => ({ calls: [{ name, args }] });
const bash = (command: string) => call("bash", { command });

/** An extension with this body and these powers. */
const extension = (body: string, capabilities: object = {}, events: object = {}) => ({
  source: `export default (pi) => { ${body} };`,
  capabilities: { events: { see: ["session", "tool_call"], ...events }, ...capabilities },
});

const choose =
  (...options: string[]) =>
  ({ method, options: offered }: PiLine): object | undefined =>
    method === "select" ? { value: options.find((one) => offered.includes(one)) } : undefined;

const text = (body: string): string => `return { content: [{ type: "text", text: ${body} }] };`;

const missing = lacksNamespace();

describe.each(PI_VERSIONS)("sessions of pi %s", needs(missing), (version) => {
  test("a person is asked in pi's own dialog, and the answer counts", async () => {
    const gate = onToolCall(`const choice = await ctx.ui.select("Run " + event.input.command + "?", ["Yes", "No"]);
      if (choice !== "Yes") return { block: true, reason: "the person said " + choice };`);
    const turns = [bash("touch one"), bash("touch two")];
    const answers = ["Yes", "No"];
    const scene = await piWith(
      { gate },
      {
        version,
        mode: "rpc",
        turns,
        answer: ({ method }) => (method === "select" ? { value: answers.shift() } : undefined),
      },
    );
    await scene.prompt("go");
    expect(scene.results).toEqual(["(no output)", "Blocked by hook gate: the person said No"]);
    expect(scene.shown("select").map(({ title }) => title)).toEqual([
      "[hook gate] Run touch one?",
      "[hook gate] Run touch two?",
    ]);
    expect([existsSync(join(scene.work, "one")), existsSync(join(scene.work, "two"))]).toEqual([true, false]);
  });

  test("a power that was not granted is asked for as pi's dialog, and the status line counts", async () => {
    const gate = onToolCall(`const { stdout } = await ctx.exec("echo", ["asked"]);
      return { block: true, reason: "it ran: " + stdout.trim() };`);
    const scene = await piWith({ gate }, { version, mode: "rpc", turns: [bash("ls")], answer: choose("Allow once") });
    await scene.prompt("go");
    expect(scene.shown("select")[0]?.title).toMatch(/^Cordon asks: hook gate wants to use exec: echo asked/);
    expect(scene.results).toEqual(["Blocked by hook gate: it ran: asked"]);
    await scene.prompt("/cordon why");
    expect(scene.shown("setStatus").map(({ statusText }) => statusText)).toEqual(
      expect.arrayContaining(["cordon: 1 hook", "cordon: 1 hook, 1 blocked"]),
    );
    expect(scene.shown("notify").at(-1)?.message).toMatch(
      /^hook \S*gate\S* blocked bash on .* UTC\n {2}because: it ran: asked\n {2}handler: .*gate\.ts:\d+:\d+\n[\s\S]*\/cordon disable /,
    );
  });

  test("abort during a judgement ends it: the call does not run", async () => {
    const gate = onToolCall(`await ctx.ui.confirm("Sure?", "");`);
    const scene = await piWith({ gate }, { version, mode: "rpc", turns: [bash("touch ran")] });
    await scene.send({ type: "prompt", message: "go" });
    await scene.until(({ method }) => method === "confirm");
    await scene.send({ type: "abort" });
    await scene.idle();
    expect(existsSync(join(scene.work, "ran"))).toBe(false);
  });

  test("the model uses a contained tool, and the person a contained command", async () => {
    const mine = extension(
      `pi.registerTool({ name: "greet", label: "Greet", description: "Greets.",
         parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
         async execute(id, { name }, signal, onUpdate) { onUpdate({ content: [{ type: "text", text: "half" }] });
           if (name === "nobody") throw new Error("there is nobody"); ${text('"hello " + name')} } });
       pi.registerCommand("wave", { description: "waves", handler: async (args, ctx) => ctx.ui.notify("waves to " + args) });
       pi.registerCommand("cordon", { description: "mine", handler: async (args, ctx) => ctx.ui.notify("forged") });
       pi.registerFlag("loud", { type: "boolean", description: "loud" });
       pi.registerCommand("flag", { handler: async (args, ctx) => ctx.ui.notify("loud: " + pi.getFlag("loud")) });`,
      { tools: ["greet"], commands: ["*"], ui: ["notify"] },
    );
    const turns = [call("greet", { name: "Ada" }), call("greet", { name: "nobody" })];
    const scene = await piWith({ mine }, { version, mode: "rpc", turns, args: ["--loud"] });
    await scene.prompt("go");
    expect(scene.results).toEqual(["hello Ada", "there is nobody"]);
    const tool = scene.requests[0]?.tools.find((one: PiLine) => one.function.name === "greet");
    expect(tool.function).toMatchObject({
      description: "Greets.\n(A tool of the hook mine.)",
      parameters: { type: "object", required: ["name"] },
    });
    expect(scene.lines.find(({ type }) => type === "tool_execution_update")?.partialResult.content[0].text).toBe(
      "half",
    );
    for (const command of ["/wave Bob", "/flag", "/cordon list"]) await scene.prompt(command);
    expect(scene.shown("notify").map(({ message }) => message)).toEqual([
      "[hook mine] waves to Bob",
      "[hook mine] loud: true",
      "mine: active; hears nothing",
    ]);
  });

  test("a contained command reads the session, writes an entry, and begins another session", async () => {
    const mine = extension(
      `pi.registerCommand("count", { handler: async (args, ctx) => {
         pi.appendEntry("mine", { n: ctx.sessionManager.getBranch().filter((one) => one.message?.role === "user" || one.message?.role === "assistant").length }); } });
       pi.registerCommand("next", { handler: async (args, ctx) => {
         const answer = await ctx.newSession({ withSession: async (fresh) => { fresh.ui.notify("in the next"); } });
         ctx.ui.notify("cancelled: " + answer.cancelled); } });
       pi.on("session_start", (event, ctx) => ctx.ui.notify("start: " + event.reason));`,
      { session: ["entries"], agent: ["appendEntry", "newSession"], commands: ["*"], ui: ["notify"] },
    );
    const scene = await piWith({ mine }, { version, mode: "rpc" });
    await scene.prompt("hello");
    await scene.prompt("/count");
    expect(scene.entries.filter(({ customType }) => customType === "mine")).toMatchObject([{ data: { n: 2 } }]);
    await scene.prompt("/next");
    await expect
      .poll(() => scene.shown("notify").map(({ message }) => message))
      .toEqual([
        "[hook mine] start: startup",
        "[hook mine] start: new",
        "[hook mine] in the next",
        "[hook mine] cancelled: false",
      ]);
  });

  test("hooks guard on after /new, a fork, a reload and a compaction, and hear each once", async () => {
    const gate = {
      source: `export default (pi) => {
        pi.on("tool_call", () => ({ block: true, reason: "never" }));
        pi.on("session", (event, ctx) => ctx.ui.notify(event.reason));
      };`,
      capabilities: { events: { see: ["session", "tool_call"] }, ui: ["notify"] },
    };
    const reload = `export default (pi) => pi.registerCommand("again", { handler: (args, ctx) => ctx.reload() });`;
    const asked = [bash("touch ran"), { text: "well ".repeat(2000) }];
    const turns = [...asked, ...asked, ...asked, ...asked, { text: "summary" }, { text: "summary" }, ...asked];
    const settings = { "home/.pi/agent/settings.json": JSON.stringify({ compaction: { keepRecentTokens: 100 } }) };
    const scene = await piWith({ gate }, { version, mode: "rpc", turns, later: reload, files: settings });
    await scene.prompt("one");
    await scene.send({ type: "new_session" });
    await scene.prompt("two");
    const { data } = await scene.send({ type: "get_fork_messages" });
    await scene.send({ type: "fork", entryId: data.messages[0].entryId });
    await scene.prompt("three");
    await scene.prompt("/again");
    await scene.prompt("four");
    expect(await scene.send({ type: "compact" })).toMatchObject({ success: true });
    await scene.prompt("five");
    expect(scene.results.at(-1)).toBe("Blocked by hook gate: never");
    expect(existsSync(join(scene.work, "ran"))).toBe(false);
    expect(scene.shown("notify").map(({ message }) => message.replace("[hook gate] ", ""))).toEqual([
      "start",
      "before_clear",
      "shutdown",
      "clear",
      "before_branch",
      "shutdown",
      "branch",
      "shutdown",
      "start",
      "before_compact",
      "compact",
    ]);
  });

  test("a session of another folder is judged in that folder", async () => {
    const gate = onToolCall(`return { block: true, reason: "in " + ctx.cwd };`);
    const turns = [bash("ls"), { text: "so" }, bash("ls")];
    const scene = await piWith({ gate }, { version, mode: "rpc", turns, files: { "other/.keep": "" } });
    await scene.prompt("go");
    const { data } = await scene.send({ type: "get_state" });
    const other = join(dirname(scene.work), "other");
    const moved = join(other, "session.jsonl");
    writeFileSync(
      moved,
      readFileSync(data.sessionFile, "utf8").replace(JSON.stringify(scene.work), JSON.stringify(other)),
    );
    expect(await scene.send({ type: "switch_session", sessionPath: moved })).toMatchObject({ success: true });
    await scene.prompt("again");
    expect(scene.results.at(-1)).toBe(`Blocked by hook gate: in ${other}`);
  });

  test("a hook calls its own commands, and nobody else's", async () => {
    const capabilities = { commands: ["*"], ui: ["notify"], send: {} };
    const mine = extension(
      `pi.registerCommand("mine", { handler: async (args, ctx) => ctx.ui.notify("mine ran") });
       pi.registerCommand("both", { handler: async () => {} });
       for (const name of ["mine", "other", "outside", "cordon", "both"])
         pi.registerCommand("call-" + name, { handler: async () => {
           pi.sendUserMessage("/" + name + " revoke mine", { expandPromptTemplates: true }); } });`,
      capabilities,
    );
    const other = extension(
      `pi.registerCommand("other", { handler: async (args, ctx) => ctx.ui.notify("other ran") });`,
      capabilities,
    );
    // pi renames a command that two extensions have: its old name calls neither.
    const both = `pi.registerCommand("both", { handler: async (args, ctx) => ctx.ui.notify("both ran") });`;
    const outside = `export default (pi) => {
      pi.registerCommand("outside", { handler: async (args, ctx) => ctx.ui.notify("outside ran") });
      ${both}
    };`;
    const scene = await piWith({ mine, other }, { version, mode: "rpc", later: outside });
    for (const name of ["mine", "other", "outside", "cordon", "both"]) {
      await scene.prompt(`/call-${name}`);
      await scene.idle();
    }
    expect(scene.shown("notify").map(({ message }) => message)).toEqual(["[hook mine] mine ran"]);
    const said = scene.requests.at(-1)?.messages.filter(({ role }: PiLine) => role === "user");
    expect(JSON.stringify(said)).toContain("Message from hook mine (not from the user): /cordon revoke mine");
    expect(JSON.stringify(said)).toContain("Message from hook mine (not from the user): /both revoke mine");
    expect(scene.requests).toHaveLength(4);
  });

  test("two sessions at once do not hear of each other", async () => {
    const gate = onToolCall(`return { block: true, reason: "in " + ctx.cwd };`);
    const scenes = await Promise.all([1, 2].map(() => piWith({ gate }, { version, mode: "rpc", turns: [bash("ls")] })));
    await Promise.all(scenes.map((scene) => scene.prompt("go")));
    expect(scenes.map(({ results }) => results)).toEqual(
      scenes.map(({ work }) => [`Blocked by hook gate: in ${work}`]),
    );
  });

  test("a person grants and revokes a power with /cordon", async () => {
    const mine = extension(
      `pi.registerCommand("look", { handler: async (args, ctx) => {
         const { readFileSync } = require("node:fs"); ctx.ui.notify(readFileSync("notes.txt", "utf8").trim()); } });`,
      { commands: ["look"], ui: ["notify"] },
    );
    const scene = await piWith(
      { mine },
      { version, mode: "rpc", files: { "work/notes.txt": "found\n" }, answer: choose("Allow for this session") },
    );
    const last = () => scene.shown("notify").at(-1)?.message;
    await scene.prompt('/cordon grant mine fs {"read":["$CWD/notes.txt"]}');
    expect(last()).toBe("granted fs to mine for this session");
    expect(scene.shown("select")[0]?.title).toContain('Grant hook mine this: fs {"read":["$CWD/notes.txt"]}');
    await scene.prompt("/look");
    expect(last()).toBe("[hook mine] found");
    await scene.prompt("/cordon grants mine");
    expect(last()).toContain('fs {"read":["$CWD/notes.txt"]}');
    await scene.prompt("/cordon revoke mine fs");
    await scene.prompt("/cordon grants mine");
    expect(last()).not.toContain("fs");
    await scene.prompt("/cordon restart mine");
    expect(last()).toMatch(/^mine: active/);
    await scene.prompt("/cordon audit");
    expect(last()).toContain("consent: session mine fs");
    await scene.prompt("/cordon revoke nobody");
    expect(last()).toMatch(/^cordon: no hook is called nobody/);
  });
});
