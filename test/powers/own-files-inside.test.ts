import { linkSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { HookHost } from "../../src/host/host.ts";
import { scriptedUi, temporaryFolder, writeFiles } from "../support/session.ts";

/** The shipped guard, with guarded files in the project under other names, which the environment does not mention. */

const GUARD = join(PACKAGE_ROOT, "hooks/guard-cordon.ts");

afterEach(() => vi.unstubAllEnvs());

async function guarded(allows = false) {
  const folder = temporaryFolder();
  const work = join(folder, "work");
  writeFiles(work, {
    "src/a.ts": "one",
    "data/grants.json": '{"version":1,"hooks":{}}',
    "agent-data/settings.json": "{}",
  });
  symlinkSync("data", join(work, "link"));
  symlinkSync(work, join(folder, "outside"));
  linkSync(join(work, "agent-data", "settings.json"), join(work, "src", "same.json"));
  vi.stubEnv("CORDON_HOME", undefined);
  vi.stubEnv("PI_CODING_AGENT_DIR", undefined);
  const ui = scriptedUi({ confirm: allows });
  const host = await HookHost.start({
    cwd: work,
    // Through a link outside of the project, which the guard cannot see.
    home: join(folder, "outside", "data"),
    agentDir: join(work, "agent-data"),
    discover: false,
    spare: false,
    hooks: [{ path: GUARD, id: "guard", grant: { capabilities: capabilities() } }],
    ui,
    consent: () => "deny",
    log: () => {},
  });
  onTestFinished(() => host.close());
  return async (toolName: string, input: Record<string, unknown>): Promise<string | undefined> => {
    const verdict = await host.emitToolCall({ type: "tool_call", toolName, toolCallId: "1", input });
    return verdict && "reason" in verdict ? verdict.reason : undefined;
  };
}

function capabilities() {
  return JSON.parse(readFileSync(GUARD.replace(/\.ts$/, ".hook.json"), "utf8")).capabilities;
}

test.each([
  "data/grants.json",
  "link/grants.json",
  "./src/../data/new.json",
  "DATA/grants.json",
  "agent-data/hooks/mine.ts",
  "agent-data/settings.json",
])("it stops the agent from writing %s", async (path) => {
  const judge = await guarded(true);
  for (const tool of ["write", "edit"])
    expect(await judge(tool, { path, content: "x" })).toMatch(/decides about hooks/);
});

test("it asks about a file with several hard links, one of which may decide about hooks", async () => {
  expect(await (await guarded())("write", { path: "src/same.json", content: "x" })).toMatch(/other names/);
  expect(await (await guarded(true))("write", { path: "src/same.json", content: "x" })).toBeUndefined();
});

test.each(["echo x > data/x", "rm -r ./data", "mv agent-data other", "cat 'da'ta/x", "cd data; ls"])(
  "it asks about the shell command %s",
  async (command) => {
    expect(await (await guarded())("bash", { command })).toMatch(/names files that decide about hooks/);
  },
);

test.each([
  ["write", { path: "src/a.ts", content: "x" }],
  ["write", { path: "database/a.ts", content: "x" }],
  ["edit", { path: "src/a.ts" }],
  ["bash", { command: "cat metadata/x database/y data.json" }],
  ["bash", { command: "npm test" }],
] as const)("it asks nothing about %s %j", async (tool, input) => {
  expect(await (await guarded())(tool, { ...input })).toBeUndefined();
});
