import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { HookHost } from "../../src/host/host.ts";
import type { ExecGrant } from "../../src/powers/exec-grant.ts";
import { startSession, temporaryFolder, writeFiles } from "../support/session.ts";

/** What plugins of OpenClaw register besides hooks. */

const GRANT = { capabilities: { events: { see: ["*"], block: true }, tools: ["*"] } };
const plugin = (body: string, grant: object = GRANT) => ({
  source: `export default { id: "p", register(api) { ${body} } };`,
  grant,
});
const tool = (name: string, execute: string): string =>
  `{ name: "${name}", label: "L", description: "D", parameters: { type: "object", properties: { text: { type: "string" } } },
     async execute(id, params, signal, onUpdate) { ${execute} } }`;
const text = (body: string): string => `return { content: [{ type: "text", text: ${body} }], details: { id } };`;
const gate = `api.on("before_tool_call", () => ({ block: true, blockReason: "guarded" }));`;

describe("tools", () => {
  test("are offered to the agent, and run with its arguments, a signal and parts of the result", async () => {
    const { host } = await startSession({
      mine: plugin(
        `api.registerTool(${tool("greet", `onUpdate({ content: [{ type: "text", text: "part" }], details: 1 }); ${text('"hello " + params.text + " " + signal.aborted')}`)}, { optional: true });`,
      ),
    });
    expect(host.offers.tools).toMatchObject([
      {
        hook: "mine",
        name: "greet",
        label: "L",
        parameters: { type: "object", properties: { text: { type: "string" } } },
      },
    ]);
    const parts: unknown[] = [];
    const onUpdate = (part: unknown) => parts.push(part);
    const result = await host.offers.runTool("greet", { text: "you" }, { toolCallId: "7", onUpdate });
    const content = [{ type: "text", text: "hello you false" }];
    expect(result).toEqual({ content, details: { id: "7" }, isError: false });
    expect(parts).toEqual([{ content: [{ type: "text", text: "part" }], details: 1 }]);
  });

  test.each([
    ["one", `(ctx) => (${tool("made", text("ctx.workspaceDir"))})`, ["made"]],
    ["several", `() => [${tool("one", text('"1"'))}, ${tool("two", text('"2"'))}]`, ["one", "two"]],
    ["none", "() => null", []],
  ])("a function makes %s", async (_how, made, names) => {
    const { host, folder } = await startSession({ mine: plugin(`api.registerTool(${made}, { names: ["x"] });`) });
    expect(host.offers.tools.map(({ name }) => name)).toEqual(names);
    if (names[0] === "made")
      expect(await host.offers.runTool("made", {}, { toolCallId: "1" })).toMatchObject({
        content: [{ text: join(folder, "work") }],
      });
  });

  test("are not offered without the power", async () => {
    const { host } = await startSession({
      mine: plugin(`api.registerTool(${tool("greet", text('"x"'))});`, { capabilities: {} }),
    });
    expect(host.offers.tools).toEqual([]);
    await expect(host.offers.runTool("greet", {}, { toolCallId: "1" })).rejects.toMatchObject({ code: "NOT_GRANTED" });
  });

  test.each([
    ["returns no content", `return "text";`, "a tool returned something other than { content: [...] }"],
    ["throws", `throw new Error("broken");`, "broken"],
  ])("one that %s has failed", async (_how, execute, message) => {
    const { host } = await startSession({ mine: plugin(`api.registerTool(${tool("greet", execute)});`) });
    expect(await host.offers.runTool("greet", {}, { toolCallId: "1" })).toMatchObject({
      content: [{ text: expect.stringContaining(message) }],
      isError: true,
    });
  });
});

test("what else a plugin registers is left out by name, and its hooks guard", async () => {
  const { host, call } = await startSession({
    mine: plugin(
      `api.registerCli(() => {});
       api.registerProvider({ id: "p" });
       api.registerProvider({ id: "q" });
       api.registerSomethingNew?.({});
       const { runtime } = api; this.keep = runtime;
       ${gate}`,
    ),
  });
  expect(host.hooks[0]).toMatchObject({
    state: "active",
    unsupported: ["api.registerCli", "api.registerProvider", "api.registerSomethingNew"],
  });
  expect(await call()).toMatchObject({ block: true, reason: "guarded" });
});

