import {
  appendFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Blocks, keptBlocks } from "../../src/audit/blocks.ts";
import type { AuditFact } from "../../src/audit/line.ts";
import { SourcePositions } from "../../src/bundle/source-positions.ts";
import { uniqueName } from "../../src/disk/process-owner.ts";
import { HookHost } from "../../src/host/host.ts";
import { whyLines } from "../../src/session/why.ts";
import { changeGrant } from "../../src/store/grants-file.ts";
import { Machine } from "../market/world.ts";
import { writeRecord } from "../report/home.ts";
import { cordon } from "../support/command.ts";
import { onToolCall, scriptedUi, startSession, temporaryFolder, writeFiles } from "../support/session.ts";

/** A hook of each dialect with two handlers, of which the one in line 4 blocks. */
const DIALECTS: Record<string, string> = {
  pi: `
export default (pi: any) => {
  pi.on("tool_call", () => undefined);
  pi.on("tool_call", async (event: any) => event.input.command === "pi" ? { block: true, reason: "by pi" } : undefined);
};`,
  openclaw: `import type { OpenClawPluginApi } from "openclaw/plugin-sdk";
export default { id: "x", register(api: OpenClawPluginApi) {
  api.on("before_tool_call", () => undefined);
  api.on("before_tool_call", (event: any) => event.params.command === "openclaw" ? { block: true, blockReason: "by openclaw" } : undefined);
} };`,
  interceptors: `export default (registry: any) => {
  const idle = { id: "a", name: "tool.before", handler: () => {} };
  registry.add(idle);
  registry.add({ id: "b", name: "tool.before", handler: async (input: any, output: any) => { if (output.args.command === "interceptors") { output.block = true; output.blockReason = "by interceptors"; } } });
};`,
  strands: `import { BeforeToolCallEvent } from "@strands-agents/sdk";
export default { name: "x", initAgent(agent: any) {
  agent.addHook(BeforeToolCallEvent, () => {});
  agent.addHook(BeforeToolCallEvent, (event: any) => { if (event.toolUse.input.command === "strands") event.cancel = "by strands"; });
} };`,
};

const NOT_HERE =
  "no command here finds this hook by that name: it was removed, or a program or a command line named it, and can leave it out; commands take its file";

test("why names the hook, the line of the handler, the input, the time and the way out", async () => {
  const session = await startSession({
    ...DIALECTS,
    interceptors: { source: DIALECTS.interceptors as string, manifest: { dialect: "interceptors", capabilities: {} } },
    broken: onToolCall('if (event.input.command === "throw") throw new Error("oops");'),
  });
  const home = join(session.folder, "home");
  const why = async (...args: string[]) => {
    const { code, stdout } = await cordon(["why", ...args, "--json"], { cwd: session.folder, home });
    return { code, blocks: code === 0 ? JSON.parse(stdout).blocks : [] };
  };
  for (const name of [...Object.keys(DIALECTS), "throw"]) await session.call({ command: name, secret: "s3cret" });

  const { code, blocks } = await why("--tail", "9");
  expect(code).toBe(0);
  expect(blocks.map(({ hook }: { hook: string }) => hook)).toEqual(["broken", ...Object.keys(DIALECTS).reverse()]);
  for (const name of Object.keys(DIALECTS)) {
    const block = blocks.find(({ hook }: { hook: string }) => hook === name);
    expect(block).toMatchObject({
      tool: "bash",
      reason: expect.stringContaining(`by ${name}`),
      at: expect.stringMatching(new RegExp(`/hooks/${name}\\.ts:4:\\d+$`)),
      input: { command: name, secret: "s3cret" },
    });
    // Only this test's host knows it by that name: commands take its file.
    expect(block.remedies).toContain(`cordon disable ${session.folder}/hooks/${name}.ts: goes on without this hook`);
  }
  expect(blocks[0]).toMatchObject({ code: "HOOK_THREW", reason: expect.stringContaining("oops") });

  expect((await why("strands")).blocks).toMatchObject([{ hook: "strands" }]);
  expect((await why()).blocks).toMatchObject([{ hook: "broken" }]);
  const { stdout } = await cordon(["why", "pi"], { cwd: session.folder, home });
  expect(stdout).toMatch(/^hook pi blocked bash on \d{4}-\d\d-\d\d at \d\d:\d\d:\d\d UTC\n +because: by pi\n/);
  expect(stdout).toMatch(/handler: .*pi\.ts:4:/);

  // Where the file is gone, no command finds it.
  rmSync(join(session.folder, "hooks", "openclaw.ts"));
  expect((await why("openclaw")).blocks[0].remedies).toEqual([NOT_HERE]);
  // Of a disabled hook, the way back is said.
  const interceptors = join(session.folder, "hooks", "interceptors.ts");
  changeGrant(join(home, "grants.json"), interceptors, (entry) => ({ ...entry, disabled: true }));
  expect((await why("interceptors")).blocks[0].remedies).toEqual([
    `cordon enable ${interceptors}: it is disabled, and blocks nothing until then`,
  ]);
  changeGrant(join(home, "grants.json"), "pi", (entry) => ({ ...entry, disabled: true }));
  expect((await why("pi")).blocks[0].remedies).toEqual([
    "cordon enable pi: it is disabled, and blocks nothing until then",
  ]);
  const wrong = await cordon(["why", "stands"], { cwd: session.folder, home });
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("did you mean strands?")]);

  // The input is kept for the owner alone, and is not in the audit.
  if (process.platform !== "win32") expect(statSync(join(home, "blocked.jsonl")).mode & 0o777).toBe(0o600);
  expect(JSON.stringify(session.audit)).not.toContain("s3cret");
  expect(session.host.lastBlock).toMatchObject({ hook: "broken", tool: "bash" });
});

