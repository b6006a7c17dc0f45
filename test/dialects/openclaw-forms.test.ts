import { expect, test } from "vitest";
import { startSession } from "../support/session.ts";
import { openclawSession } from "./openclaw-session.ts";

/** The forms of a bundle of plugin hooks, and its `api`. */
const session = openclawSession();
const { file, call, said, hook } = session;

/** A handler that blocks one tool by the name of its hook. */
const gate = (tool: string): string =>
  `(event) => (event.toolName === "${tool}" ? { block: true, blockReason: "by ${tool}" } : undefined)`;
const on = (tool: string): string => `api.on("before_tool_call", ${gate(tool)})`;

const list = file("list", `export default [{ hookName: "before_tool_call", handler: async ${gate("list")} }];`);
const listed = file(
  "listed",
  `const tell = (name) => ({ toolName }) => { if (toolName === "listed") console.log(JSON.stringify(name)); };
  export default [
    { hookName: "before_tool_call", handler: tell("none") },
    { hookName: "before_tool_call", handler: tell("low"), priority: -1 },
    { hookName: "before_tool_call", handler: tell("high"), priority: 1 },
    { hookName: "before_tool_call", handler: ${gate("listed")}, priority: -2 },
    { hookName: "after_tool_call", handler: tell("after") },
  ];`,
);
const forms: [form: string, name: string][] = [
  ["a list of { hookName, handler }", list],
  [
    "an object with a list of hooks",
    file("hooks", `export const hooks = [{ hookName: "before_tool_call", handler: ${gate("hooks")} }];`),
  ],
  [
    "a plugin with register(api)",
    file("register", `export default { id: "p", register(api) { ${on("register")}; } };`),
  ],
  ["a plugin with activate(api)", file("activate", `export default { activate: (api) => ${on("activate")} };`)],
  [
    "a plugin that registers later on",
    file("later", `export default { async register(api) { await null; ${on("later")}; } };`),
  ],
  [
    "a plugin that needs itself",
    file(
      "itself",
      `export default { gate: ${gate("itself")}, register(api) { api.on("before_tool_call", this.gate); } };`,
    ),
  ],
  [
    "exports without a default one",
    file("named", `export const id = "p"; export function register(api) { ${on("named")}; }`),
  ],
  ["CommonJS", file("common", `module.exports = { register(api) { ${on("common")}; } };`)],
  [
    "a function, by its manifest",
    file("function", `export default function (api) { ${on("function")}; }`, undefined, { dialect: "openclaw" }),
  ],
  [
    "an entry of definePluginEntry",
    file(
      "entry",
      `import { definePluginEntry } from "openclaw/plugin-sdk/plugin-entry";
      export default definePluginEntry({ id: "entry", name: "Entry", description: "", register(api) { ${on("entry")}; } });`,
    ),
  ],
  [
    "a function that imports from openclaw",
    file(
      "imports",
      `import { emptyPluginConfigSchema } from "openclaw/plugin-sdk";
      export default function (api) { if (emptyPluginConfigSchema().type === "object") ${on("imports")}; }`,
    ),
  ],
  [
    "the earlier name of `on`",
    file(
      "register_hook",
      `export default { register(api) { api.registerHook(["agent_end", "before_tool_call"], ${gate("register_hook")}, { name: "x" }); } };`,
    ),
  ],
  [
    "a plugin with a list beside it",
    file(
      "both",
      `export default { hooks: [{ hookName: "agent_end", handler() {} }], register(api) { ${on("both")}; } };`,
    ),
  ],
];
test.each(forms)("%s is a bundle of plugin hooks", async (_form, name) => {
  expect(hook(name)).toMatchObject({ state: "active", dialect: "openclaw" });
  expect(await call(name)).toEqual({ block: true, reason: `by ${name}`, hook: name });
});

test("handlers of a list have their priorities", async () => {
  await call(listed);
  expect(said(listed)).toEqual(["high", "none", "low"]);
});

