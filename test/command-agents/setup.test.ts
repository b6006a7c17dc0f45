import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { parse } from "jsonc-parser";
import { describe, expect, test } from "vitest";
import {
  install,
  type Place,
  planOfInstall,
  planOfUninstall,
  scriptPath,
  uninstall,
} from "../../src/agents/setup/install.ts";
import { readRecord } from "../../src/agents/setup/record.ts";
import { SETUPS } from "../../src/agents/setup/setups.ts";
import { LONG } from "../support/length.ts";
import { temporaryFolder } from "../support/session.ts";

/** A person's home with an agent's settings. */
function person(agent: string, files: Record<string, string> = {}) {
  const user = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(user, path)), { recursive: true });
    writeFileSync(join(user, path), text);
  }
  const setup = SETUPS.find((one) => one.name === agent);
  if (!setup) throw new Error(`no agent ${agent}`);
  const place: Place = { setup, home: join(user, ".cordon"), places: { user, env: {} }, project: undefined };
  return {
    user,
    place,
    text: (path: string) => readFileSync(join(user, path), "utf8"),
    enter: () => install(place, planOfInstall(place), { node: process.execPath, monitor: false }),
    takeOut: () => uninstall(place, planOfUninstall(place)),
  };
}

test.each([
  ["that was not there, is gone again", [], false, false],
  ["that was there empty, stays", [".pi/agent/extensions"], false, true],
  ["that was not there, stays with what a person put into it", [], true, true],
] as const)("the folder of an extension %s", (_name, folders, isUsed, stays) => {
  const { user, enter, takeOut } = person("pi");
  for (const folder of folders) mkdirSync(join(user, folder), { recursive: true });
  enter();
  // Entered once more, it is still Cordon's folder.
  enter();
  const folder = join(user, ".pi", "agent", "extensions");
  if (isUsed) writeFileSync(join(folder, "mine.ts"), "");
  takeOut();
  expect([existsSync(folder), existsSync(join(folder, "cordon.ts"))]).toEqual([stays, false]);
});

const OWN = { type: "command", command: "mine.sh" };
const CLAUDE = ".claude/settings.json";

/** Settings that people have, as text. */
const CONFIGURATIONS: Record<string, string> = {
  empty: "",
  "a space": " \n",
  "an empty object": "{}",
  "an empty object, with an end of line": "{}\n",
  "an empty object on two lines": "{\n}\n",
  "other settings": '{\n  "model": "opus",\n  "env": { "A": "b" }\n}\n',
  "settings on one line": '{"model":"opus","permissions":{"allow":["Bash(ls:*)"]}}',
  "four spaces": '{\n    "model": "opus"\n}\n',
  tabs: '{\n\t"model": "opus",\n\t"hooks": {\n\t\t"Stop": []\n\t}\n}\n',
  "a comment": '// mine\n{\n  // the model\n  "model": "opus", /* here */\n  "hooks": {} // none yet\n}\n',
  "a comma at the end": '{\n  "model": "opus",\n}\n',
  "ends of lines of Windows": '{\r\n  "model": "opus"\r\n}\r\n',
  "no end of line": '{\n  "model": "opus"\n}',
  "empty hooks": '{ "hooks": {} }\n',
  "an empty list": '{ "hooks": { "PreToolUse": [] } }\n',
  "a hook of one's own": `{\n  "hooks": {\n    "PreToolUse": [\n      { "matcher": "Bash", "hooks": [${JSON.stringify(OWN)}] }\n    ]\n  }\n}\n`,
  "hooks on one line": `{"hooks":{"PreToolUse":[{"hooks":[${JSON.stringify(OWN)}]}],"Stop":[]}}`,
  "hooks of other events": '{\n  "hooks": {\n    "Notification": [\n      { "hooks": [] }\n    ]\n  },\n  "z": 1\n}\n',
  "hand-ordered, with gaps": '{\n\n  "z": 1,\n\n\n  "a": 2,\n  "hooks":\n  {\n    "Stop":   [ ]\n  }\n}\n',
  "texts that look like other things":
    '{ "a": "// no comment", "b": "{\\"hooks\\": []}", "c": "\\u0000\\ud83d\\ude00" }\n',
  "letters of all kinds": '{ "ключ": "значение", "emoji": "🙂" }\n',
  "large numbers": '{ "big": 12345678901234567890, "small": 1e-400 }\n',
};

