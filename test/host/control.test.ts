import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ToolResultEvent } from "../../src/hook-api.ts";
import type { HookHost } from "../../src/host/host.ts";
import type { ConsentAnswer, ConsentQuestion } from "../../src/session/consent.ts";
import { on, onToolCall, scriptedUi, startSession, temporaryFolder, writeFiles } from "../support/session.ts";

const GATE = onToolCall(`
  if (event.input.command === "no") return { block: true, reason: "said no" };
  if (event.input.command === "read") { try { require("node:fs").readFileSync("/etc/hostname"); return { block: true, reason: "read" }; } catch (error: any) { return { block: true, reason: error.message }; } }
  if (event.input.command === "loop") for (;;) ;
`);
const FS = { read: ["/etc/hostname"] };

/** A host whose person gives these answers, and what they were asked. */
async function asked(
  answers: ConsentAnswer[],
  options: Parameters<typeof startSession>[1] = {},
  hooks: Parameters<typeof startSession>[0] = { gate: GATE },
) {
  const questions: ConsentQuestion[] = [];
  const consent = (question: ConsentQuestion): ConsentAnswer => {
    questions.push(question);
    return answers.shift() ?? "deny";
  };
  const session = await startSession(hooks, { ui: scriptedUi(), consent, ...options });
  const info = () => session.host.hooks[0];
  return { ...session, questions, info };
}