const about = file(
  "about",
  `export default { id: "about", name: "About", version: "1.2.3", description: "says", configSchema: {}, async register(api) {
    const { id, name, version, description, config, pluginConfig, source } = api;
    console.log(JSON.stringify({ id, name, version, description, config, pluginConfig, source }));
    console.log(JSON.stringify([await api === api, Object.isFrozen(api), ["registerX" in api, "registerChannel" in api], JSON.parse(JSON.stringify(api)).id]));
  } };`,
);
test("api has the plugin's identity, and no configuration", () => {
  const name = { id: "about", name: "About", version: "1.2.3", description: "says" };
  expect(said(about)).toEqual([
    {
      ...name,
      config: {
        agents: { defaults: { workspace: expect.stringMatching(/\/work$/) } },
        plugins: { entries: { about: { enabled: true, config: {} } } },
      },
      pluginConfig: {},
      source: "about",
    },
    [true, true, [false, true], "about"],
  ]);
});

const logging = file(
  "logging",
  `export default { register(api) { for (const level of ["debug", "info", "warn", "error"]) api.logger[level](level, { n: 1 }); } };`,
);
test("api.logger is the log of the agent", () => {
  expect(session.lines(logging).map(({ level, text }) => [level, text])).toEqual(
    ["debug", "info", "warn", "error"].map((level) => [level, expect.stringMatching(`^${level} .*n: 1`)]),
  );
});

const others = file(
  "others",
  `export default { register(api) {
    const looks = [api.runtime.version, api.runtime?.events?.x, api.session.state, api.getConfig?.(), api.rootDir, "runtime" in api];
    console.log(JSON.stringify(looks.map((one) => one ?? null)));
    ${on("others")};
  } };`,
);
test("what a plugin looks at of OpenClaw's inside is not there, and told by name", async () => {
  expect(said(others)).toEqual([[null, null, null, null, null, true]]);
  expect(hook(others)?.unsupported).toEqual(
    ["runtime.version", "runtime.events", "session.state", "getConfig", "rootDir"].map((part) => `api.${part}`),
  );
  expect(await call(others)).toMatchObject({ block: true });
});

const PATHS = ["a/b", "./a/../b", "~/x", "~", "/abs//y/./z/..", "../up", "", "  a ", "~name", "/../.."];
const paths = file(
  "paths",
  `import { resolve } from "node:path"; import { homedir } from "node:os";
  export default { register(api) {
    for (const path of ${JSON.stringify(PATHS)}) console.log(JSON.stringify([
      api.resolvePath(path), path.trim() === "" ? "" : resolve(path.trim().replace(/^~(?=$|[/])/, homedir())) ]));
  } };`,
);
test("api.resolvePath makes paths absolute, as OpenClaw does", () => {
  const both = said(paths) as [string, string][];
  expect(both).toHaveLength(PATHS.length);
  for (const [made, expected] of both) expect(made).toBe(expected);
});

test("a plugin that does not load blocks every call, and says why", async () => {
  const asOpenClaw = (source: string) => `import "openclaw/plugin-sdk";\n${source}`;
  const cases: Record<string, [source: string, reason: string]> = {
    tool: [
      `export default { register(api) { api.registerTool({ name: "x" }); } };`,
      "api.registerTool takes a tool with execute()",
    ],
    handler: [
      `export default { register(api) { api.on("before_tool_call", "x"); } };`,
      "the handler of before_tool_call is not a function",
    ],
    priority: [
      `export default { register(api) { api.on("before_tool_call", () => {}, { priority: "10" }); } };`,
      "the priority of before_tool_call is not a number",
    ],
    infinite: [
      `export default { register(api) { api.on("before_tool_call", () => {}, { priority: NaN }); } };`,
      "the priority of before_tool_call is not a number",
    ],
    throwing: [`export default { async register() { throw new Error("no licence"); } };`, "no licence"],
    empty: [
      asOpenClaw("export default [];"),
      "must export a plugin with register(api), or a list of {hookName, handler}",
    ],
    partly: [
      asOpenClaw(`export default [{ hookName: "before_tool_call", handler() {} }, { hookName: "x" }];`),
      "must export a plugin with register(api)",
    ],
  };
  // Failed hooks close all gates, so these run apart from the others.
  const { host, call: ask } = await startSession(
    Object.fromEntries(Object.entries(cases).map(([name, [source]]) => [name, source])),
  );
  for (const [name, [, reason]] of Object.entries(cases))
    expect(host.hooks.find(({ id }) => id === name)).toMatchObject({
      state: "failed",
      reason: expect.stringContaining(reason),
    });
  expect(await ask()).toMatchObject({ block: true, hook: "tool", reason: expect.stringContaining("api.registerTool") });
});
