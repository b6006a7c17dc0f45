import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { createBashTool, createEditTool, createWriteTool } from "@mariozechner/pi-coding-agent";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { HookHost } from "../../src/host/host.ts";
import { wrapToolsWithHooks } from "../../src/host/wrap-tools.ts";
import { sampled } from "../support/length.ts";
import { scriptedUi, temporaryFolder, writeFiles } from "../support/session.ts";

/** Decision 16: the agent has a shell under the same user. Its own tools try to grant, edit, delete and replace. */

const CLI = join(PACKAGE_ROOT, "dist/src/cli/start.js");
const GUARD = join(PACKAGE_ROOT, "hooks/guard-cordon.ts");
const guardGrant = JSON.parse(readFileSync(GUARD.replace(/\.ts$/, ".hook.json"), "utf8"));

/** Blocks every call with the facts that it may read, which shows whether it is gone and whether its grant grew. */
const GATE = `
import { readFileSync } from "node:fs";
export default function (pi) {
  pi.on("tool_call", async (event) => {
    if (event.toolName !== "probe") return undefined;
    let seen;
    try { seen = readFileSync("secret.txt", "utf8"); } catch (error) { seen = error.code; }
    return { block: true, reason: "gate: " + seen };
  });
}
`;

interface Tool {
  name: string;
  execute(id: string, input: object): Promise<{ content: { text: string }[] }>;
}

afterEach(() => vi.unstubAllEnvs());

async function agent(options: { guarded: boolean; allows?: boolean }) {
  const folder = temporaryFolder();
  const home = join(folder, ".cordon");
  const work = join(folder, "work");
  writeFiles(folder, {
    "work/secret.txt": "the secret",
    "work/src/a.ts": "one",
    "work/.pi/settings.json": "{}",
    "agent/settings.json": "{}",
    "agent/hooks/gate.ts": GATE,
  });
  mkdirSync(home);
  symlinkSync(home, join(work, "way-out"));
  vi.stubEnv("CORDON_HOME", home);
  vi.stubEnv("PI_CODING_AGENT_DIR", join(folder, "agent"));
  const ui = scriptedUi({ confirm: options.allows ?? false });
  const start = async (): Promise<HookHost> => {
    const host = await HookHost.start({
      spare: false,
      cwd: work,
      home,
      agentDir: join(folder, "agent"),
      hooks: options.guarded ? [{ path: GUARD, id: "guard", grant: { capabilities: guardGrant.capabilities } }] : [],
      ui,
      hasUI: true,
      consent: () => "deny",
      log: () => {},
    });
    onTestFinished(() => host.close());
    return host;
  };
  const host = await start();
  const tools = wrapToolsWithHooks(
    [createBashTool(work), createWriteTool(work), createEditTool(work)] as never,
    host,
  ) as unknown as Tool[];
  return {
    folder,
    work,
    home,
    ui,
    start,
    /** The text that the model gets. */
    async use(name: string, input: object): Promise<string> {
      try {
        const tool = tools.find((one) => one.name === name) as Tool;
        return (await tool.execute("call", input)).content.map(({ text }) => text).join("");
      } catch (error) {
        return (error as Error).message;
      }
    },
    async gate(of = host): Promise<unknown> {
      const verdict = await of.emitToolCall({ type: "tool_call", toolName: "probe", toolCallId: "1", input: {} });
      return verdict && "reason" in verdict ? verdict.reason : verdict;
    },
  };
}

const NOT_GRANTED = "gate: NOT_GRANTED";

test.each([
  ["grant", "ID fs"],
  ["accept", ""],
  ["remove", "ID"],
])("the agent's shell cannot `cordon %s`: that takes a terminal", async (what, args) => {
  const { folder, home, use, gate } = await agent({ guarded: false });
  const id = join(folder, "agent/hooks/gate.ts");
  const grants = JSON.stringify({
    version: 1,
    hooks: { [id]: { capabilities: { events: { see: ["*"], block: true } } } },
  });
  writeFiles(folder, {
    "agent/hooks/gate.hook.json": '{"capabilities":{"fs":{"read":["$CWD/**"]}}}',
    "work/.pi/hooks/other.ts": GATE,
  });
  writeFiles(home, { "grants.json": grants });
  const command = `"${process.execPath}" "${CLI}" ${what} ${args.replace("ID", `"${id}"`)} < /dev/null 2>&1`;
  expect(await use("bash", { command: `setsid ${command}` })).toMatch(/needs a terminal|controlling terminal/);
  expect(readFileSync(join(home, "grants.json"), "utf8")).toBe(grants);
  expect(await gate()).toBe(NOT_GRANTED);
});

/** Changes by an agent that nothing stops. They have no effect in this session. */
const changes = [
  {
    name: "grants the gate more",
    command: ({ folder, home }: Places) =>
      `echo '{"version":1,"hooks":{"${folder}/agent/hooks/gate.ts":{"capabilities":{"fs":{"read":["$CWD/**"]}}}}}' > ${home}/grants.json; sleep 0.05`,
  },
  {
    name: "edits the gate",
    command: ({ folder }: Places) => `echo 'export default () => {}' > ${folder}/agent/hooks/gate.ts`,
  },
  { name: "deletes the gate", command: ({ folder }: Places) => `rm -r ${folder}/agent/hooks` },
  {
    name: "replaces the gate's folder",
    command: ({ folder }: Places) => `mv ${folder}/agent ${folder}/gone; mkdir -p ${folder}/agent/hooks`,
  },
  { name: "empties Cordon's home", command: ({ home }: Places) => `rm -rf ${home}; mkdir ${home}` },
  {
    name: "puts another runtime in Cordon's home",
    command: ({ home }: Places) =>
      `mkdir -p ${home}/runtime/bin && printf '#!/bin/sh\\nexit 0\\n' > ${home}/runtime/bin/node && chmod +x ${home}/runtime/bin/node`,
  },
];
interface Places {
  folder: string;
  home: string;
}

