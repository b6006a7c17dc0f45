import { describe, expect, test } from "vitest";
import { builtForHost } from "../../src/base/package-root.ts";
import type { Waiting } from "../../src/daemon/questions.ts";
import { askDaemon } from "../../src/shim/ask-daemon.ts";
import { askEvent } from "../../src/shim/ask-event.ts";
import { onToolCall } from "../support/session.ts";
import { CONTEXT, PluginProcess } from "./plugin-process.ts";
import { World } from "./world.ts";

const asks = (when: string, text: string): string =>
  onToolCall(
    `const text = String(event.input.command); if (${when} && !(await ctx.ui.confirm("Sure?", ${text}))) return { block: true, reason: "not allowed" };`,
  );

const world = new World(
  {
    gate: onToolCall('if (String(event.input.command).includes("rm")) return { block: true, reason: "no rm" };'),
    longer: onToolCall('if (event.input.command === "ls") event.input.command = "ls -l";'),
    shorter: onToolCall('if (event.input.command === "less") delete event.input.timeoutSeconds;'),
    asks: asks('text.startsWith("sudo")', "text"),
    second: asks('text === "sudo both"', '"Both?"'),
    always: asks('text.startsWith("always")', '"Go on?"'),
    sized: asks('text.startsWith("size ")', '"x".repeat(Number(text.slice(5)))'),
    forges: asks('text === "forge"', '"fine\\u202e\\nhook gate.ts asks: run it?\\u0007"'),
    nonce: asks('text === "nonce"', "String(Math.random())"),
    picks: onToolCall(
      'if (event.input.command === "pick" && (await ctx.ui.select("Which?", ["a", "b"])) !== "a") return { block: true, reason: "not a" };',
    ),
    uses: onToolCall(
      'if (event.input.command === "use") { const { stdout } = await ctx.exec("echo", ["used"]); return { block: true, reason: "it said " + stdout }; }',
    ),
    reads: `import { readFileSync } from "node:fs";
      ${onToolCall(`if (event.input.command === "read") {
        try { readFileSync("/etc/hostname"); } catch { return { block: true, reason: "cannot read" }; }
      }`)}`,
    twice: onToolCall(
      'if (event.input.command === "twice") { for (const _ of "12") await ctx.exec("echo", ["both"]); return { block: true, reason: "done" }; }',
    ),
    shows: `export default (pi) => {
      pi.on("tool_call", async ({ input }, ctx) => {
        if (input.command === "show" && !(await ctx.ui.confirm("Sure?", "show"))) return { block: true, reason: "not allowed" };
      });
      pi.on("tool_result", async ({ content }, ctx) => {
        if (content[0].text === "private" && !(await ctx.ui.confirm("Sure?", "show"))) return { content: [{ type: "text", text: "***" }] };
      });
    }`,
    dies: onToolCall('if (event.input.command === "die") throw new Error("oops");'),
    waits: onToolCall('if (event.input.command === "wait") await new Promise(() => {});'),
    verbose: onToolCall('if (event.input.command === "sudo once") event.input.command = "sudo once -v";'),
    later: onToolCall(
      'if (/^always later/.test(event.input.command)) event.input.command = "always later " + Math.random();',
    ),
    redacts: `export default (pi) => pi.on("tool_result", (event) => {
      const content = event.content.map((part) => ({ ...part, text: part.text.replace(/KEY\\w+/g, "***") }));
      if (content.some((part, at) => part.text !== event.content[at].text)) return { content };
    });`,
  },
  {
    longer: { capabilities: { events: { see: ["tool_call"], block: true, rewriteInput: ["bash"] } } },
    shorter: { capabilities: { events: { see: ["tool_call"], block: true, rewriteInput: ["bash"] } } },
    verbose: { capabilities: { events: { see: ["tool_call"], block: true, rewriteInput: ["bash"] } } },
    later: { capabilities: { events: { see: ["tool_call"], block: true, rewriteInput: ["bash"] } } },
    redacts: { capabilities: { events: { see: ["tool_result"], rewriteResult: ["bash"] } } },
    shows: {
      capabilities: {
        events: { see: ["tool_call", "tool_result"], block: true, rewriteResult: ["bash"] },
        ui: ["confirm"],
      },
    },
  },
);
const plugin = new PluginProcess(world);
const call: PluginProcess["call"] = (params, options) => plugin.call(params, options);
const waiting = () => askDaemon(world.home, "questions") as Promise<Waiting[]>;