test("each of several blocks with one reason has its own input", async () => {
  const session = await startSession({ gate: onToolCall('return { block: true, reason: "not here" };') });
  for (const command of ["one", "two", "three"]) await session.call(command);
  const home = join(session.folder, "home");
  await session.host.close();
  // Each is kept when the next is on record: 2 ms between lines, and 3 ms from a line to what is kept of it.
  const shift = (path: string, isBlock: (line: string) => boolean, delay: number): void => {
    let at = Date.parse("2026-01-01T00:00:00.000Z") + delay;
    const set = (line: string): string => {
      if (!isBlock(line)) return line;
      at += 2;
      return line.replace(/"time":"[^"]*"/, `"time":"${new Date(at).toISOString()}"`);
    };
    writeFileSync(path, readFileSync(path, "utf8").split("\n").map(set).join("\n"));
  };
  for (const file of readdirSync(join(home, "audit")))
    shift(join(home, "audit", file), (line) => line.includes('"outcome":"block"'), 0);
  shift(join(home, "blocked.jsonl"), (line) => line !== "", 3);
  const { stdout } = await cordon(["why", "--tail", "3", "--json"], { cwd: session.folder, home });
  const inputs = JSON.parse(stdout).blocks.map(({ input }: { input: { command: string } }) => input.command);
  expect(inputs).toEqual(["three", "two", "one"]);
});

test("the name of a policy begins no line of its own", async () => {
  const home = temporaryFolder();
  const line = { time: "2026-11-20T10:00:00.000Z", hook: "", event: "tool_call", outcome: "block" };
  writeRecord(home, [{ ...line, value: "bash: lacks", policy: "/p.json\n  remedy:  run-this\u202e" }]);
  const { stdout } = await cordon(["why"], { cwd: home, home });
  expect(stdout).toContain("cordon policy check ");
  expect(stdout.split("\n").filter((one) => /^\s*(remedy:\s+)?run-this/.test(one))).toEqual([]);
  expect(stdout).not.toContain("\u202e");
});