const BROKEN: Record<string, string> = {
  "no JSON": "hello",
  "half of it": '{ "hooks": ',
  "a list": "[]",
  "a text": '"hooks"',
  "hooks that are a list": '{ "hooks": [] }',
  "an event that is no list": '{ "hooks": { "PreToolUse": {} } }',
  "an event that is nothing": '{ "hooks": { "PreToolUse": null } }',
  "two values": "{} {}",
  "hooks that are there twice": '{"hooks":{"PreToolUse":[]},"a":1,"hooks":{"Stop":[]}}',
  "an event that is there twice": '{\n  "hooks": {\n    "PreToolUse": [],\n    "PreToolUse": []\n  }\n}',
  "an event that is there twice, under two spellings": '{"hooks":{"Stop":[],"St\\u006fp":[]}}',
};

describe("settings of Claude Code", () => {
  test.each(Object.entries(CONFIGURATIONS))(
    "with %s: nothing of the person's is lost, and all of it comes back",
    (_what, text) => {
      const { enter, takeOut, text: read } = person("claude-code", { [CLAUDE]: text });
      const before = parse(text) ?? {};
      enter();
      const after = parse(read(CLAUDE));
      const [first, ...others] = after.hooks.PreToolUse;
      expect(first.hooks[0]).toMatchObject({
        onFailure: "block",
        command: expect.stringContaining("/.cordon/bin/hook"),
      });
      expect(others).toEqual(before.hooks?.PreToolUse ?? []);
      expect({ ...after, hooks: undefined }).toEqual({ ...before, hooks: undefined });
      for (const comment of text.match(/\/\/ (mine|the model|none yet)|\/\* here \*\//g) ?? [])
        expect(read(CLAUDE)).toContain(comment);
      const entered = read(CLAUDE);
      enter();
      expect(read(CLAUDE)).toBe(entered);
      takeOut();
      expect(read(CLAUDE)).toBe(text);
    },
  );

  test.each(Object.entries(CONFIGURATIONS))("with %s: what was added since stays when Cordon goes", (_what, text) => {
    const { user, enter, takeOut, text: read } = person("claude-code", { [CLAUDE]: text });
    enter();
    const settings = parse(read(CLAUDE));
    settings.added = true;
    settings.hooks.Stop.push({ hooks: [OWN] });
    writeFileSync(join(user, CLAUDE), JSON.stringify(settings));
    takeOut();
    const { added, hooks, ...rest } = parse(read(CLAUDE));
    const { hooks: own = {}, ...before } = parse(text) ?? {};
    expect([added, rest]).toEqual([true, before]);
    expect(hooks).toEqual({ ...own, Stop: [...(own.Stop ?? []), { hooks: [OWN] }] });
  });

  test.each(Object.entries(CONFIGURATIONS))(
    "with %s: those that a person puts back as they were with Cordon leave nothing of it again",
    (_what, text) => {
      const { user, enter, takeOut, text: read } = person("claude-code", { [CLAUDE]: text });
      enter();
      const entered = read(CLAUDE);
      takeOut();
      writeFileSync(join(user, CLAUDE), entered);
      enter();
      takeOut();
      // Whether a list without anything in it was there before is not to be seen.
      const filled = (settings: object = {}): object => {
        const { hooks = {}, ...rest } = settings as { hooks?: Record<string, unknown[]> };
        const lists = Object.entries(hooks).filter(([, list]) => list.length > 0);
        return lists.length > 0 ? { ...rest, hooks: Object.fromEntries(lists) } : rest;
      };
      expect(filled(parse(read(CLAUDE)))).toEqual(filled(parse(text)));
      expect(read(CLAUDE)).not.toMatch(/"(PreToolUse|SessionStart)":\s*\[\s*\]/);
    },
  );

  test("that have Cordon's entries twice, and no record: none of them stays", () => {
    const { user, enter, takeOut, text: read } = person("claude-code", { [CLAUDE]: '{ "model": "x" }' });
    enter();
    const entered = parse(read(CLAUDE));
    for (const list of Object.values<unknown[]>(entered.hooks)) list.push(...list);
    rmSync(join(user, ".cordon", "agents.json"));
    writeFileSync(join(user, CLAUDE), JSON.stringify(entered));
    enter();
    takeOut();
    expect(parse(read(CLAUDE))).toEqual({ model: "x" });
  });

  test.each(Object.entries(BROKEN))("with %s: refused in one line, and nothing changes", (_what, text) => {
    const { enter, text: read, place } = person("claude-code", { [CLAUDE]: text });
    expect(enter).toThrow(/settings\.json.*mend it first/);
    expect(read(CLAUDE)).toBe(text);
    expect(readRecord(place.home)).toEqual([]);
  });

  test("that are not there: they are made, and go again", () => {
    const { user, enter, takeOut } = person("claude-code");
    enter();
    expect(statSync(join(user, CLAUDE)).mode & 0o777).toBe(0o600);
    takeOut();
    expect(existsSync(join(user, CLAUDE))).toBe(false);
  });

  // biome-ignore format: a table
  test.each<[what: string, make: (file: string) => void, says: RegExp]>([
    ["read-only", (file) => chmodSync(file, 0o400), /settings\.json is read-only; make it writable first/],
    ["a link that leads to nothing", (file) => { rmSync(file); symlinkSync("nowhere", file); }, /settings\.json: it is a link that leads to nothing; mend it, or take it away/],
    ["a folder", (file) => { rmSync(file); mkdirSync(file); }, /settings\.json: not a regular file/],
  ])("that are %s: refused, and the record says nothing that is not so", (_what, make, says) => {
    const { user, place, enter } = person("claude-code", { [CLAUDE]: "{}\n" });
    make(join(user, CLAUDE));
    const before = lstatSync(join(user, CLAUDE)).mode;
    expect(enter).toThrow(says);
    expect([readRecord(place.home), lstatSync(join(user, CLAUDE)).mode]).toEqual([[], before]);
    expect(() => planOfUninstall(place)).toThrow(/is not entered/);
  });

  test("that are not UTF-8: refused, and their bytes stay; a U+FFFD of the person's own is no fault", () => {
    const { user, place, enter, takeOut, text } = person("claude-code", { [CLAUDE]: '{"a": "\ufffd"}\n' });
    enter();
    takeOut();
    expect(text(CLAUDE)).toBe('{"a": "\ufffd"}\n');
    const bytes = Buffer.concat([Buffer.from('{"a": "'), Buffer.from([0xff, 0xfe, 0xe9]), Buffer.from('"}')]);
    writeFileSync(join(user, CLAUDE), bytes);
    expect(enter).toThrow(/settings\.json: it is not UTF-8, and would be damaged by an edit; convert it first$/);
    expect(readFileSync(join(user, CLAUDE))).toEqual(bytes);
    expect(readRecord(place.home)).toEqual([]);
    writeFileSync(join(user, CLAUDE), "{}");
    enter();
    const since = Buffer.concat([readFileSync(join(user, CLAUDE)).subarray(0, -1), bytes.subarray(1)]);
    writeFileSync(join(user, CLAUDE), since);
    expect(takeOut).toThrow(/it is not UTF-8/);
    expect([readFileSync(join(user, CLAUDE)), readRecord(place.home).length]).toEqual([since, 1]);
  });

  test("that became read-only since Cordon was entered: the record stays as it was", () => {
    const { user, place, enter, takeOut, text } = person("claude-code", { [CLAUDE]: "{}\n" });
    enter();
    const before = readRecord(place.home);
    writeFileSync(join(user, CLAUDE), '{"mine": 1}');
    chmodSync(join(user, CLAUDE), 0o400);
    expect(enter).toThrow(/read-only/);
    expect(readRecord(place.home)).toEqual(before);
    takeOut();
    expect(text(CLAUDE)).toBe('{"mine": 1}');
  });

  test("that are a link: it stays a link, and what it leads to changes", () => {
    const { user, enter, takeOut, text } = person("claude-code", { "dotfiles/claude.json": '{ "a": 1 }\n' });
    mkdirSync(join(user, ".claude"));
    symlinkSync("../dotfiles/claude.json", join(user, CLAUDE));
    chmodSync(join(user, "dotfiles/claude.json"), 0o640);
    enter();
    expect(lstatSync(join(user, CLAUDE)).isSymbolicLink()).toBe(true);
    expect(text("dotfiles/claude.json")).toContain("PreToolUse");
    expect(statSync(join(user, "dotfiles/claude.json")).mode & 0o777).toBe(0o640);
    takeOut();
    expect(text("dotfiles/claude.json")).toBe('{ "a": 1 }\n');
  });

  test("that change between the look and the word: nothing is written", () => {
    const { user, place, text } = person("claude-code", { [CLAUDE]: "{}\n" });
    const plan = planOfInstall(place);
    writeFileSync(join(user, CLAUDE), '{ "a": 1 }\n');
    expect(() => install(place, plan, { node: process.execPath, monitor: false })).toThrow(/changed meanwhile/);
    expect(text(CLAUDE)).toBe('{ "a": 1 }\n');
  });

  test("in which a person put their own command beside Cordon's keep both", () => {
    const { user, enter, takeOut, text } = person("claude-code", { [CLAUDE]: "{}\n" });
    enter();
    const settings = JSON.parse(text(CLAUDE));
    settings.hooks.PreToolUse[0].hooks.push(OWN);
    writeFileSync(join(user, CLAUDE), JSON.stringify(settings));
    takeOut();
    expect(JSON.parse(text(CLAUDE)).hooks.PreToolUse).toEqual(settings.hooks.PreToolUse);
  });

  test("any settings come back byte for byte", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 }),
        fc.constantFrom(undefined, 1, 2, 4, "\t"),
        (settings, indent) => {
          const own = { ...settings };
          delete own.hooks;
          const text = JSON.stringify(own, null, indent);
          const { enter, takeOut, text: read } = person("claude-code", { [CLAUDE]: text });
          enter();
          expect({ ...JSON.parse(read(CLAUDE)), hooks: undefined }).toEqual({ ...JSON.parse(text), hooks: undefined });
          takeOut();
          expect(read(CLAUDE)).toBe(text);
        },
      ),
      { numRuns: 60 },
    );
  });
});