describe("what a plugin imports of OpenClaw's SDK", () => {
  const importing = (top: string, body: string) => ({ ...plugin(body), source: `${top}\n${plugin(body).source}` });

  test("makes results of tools", async () => {
    const { host } = await startSession({
      mine: importing(
        'import { jsonResult, textResult } from "openclaw/plugin-sdk/core";',
        `api.registerTool(${tool("value", "return jsonResult({ a: 1 });")}); api.registerTool(${tool("text", 'return textResult("x");')});`,
      ),
    });
    const run = (name: string) => host.offers.runTool(name, {}, { toolCallId: "1" });
    expect(await run("value")).toMatchObject({ content: [{ text: '{\n  "a": 1\n}' }], details: { a: 1 } });
    expect(await run("text")).toMatchObject({ content: [{ text: "x" }] });
  });

  test("reads the arguments of a tool, and writes schemas of words", async () => {
    const { log } = await startSession({
      mine: importing(
        'import { readNumberParam, readStringArrayParam, readStringParam, stringEnum, ToolInputError } from "openclaw/plugin-sdk/core";',
        `const given = { maxItems: " 3.7 ", user_name: " a ", empty: " ", list: ["x", 1, " "], one: "y" };
         const thrown = (act: () => unknown) => { try { return act(); } catch (error: any) { return [error instanceof ToolInputError, error.name, error.message]; } };
         const seen = [
           stringEnum(["a", "b"], { description: "d" }),
           readStringParam(given, "userName"), readStringParam(given, "userName", { trim: false }),
           readStringParam(given, "empty"), readStringParam(given, "empty", { allowEmpty: true }), readStringParam(given, "maxList"),
           readNumberParam(given, "maxItems"), readNumberParam(given, "maxItems", { integer: true }), readNumberParam({ n: "3x" }, "n"),
           readNumberParam({ n: "3x" }, "n", { strict: true }), readStringArrayParam(given, "list"), readStringArrayParam(given, "one"),
           readStringArrayParam(given, "none"),
           thrown(() => readStringParam(given, "none", { required: true, label: "the name" })), thrown(() => readNumberParam(given, "one", { required: true })),
         ];
         console.log(JSON.stringify(seen));`,
      ),
    });
    expect(JSON.parse(log[0]?.text ?? "null")).toEqual([
      { type: "string", enum: ["a", "b"], description: "d" },
      ...["a", " a ", null, "", null, 3.7, 3, 3, null],
      ...[["x"], ["y"], null],
      [true, "ToolInputError", "the name required"],
      [true, "ToolInputError", "one required"],
    ]);
  });

  test("writes the log of the plugin", async () => {
    const { log } = await startSession({
      mine: importing(
        'import { createSubsystemLogger } from "openclaw/plugin-sdk/runtime-env";',
        `const own = createSubsystemLogger("lint"); own.info("one", { a: 1 }); own.child("deep").error("two");
         if (own.isEnabled("debug")) own.warn(own.subsystem);`,
      ),
    });
    expect(log).toMatchObject([
      { level: "info", text: "[lint] one { a: 1 }" },
      { level: "error", text: "[lint/deep] two" },
      { level: "warn", text: "[lint] lint" },
    ]);
  });

  test("and no hook can have throws where it is used, by its name and its module", async () => {
    const { host, call } = await startSession({
      mine: importing(
        `import { definePluginEntry } from "openclaw/plugin-sdk/plugin-entry";
         import { createChannel } from "openclaw/plugin-sdk/core";
         import { emptyPluginConfigSchema } from "openclaw/plugin-sdk";`,
        `void definePluginEntry; void emptyPluginConfigSchema; api.on("before_tool_call", () => createChannel({}));`,
      ),
    });
    expect(host.hooks[0]).toMatchObject({ state: "active" });
    expect(host.lacks("mine")).toEqual(["createChannel of openclaw/plugin-sdk/core"]);
    const reason = expect.stringContaining("createChannel of openclaw/plugin-sdk/core is not offered to hooks");
    expect(await call()).toMatchObject({ block: true, reason });
  });
});