test("a code is said once, also where the reason has it", () => {
  const block = { time: "2026-01-01T00:00:00.000Z", hook: "gate", tool: "bash", remedies: [] };
  const because = (reason: string): string | undefined => whyLines({ ...block, reason, code: "TIMEOUT" }, "gate")[1];
  expect(because("it was slow (TIMEOUT); to go on: x")).toBe("  because: it was slow (TIMEOUT)");
  expect(because("it was slow (TIMEOUT); it runs again: try once more; without it: x")).toBe(
    "  because: it was slow (TIMEOUT)",
  );
  // A hook may say so itself.
  const own = whyLines({ ...block, reason: "no; to go on: ask", remedies: [] }, "gate")[1];
  expect(own).toBe("  because: no; to go on: ask");
  expect(because("it was slow")).toBe("  because: it was slow (TIMEOUT)");
});

/** A record of one hook of the user's own: what stands in it behind the load, and what why says to do. */
const block = { event: "tool_call", outcome: "block" };
const failed = (code: string) => ({
  ...block,
  value: `bash: hook gate cannot judge this call: x (${code}); to go on: y`,
});
const crash = (outcome: string) => ({ event: "crash", value: "x", outcome });
const pass = { event: "tool_call", value: "bash", outcome: "pass" };
test.each<[what: string, facts: Omit<AuditFact, "hook">[], code: string, restart: boolean]>([
  ["it timed out", [failed("TIMEOUT")], "TIMEOUT", false],
  ["it crashed, and was restarted", [crash("CPU_EXCEEDED"), failed("CPU_EXCEEDED")], "CPU_EXCEEDED", false],
  ["it crashed too often", [crash("CPU_EXCEEDED"), crash("stopped"), failed("CPU_EXCEEDED")], "CPU_EXCEEDED", true],
  ["it was stopped, and judges again", [crash("stopped"), failed("CRASHED"), pass], "CRASHED", false],
  [
    "it was stopped, and a trial of it passed",
    [crash("stopped"), failed("CRASHED"), { ...pass, trial: true } as never],
    "CRASHED",
    true,
  ],
  ["it did not load", [failed("LOAD_FAILED")], "LOAD_FAILED", true],
  ["it did not load, and was mended", [failed("LOAD_FAILED"), pass], "LOAD_FAILED", false],
])("a restart is said only where it helps: %s", async (_what, facts, code, restart) => {
  const home = temporaryFolder();
  const hook = join(home, "hooks", "gate.ts");
  writeFiles(home, { "hooks/gate.ts": onToolCall("") });
  const at = (second: number): string => `2026-01-31T10:00:0${second}.000Z`;
  writeRecord(home, [
    { hook, time: at(0), event: "load", outcome: "built" },
    ...facts.map((fact, second) => ({ hook, time: at(second + 1), ...fact })),
  ]);
  const blocked = facts.findIndex(({ outcome }) => outcome === "block");
  const reason = `hook gate cannot judge this call: x (${code}); to go on: y`;
  new Blocks(home).keep({ time: at(blocked + 1), hook, tool: "bash", reason, code, input: {} });
  // The process that wrote it still runs.
  const chain = "0".repeat(16);
  renameSync(join(home, "audit", "2026-01-31.jsonl"), join(home, "audit", `2026-01-31.${chain}.jsonl`));
  writeFileSync(join(home, "audit", `${chain}.${uniqueName()}.open`), "");
  const { stdout } = await cordon(["why"], { cwd: home, home });
  expect(stdout).toContain(`because: hook gate cannot judge this call: x (${code})\n`);
  expect(stdout.includes("cordon restart gate")).toBe(restart);
  expect(stdout.includes("try that again: there is nothing to restart")).toBe(!restart);
  expect(stdout).toContain("cordon disable gate");
});

test("where nothing was blocked, why says so", async () => {
  const home = temporaryFolder();
  const { code, stdout } = await cordon(["why"], { cwd: home, home });
  expect([code, stdout]).toEqual([0, "no call was blocked yet\n"]);
});

