import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { askDaemon } from "../../src/shim/ask-daemon.ts";
import { onToolCall, writeFiles } from "../support/session.ts";
import { blockOf, World } from "./world.ts";

const both = (handler: string, result: string): string =>
  `export default (pi) => { pi.on("tool_call", async (event, ctx) => { ${handler} });
   pi.on("tool_result", async (event) => { ${result} }); };`;

const world = new World({
  gate: onToolCall('if (event.input.command?.includes("rm")) return { block: true, reason: "no rm" };'),
  alsoAsks: onToolCall(
    'if (event.input.command === "sudo long" && !(await ctx.ui.confirm("x".repeat(5000), ""))) return { block: true };',
  ),
  asks: onToolCall(
    'if (event.input.command?.startsWith("sudo") && !(await ctx.ui.confirm("As root?", event.input.command)))' +
      ' return { block: true, reason: "not as root" };',
  ),
  other: onToolCall(
    'if (event.input.command === "count and forbid") { await ctx.ui.confirm("Count it?", ""); return { block: true, reason: "never allowed" }; }',
  ),
  longer: onToolCall('if (event.input.command === "ls") event.input.command = "ls -l";'),
  redacts: both(
    "",
    'const [first] = event.content; if (first.text.includes("KEY")) return { content: [{ type: "text", text: first.text.replace(/KEY\\w+/, "***") }] };',
  ),
  variables: onToolCall(
    'if (event.input.command === "who") return { block: true, reason: `${process.env.WHO} of ${Object.keys(process.env).sort()}` };',
  ),
  programs: onToolCall(
    'if (event.input.command === "tool") return { block: true, reason: (await ctx.exec("tool", [])).stdout };',
  ),
  hangs: onToolCall('if (event.input.command === "hang") for (;;) {}'),
  eats: onToolCall('if (event.input.command === "eat") { const all = []; for (;;) all.push(new Array(1e6).fill(1)); }'),
  dies: onToolCall('if (event.input.command === "die") throw new Error("oops");'),
  // While it judges a call, it is told another event, and asks there.
  beside: `export default (pi) => {
    let go;
    let called = Promise.withResolvers();
    const ask = async (event, ctx) => {
      await called.promise;
      called = Promise.withResolvers();
      await ctx.ui.confirm("Fine?", "an event");
      go();
    };
    pi.on("tool_call", async (event, ctx) => {
      if (!event.input.command?.startsWith("beside")) return;
      const told = new Promise((done) => { go = done; });
      called.resolve();
      await told;
      return { block: true, reason: "its own" };
    });
    pi.on("input", async (event, ctx) => { if (event.text === "beside") await ask(event, ctx); });
    pi.on("tool_result", async (event, ctx) => { if (event.input.command === "told beside") await ask(event, ctx); });
  };`,
  needs: onToolCall(
    'if (event.input.command === "needs") { try { await ctx.exec("echo", ["hi"]); } catch { return { block: true, reason: "not known" }; } }',
  ),
  never: onToolCall(
    'if (event.input.command === "never") { await ctx.exec("echo", [ctx.sessionFile ?? ""]).catch(() => {}); return { block: true, reason: "never allowed" }; }',
  ),
  waits: onToolCall('if (event.input.command === "wait") await new Promise(() => {});'),
});

const grants = {
  longer: { capabilities: { events: { see: ["tool_call"], block: true, rewriteInput: ["bash"] } } },
  redacts: {
    capabilities: { events: { see: ["tool_call", "tool_result"], rewriteResult: ["*"], guardResult: ["bash"] } },
  },
  variables: { capabilities: { events: { see: ["tool_call"], block: true }, env: ["WHO"] } },
  programs: {
    capabilities: {
      events: { see: ["tool_call"], block: true },
      exec: [{ program: "tool", args: [], fullAccess: true }],
    },
  },
  needs: { capabilities: { events: { see: ["tool_call"], block: true } } },
  hangs: { capabilities: { events: { see: ["tool_call"], block: true } }, limits: { cpuMs: 200 } },
  eats: { capabilities: { events: { see: ["tool_call"], block: true } } },
  beside: {
    capabilities: {
      events: { see: ["tool_call", "tool_result", "input"], block: true },
      session: ["messages"],
      ui: ["confirm"],
    },
  },
};
writeFiles(world.home, {
  "grants.json": JSON.stringify({
    version: 1,
    hooks: Object.fromEntries(Object.entries(grants).map(([name, grant]) => [world.hook(name), grant])),
  }),
});