describe("what decides about calls", () => {
  const POLICY = 'api.registerTrustedToolPolicy({ id: "x", description: "d", evaluate: (event, ctx) =>';
  test.each([
    ["blocks like a handler", `${POLICY} ({ block: event.toolName === "exec", blockReason: "policy" }) });`, "policy"],
    ["does not allow", `${POLICY} ({ allow: false, reason: ctx.toolName }) });`, "exec"],
    ["does so later", `${POLICY} Promise.resolve({ allow: false, reason: "later" }) });`, "later"],
    ["allows, before a handler that blocks", `${POLICY} ({ allow: true }) }); ${gate}`, "guarded"],
    ["throws", `${POLICY} { throw new Error("broken"); } });`, "broken"],
    [
      "is asked before handlers of any priority",
      `api.on("before_tool_call", () => ({ block: true, blockReason: "second" }), { priority: 1e9 }); ${POLICY} ({ allow: false, reason: "first" }) });`,
      "first",
    ],
  ])("a policy that %s", async (_what, body, reason) => {
    const { call } = await startSession({ mine: plugin(body) });
    expect(await call()).toMatchObject({ block: true, reason: expect.stringContaining(reason) });
  });

  test("a policy that allows lets calls run", async () => {
    const { call } = await startSession({ mine: plugin(`${POLICY} ({ allow: true }) });`) });
    expect(await call()).toBeUndefined();
  });

  test.each([
    ["a policy without a function", "api.registerTrustedToolPolicy({ id: 1 });", "is not a function"],
    ["middleware of results", "api.registerAgentToolResultMiddleware(() => {});", "cannot be offered to a hook"],
    ["a guard that is not known here", "api.registerSomeGuard(() => {});", "cannot be offered to a hook"],
  ])("%s makes the plugin fail, and every call is blocked", async (_what, body, reason) => {
    const { host, call } = await startSession({ mine: plugin(body) });
    expect(host.hooks[0]).toMatchObject({ state: "failed", reason: expect.stringContaining(reason) });
    expect(await call()).toMatchObject({ block: true });
  });
});

test("of OpenClaw's own configuration a plugin reads the folder and its own part, may write to it, and is listed", async () => {
  const reads = `api.config.models = { x: 1 }; if (api.config.models.x !== 1) throw new Error("lost");
    const { enabled, config } = api.config.plugins.entries[api.id];
    if (!enabled || JSON.stringify(config) !== JSON.stringify(api.pluginConfig)) throw new Error("another configuration");`;
  const { host } = await startSession({ mine: plugin(`${reads} ${gate}`) });
  expect(host.hooks[0]).toMatchObject({ state: "active", unsupported: ["api.config"] });
});

test("a copy of api has what plugins register most, and where OpenClaw keeps its state is said", async () => {
  const body = `const own = { ...api }; own.registerCli({ name: "x" }); own.registerProvider({});
    if (api.runtime.state.resolveStateDir() !== require("node:os").homedir() + "/.openclaw") throw new Error("elsewhere");
    void api.runtime.state.other; ${gate.replaceAll("api.", "own.")}`;
  const { host, call } = await startSession({ mine: plugin(body) });
  const unsupported = ["api.config", "api.registerCli", "api.registerProvider", "api.runtime.state.other"];
  expect(host.hooks[0]).toMatchObject({ state: "active", unsupported });
  expect(await call()).toMatchObject({ block: true, reason: "guarded" });
});

describe("a matcher names the tools that a handler is for", () => {
  const BLOCKS = '() => ({ block: true, blockReason: "matched" })';
  test.each([
    ["before_tool_call", `api.on("before_tool_call", ${BLOCKS}, { matcher: ["exec", "apply_patch"] });`],
    ["a policy", `api.registerTrustedToolPolicy({ matcher: ["exec"], evaluate: ${BLOCKS} });`],
    ["the older name of on", `api.registerHook(["before_tool_call"], ${BLOCKS}, { matcher: ["exec"] });`],
  ])("%s", async (_what, body) => {
    const { call } = await startSession({ mine: plugin(body) });
    expect(await call()).toMatchObject({ block: true, reason: "matched" });
    expect(await call({ path: "x" }, "read")).toBeUndefined();
  });

  test.each(["[]", '["*"]', '["exec", ""]', '["ex ec"]', '"exec"', "[1]", "null", "{}"])(
    "one that OpenClaw refuses makes the plugin fail: %s",
    async (matcher) => {
      const { host, call } = await startSession({
        mine: plugin(`api.on("before_tool_call", () => {}, { matcher: ${matcher} });`),
      });
      const reason = expect.stringContaining("the matcher of before_tool_call is no list of names of tools");
      expect(host.hooks[0]).toMatchObject({ state: "failed", reason });
      expect(await call()).toMatchObject({ block: true });
    },
  );
});