test("whatever hooks and layout there are, only Cordon's come and go", () => {
  const group = fc.record({ matcher: fc.string(), hooks: fc.array(fc.constant(OWN), { maxLength: 2 }) });
  const hooks = fc.dictionary(
    fc.constantFrom("PreToolUse", "PostToolUse", "Stop", "Other"),
    fc.array(group, { maxLength: 3 }),
  );
  fc.assert(
    fc.property(hooks, fc.jsonValue(), fc.constantFrom(undefined, 1, 2, 4, "\t"), (own, other, indent) => {
      const text = JSON.stringify({ other, hooks: own }, null, indent);
      const { user, enter, takeOut, text: read } = person("claude-code", { [CLAUDE]: text });
      enter();
      const entered = JSON.parse(read(CLAUDE));
      const isOwn = (group: unknown) => JSON.stringify(group).includes("/.cordon/bin/hook");
      for (const [event, list] of Object.entries<unknown[]>(entered.hooks)) {
        expect(list.filter((group) => !isOwn(group))).toEqual(own[event] ?? []);
        expect(list.findIndex(isOwn)).toBeLessThanOrEqual(0);
      }
      // Another layout, and another order: Cordon is not the first any more.
      for (const list of Object.values<unknown[]>(entered.hooks)) list.reverse();
      writeFileSync(join(user, CLAUDE), JSON.stringify(entered, null, indent === undefined ? 2 : undefined));
      enter();
      expect(JSON.stringify(JSON.parse(read(CLAUDE)).hooks.PreToolUse[0])).toContain("/.cordon/bin/hook");
      takeOut();
      const left = JSON.parse(read(CLAUDE));
      for (const list of Object.values<unknown[]>(left.hooks ?? {})) list.reverse();
      expect(left).toEqual(JSON.parse(text));
    }),
    { numRuns: LONG ? 60 : 20 },
  );
});

