import { join } from "node:path";
import { expect, test } from "vitest";
import { claudeCode } from "../../src/agents/setup/claude-code.ts";
import { piExtensions, piHooksOf } from "../../src/agents/setup/pi-third-party.ts";
import { openclawPlugins, opencodePlugins } from "../../src/agents/setup/plugin-third-party.ts";
import { thirdPartyOf } from "../../src/agents/setup/third-party.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

const found = (list: "packages" | "extensions" | "hooks", item: unknown, files: string[]) => {
  const folder = temporaryFolder();
  const agent = join(folder, "agent");
  writeFiles(agent, { "settings.json": JSON.stringify({ [list]: [item] }) });
  writeFiles(folder, Object.fromEntries(files.map((file) => [file, ""])));
  const all = list === "hooks" ? piHooksOf(agent) : piExtensions(agent);
  return all.map(({ code, why }) => code?.path.replace(`${folder}/`, "") ?? why);
};

const GONE = "its code is not on this disk";

// biome-ignore format: a table
test.each([
  ["packages", "npm:a", "agent/npm/node_modules/a/x", "agent/npm/node_modules/a"],
  ["packages", "npm: @s/a@^1 ", "agent/npm/node_modules/@s/a/x", "agent/npm/node_modules/@s/a"],
  ["packages", "npm:../../../evil", "evil/x", GONE],
  ["packages", "npm:/etc", "evil/x", GONE],
  ["packages", "npm:", "evil/x", GONE],
  ["packages", "git:github.com/a/b@v1", "agent/git/github.com/a/b/x", "agent/git/github.com/a/b"],
  ["packages", "git:git@github.com:a/b", "agent/git/github.com/a/b/x", "agent/git/github.com/a/b"],
  ["packages", "https://github.com/a/b", "agent/git/github.com/a/b/x", "agent/git/github.com/a/b"],
  ["packages", "ssh://git@github.com/a/b@main", "agent/git/github.com/a/b/x", "agent/git/github.com/a/b"],
  ["packages", "git:github.com/../../../evil", "evil/x", GONE],
  ["packages", "git:github.com/%2e%2e/%2e%2e", "agent/x", GONE],
  ["packages", "./own", "agent/own/x", "agent/own"],
  ["packages", "../own", "own/x", "own"],
  ["packages", { source: "npm:a", skills: [] }, "agent/npm/node_modules/a/x", "agent/npm/node_modules/a"],
  ["extensions", "../own.ts", "own.ts", "own.ts"],
  ["extensions", "./gone.ts", "own.ts", GONE],
  ["hooks", "own.ts", "agent/own.ts", "another file in each folder that pi is started in"],
] as const)("%s: %j", (list, item, file, expected) => {
  expect(found(list, item, [file])).toEqual([expected]);
});

test.each([
  ["packages", { source: "npm:a", extensions: [] }],
  ["packages", 7],
  ["packages", null],
  ["packages", { source: 7 }],
  ["extensions", "!x.ts"],
  ["extensions", { path: "x.ts" }],
] as const)("%s: %j is nothing that pi runs", (list, item) => {
  expect(found(list, item, [])).toEqual([]);
});

const WITHOUT_QUOTES = "without double quotes this is no JSON";
test.each<[what: string, text: string, says: string]>([
  ["a word", '{\n "packages": oops', `:2:14: ${WITHOUT_QUOTES}`],
  ["a name of JSON5", "{ plugins: {} }", `:1:3: ${WITHOUT_QUOTES}`],
  ["a text of JSON5", "{ \"a\": 'x' }", `:1:8: ${WITHOUT_QUOTES}`],
  ["an end that is missing", '{"hooks": {"PreToolUse": [}', ":1:27: it is no valid JSON (value expected)"],
  ["no comma", '{"a": true\n"b": false}', ":2:1: it is no valid JSON (comma expected)"],
  ["an unfinished text", '{"a": "b', ":1:7: it is no valid JSON (unexpected end of string)"],
  ["a list", "[1]", ":1:1: it is no JSON object"],
  ["a mark of the byte order", "\uFEFF{}", ":1:1: it begins with a byte order mark; save it without one"],
])("settings with %s are named with the place, and what they run is not said to be nothing", (_what, text, says) => {
  const folder = temporaryFolder();
  for (const name of ["settings.json", "openclaw.json", "opencode.json"]) writeFiles(folder, { [name]: text });
  const places = { user: folder, env: { CLAUDE_CONFIG_DIR: folder } };
  for (const list of [
    () => piExtensions(folder),
    () => openclawPlugins(join(folder, "openclaw.json"), "openclaw-cordon"),
    () => opencodePlugins(folder, "cordon.js"),
    () => thirdPartyOf(claudeCode, places, "/h/bin/hook"),
  ])
    expect(list).toThrow(`json${says}`);
});

const names = (all: { name: string; code?: unknown }[]) => all.map(({ name, code }) => [name, code]);

test("plugins of OpenClaw and opencode are listed, Cordon's own are not, and none is moved", () => {
  const folder = temporaryFolder();
  const settings = join(folder, "openclaw.json");
  const load = { paths: ["/p/other", "/h/openclaw-cordon", 7] };
  const entries = { "openclaw-cordon": {}, own: { enabled: true }, off: { enabled: false } };
  writeFiles(folder, {
    "openclaw.json": `// mine\n${JSON.stringify({ plugins: { load, entries } })}`,
    "opencode.jsonc": '{ "plugin": ["one", ["two@1", {}], 3,], }',
    "plugins/cordon.js": "",
    "plugins/mine.ts": "",
    "plugin/old.js": "",
    "plugins/notes.md": "",
  });
  expect(names(openclawPlugins(settings, "openclaw-cordon"))).toEqual([
    ["/p/other", undefined],
    ["own", undefined],
  ]);
  const at = (name: string): string => join(folder, name);
  expect(names(opencodePlugins(folder, at("plugins/cordon.js")))).toEqual(
    ["one", "two@1", at("plugin/old.js"), at("plugins/mine.ts")].map((name) => [name, undefined]),
  );
});

test.each(["", "{}", '{"plugins":7}', '{"plugin":{"a":1},"plugins":{"load":[],"entries":"x"}}'])(
  "settings such as %s have none",
  (text) => {
    const folder = temporaryFolder();
    writeFiles(folder, { "openclaw.json": text, "opencode.json": text });
    expect(openclawPlugins(join(folder, "openclaw.json"), "x")).toEqual([]);
    expect(opencodePlugins(folder, "x")).toEqual([]);
  },
);