describe("what is kept", () => {
  const block = { time: "2026-01-01T00:00:00.000Z", hook: "gate", tool: "bash", reason: "no", input: {} };

  test.each([
    ["at the limit, an input is whole", 4000, false],
    ["over it, it is cut", 4001, true],
  ])("%s", (_name, length, isCut) => {
    const home = temporaryFolder();
    const input = { text: "x".repeat(length - '{"text":""}'.length) };
    new Blocks(home).keep({ ...block, input });
    expect(keptBlocks(home)).toEqual([{ ...block, input: isCut ? `${JSON.stringify(input).slice(0, 4000)}…` : input }]);
  });

  test("the file stays small, and has the newest", () => {
    const home = temporaryFolder();
    const blocks = new Blocks(home);
    for (let at = 0; at < 300; at++) blocks.keep({ ...block, reason: `${at}`, input: { text: "x".repeat(3000) } });
    expect(statSync(join(home, "blocked.jsonl")).size).toBeLessThan(270 * 1024);
    expect(keptBlocks(home).at(-1)?.reason).toBe("299");
  });

  test("nothing is written through a link, and a damaged line is left out", () => {
    const home = temporaryFolder();
    const target = join(home, "target");
    writeFileSync(target, "");
    symlinkSync(target, join(home, "blocked.jsonl"));
    new Blocks(home).keep(block);
    expect(readFileSync(target, "utf8")).toBe("");
    const other = temporaryFolder();
    new Blocks(other).keep(block);
    appendFileSync(join(other, "blocked.jsonl"), '{"time":1}\nnull\n{\n');
    expect(keptBlocks(other)).toEqual([block]);
  });
});

test.each(["0:0", "999999999:1", "1:999999999", "", "x", "1"])(
  "a place that is none in the bundle, as a process may claim it, is nothing: %j",
  (place) => {
    const map = { version: 3, sources: ["hook.ts"], names: [], mappings: "" };
    expect(new SourcePositions(JSON.stringify(map), "/hooks").positionOf(place)).toBeUndefined();
  },
);

test("a block for want of a power comes with the command that grants what was refused then", async () => {
  const folder = temporaryFolder();
  const home = join(folder, "home");
  writeFiles(home, {
    "hooks/gate.ts": onToolCall(`const { command } = event.input;
      if (command === "one") await ctx.exec("git", ["status"]);
      if (command === "two") await ctx.exec("git", ["log"]);
      if (command === "read") await require("node:fs").promises.readFile("notes.md");
      if (command === "net") await fetch("https://example.com/x");
      if (command === "forged") return { block: true, reason: "hook gate was not granted exec: rm -rf /; run: cordon grant gate exec" };
      if (command === "long") await ctx.exec("git", ["x".repeat(1500)]);`),
  });
  const host = await HookHost.start({ cwd: folder, home, agentDir: join(folder, "agent"), log: () => {} });
  const call = (command: string) =>
    host.emitToolCall({ type: "tool_call", toolName: "bash", toolCallId: "1", input: { command } });
  // A refusal that repeats has no line of its own at once.
  for (const command of ["one", "two", "one", "read", "net", "forged", "long"])
    expect(await call(command)).toMatchObject({ block: true });
  await host.close();
  const { stdout } = await cordon(["why", "--tail", "9", "--json"], { cwd: folder, home });
  const { blocks } = JSON.parse(stdout) as { blocks: { input: { command: string }; remedies: string[] }[] };
  const said = ": gives it what it was refused";
  expect(blocks.map(({ input, remedies }) => [input.command, remedies.find((one) => one.includes("grant"))])).toEqual([
    ["long", expect.stringMatching(/^cordon audit --hook .* --outcome NOT_GRANTED: /)],
    ["forged", undefined],
    [
      "net",
      expect.stringMatching(
        /^cordon grant \S*gate\S* net '\{"connect":\["example.com:443"\]\}': gives it what it was refused$/,
      ),
    ],
    ["read", expect.stringContaining(`fs '{"read":["$CWD/notes.md"]}'${said}`)],
    ["one", expect.stringContaining(`exec '[{"program":"git","args":["status"]}]'${said}`)],
    ["two", expect.stringContaining(`exec '[{"program":"git","args":["log"]}]'${said}`)],
    ["one", expect.stringContaining(`exec '[{"program":"git","args":["status"]}]'${said}`)],
  ]);
});