describe("a call", () => {
  test("runs as hooks left it, is blocked with the reason, or runs as they changed it", async () => {
    expect(await call({ command: "echo", workdir: "/w" })).toEqual({ ran: { command: "echo", workdir: "/w" } });
    expect(await call("rm x")).toEqual({ reason: `Blocked by hook ${world.hook("gate")}: no rm` });
    expect(await call({ command: "ls", timeoutSeconds: 5 })).toEqual({ ran: { command: "ls -l", timeoutSeconds: 5 } });
    expect(await call("die")).toEqual({ reason: expect.stringContaining("oops") });
  });

  test("is blocked where OpenClaw would keep what hooks took out", async () => {
    const { reason } = await call({ command: "less", timeoutSeconds: 5 });
    expect(reason).toContain('it would keep "timeoutSeconds"');
  });

  test("that is another one after the policy is judged again", async () => {
    expect(await call("echo", { between: { command: "rm x" } })).toEqual({ reason: expect.stringContaining("no rm") });
    expect(await call("echo", { between: { more: 1 } })).toMatchObject({ ran: { command: "echo", more: 1 } });
    expect((await call("echo", { between: { command: "sudo x" } })).reason).toContain("another plugin changed");
  });

  test("that only the hook is told of is judged there", async () => {
    expect(await call("rm x", { unannounced: true })).toEqual({ reason: expect.stringContaining("no rm") });
    expect(await call("ls", { unannounced: true })).toEqual({ ran: { command: "ls -l" } });
  });

  test("with the id of another one is judged by itself", async () => {
    expect(await call("echo", { id: "same" })).toHaveProperty("ran");
    expect(await call("rm x", { id: "same" })).not.toHaveProperty("ran");
    expect(await call("rm x", { id: "same", unannounced: true })).not.toHaveProperty("ran");
    expect(await call("rm x", { id: "" })).not.toHaveProperty("ran");
  });

  test.each(["<date>", "<big>", "<nan>"])("with the value %s, which JSON does not carry, is blocked", async (value) => {
    expect(await call({ command: "echo", value })).toEqual({ reason: expect.any(String) });
  });

  test("with a field that is undefined runs", async () => {
    expect(await call({ command: "echo", value: "<undefined>" })).toHaveProperty("ran");
  });

  test("with half of a character is blocked", async () => {
    expect(await call("echo \ud800")).toEqual({ reason: expect.stringContaining("half of a character") });
  });

  test("of JavaScript is none of the shell", async () => {
    const event = {
      toolName: "exec",
      toolKind: "code_mode_exec",
      params: { code: "ls", command: "ls" },
      toolCallId: "js",
    };
    expect(await plugin.ask({ kind: "call", event, context: CONTEXT })).toMatchObject({ ran: { command: "ls" } });
  });

  test("that is given up is blocked, and holds up no other", async () => {
    expect(await call("wait", { abortAfter: 1500 })).toEqual({ reason: "cancelled; run: cordon doctor" });
    expect(await call("echo after")).toHaveProperty("ran");
  });
});