describe("what a person changes while a session runs", () => {
  test("a grant asks each time, and holds as long as they say", async () => {
    const { host, call, questions, info, folder } = await asked(["deny", "session", "always"]);
    expect(await host.grant("gate", "fs", FS)).toBe("deny");
    expect(info()?.capabilities).not.toHaveProperty("fs");
    expect(await host.grant("gate", "fs", FS)).toBe("session");
    expect(info()?.capabilities.fs).toEqual(FS);
    expect(await call("read")).toMatchObject({ reason: "read" });
    expect(await host.grant("gate", "fs", FS)).toBe("always");
    const stored = () => JSON.parse(readFileSync(join(folder, "home", "grants.json"), "utf8")).hooks.gate;
    expect(stored().capabilities.fs).toEqual(FS);
    expect(questions).toHaveLength(3);
    expect(questions[0]).toMatchObject({ hook: "gate", capability: "fs", answers: ["deny", "session", "always"] });
    expect(questions[0]?.text).toContain("Grant hook gate this: fs");
    await host.revoke("gate", "fs");
    expect(info()?.capabilities).not.toHaveProperty("fs");
    expect(stored().capabilities).not.toHaveProperty("fs");
    await expect(host.revoke("gate", "fs")).rejects.toThrow("gate was not granted fs; it has: events");
  });

  // biome-ignore format: a table
  test.each<[claim: string, ask: object, says: RegExp]>([
    ["consent that throws",           { consent: () => { throw new Error("no screen"); } }, /a person could not be asked, so the answer is no: no screen/],
    ["consent that answers a number", { consent: () => 1 },                                 /answered none of: deny, session, always/],
    ["select that rejects",           { ui: { ...scriptedUi(), select: () => Promise.reject(new Error("no screen")) } }, /no screen/],
    ["select that answers a number",  { ui: { ...scriptedUi(), select: async () => 1 } },   /gave none of the options that it was given/],
  ])("%s is a denial, and says why", async (_claim, ask, says) => {
    const { host, log } = await startSession({ gate: GATE }, { ui: scriptedUi(), hasUI: true, ...(ask as object) });
    expect(await host.grant("gate", "fs", FS)).toBe("deny");
    expect(log.filter(({ level }) => level === "error")).toEqual([expect.objectContaining({ hook: "gate", text: expect.stringMatching(says) })]);
  });

  test("a dialog that is cancelled is a denial, and no failure", async () => {
    const { host, log } = await startSession({ gate: GATE }, { ui: scriptedUi(), hasUI: true });
    expect(await host.grant("gate", "fs", FS)).toBe("deny");
    expect(log).toEqual([]);
  });

  test("a query of the audit with a mistyped key is refused", async () => {
    const { host } = await startSession({ gate: GATE });
    await expect(host.audit({ hooks: "gate" } as never)).rejects.toMatchObject({
      code: "BAD_GRANT",
      message: expect.stringContaining("unknown key hooks; allowed: hook, power"),
    });
  });

  test("of two hooks whose files have one name, a question says which asks", async () => {
    const folder = temporaryFolder();
    writeFiles(folder, { "one/gate.ts": GATE, "two/gate.ts": GATE, "two/other.ts": GATE });
    const paths = ["one/gate.ts", "two/gate.ts", "two/other.ts"].map((name) => join(folder, name));
    const { host, questions } = await asked(["deny", "deny", "deny"], { hooks: paths }, {});
    for (const path of paths) await host.grant(path, "fs", FS);
    const named = questions.map(({ text }) => /Grant hook (\S+) this/.exec(text)?.[1]);
    expect(named).toEqual([paths[0], paths[1], "other.ts"]);
  });

  test("a reload does not undo that a person disabled a hook", async () => {
    const { host, info } = await asked(["session"]);
    await host.disable("gate");
    await host.reload();
    expect(info()).toMatchObject({ state: "stopped", disabled: true });
    await expect(host.reload("gate")).rejects.toMatchObject({
      code: "BAD_GRANT",
      message: expect.stringContaining("enable"),
    });
    expect(info()).toMatchObject({ state: "stopped", disabled: true });
  });

  test("an answer that nobody offered is a denial", async () => {
    const { host, info } = await asked(["once", "yes" as ConsentAnswer, "once"]);
    for (let time = 0; time < 2; time++) expect(await host.grant("gate", "fs", FS)).toBe("deny");
    expect(await host.disable("gate")).toBe(false);
    expect(info()).toMatchObject({ disabled: false });
    expect(info()?.capabilities).not.toHaveProperty("fs");
  });

  test("a hook that asked too often keeps no person from granting", async () => {
    const { host } = await asked(Array(40).fill("deny").concat("session"));
    for (let time = 0; time < 40; time++) expect(await host.grant("gate", "fs", FS)).toBe("deny");
    expect(await host.grant("gate", "fs", FS)).toBe("session");
  });

  test("a limit restarts the hook with it, and its revocation without", async () => {
    const { host, call, info } = await asked(
      ["session"],
      {},
      {
        gate: onToolCall("return { block: true, reason: String((globalThis as any).WebAssembly === undefined) };"),
      },
    );
    expect(await host.grant("gate", "limits", { wasm: true })).toBe("session");
    expect(info()?.limits).toEqual({ wasm: true, jit: true });
    expect(await call()).toMatchObject({ reason: "false" });
    await host.revoke("gate");
    expect(info()).not.toHaveProperty("limits");
    expect(await call()).toMatchObject({ reason: "true" });
  });

  test("a guard is disabled by a person alone, and comes back without one", async () => {
    const { host, call, questions, info, audit } = await asked(["deny", "session"]);
    expect(await host.disable("gate")).toBe(false);
    expect(await call("no")).toMatchObject({ block: true });
    expect(await host.disable("gate")).toBe(true);
    expect(questions[0]?.text).toContain("it guards tool calls, which then pass without it");
    expect([info()?.disabled, host.hasHandlers("tool_call"), await call("no")]).toEqual([true, false, undefined]);
    await host.enable("gate");
    expect([info()?.disabled, await call("no")]).toEqual([false, expect.objectContaining({ block: true })]);
    const told = audit.filter(({ event }) => event === "decision").map(({ outcome }) => outcome);
    expect(told).toEqual(["consent: deny", "disabled", "enabled"]);
  });

  test("where there is nobody to ask, nothing is widened, and what narrows goes on", async () => {
    const { host, questions } = await asked(["always", "session"], { hasUI: false });
    await expect(host.grant("gate", "fs", FS)).rejects.toThrow("nobody to ask");
    await expect(host.disable("gate")).rejects.toThrow("nobody to ask");
    await host.revoke("gate");
    expect(questions).toEqual([]);
  });

  test.each([
    ["grant", (host: HookHost) => host.grant("nobody", "fs", FS)],
    ["revoke", (host: HookHost) => host.revoke("nobody")],
    ["disable", (host: HookHost) => host.disable("nobody")],
    ["enable", (host: HookHost) => host.enable("nobody")],
  ] as const)("%s refuses an unknown hook", async (_name, act) => {
    const { host } = await asked([]);
    await expect((async () => act(host))()).rejects.toThrow("no hook has the id nobody");
  });
});

test("what a host says of a hook: powers, blocks, last use, memory", async () => {
  const { host, call, info } = await asked([]);
  expect(info()).toMatchObject({ disabled: false, blocks: 0, capabilities: { events: { block: true } } });
  expect(info()).not.toHaveProperty("lastUse");
  const before = Date.now();
  await call("ls");
  await call("no");
  await call("no");
  expect(info()?.blocks).toBe(2);
  expect(Date.parse(info()?.lastUse ?? "")).toBeGreaterThanOrEqual(before);
  expect(info()).not.toHaveProperty("memory");
  const [measured] = await host.measure();
  expect(measured?.memory).toBeGreaterThan(100_000);
  Object.assign(info()?.capabilities ?? {}, { fs: { read: ["/**"] } });
  expect(host.grants.of("gate")).not.toHaveProperty("fs");
});