/** JSON in which keys may stand twice, as text. */
const repeating = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, fc.constantFrom("1", '"x"', "[]", '[{"hooks":[]}]'), tie("object")),
  object: fc
    .array(fc.tuple(fc.constantFrom("hooks", "PreToolUse", "Stop", "mine"), tie("value")), { maxLength: 4 })
    .map((members) => `{${members.map(([key, value]) => `"${key}": ${value}`).join(",\n")}}`),
})).object;

test("whatever keys stand twice, Cordon's entries are read first in each list, or nothing is written", () => {
  const isOwn = (group: unknown) => JSON.stringify(group).includes("/.cordon/bin/hook");
  const outcomes = new Set<string>();
  fc.assert(
    fc.property(repeating, (text) => {
      const { place, enter, takeOut, text: read } = person("claude-code", { [CLAUDE]: text });
      let refused = "";
      try {
        enter();
      } catch (error) {
        refused = (error as Error).message;
      }
      outcomes.add(refused.replace(/.*(is there again|is no list|is no object).*/, "$1"));
      if (refused !== "") {
        expect(refused).toMatch(/^\S+settings\.json.*; mend it first$/);
        expect([read(CLAUDE), readRecord(place.home)]).toEqual([text, []]);
        return;
      }
      const { hooks, ...others } = JSON.parse(read(CLAUDE));
      for (const event of ["PreToolUse", "PermissionRequest", "Stop"]) expect(isOwn(hooks[event][0])).toBe(true);
      const { hooks: before = {}, ...othersBefore } = JSON.parse(text);
      expect(others).toEqual(othersBefore);
      for (const [event, list] of Object.entries<unknown>(hooks))
        expect(Array.isArray(list) ? list.filter((one) => !isOwn(one)) : list).toEqual(before[event] ?? []);
      takeOut();
      expect(read(CLAUDE)).toBe(text);
    }),
    { numRuns: 200 },
  );
  expect([...outcomes].sort()).toEqual(["", "is no list", "is no object", "is there again"]);
});