test.each([
  ["before_tool_call", "openclaw"],
  ["tool_result_persist", "openclaw"],
  ["tool.before", "interceptors"],
  ["tool.after", "interceptors"],
])("a guard for %s that is taken for a hook of pi's fails: it would guard nothing", async (event, dialect) => {
  const source = `export default (pi) => { pi.on("${event}", () => ({ block: true })); };`;
  const { host, call } = await startSession({ mine: { source, grant: GRANT } });
  const reason = expect.stringContaining(`pi has no event ${event}: name the dialect ${dialect}`);
  expect(host.hooks[0]).toMatchObject({ state: "failed", reason });
  expect(await call()).toMatchObject({ block: true });
  const both = source.replace("pi.on(", `pi.on("tool_call", () => {}); pi.on(`);
  expect((await startSession({ mine: { source: both, grant: GRANT } })).host.hooks[0]).toMatchObject({
    state: "active",
  });
});

test.each([
  ["tool_call", "pi"],
  ["tool_result", "pi"],
  ["permission_request", "pi"],
  ["input", "pi"],
  ["tool.before", "interceptors"],
])("a guard for %s that is taken for a plugin fails, too", async (event, dialect) => {
  const { host } = await startSession({ mine: plugin(`api.on("${event}", () => ({ block: true }));`) });
  const reason = expect.stringContaining(`openclaw has no event ${event}: name the dialect ${dialect}`);
  expect(host.hooks[0]).toMatchObject({ state: "failed", reason });
});

test.each([
  ["names its plugins", { openclaw: { extensions: ["./src"] } }],
  ["names all of its files", { openclaw: { extensions: ["."] } }],
  ["names none", { openclaw: {} }],
])("hooks of whoever works in a plugin's folder are no plugins, where it %s", async (_how, json) => {
  const folder = temporaryFolder();
  const guards = 'export default (pi) => { pi.on("tool_call", () => ({ block: true, reason: "mine" })); };';
  const paths = [".cordon/hooks/a.ts", ".pi/extensions/b/index.ts"];
  writeFiles(folder, {
    "package.json": JSON.stringify({ name: "some", ...json }),
    "openclaw.plugin.json": "{}",
    "alone/openclaw.plugin.json": "{}",
    ...Object.fromEntries([...paths, "alone/.cordon/hooks/d.ts"].map((path) => [path, guards])),
  });
  const host = await HookHost.start({
    ...{ home: join(temporaryFolder(), "home"), cwd: folder, discover: false },
    hooks: [...paths, "alone/.cordon/hooks/d.ts"].map((path) => ({ path: join(folder, path), grant: GRANT })),
  });
  onTestFinished(() => host.close());
  expect(host.hooks.map(({ state, dialect }) => [state, dialect])).toEqual(Array(3).fill(["active", "pi"]));
});

describe("a function that a package exports is a plugin", () => {
  const WITHOUT_A_DIALECT = `export default function (api) { if (!api.resolvePath) throw new Error("no plugin"); ${gate} }`;
  /** The dialect of `dist/index.ts` in a package that says this, and whether it guards. */
  async function dialectOf(json: object | undefined, more: Record<string, string> = {}) {
    const folder = temporaryFolder();
    writeFiles(folder, {
      ...(json ? { "package/package.json": JSON.stringify({ name: "some", version: "1.0.0", ...json }) } : {}),
      "package/dist/index.ts": WITHOUT_A_DIALECT,
      ...more,
    });
    const open = () =>
      HookHost.start({
        home: join(folder, "home"),
        cwd: folder,
        hooks: [{ path: join(folder, "package", "dist", "index.ts"), grant: GRANT }],
        discover: false,
      });
    const seen = [];
    // The second one takes the bundle from the cache.
    for (let time = 0; time < 2; time++) {
      const host = await open();
      const [hook] = host.hooks;
      seen.push([hook?.state, hook?.dialect]);
      await host.close();
    }
    return seen;
  }
  test("if a nearer package.json says only how its files are read", async () => {
    const json = { openclaw: { extensions: ["./dist/index.ts"] } };
    const seen = await dialectOf(json, { "package/dist/package.json": '{"type":"module"}' });
    expect(seen).toEqual([
      ["active", "openclaw"],
      ["active", "openclaw"],
    ]);
  });

  test.each([
    ["and package.json", {}, ["active", "openclaw"]],
    ["alone", undefined, ["active", "openclaw"]],
    ["and pi's key", { pi: {} }, ["failed", "pi"]],
  ])("if it has an openclaw.plugin.json, %s", async (_how, json, expected) => {
    const seen = await dialectOf(json, { "package/openclaw.plugin.json": '{"id":"some"}' });
    expect(seen).toEqual([expected, expected]);
  });

  test("also where its folder is named, whatever lies beside what it names", async () => {
    const folder = temporaryFolder();
    writeFiles(folder, {
      "plug/package.json": JSON.stringify({ name: "plug", openclaw: { extensions: ["./dist/index.ts"] } }),
      "plug/dist/index.ts": WITHOUT_A_DIALECT,
      "plug/index.ts": "export default () => {};",
    });
    const host = await HookHost.start({
      ...{ home: join(folder, "home"), cwd: folder, discover: false },
      hooks: [{ path: join(folder, "plug"), grant: GRANT }],
    });
    onTestFinished(() => host.close());
    expect(host.hooks).toMatchObject([{ state: "active", dialect: "openclaw" }]);
    const call = { type: "tool_call", toolName: "bash", toolCallId: "1", input: { command: "ls" } } as const;
    expect(await host.emitToolCall(call)).toMatchObject({ block: true, reason: "guarded" });
  });

  test.each([
    ["has OpenClaw's key", { openclaw: { extensions: ["./dist/index.ts"] } }, ["active", "openclaw"]],
    ["has pi's key, too", { openclaw: {}, pi: { extensions: ["./dist/index.ts"] } }, ["failed", "pi"]],
    ["has a keyword of pi's, too", { openclaw: {}, keywords: ["pi-package"] }, ["failed", "pi"]],
    ["has neither", {}, ["failed", "pi"]],
  ])("if it %s", async (_how, json, expected) => {
    expect(await dialectOf(json)).toEqual([expected, expected]);
  });
});

