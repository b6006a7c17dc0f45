import { type ChildProcess, spawnSync } from "node:child_process";
import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { entryScript } from "../../src/agents/command/entry-script.ts";
import { builtForHost } from "../../src/base/package-root.ts";
import { sha256 } from "../../src/bundle/digest.ts";
import { runFolder, socketPath } from "../../src/disk/daemon-places.ts";
import { statusOf } from "../../src/disk/process-status.ts";
import { cordon } from "../support/command.ts";
import { sampled } from "../support/length.ts";
import { needs } from "../support/needs.ts";
import { newFolder, onToolCall, writeFiles } from "../support/session.ts";
import { DAEMON_FAILURES, type Failure, move, setMode } from "./failures.ts";
import { blockOf, type Ended, type Way, World } from "./world.ts";

const hasBash = spawnSync("bash", ["-c", ""]).status === 0;

const HOOKS = {
  gate: onToolCall(
    `if (event.input.command === "no") return { block: true, reason: "no" };
     if (String(event.input.command).startsWith("no: ")) {
       const digest = createHash("sha256").update(event.input.command).digest("hex");
       return { block: true, reason: "heard " + digest + " é" };
     }`,
    'import { createHash } from "node:crypto";',
  ),
};

type Parts = Partial<Parameters<typeof entryScript>[0]>;

/** Puts an entry script in place whose parts are these. No daemon runs that could be asked without them. */
async function withScript(world: World, parts: Parts): Promise<void> {
  await world.stop();
  useScript(world, parts);
}

function useScript(world: World, parts: Parts): void {
  const script = entryScript({
    home: world.home,
    node: process.execPath,
    shim: builtForHost("shim.mjs"),
    start: builtForHost("cli", "start.js"),
    quick: world.quick,
    ...parts,
  });
  const before = readFileSync(world.script);
  writeFileSync(world.script, script);
  onTestFinished(() => writeFileSync(world.script, before));
}