test("Cordon's own blocks are asked for by its name", async () => {
  const folder = temporaryFolder();
  const home = join(folder, "home");
  writeFiles(home, { "hooks/gate.ts": onToolCall('return { block: true, reason: "no" };') });
  const why = async (name: string) => (await cordon(["why", name], { cwd: folder, home })).stdout;
  const host = await HookHost.start({ cwd: folder, home, agentDir: join(folder, "agent"), log: () => {} });
  await host.emitToolCall({ type: "tool_call", toolName: "bash", toolCallId: "1", input: {} });
  expect(await why("cordon")).toBe("cordon blocked no call yet\n");
  await host.emitToolCall({ type: "tool_cal" } as never);
  await host.close();
  expect(await why("Cordon")).toMatch(
    /^Cordon blocked .*\n +because: the type of the event is not tool_call: tool_cal\n/,
  );
  expect(await why("gate")).toMatch(/^hook gate blocked bash /);
});

test("what became of a refusal since is said: granted, denied, or lost with the files", async () => {
  const folder = temporaryFolder();
  const home = join(folder, "home");
  const gate = join(home, "hooks", "gate.ts");
  const source = onToolCall('await ctx.exec("git", [event.input.command]);');
  writeFiles(home, { "hooks/gate.ts": source });
  const grant = (...words: string[]) =>
    changeGrant(join(home, "grants.json"), gate, (entry) => ({
      ...entry,
      capabilities: { events: { see: ["tool_call"] }, exec: words.map((word) => ({ program: "git", args: [word] })) },
      grantedAt: new Date().toISOString(),
    }));
  const judged = async (command: string, options = {}) => {
    const host = await HookHost.start({
      cwd: folder,
      home,
      agentDir: join(folder, "agent"),
      log: () => {},
      ...options,
    });
    const verdict = await host.emitToolCall({
      type: "tool_call",
      toolName: "bash",
      toolCallId: "1",
      input: { command },
    });
    await host.close();
    return verdict as { reason: string };
  };
  const remedy = async () =>
    JSON.parse((await cordon(["why", "--json"], { cwd: folder, home })).stdout).blocks[0].remedies[0];
  const command = `cordon grant gate exec '[{"program":"git","args":["status"]}]': gives it what it was refused`;

  grant("log");
  await judged("status");
  expect(await remedy()).toBe(command);
  grant("log", "status");
  expect(await remedy()).toBe("it is granted that now: sessions that start now have it");
  grant("log");
  await judged("status", { ui: scriptedUi(), consent: () => "deny" });
  expect(await remedy()).toMatch(
    /gives it what it was refused; on \d{4}-\d\d-\d\d at \d\d:\d\d:\d\d UTC it was denied when the agent asked$/,
  );

  const digest = "sha256-".padEnd(71, "0");
  changeGrant(join(home, "grants.json"), gate, (entry) => ({ ...entry, digest }));
  const { reason } = await judged("status");
  expect(reason).toContain(
    `was not granted exec: git status; its files changed since it was granted exec: look at them first; run: cordon grant ${gate} exec `,
  );
});

test("a block that an error caused has the line that it came from, and no other file", async () => {
  const session = await startSession({
    gate: `export default (pi: any) => {
      pi.on("tool_call", (event: any) => {
        if (event.input.command === "throw") throw new Error("oops");
        if (event.input.command === "forged") { const error = new Error("x"); error.stack = "Error: x at f (/etc/passwd:1:1) cordon-hook.js:1:1"; throw error; }
        return { blocked: true };
      });
    };`,
  });
  const at = async (command: string) => {
    expect(await session.call(command)).toMatchObject({ block: true });
    return session.host.lastBlock?.at?.slice(session.folder.length);
  };
  expect(await at("throw")).toBe("/hooks/gate.ts:3:52");
  expect(await at("typo")).toBe("/hooks/gate.ts:2:10");
  expect(await at("forged")).toBeUndefined();
});