test.each(sampled(changes))("in a running session the gate still guards after the agent $name", async ({ command }) => {
  const { use, gate, folder, home } = await agent({ guarded: false });
  expect(await gate()).toBe(NOT_GRANTED);
  await use("bash", { command: command({ folder, home }) });
  expect(await gate()).toBe(NOT_GRANTED);
});

const writes: [name: string, path: (places: Places) => string][] = [
  ["the grants", ({ home }) => `${home}/grants.json`],
  ["the grants, through ..", ({ home }) => `${home}/audit/../grants.json`],
  ["the lock of the project", () => ".cordon/hooks.lock"],
  ["the same in capitals", () => ".CORDON/hooks.lock"],
  ["the project's hooks", () => ".pi/hooks/new.ts"],
  ["the project's settings", () => "./src/../.pi/settings.json"],
  ["the agent's settings", ({ folder }) => `${folder}/agent/settings.json`],
  ["a hook of the user's", ({ folder }) => `${folder}/agent/hooks/gate.ts`],
  ["the user's folder by ~", () => "~/.cordon/grants.json"],
  ["OpenClaw's settings", () => "~/.openclaw/openclaw.json"],
  ["a plugin of OpenClaw's", () => ".openclaw/extensions/openclaw-cordon/index.js"],
];

test.each(sampled(writes))("the guard blocks write and edit for %s", async (_name, path) => {
  const { use, folder, home, gate } = await agent({ guarded: true, allows: true });
  const place = path({ folder, home });
  for (const tool of ["write", "edit"])
    expect(await use(tool, { path: place, content: "x", oldText: "{}", newText: "x" })).toMatch(
      /^Blocked by hook guard: .*decides about hooks/,
    );
  expect(await gate()).toBe(NOT_GRANTED);
});

test("it asks about a link out of the project, and blocks after a no", async () => {
  const { use, home, ui } = await agent({ guarded: true });
  expect(await use("write", { path: "way-out/grants.json", content: "x" })).toMatch(/Blocked by hook guard/);
  expect(ui.shown.at(-1)).toMatchObject({ kind: "confirm", title: expect.stringContaining("through a link") });
  expect(existsSync(join(home, "grants.json"))).toBe(false);
});

const commands: [name: string, command: (places: Places) => string][] = [
  ["writes the grants", ({ home }) => `echo x > ${home}/grants.json`],
  ["names the folder", () => "cat ~/.cordon/x"],
  ["names it in quotes", () => `cat ~/.co'rd'on/x`],
  ["names it by a pattern", () => "rm -rf ~/.co*"],
  ["names it by a question mark", () => "rm -rf ~/.?ordon"],
  ["names the project's hooks", () => "rm -r .pi/hooks"],
  ["grants", () => "cordon grant gate fs"],
  ["grants in quotes", () => `"cor"don 'grant' gate fs`],
  ["grants through npx, with flags", () => "npx --yes cordon --json grant gate fs"],
  ["grants with the separator of the shell", () => "cordon${IFS}grant${IFS}gate"],
  ["accepts", () => "yes | cordon accept"],
  ["removes", () => "cordon remove gate"],
  ["takes another home", () => "CORDON_HOME=/tmp/x pi"],
  ["names OpenClaw's settings", () => "echo {} > ~/.openclaw/openclaw.json"],
];

test.each(sampled(commands))("the guard asks about a shell command that %s", async (_name, command) => {
  const { use, folder, home, ui } = await agent({ guarded: true });
  expect(await use("bash", { command: command({ folder, home }) })).toMatch(/^Blocked by hook guard: /);
  expect(ui.shown.filter(({ kind }) => kind === "confirm")).toHaveLength(1);
});

test("a command that a person allows runs", async () => {
  const { use, home } = await agent({ guarded: true, allows: true });
  await use("bash", { command: `echo seen > ${home}/note.txt` });
  expect(readFileSync(join(home, "note.txt"), "utf8")).toBe("seen\n");
});

test.each([
  "git status",
  "ls -la",
  "cat a.pi",
  "echo cordon",
  "cordon list",
  "cordon doctor",
  "cat .config/x",
  "ls src/*.ts",
])("it asks nothing about: %s", async (command) => {
  const { use, ui } = await agent({ guarded: true });
  await use("bash", { command });
  expect(ui.shown).toEqual([]);
});

test("it lets the agent write other files", async () => {
  const { use, work } = await agent({ guarded: true });
  await use("write", { path: "src/b.ts", content: "new" });
  await use("write", { path: "deep/er/c.ts", content: "new" });
  await use("edit", { path: "src/a.ts", oldText: "one", newText: "two" });
  expect(["src/b.ts", "deep/er/c.ts", "src/a.ts"].map((path) => readFileSync(join(work, path), "utf8"))).toEqual([
    "new",
    "new",
    "two",
  ]);
});