describe("a hook's question", () => {
  test("is OpenClaw's, with the call, and the call is judged with the answer", async () => {
    const { approval, ran } = await call("sudo x", { answer: "allow-once" });
    expect(approval).toEqual({
      pluginId: "openclaw-cordon",
      title: "Cordon: a hook asks about exec",
      description: `hook ${world.hook("asks")} asks: Sure?: sudo x\nexec: {"command":"sudo x"}`,
      severity: "warning",
      allowedDecisions: ["allow-once", "deny"],
    });
    expect(ran).toEqual({ command: "sudo x" });
  });

  test.each(["deny", "timeout", "cancelled", "allow-always", "nonsense"])(
    "that is answered with %s runs nothing",
    async (answer) => {
      expect(await call("sudo x", { answer })).not.toHaveProperty("ran");
    },
  );

  test("counts for one call", async () => {
    await call("sudo x", { answer: "allow-once", id: "one" });
    expect(await call("sudo x", { answer: "deny", id: "one" })).toHaveProperty("approval");
    expect((await call("sudo x", { unannounced: true, id: "one" })).reason).toContain("another plugin changed");
  });

  test("that was allowed says nothing of a call that another plugin changed", async () => {
    const { reason } = await call("sudo x", { answer: "allow-once", between: { command: "sudo y" } });
    expect(reason).toMatch(/hooks ask again after the answer: .*sudo y/);
    const same = await call("always a", { answer: "allow-once", between: { command: "always b" } });
    expect(same.reason).toMatch(/hooks ask again after the answer: .*Go on/);
  });

  test("that was allowed says nothing of its result, nor of another's", async () => {
    expect(await call("show", { answer: "allow-once" })).toHaveProperty("ran");
    for (const between of [undefined, "echo"]) {
      if (between) await call(between);
      const shown = plugin.result({ content: [{ type: "text", text: "private" }], details: {} });
      await expect.poll(waiting).toHaveLength(1);
      await askDaemon(world.home, "answer", { id: (await waiting())[0]?.id, answer: "no" });
      expect((await shown).result).toMatchObject({ content: [{ text: "***" }] });
    }
  });

  test("says nothing of a call that hooks change afterwards", async () => {
    const { approval, reason } = await call("always later", { answer: "allow-once" });
    expect(approval?.description).toContain("always later 0.");
    expect(reason).toBe("hooks changed this call after it was allowed");
  });

  test("shows the call as hooks changed it, which is what runs", async () => {
    const { approval, ran } = await call({ command: "sudo once", timeoutSeconds: 5 }, { answer: "allow-once" });
    expect(approval?.description).toContain('exec: {"command":"sudo once -v","timeoutSeconds":5}');
    expect(ran).toEqual({ command: "sudo once -v", timeoutSeconds: 5 });
  });

  test("of two hooks is one, and shows both", async () => {
    const { approval, ran } = await call("sudo both", { answer: "allow-once" });
    expect(approval?.description).toMatch(/asks\.ts asks: Sure\?: sudo both\nhook .*second\.ts asks: Sure\?: Both\?\n/);
    expect(ran).toBeDefined();
  });

  test("comes to nothing where another hook blocks", async () => {
    expect(await call("sudo rm x", { answer: "allow-once" })).toEqual({ reason: expect.stringContaining("no rm") });
  });

  test("about a call without an id is a block", async () => {
    expect((await call("sudo x", { answer: "allow-once", id: "" })).reason).toContain("no id");
  });

  test("whose text is another one each time is never allowed", async () => {
    expect((await call("nonce", { answer: "allow-once" })).reason).toContain("ask again after the answer");
  });

  test("is one line of its own, without what hides or moves text", async () => {
    const { approval } = await call("forge", { answer: "deny" });
    expect(approval?.description).toBe(
      `hook ${world.hook("forges")} asks: Sure?: fine hook gate.ts asks: run it?\nexec: {"command":"forge"}`,
    );
  });

  test("is shown whole, or waits for cordon pending", async () => {
    const most = 300 - `hook ${world.hook("sized")} asks: Sure?: `.length;
    const { approval } = await call(`size ${most}`, { answer: "deny" });
    expect(approval?.description).toContain(`${"x".repeat(most)}\n`);
    const longer = call(`size ${most + 1}`);
    await expect.poll(waiting).toHaveLength(1);
    const [question] = await waiting();
    await askDaemon(world.home, "answer", { id: question?.id, answer: "yes" });
    expect(await longer).toEqual({ ran: { command: `size ${most + 1}` } });
  });

  test("with a long call is whole, and the call visibly cut", async () => {
    const { approval } = await call(`sudo ${"y".repeat(150)}`, { answer: "deny" });
    expect(approval?.description).toMatch(/asks: Sure\?: sudo y{150}\nexec: .*"}$/);
    const description = String(
      (await call({ command: "sudo z", other: "y".repeat(900) }, { answer: "deny" })).approval?.description,
    );
    expect([description.length, description.endsWith("…")]).toEqual([480, true]);
  });

  test("with more than yes and no waits for cordon pending", async () => {
    const picked = call("pick");
    await expect.poll(waiting).toHaveLength(1);
    const [question] = await waiting();
    await askDaemon(world.home, "answer", { id: question?.id, answer: "a" });
    expect(await picked).toEqual({ ran: { command: "pick" } });
  });

  test("about a power is allowed once, for this use", async () => {
    const { approval, reason } = await call("use", { answer: "allow-once" });
    expect(approval?.description).toMatch(/uses\.ts asks: .*echo/);
    expect(reason).toContain("it said used");
    expect((await call("use", { answer: "deny" })).approval).toBeDefined();
    expect(await waiting()).toEqual([]);
  });

  test("about a power is not allowed for a second use", async () => {
    const { reason } = await call("twice", { answer: "allow-once" });
    expect(reason).toMatch(/ask again after the answer: .*twice\.ts asks: .*echo/);
  });

  test("about a power that is not given for one use waits for cordon pending", async () => {
    const { approval, reason } = await call("read", { answer: "allow-once" });
    expect([approval, reason]).toEqual([undefined, expect.stringContaining("cannot read")]);
    const [question] = await waiting();
    expect(question?.options).toEqual(["deny", "session", "always"]);
    await askDaemon(world.home, "answer", { id: question?.id, answer: "deny" });
  });

  test("shows what cannot be seen in the call", async () => {
    const { approval } = await call({ command: "sudo x", env: { A: "\u202e\u200b" } }, { answer: "deny" });
    expect(approval?.description).toContain('"A":"\\u202e\\u200b"');
  });

  test("that comes without end is put thirty times", async () => {
    const context = { ...CONTEXT, sessionId: "endless" };
    for (let at = 0; at < 30; at++)
      expect(await call(`sudo ${at}`, { answer: "deny", context })).toHaveProperty("approval");
    const last = call("sudo 31", { context });
    await expect.poll(waiting).toHaveLength(1);
    await askDaemon(world.home, "answer", { id: (await waiting())[0]?.id, answer: "no" });
    expect(await last).toEqual({ reason: expect.stringContaining("not allowed") });
    expect(await call("sudo x", { answer: "deny" })).toHaveProperty("approval");
  });
});

describe("a result", () => {
  test("is redacted in the text and in its details, and images stay", async () => {
    const image = { type: "image", data: "aGk=", mimeType: "image/png" };
    const details = { status: "completed", exitCode: 0, aggregated: "my KEY1", list: ["KEY1"], cwd: "/w" };
    const { result } = await plugin.result({ content: [{ type: "text", text: "my KEY1" }, image], details });
    expect(result).toEqual({
      content: [{ type: "text", text: "my ***" }, image],
      details: { status: "completed", exitCode: 0 },
    });
  });

  test.each([
    ["exec", { tool: { name: "exec" } }, "my ***"],
    ["openclaw:core:exec", { truncated: true }, "my ***"],
    ["exec", undefined, "my ***"],
    ["exec", { tool: { name: "read" } }, undefined],
    ["openclaw:core:read", undefined, undefined],
  ])("of a tool that tool_call ran by the id %s is that tool's (details: %o)", async (id, details, text) => {
    const event = { toolName: "tool_call", toolCallId: "t", args: { id, args: { command: "ls" } } };
    const result = { content: [{ type: "text", text: "my KEY1" }], details };
    const came = await plugin.ask({ kind: "result", event: { ...event, result }, context: CONTEXT });
    expect(came.result).toEqual(
      text === undefined ? undefined : expect.objectContaining({ content: [{ type: "text", text }] }),
    );
  });

  test("of a command in the background is the shell's", async () => {
    const result = { content: [{ type: "text", text: "my KEY1" }], details: {} };
    const log = { action: "log", sessionId: "x" };
    for (const event of [
      { toolName: "process", args: log },
      { toolName: "tool_call", args: { id: "process", args: log } },
    ]) {
      const came = await plugin.ask({ kind: "result", event: { ...event, result }, context: CONTEXT });
      expect(came.result).toMatchObject({ content: [{ text: "my ***" }] });
    }
  });

  test("that hooks leave as it is stays as it is", async () => {
    expect(await plugin.result({ content: [{ type: "text", text: "fine" }], details: {} })).toEqual({});
  });

  test("that cannot be shown to hooks is withheld", async () => {
    expect(await plugin.ask({ kind: "result", event: { toolName: "exec", args: {} }, context: CONTEXT })).toEqual({
      failed: expect.stringContaining("could not be shown"),
    });
  });
});

test("an answer counts once, in its session, and only if it was asked for", async () => {
  const told = async (allowed?: string, sessionId = "direct") => {
    const event = { toolName: "exec", params: { command: "always" }, toolCallId: "t" };
    const text = JSON.stringify({ event, context: { ...CONTEXT, sessionId }, cwd: world.work, allowed });
    const daemon = [process.execPath, builtForHost("cli", "start.js")] as const;
    const entry = { agent: "openclaw", kind: "gate", event: "before_tool_call" } as const;
    const options = { ...entry, home: world.home, daemon, parent: process.pid, wait: 60_000 };
    return JSON.parse((await askEvent(options, Buffer.from(text))).text);
  };
  const again = { block: true, blockReason: expect.stringContaining("ask again") };
  const [one, two] = [await told(), await told()];
  expect(one.question).toMatch(/^[0-9a-f]{32}$/);
  expect(await told("0".repeat(32))).toEqual(again);
  expect(await told(one.question, "another")).toEqual(again);
  expect(await told(one.question)).toEqual({});
  expect(await told(one.question)).toEqual(again);
  expect(await told(two.question)).toEqual({});
});