test("the audit is read by hook, power, outcome, time and number", async () => {
  const { host, call } = await asked(
    [],
    { agentName: "tester", agentVersion: "1.2" },
    { gate: GATE, other: on("turn_start", "") },
  );
  await call("read");
  await call("no");
  const all = await host.audit();
  expect(all[0]).toMatchObject({ event: "start", value: "tester 1.2", outcome: "started", hook: "" });
  expect(new Set((await host.audit({ hook: "other" })).map(({ hook }) => hook))).toEqual(new Set(["other"]));
  expect((await host.audit({ power: "fs" })).map(({ outcome }) => outcome).sort()).toEqual([
    "NOT_GRANTED",
    "consent: deny",
  ]);
  expect(await host.audit({ outcome: "block" })).toHaveLength(2);
  expect(await host.audit({ outcome: "block", limit: 1 })).toMatchObject([{ value: "bash: said no" }]);
  expect(await host.audit({ since: new Date(Date.now() + 60_000).toISOString() })).toEqual([]);
  expect((await host.audit({ since: "today" })).length).toBeGreaterThan(0);
  await expect(host.audit({ since: "soon" })).rejects.toMatchObject({ code: "BAD_GRANT" });
  expect(await host.audit({ limit: 0 })).toEqual([]);
});

// biome-ignore format: a table
const REMEDIES: readonly [remedy: object | string | undefined, restart: string, grant: string][] = [
  [undefined, "to go on: mend it, then cordon restart PATH or cordon disable PATH", "run: cordon grant PATH fs"],
  ["/cordon restart", "to go on: mend it, then /cordon restart gate", "run: cordon grant PATH fs"],
  [{ restart: "/hooks restart", grant: "/hooks grant" }, "to go on: mend it, then /hooks restart gate or cordon disable PATH", "run: /hooks grant gate fs"],
];
test.each(REMEDIES)("with the remedy %j texts say what to type", async (remedy, restart, grant) => {
  const options = remedy === undefined ? {} : { remedy };
  const { call, folder } = await startSession({ gate: GATE }, options);
  // Commands do not know what a program calls a hook that it names.
  const typed = (text: string, folder: string): string => text.replaceAll("PATH", join(folder, "hooks", "gate.ts"));
  expect(await call("read")).toMatchObject({ reason: expect.stringContaining(typed(grant, folder)) });
  const down = await startSession({ gate: 'throw new Error("broken");' }, options);
  const verdict = (await down.call()) as { block: boolean; reason: string };
  expect(verdict.block).toBe(true);
  expect(verdict.reason.endsWith(typed(restart, down.folder)), verdict.reason).toBe(true);
});

test("a hook that is restarted by itself is not to be restarted", async () => {
  const { call, host } = await startSession({ gate: { source: GATE, grant: { limits: { cpuMs: 300 } } } });
  const without = "; without it: cordon disable \\S+/gate\\.ts";
  for (let time = 0; time < 2; time++)
    expect(await call("loop")).toMatchObject({
      reason: expect.stringMatching(new RegExp(`\\([A-Z_]+\\); it runs again: try once more${without}$`)),
    });
  expect(await call()).toBeUndefined();
  expect(await call("loop")).toMatchObject({
    reason: expect.stringMatching(/\([A-Z_]+\); to go on: cordon restart (\S+\/gate\.ts) or cordon disable \1$/),
  });
  expect(host.hooks[0]?.state).toBe("stopped");
});

test("a hook whose code has to change is not to be tried once more", async () => {
  const { call, host } = await startSession({ gate: onToolCall("return { blocked: true };") });
  for (let time = 0; time < 2; time++)
    expect(await call()).toMatchObject({
      reason: expect.stringMatching(/\(BAD_RESULT\); to go on: mend its code or cordon disable \S+\/gate\.ts$/),
    });
  expect(host.hooks[0]?.state).toBe("active");
});