describe("a program that a plugin runs by api.runtime.system", () => {
  const ran = async (run: string, exec: ExecGrant = []) => {
    const body = `const run = api.runtime.system.runCommandWithTimeout;
      api.on("before_tool_call", async () => {
        const said = await ${run}.catch((error) => [error.code ?? error.name, error instanceof Error]);
        return { block: true, blockReason: JSON.stringify(said) };
      });`;
    const { call, errors } = await startSession({
      mine: { ...plugin(body), grant: { capabilities: { events: { see: ["*"], block: true }, exec } } },
    });
    const verdict = await call();
    return { said: JSON.parse(String(verdict && "reason" in verdict && verdict.reason)), errors };
  };
  const shell = (line: string) => ({ program: "sh", args: ["-c", line], fullAccess: true });
  const quoted = (line: string): string => `run(["sh", "-c", ${JSON.stringify(line)}]`;
  const usual = { signal: null, killed: false, termination: "exit", noOutputTimedOut: false };

  test("has its output, and its code", async () => {
    const line = "echo out; echo err >&2; exit 3";
    expect((await ran(`${quoted(line)}, { timeoutMs: 5000 })`, [shell(line)])).said).toEqual({
      ...{ stdout: "out\n", stderr: "err\n", code: 3 },
      ...usual,
    });
  });

  test("has a folder, variables and an input", async () => {
    const line = "pwd; cat; echo $LANG";
    const entry = { ...shell(line), cwd: "/tmp", stdin: true };
    const { said } = await ran(`${quoted(line)}, { cwd: "/tmp", env: { LANG: "C", A: undefined }, input: "in\\n" })`, [
      entry,
    ]);
    expect(said).toMatchObject({ stdout: "/tmp\nin\nC\n", code: 0 });
  });

  test("is ended when its time is over", async () => {
    const { said } = await ran(`${quoted("sleep 30")}, 200)`, [shell("sleep 30")]);
    expect(said).toMatchObject({ code: 124, killed: true, termination: "timeout" });
  });

  test.each([
    ["is refused without a grant", `${quoted("true")})`, "NOT_GRANTED"],
    ["is an error where it is missing", `run(["no-such-program"])`, "ENOENT"],
    ["is an error where it is no list of texts", "run('true')", "TypeError"],
    ["is an error where an argument is too long", `run(["x", "y".repeat(1000001)])`, expect.anything()],
    [
      "is an error where there are too many variables",
      `run(["x"], { env: Object.fromEntries(Array.from({ length: 201 }, (_, at) => ["A" + at, 1])) })`,
      "RangeError",
    ],
  ])("%s", async (_what, run, code) => {
    const { said, errors } = await ran(run, [{ program: "no-such-program", args: [], fullAccess: true }]);
    expect(said).toEqual([code, true]);
    expect(errors.map((error) => error.code)).not.toContain("PROTOCOL_VIOLATION");
  });
});