/** A program in place of Node, as a script of sh. */
function programOf(world: World, name: string, body: string): string {
  const path = join(world.folder, name);
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Each parser puts another character in the place of its byte 0xe9. */
const NOT_UTF8 = Buffer.from(
  '{"session_id":"s","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"\u00e9"}}',
  "latin1",
);

/** What can be wrong between an agent and the verdict. */
const FAILURES: Failure[] = [
  { name: "the entry's script is gone", arrange: (world) => move(world.script) },
  { name: "the script cannot be run", arrange: (world) => setMode(world.script, 0o644) },
  { name: "Node is gone", arrange: (world) => withScript(world, { node: "/nowhere/node" }) },
  { name: "the shim is gone", arrange: (world) => withScript(world, { shim: "/nowhere/shim.mjs" }) },
  ...["exit 1", "exit 3", "exit 127", "exit 133", "kill -9 $$", "kill -TERM $$", "kill -SEGV $$"].map(
    (end, at): Failure => ({
      name: `Node ends with ${end}`,
      arrange: (world) => withScript(world, { node: programOf(world, `node-${at}`, `echo '{}'; ${end}`) }),
    }),
  ),
  {
    name: "the daemon cannot be started",
    arrange: (world) => withScript(world, { start: "/nowhere/start.js" }),
  },
  {
    name: "the home is too deep for a socket",
    arrange: (world) => withScript(world, { home: `/tmp/${"deep/".repeat(30)}` }),
  },
  ...DAEMON_FAILURES,
  { name: "the event is empty", arrange: () => {}, text: "" },
  { name: "the event is no JSON", arrange: () => {}, text: "{" },
  { name: "the event is not UTF-8", arrange: () => {}, text: NOT_UTF8 },
  { name: "the event is larger than any", arrange: () => {}, text: JSON.stringify({ a: "x".repeat(13_000_000) }) },
];

/** A call of each agent whose block has a form of its own, and how that form reads. */
const AGENTS: { agent: string; event: string; call: object; isBlock(ended: Ended): boolean }[] = [
  {
    agent: "claude-code",
    event: "PreToolUse",
    call: {
      session_id: "s",
      cwd: "/",
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: { command: "ls" },
    },
    isBlock: ({ exit, stderr }) => exit === 2 && stderr !== "",
  },
  {
    agent: "cline",
    event: "tool_call",
    call: { hookName: "tool_call", taskId: "s", tool_call: { name: "x", input: {} }, workspaceRoots: ["/"] },
    isBlock: ({ exit, stdout }) => exit === 0 && JSON.parse(stdout).cancel === true,
  },
  {
    agent: "antigravity",
    event: "PreToolUse",
    call: { toolCall: { name: "x", args: {} }, workspacePaths: ["/"] },
    isBlock: ({ exit, stdout }) => exit === 0 && JSON.parse(stdout).decision === "deny",
  },
];

/** Each agent asks by curl, and Claude Code also on a system that has none, and none of Perl either. */
const WAYS = [
  ...AGENTS.map((one) => ({ ...one, by: "curl" as const })),
  ...AGENTS.slice(0, 1).flatMap((one) => [
    { ...one, by: "perl" as const },
    { ...one, by: "Node" as const },
  ]),
];

describe.each(WAYS)("$agent, by $by", ({ agent, event, call, isBlock, by }) => {
  const world = new World(HOOKS, {}, by);
  const ask = (way: Way = {}, text: string | Buffer = JSON.stringify(call)) =>
    world.run(agent, event, text, { waitMs: 3000, ...way });

  test("passes when nothing is wrong", async () => {
    const ended = await ask({ waitMs: 60_000 });
    expect([ended.exit, isBlock.length > 0 && ended.stdout.includes("cancel"), ended.stdout.includes("deny")]).toEqual([
      0,
      false,
      false,
    ]);
  });

  test.each(sampled(FAILURES, agent === "claude-code" && by === "curl" ? 2 : 8))(
    "blocks when $name",
    async ({ arrange, text }) => {
      await arrange(world);
      const ended = await ask({}, text);
      expect([ended, isBlock(ended)]).toEqual([ended, true]);
    },
  );

  test("blocks at a gate for an event that it does not know, and goes on at a note", async () => {
    for (const unknown of ["PreToolUze", ""]) {
      const text = JSON.stringify({ ...call, hook_event_name: unknown || "PreToolUze", hookName: unknown || "x" });
      const ended = await world.run(agent, unknown, text, { waitMs: 60_000 });
      expect([ended, isBlock(ended)]).toEqual([ended, true]);
      expect(await world.run(agent, unknown, text, { kind: "note" })).toMatchObject({ exit: 0 });
    }
  });

  test.each(sampled(FAILURES, 12))("an event that decides nothing goes on when $name", async ({ arrange, text }) => {
    await arrange(world);
    expect(await ask({ kind: "note" }, text)).toMatchObject({ exit: 0, stdout: "" });
  });
});

/** Where a module of Perl's lies that lets everything pass. */
const MODULES = newFolder();
writeFiles(MODULES, { "Socket.pm": 'print "0\n\n."; exit 0;' });
afterAll(() => rmSync(MODULES, { recursive: true }));

describe.each(["curl", "perl", "Node"] as const)("a session, by %s", (by) => {
  const world = new World(HOOKS, {}, by);
  const command = (text: string, way: Way = {}) => world.bash(text, "s", way);

  test.each([
    ["NODE_OPTIONS", "--require /nowhere.cjs"],
    ["NODE_OPTIONS", "--max-old-space-size=1"],
    ["NODE_V8_COVERAGE", "/dev/full"],
    ["NODE_CHANNEL_FD", "77"],
    ["LD_PRELOAD", "/nowhere.so"],
    ["PATH", ""],
    ["NODE_PENDING_DEPRECATION", "1"],
    ["NODE_DEBUG", "net"],
    ["http_proxy", "http://127.0.0.1:9"],
    ["ALL_PROXY", "socks5://127.0.0.1:9"],
    ["HOME", "/work-with-a-curlrc"],
    ["CDPATH", "/"],
    ["IFS", "0n"],
    ["PERL5LIB", MODULES],
    ["PERLLIB", MODULES],
    ["PERL5OPT", `-I${MODULES}`],
    ["PERL_MEM_LOG", "1"],
    ["PERLIO", ":utf8"],
    ["PERL_UNICODE", "SAD"],
    ["PERL_SIGNALS", "unsafe"],
  ])("with %s=%s in the agent's environment is judged as ever", async (name, value) => {
    expect(blockOf(await command("no", { env: { [name]: value } }))).toMatch(/hook .*: no/);
    expect(blockOf(await command("fine", { env: { [name]: value } }))).toBeUndefined();
  });

  test.each([
    ["LD_TRACE_LOADED_OBJECTS", "1"],
    ["LD_DEBUG", "help"],
  ])("is judged as ever with %s=%s, where sh has no loader that heeds it", async (name, value) => {
    const input = world.event("PreToolUse", "s", "Bash", { command: "no" });
    await command("fine");
    // This shell has started when the variable comes.
    const line = `set -- claude-code gate PreToolUse 60000; export ${name}=${value}; . "$SCRIPT"`;
    const env = { PATH: "/usr/bin:/bin", SCRIPT: world.script };
    const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", line], {
      ...{ cwd: world.work, env, input, encoding: "utf8" },
    });
    expect([status, stdout + stderr]).toEqual([expect.anything(), expect.stringContaining(": no")]);
  });

  test(
    "is judged as ever where bash is the shell, and its environment has functions",
    needs(!hasBash && "bash"),
    async () => {
      const input = world.event("PreToolUse", "s", "Bash", { command: "no" });
      // The daemon runs.
      await command("fine");
      for (const name of ["printf", "cd", "echo", "["]) {
        const env = { PATH: "/usr/bin:/bin", [`BASH_FUNC_${name}%%`]: "() { exit 0; }" };
        const args = ["--posix", world.script, "claude-code", "gate", "PreToolUse", "60000"];
        const { status, stdout, stderr } = spawnSync("bash", args, { cwd: world.work, env, input, encoding: "utf8" });
        expect([name, status, stdout + stderr]).toEqual([name, expect.anything(), expect.stringContaining(": no")]);
      }
    },
  );

  test("goes on when its daemon died, and its hooks with it", async () => {
    expect(blockOf(await command("no"))).toContain(": no");
    await world.kill();
    expect(blockOf(await command("no"))).toContain(": no");
    expect(blockOf(await command("fine"))).toBeUndefined();
  });

  test("passes no call without a hook that guarded it before the daemon died", async () => {
    await command("fine");
    await world.kill();
    move(world.hook("gate"));
    expect(blockOf(await command("fine"))).toMatch(/guarded this session/);
    expect(blockOf(await world.bash("fine", "another"))).toBeUndefined();
  });

  test("goes on with what it has when a grants file breaks, and none begins", async () => {
    const open = (text: string) => world.bash(text, "open");
    await open("fine");
    const grants = join(world.home, "grants.json");
    const before = readFileSync(grants);
    writeFileSync(grants, "{");
    onTestFinished(() => writeFileSync(grants, before));
    expect(blockOf(await open("no"))).toContain(": no");
    expect(blockOf(await open("fine"))).toBeUndefined();
    expect(blockOf(await world.bash("fine", "new"))).toMatch(/grants\.json/);
  });

  test("has its folder's hooks wherever the agent goes", async () => {
    await command("fine");
    const text = world.event("PreToolUse", "s", "Bash", { command: "no" }, { cwd: "/" });
    await world.stop();
    expect(blockOf(await world.run("claude-code", "PreToolUse", text, { cwd: "/" }))).toContain(": no");
  });
});

