import { join } from "node:path";
import { expect, test } from "vitest";
import { piExtensions, piHooksOf } from "../../src/agents/setup/pi-third-party.ts";
import { openclawPlugins, opencodePlugins } from "../../src/agents/setup/plugin-third-party.ts";
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

test("settings that are no JSON are named with their line", () => {
  const agent = temporaryFolder();
  writeFiles(agent, { "settings.json": '{\n "packages": oops' });
  expect(() => piExtensions(agent)).toThrow(/settings\.json:2: it is no valid JSON object/);
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

test.each(["", "{", "[]", '{"plugins":7}', '{"plugin":{"a":1},"plugins":{"load":[],"entries":"x"}}'])(
  "settings such as %s have none",
  (text) => {
    const folder = temporaryFolder();
    writeFiles(folder, { "openclaw.json": text, "opencode.json": text });
    expect(openclawPlugins(join(folder, "openclaw.json"), "x")).toEqual([]);
    expect(opencodePlugins(folder, "x")).toEqual([]);
  },
);