describe("the agent's own names of tools", () => {
  const hooks = {
    gate: {
      source: onToolCall(`
        if (event.toolName === "bash" && event.input.command === "no") return { block: true, reason: "no bash" };
        if (event.toolName === "exec") return { block: true, reason: "heard exec" };
        if (event.toolName === "bash") event.input.command = event.input.command + " --safe";`),
      grant: { capabilities: { events: { see: ["tool_call", "tool_result"], block: true, rewriteInput: ["bash"] } } },
    },
    results: {
      source: on(
        "tool_result",
        'return event.toolName === "bash" ? { content: [{ type: "text", text: "seen as bash" }] } : undefined;',
      ),
      grant: { capabilities: { events: { see: ["tool_result"], rewriteResult: ["bash"] } } },
    },
  };
  const toolNames = { exec: "bash", view: "read" };

  test("a call is judged, rewritten and blocked by its canonical name", async () => {
    const { call, host, audit } = await startSession(hooks, { toolNames });
    expect(await call({ command: "no" }, "exec")).toMatchObject({ block: true, reason: "no bash" });
    expect(await call({ command: "ls" }, "exec")).toEqual({ input: { command: "ls --safe" } });
    expect(audit.filter(({ outcome }) => outcome === "block")).toMatchObject([{ value: "bash: no bash" }]);
    const event: ToolResultEvent = {
      type: "tool_result",
      toolName: "exec",
      toolCallId: "1",
      input: {},
      content: [],
      isError: false,
    };
    expect(await host.emitToolResult(event)).toMatchObject({ changedBy: ["results"] });
    expect(await host.emit(event)).toMatchObject({ content: [{ text: "seen as bash" }] });
  });

  test("without them the gate does not match: that is the hole", async () => {
    const { call } = await startSession({
      gate: { ...hooks.gate, source: hooks.gate.source.replace("heard exec", "unmapped") },
    });
    expect(await call({ command: "no" }, "exec")).toMatchObject({ reason: "unmapped" });
  });

  test("a tool that a hook chooses is told, and asked about, by the agent's name", async () => {
    const chooser = `import { BeforeToolCallEvent } from "@strands-agents/sdk";
export default { name: "chooser", initAgent(agent: any) { agent.addHook(BeforeToolCallEvent, (event: any) => { if (event.toolUse.name === "read") event.selectedTool = agent.toolRegistry.get("bash"); }); } };`;
    const grant = { capabilities: { events: { see: ["tool_call"], block: true, rewriteInput: ["read", "bash"] } } };
    const { host } = await startSession({ chooser: { source: chooser, grant } }, { toolNames });
    const asked: string[] = [];
    const canRun = async (tool: string) => {
      asked.push(tool);
      return true;
    };
    const event = { type: "tool_call", toolName: "view", toolCallId: "1", input: { path: "a" } } as const;
    const verdict = await host.emitToolCall(event, { canRun });
    expect([verdict, asked]).toEqual([expect.objectContaining({ toolName: "exec" }), ["exec"]]);
    expect(await host.emitToolCall(event, { canRun: async () => false })).toMatchObject({ block: true });
    expect(await host.emitToolCall(event, { canRun: () => Promise.reject(new Error("no")) })).toMatchObject({
      block: true,
    });
  });

  test("two tools of one name are refused at the start", async () => {
    await expect(startSession(hooks, { toolNames: { exec: "bash", shell: "bash" } })).rejects.toThrow(
      "two tools one name",
    );
  });
});

describe("what MCP's tools return beside the content", () => {
  const event: ToolResultEvent = {
    type: "tool_result",
    toolName: "search",
    toolCallId: "1",
    input: {},
    content: [{ type: "text", text: "key sk-1" }],
    structuredContent: { key: "sk-1" },
    usage: { input: 3 },
    isError: false,
  };
  const session = (body: string, events: object = { rewriteResult: ["*"] }) =>
    startSession({
      hook: {
        source: on("tool_result", body),
        grant: { capabilities: { events: { see: ["tool_result"], ...events } } },
      },
    });

  test("hooks see it, with what the tool used", async () => {
    const { host } = await session("return { details: { seen: [event.structuredContent, event.usage] } };");
    expect(await host.emit(event)).toEqual({ details: { seen: [{ key: "sk-1" }, { input: 3 }] } });
  });
  test("a change of the content alone takes it out: it holds what was taken out", async () => {
    const { host } = await session('return { content: [{ type: "text", text: "key ***" }] };');
    expect(await host.emit(event)).toMatchObject({ structuredContent: null });
  });
  test("a hook says what becomes of it", async () => {
    const { host } = await session(
      'return { content: [{ type: "text", text: "key ***" }], structuredContent: { key: "***" } };',
    );
    expect(await host.emit(event)).toMatchObject({ structuredContent: { key: "***" } });
  });
  test("a withheld result has none", async () => {
    const { host } = await session('throw new Error("broke");', { guardResult: ["*"] });
    expect(await host.emit(event)).toMatchObject({ structuredContent: null, isError: true });
  });
  test("once the host is closed, none passes that a hook would see, and no call", async () => {
    const { host, call } = await session("return {};", { rewriteResult: ["*"], guardResult: ["*"] });
    await host.close();
    expect(await call()).toMatchObject({ block: true, reason: "the hook host is closed" });
    await expect(host.emitToolResult(event)).rejects.toThrow("the hook host is closed");
  });
});