const nothing = { exit: 0, stdout: "", stderr: "" };
const output = (fields: object) => ({ hookSpecificOutput: { hookEventName: "PreToolUse", ...fields } });

describe("Claude Code", () => {
  test.each([
    ["UserPromptSubmit", "", {}, { prompt: "beside" }],
    ["PostToolUse", "Bash", { command: "told beside" }, { tool_response: { stdout: "" } }],
  ])("a block stays one, though its hook asks about an event beside the call: %s", async (name, tool, input, more) => {
    const event = world.event(name, "besides", tool, input, more);
    const [blocked] = await Promise.all([
      world.bash("beside", "besides"),
      world.run("claude-code", name, event, { kind: "note" }),
    ]);
    expect(blockOf(blocked)).toContain("its own");
    expect(blocked.stdout).not.toContain('"ask"');
  });

  test("a call that hooks let pass is left to the person's own rules", async () => {
    expect(await world.bash("echo hello")).toEqual(nothing);
  });

  test("a block tells the model which hook, and why", async () => {
    const { exit, stdout } = await world.bash("rm -rf /");
    const permissionDecisionReason = `Blocked by hook ${world.hook("gate")}: no rm`;
    expect([exit, JSON.parse(stdout)]).toEqual([0, output({ permissionDecision: "deny", permissionDecisionReason })]);
  });

  test("a change comes back under the agent's own names, with what hooks know nothing of", async () => {
    const text = world.event("PreToolUse", "one", "Bash", { command: "ls", description: "list", timeout: 5 });
    const { exit, stdout } = await world.run("claude-code", "PreToolUse", text);
    expect([exit, JSON.parse(stdout)]).toEqual([
      0,
      output({ updatedInput: { command: "ls -l", description: "list", timeout: 5 } }),
    ]);
  });

  test("a hook's question is the agent's, with the hook's name", async () => {
    const { exit, stdout } = await world.bash("sudo ls");
    const asks = world.hook("asks");
    const permissionDecisionReason = `hook ${asks} asks: As root?: sudo ls\nhook ${asks} blocks this call: not as root`;
    expect([exit, JSON.parse(stdout)]).toEqual([0, output({ permissionDecision: "ask", permissionDecisionReason })]);
  });

  test("a question beside a block for another reason shows that reason", async () => {
    const { stdout } = await world.bash("count and forbid");
    expect(JSON.parse(stdout).hookSpecificOutput.permissionDecisionReason).toMatch(
      /asks: Count it\?\nhook \S+other\.ts blocks this call: never allowed$/,
    );
  });

  test("a question about a power says what yes allows in this dialog, and which command says more", async () => {
    const { stdout } = await world.bash("needs");
    expect(JSON.parse(stdout).hookSpecificOutput).toMatchObject({
      permissionDecision: "ask",
      permissionDecisionReason: expect.stringMatching(
        /^hook \S+needs\.ts asks: hook \S+ wants to use exec: echo hi; yes runs this call without that; to allow it: cordon pending, which grants \[.*\]\nhook \S+needs\.ts blocks this call: not known$/,
      ),
    });
  });

  test.each(["deny", "once", "session", "always"])(
    "a question about a power that was answered with %s is not put again, and a block is one",
    async (answer) => {
      const never = (session: string) => world.bash("never", session);
      const session = `never ${answer}`;
      const { stdout } = await never(session);
      expect(JSON.parse(stdout).hookSpecificOutput).toMatchObject({
        permissionDecision: "ask",
        permissionDecisionReason: expect.stringMatching(
          /wants to use exec: echo .*\nhook \S+never\.ts blocks this call: never allowed$/,
        ),
      });
      const question = ((await askDaemon(world.home, "questions")) as { id: string; text: string }[]).at(-1);
      expect(question?.text).toContain("wants to use exec: echo");
      expect(await askDaemon(world.home, "answer", { id: question?.id, answer })).toBe(true);
      expect(blockOf(await never(session))).toContain("never allowed");
    },
  );

  test("no hook's question hides another one's", async () => {
    const { stdout } = await world.bash("sudo long");
    const { permissionDecisionReason } = JSON.parse(stdout).hookSpecificOutput;
    expect(permissionDecisionReason).toMatch(
      /^hook \S+alsoAsks\.ts asks: x+.*\nhook \S+\Wasks\.ts asks: As root\?: sudo long\nhook \S+alsoAsks\.ts blocks this call: .*$/,
    );
    const questions = permissionDecisionReason.split("\n").slice(0, 2);
    expect(questions.join("\n").length).toBeLessThanOrEqual(600);
  });

  test("a block of another hook goes before a question", async () => {
    expect(blockOf(await world.bash("sudo rm x"))).toContain("no rm");
  });

  test("a question of one call turns no block of another into a question", async () => {
    const [asked, blocked] = await Promise.all([world.bash("sudo ls"), world.bash("rm x")]);
    expect(asked.stdout).toContain('"ask"');
    expect(blockOf(blocked)).toContain("no rm");
  });

  test("a redacted result comes in the tool's own shape", async () => {
    const response = { stdout: "a KEY123 b", stderr: "", interrupted: false, isImage: false };
    const text = world.event("PostToolUse", "one", "Bash", { command: "cat x" }, { tool_response: response });
    const { stdout } = await world.run("claude-code", "PostToolUse", text, { kind: "note" });
    expect(JSON.parse(stdout)).toEqual({
      hookSpecificOutput: {
        hookEventName: "PostToolUse",
        updatedToolOutput: { stdout: "a *** b", stderr: "", interrupted: false, isImage: false },
      },
    });
  });

  test.each([
    ["hangs", "hang", /CPU/],
    ["eats memory", "eat", /memory/],
    ["throws", "die", /oops/],
  ])("a hook that %s blocks, and the next call is judged again", async (_what, command, why) => {
    expect(blockOf(await world.bash(command, "fails"))).toMatch(why);
    expect(await world.bash("echo fine", "fails")).toEqual(nothing);
  });

  test("a hook that waits for ever is a block before the agent gives up, and none for an earlier call's question", async () => {
    await world.bash("needs");
    expect(blockOf(await world.bash("wait", "one", { waitMs: 4000 }))).toContain("cancelled");
  });
});

