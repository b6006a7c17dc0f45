import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { planOfInstall } from "../../src/agents/setup/install.ts";
import { SETUPS } from "../../src/agents/setup/setups.ts";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { HookHost } from "../../src/host/host.ts";
import { scriptedUi, temporaryFolder, writeFiles } from "../support/session.ts";

/** The shipped guard of Cordon's own files, and further ways to name these files. */

const GUARD = join(PACKAGE_ROOT, "hooks/guard-cordon.ts");
const { capabilities } = JSON.parse(readFileSync(GUARD.replace(/\.ts$/, ".hook.json"), "utf8"));

afterEach(() => vi.unstubAllEnvs());

/** A session under the guard, with Cordon's home and the agent's folder under names of their own. */
async function guarded({ hasUI = true, allows = false } = {}) {
  const folder = temporaryFolder();
  const work = join(folder, "work");
  const home = join(folder, "decisions");
  writeFiles(folder, {
    "decisions/grants.json": '{"version":1,"hooks":{}}',
    "people/hooks/gate.ts": "",
    "work/src/a.ts": "one",
  });
  mkdirSync(join(folder, "elsewhere"));
  symlinkSync(join(home, "new.json"), join(work, "to-nothing-yet"));
  symlinkSync(join(folder, "elsewhere"), join(work, "to-elsewhere"));
  mkdirSync(join(work, ".pi"));
  symlinkSync(join(work, ".pi"), join(work, "to settings"));
  symlinkSync(join(work, ".pi/new.json"), join(work, "to-new-settings"));
  vi.stubEnv("CORDON_HOME", home);
  vi.stubEnv("PI_CODING_AGENT_DIR", join(folder, "people"));
  const ui = scriptedUi({ confirm: allows });
  const host = await HookHost.start({
    spare: false,
    cwd: work,
    home,
    agentDir: join(folder, "people"),
    discover: false,
    hooks: [{ path: GUARD, id: "guard", grant: { capabilities } }],
    ...(hasUI ? { ui } : {}),
    hasUI,
    consent: () => "deny",
    log: () => {},
  });
  onTestFinished(() => host.close());
  return {
    folder,
    home,
    /** Without Cordon's own question, which follows after some blocks. */
    asked: () => ui.shown.filter(({ title }) => title.startsWith("[hook guard]")).map(({ kind }) => kind),
    judge: async (toolName: string, input: Record<string, unknown>): Promise<string | undefined> => {
      const verdict = await host.emitToolCall({ type: "tool_call", toolName, toolCallId: "1", input });
      return verdict && "reason" in verdict ? verdict.reason : undefined;
    },
  };
}

test.each([
  "cordon add x",
  "cordon update x",
  "cordon restart gate",
  "cordon report --since 7d",
  "cordon revoke guard",
  "cordon runtime install",
  "node dist/src/cli/start.js grant gate fs",
  "c\\ordon gr\\ant gate fs",
  "cat x/grants.json",
  "cp /tmp/x hooks.lock",
  "PI_CODING_AGENT_DIR=/tmp/x pi",
  "rm -rf ~/.{pi,cordon}",
  "rm -rf ~/.[cp]*",
  "rm -rf .PI",
  "echo {} >.pi/settings.json",
  "cat <.pi/x",
  "rm -rf {.pi,.cordon}",
  "cp x -t.pi",
  "(cd .;rm -rf .pi)",
  "cat <.p*/x",
])("it asks about: %s", async (command) => {
  const { judge, asked } = await guarded();
  expect(await judge("bash", { command })).toMatch(/^A shell command .*, and nobody allowed it$/);
  expect(asked()).toEqual(["confirm"]);
});

test("it asks about a command that names Cordon's home, under any name and in any case", async () => {
  const { judge, home, asked } = await guarded();
  for (const command of [`ls ${home}/audit`, `ls "${home}"`, `ls ${home.toUpperCase()}`])
    expect(await judge("bash", { command })).toMatch(/names files that decide about hooks/);
  expect(asked()).toHaveLength(3);
});

test("without a person to ask it blocks", async () => {
  const { judge } = await guarded({ hasUI: false });
  for (const command of ["cordon accept", "rm -r .pi/hooks"])
    expect(await judge("bash", { command })).toMatch(/nobody allowed it/);
  expect(await judge("write", { path: "to-nothing-yet", content: "x" })).toMatch(/nobody allowed it/);
  expect(await judge("bash", { command: "ls" })).toBeUndefined();
});

test.each([
  ["@ before it", "@.pi/settings.json"],
  ["links inside the project", "to settings/settings.json"],
  ["links inside the project to a new file", "to settings/hooks/deep/new.ts"],
  ["a space that the agent's tools treat like an ordinary one", "to\u00a0settings/settings.json"],
])("write and edit are blocked for a path with %s", async (_name, path) => {
  const { judge, asked } = await guarded({ allows: true });
  for (const tool of ["write", "edit"]) expect(await judge(tool, { path })).toMatch(/decides about hooks/);
  expect(asked()).toEqual([]);
});

test("write and edit are blocked for the folders that the environment names", async () => {
  const { judge, folder, home, asked } = await guarded({ allows: true });
  for (const tool of ["write", "edit"])
    for (const path of [home, `${home}/grants.json`, `${folder}/people/settings.json`, `${folder}/PEOPLE/x`])
      expect(await judge(tool, { path })).toMatch(/decides about hooks/);
  expect(asked()).toEqual([]);
});

test("a dangling link may lead anywhere: a person is asked", async () => {
  const { judge, asked } = await guarded();
  for (const path of ["to-nothing-yet", "to-new-settings"])
    expect(await judge("write", { path, content: "x" })).toMatch(/cannot look: through a link out of the project/);
  expect(asked()).toEqual(["confirm", "confirm"]);
});

test("a path that only begins like one of these folders is not guarded", async () => {
  const { judge, home, folder, asked } = await guarded();
  for (const path of [`${home}-of-mine/x`, `${folder}/people.txt`, ".pirate/x", "src/.cordonbleu", "x.pi"])
    expect(await judge("write", { path, content: "x" })).toBeUndefined();
  expect(asked()).toEqual([]);
});

test.each(SETUPS.map((setup) => [setup.name, setup] as const))(
  "the entries of %s are out of the agent's reach",
  async (_name, setup) => {
    const { home, judge } = await guarded({ hasUI: false });
    const places = { user: "/people/me", env: {} };
    for (const { file } of planOfInstall({ setup, home, places, project: undefined })) {
      expect([file, await judge("write", { path: file, content: "" })]).toEqual([file, expect.any(String)]);
      expect([file, await judge("bash", { command: `echo > ${file}` })]).toEqual([file, expect.any(String)]);
    }
  },
);

test.each([".opencode/plugin/mine.js", ".opencode/plugins/mine.ts", "opencode.json", ".opencode/opencode.jsonc"])(
  "%s of a project, by which opencode would load other code, is out of the agent's reach",
  async (path) => {
    const { judge } = await guarded({ hasUI: false });
    expect(await judge("write", { path, content: "" })).toBeDefined();
    expect(await judge("bash", { command: `cp x ${path}` })).toBeDefined();
  },
);

test.each(["src/opencode/plugins/a.ts", ".opencode/agent/reviewer.md", "docs/opencode.md"])(
  "%s is like any other file",
  async (path) => {
    const { judge } = await guarded({ hasUI: false });
    expect(await judge("write", { path, content: "" })).toBeUndefined();
    expect(await judge("bash", { command: `cp x ${path}` })).toBeUndefined();
  },
);