describe("cordon hook itself", () => {
  const world = new World(HOOKS);

  test("has what its environment has for Node: only entries drop that", async () => {
    const input = world.event("PreToolUse", "s", "Bash", { command: "no" });
    const hook = (env: NodeJS.ProcessEnv) =>
      cordon(["hook", "claude-code"], { cwd: world.work, home: world.home, input, env });
    expect(await hook({})).toMatchObject({ code: 0, stdout: expect.stringContaining(": no") });
    expect(await hook({ NODE_OPTIONS: "--require /nowhere.cjs" })).toMatchObject({ code: 1 });
  });
});

describe.each(["curl", "perl"] as const)("what is asked by %s", (by) => {
  const world = new World(HOOKS, {}, by);
  /** The entry without Node, at a daemon that knows the session. */
  const withoutNode = async (): Promise<void> => {
    expect(blockOf(await world.bash("fine"))).toBeUndefined();
    useScript(world, { node: "/nowhere/node" });
  };

  test("needs no start of Node", async () => {
    await withoutNode();
    expect(blockOf(await world.bash("no"))).toContain(": no");
    expect(blockOf(await world.bash("fine"))).toBeUndefined();
  });

  test.each([
    ["letters of every kind", "é ü 漢字 🎉 %s %n \\0 '\"$(exit 3)"],
    ["lines", "a\n\nb\n"],
    ["a megabyte", "x".repeat(1_000_000)],
  ])("arrives as it is: %s", async (_what, text) => {
    await withoutNode();
    expect(blockOf(await world.bash(`no: ${text}`))).toContain(`: heard ${sha256(`no: ${text}`)} é`);
  });

  test("is a failure where Node is wanted and gone", async () => {
    await withoutNode();
    await world.stop();
    expect(blockOf(await world.bash("fine"))).toContain("failed");
  });
});