describe.each(SETUPS.map((setup) => [setup.name, setup] as const))("%s", (name, setup) => {
  test("is entered in files of its own folders, and leaves nothing of it", () => {
    const { user, place, enter, takeOut } = person(name);
    const plan = planOfInstall(place);
    expect(plan.length).toBeGreaterThan(0);
    enter();
    for (const { file } of plan) {
      expect(file.startsWith(`${user}/.`)).toBe(true);
      expect(existsSync(file)).toBe(true);
    }
    expect(planOfInstall(place).every(({ before, after }) => before === after)).toBe(true);
    expect(readRecord(place.home)).toMatchObject([{ agent: setup.name }]);
    takeOut();
    for (const { file } of plan) expect(existsSync(file)).toBe(false);
    expect(readRecord(place.home)).toEqual([]);
    expect(() => planOfUninstall(place)).toThrow(/is not entered/);
  });
});

describe("entered where an agent's variable pointed then, and taken out in a shell without it", () => {
  // biome-ignore format: a table
  test.each([
    ["claude-code", "CLAUDE_CONFIG_DIR", "x", "x/settings.json", '{"a": 1}\n'],
    ["codex", "CODEX_HOME", "x", "x/hooks.json", '{"a": 1}\n'],
    ["copilot-cli", "COPILOT_HOME", "x", "x/hooks/cordon.json", undefined],
    ["opencode", "XDG_CONFIG_HOME", "x", "x/opencode/plugins/cordon.js", undefined],
    ["openclaw", "OPENCLAW_CONFIG_PATH", "x/mine.json", "x/mine.json", '{"a": 1}\n'],
    ["pi", "PI_CODING_AGENT_DIR", "x", "x/extensions/cordon.ts", undefined],
    ["pi-0.27", "PI_CODING_AGENT_DIR", "x", "x/settings.json", '{"a": 1}\n'],
  ])("%s with %s", (agent, variable, value, file, before) => {
    for (const isEdited of [false, true]) {
      const { user, place, takeOut, text } = person(agent, before === undefined ? {} : { [file]: before });
      const moved = { ...place, places: { user, env: { [variable]: join(user, value) } } };
      install(moved, planOfInstall(moved), { node: process.execPath, monitor: false });
      expect(existsSync(join(user, file))).toBe(true);
      if (isEdited && before !== undefined)
        writeFileSync(join(user, file), JSON.stringify({ ...JSON.parse(text(file)), b: 2 }));
      takeOut();
      if (before === undefined) expect(existsSync(join(user, file))).toBe(false);
      else if (isEdited) expect(JSON.parse(text(file))).toEqual({ a: 1, b: 2 });
      else expect(text(file)).toBe(before);
      expect(readRecord(place.home)).toEqual([]);
    }
  });

  test("and entered again without it: both are taken out", () => {
    const { user, place, enter, takeOut, text } = person("claude-code", {
      "x/settings.json": "{}\n",
      [CLAUDE]: "{}\n",
    });
    const moved = { ...place, places: { user, env: { CLAUDE_CONFIG_DIR: join(user, "x") } } };
    install(moved, planOfInstall(moved), { node: process.execPath, monitor: false });
    enter();
    enter();
    expect(readRecord(place.home)).toMatchObject([{ files: [{ before: "{}\n" }, { before: "{}\n" }] }]);
    takeOut();
    expect([text("x/settings.json"), text(CLAUDE)]).toEqual(["{}\n", "{}\n"]);
  });
});