test("an error in the hook's code is mended there, and neither restarted nor tried again", async () => {
  const machine = new Machine();
  writeFiles(machine.home, {
    "hooks/gate.ts": onToolCall(
      'if (event.input.command === "throw") throw new Error("oops"); return { blocked: true };',
    ),
  });
  await machine.served(["throw", "typo"]);
  const { blocks } = await machine.json<{ blocks: { code: string; remedies: string[] }[] }>(["why", "--tail", "2"]);
  const gate = join(machine.home, "hooks", "gate.ts");
  for (const [at, code] of ["BAD_RESULT", "HOOK_THREW"].entries())
    expect(blocks[at]).toMatchObject({
      code,
      remedies: [
        expect.stringMatching(new RegExp(`^read ${gate}:\\d+:\\d+: it failed there$`)),
        "mend its code: the same call may fail again",
        "cordon disable gate: goes on without this hook",
      ],
    });
});

test("why says whether the policy that refused a power forbids it still", async () => {
  const machine = new Machine();
  const gate = join(machine.home, "hooks", "gate.ts");
  const capabilities = (grant: object) => ({
    version: 1,
    hooks: { [gate]: { capabilities: { events: { see: ["tool_call"], block: true }, ...grant } } },
  });
  writeFiles(machine.home, { "hooks/gate.ts": onToolCall('await ctx.exec("git", ["status"]);') });
  const grants = (grant: object) => writeFiles(machine.home, { "grants.json": JSON.stringify(capabilities(grant)) });
  const status = [{ program: "git", args: ["status"] }];
  const policy = (maximum: object) => machine.file("p1.json", JSON.stringify({ version: 1, maximum }));
  const file = policy({ ui: ["notify"] });
  const other = machine.file("p2.json", JSON.stringify({ version: 1, maximum: {} }));
  const remedies = async (env = {}) => {
    const { stdout } = await machine.run(["why", "--json"], { env });
    return JSON.parse(stdout).blocks[0].remedies as string[];
  };
  const WITHOUT = "cordon disable gate: goes on without this hook";
  const GRANT = `cordon grant gate exec '${JSON.stringify(status)}': gives it what it was refused`;
  const forbids = (path: string) => [`only who wrote the policy ${path} can allow it: a grant cannot`, WITHOUT];
  grants({});
  await machine.served(["status"], [], { CORDON_POLICY: file });

  expect(await remedies()).toEqual(forbids(file));
  policy({ exec: [{ program: "git", args: ["log"] }] });
  expect(await remedies()).toEqual(forbids(file));
  policy({ exec: [{ program: "git", args: [{ kind: "text" }] }] });
  expect(await remedies()).toEqual([`the policy ${file} did not allow it then, and allows it now`, GRANT, WITHOUT]);
  expect(await remedies({ CORDON_POLICY: other })).toEqual(forbids(other));
  rmSync(file);
  const gone = `the policy ${file} did not allow it then, and is gone`;
  expect(await remedies()).toEqual([gone, GRANT, WITHOUT]);
  grants({ exec: status });
  expect(await remedies()).toEqual([gone, "it is granted that now: sessions that start now have it", WITHOUT]);
});

test.each([
  ["grants", "grants.json", '{"version":1,"hook":{}}', ': unknown key "hook"'],
  ["a lock", "hooks.lock", "{", ": not JSON"],
])("why says first that it cannot read %s, and then the blocks", async (_what, file, text, fault) => {
  const machine = new Machine();
  writeFiles(machine.home, { "hooks/gate.ts": onToolCall('return { block: true, reason: "no" };') });
  await machine.served(["ls"]);
  writeFiles(machine.home, { [file]: text });
  const problem = `${join(machine.home, file)}${fault}`;
  const { code, stdout } = await machine.run(["why"]);
  expect(code).toBe(0);
  expect(stdout).toContain(`careful: no session starts now, and what agents ask is blocked: ${problem}`);
  expect(stdout).toMatch(/^hook \S*gate\S* blocked bash on /m);
  expect(await machine.json(["why", "gate"])).toMatchObject({
    problem: expect.stringContaining(problem),
    blocks: [{ reason: "no" }],
  });
});
