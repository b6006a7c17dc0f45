import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SETUPS } from "../../src/agents/setup/setups.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

/** Why an agent asks nobody, with these files in a person's home, and a session in `work/repository/part`. */
function openWith(agent: string, files: Record<string, string>, env: NodeJS.ProcessEnv = {}): string | undefined {
  const user = temporaryFolder();
  const folder = join(user, "work", "repository", "part");
  mkdirSync(folder, { recursive: true });
  const filled = (text: string): string => text.replaceAll("USER", user);
  writeFiles(user, Object.fromEntries(Object.entries(files).map(([path, text]) => [path, filled(text)])));
  const variables = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(value ?? "")]));
  const setup = SETUPS.find(({ name }) => name === agent);
  return setup?.openIn?.([folder], { user, env: variables })?.replaceAll(user, "USER");
}

// biome-ignore format: a table
test.each<[agent: string, file: string, text: string, key: string, env?: NodeJS.ProcessEnv]>([
  ["claude-code", ".claude/settings.json", '{"disableAllHooks": true}', "disableAllHooks"],
  ["claude-code", ".claude/settings.local.json", '{"disableAllHooks": true}', "disableAllHooks"],
  ["claude-code", "elsewhere/settings.json", '{"disableAllHooks": true}', "disableAllHooks", { CLAUDE_CONFIG_DIR: "USER/elsewhere" }],
  ["claude-code", "work/repository/.claude/settings.json", '// theirs\n{"disableAllHooks": "yes",}', "disableAllHooks"],
  ["claude-code", "work/repository/part/.claude/settings.local.json", '{"disableAllHooks": false, "disableAllHooks": true}', "disableAllHooks"],
  ["claude-code", ".claude/settings.json", '{"allowManagedHooksOnly": true}', "allowManagedHooksOnly"],
  ["claude-code", ".claude/settings.json", '{"strictPluginOnlyCustomization": ["hooks"]}', "strictPluginOnlyCustomization"],
  ["claude-code", ".claude/settings.json", '{"env": {"CLAUDE_CODE_SIMPLE": "1"}}', "env.CLAUDE_CODE_SIMPLE"],
  ["gemini-cli", ".gemini/settings.json", '{"hooksConfig": {"enabled": false}}', "hooksConfig.enabled"],
  ["gemini-cli", "work/repository/.gemini/settings.json", '{"hooksConfig": {"enabled": false}}', "hooksConfig.enabled"],
  ["gemini-cli", ".gemini/settings.json", '{"hooksConfig": {"disabled": ["\'USER/.cordon/bin/hook\' gemini-cli BeforeTool"]}}', "hooksConfig.disabled"],
  ["gemini-cli", ".gemini/settings.json", '{"hooks": {"enabled": false}}', "hooks.enabled"],
  ["gemini-cli", ".gemini/settings.json", '{"tools": {"enableHooks": false}}', "tools.enableHooks"],
  ["gemini-cli", "system.json", '{"hooksConfig": {"enabled": false}}', "hooksConfig.enabled", { GEMINI_CLI_SYSTEM_SETTINGS_PATH: "USER/system.json" }],
  ["gemini-cli", "system.json", '{"hooksConfig": {"enabled": false}}', "hooksConfig.enabled", { GEMINI_CLI_SYSTEM_DEFAULTS_PATH: "USER/system.json" }],
  ["qwen-code", ".qwen/settings.json", '{"disableAllHooks": true}', "disableAllHooks"],
  ["qwen-code", "work/repository/part/.qwen/settings.json", '{"disableAllHooks": true}', "disableAllHooks"],
  ["qwen-code", ".qwen/settings.json", '{"hooksConfig": {"enabled": false}}', "hooksConfig.enabled"],
  ["copilot-cli", ".copilot/settings.json", '{"disableAllHooks": true}', "disableAllHooks"],
  ["copilot-cli", ".copilot/config.json", '{"disableAllHooks": true}', "disableAllHooks"],
  ["copilot-cli", "work/repository/.github/copilot/settings.json", '{"disableAllHooks": true}', "disableAllHooks"],
  ["copilot-cli", "work/repository/.claude/settings.local.json", '{"disableAllHooks": true}', "disableAllHooks"],
  ["factory", ".factory/settings.json", '{"hooksDisabled": true}', "hooksDisabled"],
  ["factory", "work/repository/.factory/settings.json", '{"hooksDisabled": true}', "hooksDisabled"],
  ["cline", ".cline/data/globalState.json", '{"hooksEnabled": false}', "hooksEnabled"],
  ["codex", ".codex/config.toml", '[features]\nhooks = false\n', "hooks"],
  ["codex", ".codex/config.toml", 'features.codex_hooks = false\n', "codex_hooks"],
  ["codex", ".codex/config.toml", 'features = { web = true, "hooks" = false }\n', "hooks"],
  ["codex", ".codex/config.toml", 'features = { web = "#", hooks = false }\n', "hooks"],
  ["codex", ".codex/config.toml", 'features = { web = \'#\', x = "\\"#", y = """\n#""", z = \'\'\'#\'\'\', hooks = false }\n', "hooks"],
  ["codex", ".codex/config.toml", 'features = { x = """a"""", y = """\\"""b""", z = """"a""""", w = \'\'\'a\'\'\'\', hooks = false }\n', "hooks"],
  ["codex", "work/repository/.codex/config.toml", '[features]\n"h\\u006f\\U0000006fks" = false\n', "hooks"],
  ["codex", ".codex/config.toml", "[features]\n'hooks' = false # mine\n", "hooks"],
  ["codex", ".codex/config.toml", `"features" . "hooks"${" ".repeat(2000)}=false\n`, "hooks"],
  ["codex", ".codex/work.config.toml", '[features]\nhooks = false\n', "hooks"],
  ["codex", "work/repository/.codex/config.toml", '[features]\nhooks=false\n', "hooks"],
  ["codex", ".codex/config.toml", 'allow_managed_hooks_only = true\n', "allow_managed_hooks_only"],
])("%s asks nobody: %s says %s", (agent, file, text, key, env) => {
  expect(openWith(agent, { [file]: text }, env)).toMatch(new RegExp(`^USER/${file}: "${key}" .*; change it first$`));
});