describe.each(["curl", "perl"] as const)("a call that hooks are judging, asked by %s", (by) => {
  const world = new World(
    { slow: onToolCall('if (event.input.command === "ls") await new Promise(() => {});') },
    {},
    by,
  );
  const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));
  /** Resolves when hooks are at it. */
  const judged = async (way: Way = {}): Promise<{ ended: Promise<Ended> }> => {
    const ended = world.bash("ls", "s", way);
    while (!(await world.status())?.sessions.length) await pause(20);
    await pause(1000);
    return { ended };
  };

  test("is blocked when the daemon dies", async () => {
    const { ended } = await judged();
    await world.kill();
    expect(await ended).toMatchObject({ exit: 2, stderr: expect.stringContaining("before it answered") });
  });

  test("is given up when the agent is", async () => {
    let agent: ChildProcess | undefined;
    await judged({
      running: (child) => {
        agent = child;
      },
    });
    agent?.kill("SIGKILL");
    // The next call of the session waits for no other.
    expect(blockOf(await world.bash("quick", "s", { waitMs: 10_000 }))).toBeUndefined();
  });
});

describe("a daemon that nobody can reach", () => {
  const world = new World(HOOKS);

  test.each([
    ["its folder is gone", () => rmSync(runFolder(world.home), { recursive: true })],
    ["its socket is another one", () => renameSync(socketPath(world.home), `${socketPath(world.home)}.old`)],
  ])("ends when %s, and the next call has another one", async (_what, take) => {
    expect(blockOf(await world.bash("no"))).toContain(": no");
    const before = (await world.status())?.pid as number;
    take();
    await expect.poll(() => statusOf(before), { timeout: 20_000, interval: 200 }).toBeUndefined();
    expect(blockOf(await world.bash("no"))).toContain(": no");
    expect((await world.status())?.pid).not.toBe(before);
  });
});

describe("several shims at once", () => {
  const world = new World(HOOKS);

  test("start one daemon", async () => {
    const ended = await Promise.all(Array.from({ length: 8 }, (_, at) => world.bash(at % 2 ? "no" : "fine", `s${at}`)));
    expect(ended.map((one) => blockOf(one) !== undefined)).toEqual([
      false,
      true,
      false,
      true,
      false,
      true,
      false,
      true,
    ]);
    const log = readFileSync(join(runFolder(world.home), "daemon.log"), "utf8");
    expect(log.match(/started/g)).toHaveLength(1);
  });
});