test("two sessions at once have the variables and programs of their own agents", async () => {
  const programs = (name: string) => {
    writeFiles(world.folder, { [`${name}/tool`]: `#!/bin/sh\necho the tool of ${name}\n` });
    chmodSync(join(world.folder, name, "tool"), 0o755);
    return { env: { WHO: name, SECRET: "s", PATH: `${join(world.folder, name)}:/usr/bin:/bin` } };
  };
  const [ann, bob] = [programs("ann"), programs("bob")];
  const said = await Promise.all([
    world.bash("who", "of ann", ann),
    world.bash("who", "of bob", bob),
    world.bash("tool", "of ann", ann),
    world.bash("tool", "of bob", bob),
  ]);
  const reasons = said.map((ended) =>
    blockOf(ended)
      ?.replace(/^.*?: /, "")
      .trim(),
  );
  expect(reasons).toEqual(["ann of WHO", "bob of WHO", "the tool of ann", "the tool of bob"]);
});

test("a session keeps the variables that it began with", async () => {
  const first = await world.bash("who", "kept", { env: { WHO: "first" } });
  const second = await world.bash("who", "kept", { env: { WHO: "second" } });
  expect(blockOf(first)).toContain("first of WHO");
  expect(blockOf(second)).toBe(blockOf(first));
});