const OPENCLAW = ".openclaw/openclaw.json";

describe("settings of OpenClaw", () => {
  const PLUGIN = "openclaw-cordon";
  const own = {
    "no plugins": '{ "agents": {} }\n',
    "a comment and a comma at the end":
      '// mine\n{\n  "plugins": {\n    // none\n    "load": { "paths": [] },\n  },\n}\n',
    "other plugins": '{ "plugins": { "load": { "paths": ["/mine"] }, "entries": { "mine": { "enabled": false } } } }',
    "a list of plugins that may load": '{\n  "plugins": { "allow": ["mine"] }\n}\n',
    "an empty list of plugins that may load": '{ "plugins": { "allow": [] } }',
    "Cordon's plugin with settings of the person's":
      '{ "plugins": { "entries": { "openclaw-cordon": { "enabled": false, "hooks": { "timeoutMs": 5 } } } } }',
    ...CONFIGURATIONS,
  };

  test.each(Object.entries(own))("with %s: the plugin comes and goes, and nothing else does", (_what, text) => {
    const { user, enter, takeOut, text: read } = person("openclaw", { [OPENCLAW]: text });
    const before = parse(text) ?? {};
    enter();
    const { plugins } = parse(read(OPENCLAW));
    const { load = {}, entries = {}, allow } = before.plugins ?? {};
    expect(plugins.load.paths).toEqual([join(user, ".cordon", PLUGIN), ...(load.paths ?? [])]);
    expect(plugins.entries).toEqual({
      ...entries,
      [PLUGIN]: {
        ...entries[PLUGIN],
        enabled: true,
        hooks: { ...entries[PLUGIN]?.hooks, allowConversationAccess: true },
      },
    });
    expect(plugins.allow).toEqual(allow?.length > 0 ? [PLUGIN, ...allow] : allow);
    expect({ ...parse(read(OPENCLAW)), plugins: undefined }).toEqual({ ...before, plugins: undefined });
    const entered = read(OPENCLAW);
    enter();
    expect(read(OPENCLAW)).toBe(entered);
    // Another layout, and another key: it is not as Cordon left it.
    writeFileSync(join(user, OPENCLAW), JSON.stringify({ ...parse(entered), added: 1 }));
    enter();
    takeOut();
    expect(JSON.parse(read(OPENCLAW))).toEqual({ ...before, added: 1 });
  });

  test.each(Object.entries(own))("with %s: it comes back byte for byte", (_what, text) => {
    const { enter, takeOut, text: read } = person("openclaw", { [OPENCLAW]: text });
    enter();
    takeOut();
    expect(read(OPENCLAW)).toBe(text);
  });

  test.each([
    ['{ "plugins": { "enabled": false } }', /"plugins.enabled" is false/],
    ['{ "plugins": { "deny": ["openclaw-cordon"] } }', /"plugins.deny" has openclaw-cordon/],
    ['{ "plugins": { "load": { "paths": "/mine" } } }', /"plugins.load.paths" is no list/],
    ['{ "plugins": { "entries": [] } }', /"plugins.entries" is no object/],
    ["{ plugins: {} }", /openclaw\.json:1:3: without double quotes this is no JSON/],
    ['{ "plugins": {},\n "plugins": { "enabled": true } }', /:1: the key "plugins" is there again in line 2/],
  ])("with %s: refused in one line, and nothing changes", (text, why) => {
    const { enter, text: read } = person("openclaw", { [OPENCLAW]: text });
    expect(enter).toThrow(why);
    expect(read(OPENCLAW)).toBe(text);
  });

  test("are where OpenClaw's variables say", () => {
    const { user, place } = person("openclaw");
    const at = (env: NodeJS.ProcessEnv) => planOfInstall({ ...place, places: { user, env } })[0]?.file;
    expect(at({})).toBe(join(user, OPENCLAW));
    expect(at({ OPENCLAW_HOME: "/other" })).toBe(join("/other", OPENCLAW));
    expect(at({ OPENCLAW_STATE_DIR: "~/state" })).toBe(join(user, "state", "openclaw.json"));
    expect(at({ OPENCLAW_CONFIG_PATH: "/x/y.json", OPENCLAW_STATE_DIR: "/z" })).toBe("/x/y.json");
  });

  test("name a plugin that is whole, and nobody else's to change", () => {
    const { user, enter } = person("openclaw");
    enter();
    const folder = join(user, ".cordon", PLUGIN);
    const beside = JSON.parse(readFileSync(join(folder, "cordon.json"), "utf8"));
    expect(Object.keys(beside)).toEqual(["home", "node", "start"]);
    for (const path of Object.values<string>(beside)) expect(existsSync(path)).toBe(true);
    const manifest = JSON.parse(readFileSync(join(folder, "openclaw.plugin.json"), "utf8"));
    const { name, openclaw } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    expect([manifest.id, name]).toEqual([PLUGIN, PLUGIN]);
    expect(existsSync(join(folder, openclaw.extensions[0]))).toBe(true);
    for (const path of ["", "cordon.json", "dist/index.js"]) expect(statSync(join(folder, path)).mode & 0o022).toBe(0);
  });
});