/** Variables with which `sh` ends with 0 before it has read a command, or reads one differently. */
const OF_SHELL = ["LD_TRACE_LOADED_OBJECTS", "LD_DEBUG", "LD_PRELOAD", "LD_NEW", "DYLD_INSERT_LIBRARIES", "SHELLOPTS"];
const MORE_OF_SHELL = ["BASHOPTS", "BASH_ENV", "ENV", "BASH_FUNC_printf%%"];

describe.each([...OF_SHELL, ...MORE_OF_SHELL])("claude-code sets %s", (name) => {
  test.each([
    ".claude/settings.json",
    ".claude/settings.local.json",
    "work/repository/.claude/settings.json",
    "work/repository/part/.claude/settings.local.json",
  ])("in %s, so its calls are open", (file) => {
    const text = JSON.stringify({ env: { MINE: "1", [name]: "0" } });
    expect(openWith("claude-code", { [file]: text })).toBe(
      `USER/${file}: "env" sets ${name}, with which sh may end before it asks Cordon, so that Claude Code lets calls pass; take it out first`,
    );
  });
});

// biome-ignore format: a table
test.each([
  ["claude-code", ".claude/settings.json", '{"disableAllHooks": false, "env": {"CLAUDE_CODE_SIMPLE": "0"}}'],
  ["claude-code", ".claude/settings.json", '{"env": {"PATH": "/bin", "MY_ENV": "1", "OLD_LD_DEBUG": "1", "NODE_OPTIONS": "--inspect"}, "LD_DEBUG": "help"}'],
  ["claude-code", ".claude/settings.json", '{"env": "LD_DEBUG"}'],
  ["claude-code", ".claude/settings.json", '{"env": ["LD_DEBUG"]}'],
  ["claude-code", "work/other/.claude/settings.json", '{"disableAllHooks": true}'],
  ["gemini-cli", ".gemini/settings.json", '{"hooksConfig": {"enabled": true, "disabled": ["mine"]}, "hooks": {}}'],
  ["qwen-code", ".qwen/settings.json", "{}"],
  ["codex", ".codex/config.toml", '# hooks = false\n[features]\nhooks = true\nweb = false\n[hooks.state."USER/.codex/hooks.json:pre_tool_use:1:0"]\nenabled = false\n[hooks.state."USER/.codex/hooks.json:pre_tool_use:0:0"]\ntrusted_hash = "x"\n[other]\nenabled = false\n'],
  ["codex", ".codex/config.toml", 'note = "hooks = false" # hooks = false\n[x]\ntext = """\nhooks = false"""\nother = \'\'\'\nhooks = false\n\'\'\'\n'],
  ["pi", ".pi/agent/settings.json", '{"extensions": ["-extensions/mine.ts", "!other/*", "+extensions/cordon.ts", {}]}'],
])("%s asks Cordon where %s says %s", (agent, file, text) => {
  expect(openWith(agent, { [file]: text })).toBeUndefined();
});

test("Codex's settings take time by their length alone", () => {
  for (const part of ['"', '\\"', "'", '"""', "#", "hooks = ", "hooks ", "[", '"a".'])
    expect(openWith("codex", { ".codex/config.toml": `x = "${part.repeat(200_000)}` })).toBeUndefined();
}, 5000);

test("codex asks nobody once its entry was switched off in /hooks", () => {
  const state = '[hooks.state."USER/.codex/hooks.json:pre_tool_use:0:0"]\ntrusted_hash = "x"\nenabled = false\n';
  expect(openWith("codex", { ".codex/config.toml": `model = "x"\n${state}` })).toBe(
    "USER/.codex/config.toml: Cordon's entry is not enabled in /hooks; enable it there first",
  );
});

test.each(["-extensions/cordon.ts", "-./extensions/cordon.ts", "!extensions/*.ts", "!**", "!cordon.*"])(
  "pi asks nobody where its settings leave out %s",
  (item) => {
    const text = JSON.stringify({ extensions: [item] });
    expect(openWith("pi", { ".pi/agent/settings.json": text })).toBe(
      `USER/.pi/agent/settings.json: "extensions" has ${JSON.stringify(item)}, so pi does not load Cordon; take it out first`,
    );
  },
);