test("a file of its own goes also where Cordon's record was lost", () => {
  const { user, place, enter, takeOut } = person("copilot-cli");
  const [change] = planOfInstall(place);
  enter();
  rmSync(join(user, ".cordon", "agents.json"));
  enter();
  expect(existsSync(change?.file ?? "")).toBe(true);
  takeOut();
  expect(existsSync(change?.file ?? "")).toBe(false);
});

test("a file of its own that somebody else wrote is not overwritten", () => {
  const { enter, text } = person("pi", { ".pi/agent/extensions/cordon.ts": "export default () => {};\n" });
  expect(enter).toThrow(/not Cordon's/);
  expect(text(".pi/agent/extensions/cordon.ts")).toBe("export default () => {};\n");
});

test("of several files, one that cannot be written leaves all as they were", () => {
  const { user, place, enter } = person("pi-0.27", { ".pi/agent/settings.json": "{}\n" });
  chmodSync(join(user, ".pi/agent/settings.json"), 0o400);
  expect(enter).toThrow(/read-only/);
  expect([existsSync(join(user, ".pi/agent/cordon-hook.mjs")), readRecord(place.home)]).toEqual([false, []]);
});

test("a file of its own that somebody changed stays when Cordon goes", () => {
  const { user, enter, takeOut, text } = person("pi");
  enter();
  writeFileSync(join(user, ".pi/agent/extensions/cordon.ts"), "// mine\n");
  takeOut();
  expect(text(".pi/agent/extensions/cordon.ts")).toBe("// mine\n");
});

test("two agents have records of their own", () => {
  const { user, place, enter, takeOut } = person("claude-code");
  enter();
  const codex: Place = { ...place, setup: SETUPS.find(({ name }) => name === "codex") as Place["setup"] };
  install(codex, planOfInstall(codex), { node: process.execPath, monitor: false });
  takeOut();
  expect(readRecord(place.home)).toMatchObject([{ agent: "codex" }]);
  expect(existsSync(join(user, ".codex/hooks.json"))).toBe(true);
});

test("the script is whole, and only the person may run and change it", () => {
  const { place, enter } = person("codex");
  enter();
  expect(statSync(scriptPath(place.home)).mode & 0o777).toBe(0o700);
  expect(readFileSync(scriptPath(place.home), "utf8")).toMatch(/^#!\/bin\/sh\n.*refuse "\$@"\n$/s);
});

test.each(["claude-code", "codex", "cursor", "opencode"])(
  "a file of %s that Cordon made, and a person moved and linked, goes with Cordon",
  (agent) => {
    const { user, place, enter, takeOut } = person(agent);
    enter();
    const file = readRecord(place.home)[0]?.files[0]?.file as string;
    const kept = join(user, "kept");
    renameSync(file, kept);
    symlinkSync(kept, file);
    takeOut();
    for (const path of [file, kept]) expect(lstatSync(path, { throwIfNoEntry: false }), path).toBeUndefined();
  },
);

test("a command of the person's own that names Cordon's script stays, as it was, wherever it stands", () => {
  const { user, place, enter, takeOut, text } = person("claude-code");
  const own = scriptPath(place.home);
  const mine = [
    `/me/audit.sh && ${own}-lint`,
    `/me/wrap ${own} claude-code gate`,
    `echo '${own}' >> /me/log`,
    `${own}x`,
  ];
  const groups = mine.map((command) => ({ matcher: "Bash", hooks: [{ type: "command", command }] }));
  mkdirSync(join(user, ".claude"), { recursive: true });
  writeFileSync(join(user, CLAUDE), JSON.stringify({ hooks: { PreToolUse: groups } }, null, 2));
  const before = text(CLAUDE);
  for (let times = 0; times < 2; times++) {
    enter();
    expect(JSON.parse(text(CLAUDE)).hooks.PreToolUse.slice(1)).toEqual(groups);
  }
  takeOut();
  expect(text(CLAUDE)).toBe(before);
});
