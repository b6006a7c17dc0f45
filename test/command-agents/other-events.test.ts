import { rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { World } from "./world.ts";

/** A hook of one event, named for it. */
const hear = (event: string, body: string): string =>
  `export default (pi) => { pi.on("${event}", async (event, ctx) => { ${body} }); };`;
const grant = (event: string, rights: object = {}, more: object = {}) => ({
  capabilities: { events: { see: [event], ...rights }, session: ["messages", "entries"], ...more },
});
const REWRITES = { rewriteContext: true };

const world = new World(
  {
    prompts: hear("input", 'if (event.text.includes("secret")) return { action: "handled" };'),
    adds: hear(
      "before_agent_start",
      'if (event.prompt === "fails") throw new Error("x"); return { message: { customType: "n", content: "today is " + event.prompt } };',
    ),
    stops: hear("stop", 'if (event.lastMessage === "half") return { followUp: "finish it" };'),
    starts: hear("subagent_start", 'return { context: "be brief, " + event.agentType };'),
    ends: hear("subagent_stop", 'if (event.lastMessage === "half") return { followUp: "look again" };'),
    permits: hear(
      "permission_request",
      `if (event.toolName === "bash" && event.input.command === "rm") return { deny: "no rm" };
       if (event.input.command === "loop") for (;;) {}
       if (event.input.command === "allow") return { behavior: "allow", allow: true };`,
    ),
    compacts: hear(
      "session",
      'if (event.reason === "before_compact" && event.cause === "threshold") return { cancel: true };',
    ),
    hears: `export default (pi) => {
      pi.on("notification", (event) => console.log("told " + event.kind + " " + event.message));
      pi.on("worktree_remove", (event) => console.log("tree " + event.path));
    };`,
  },
  {
    prompts: grant("input", { rewriteUserInput: true }),
    adds: grant("before_agent_start", { rewritePrompt: true }),
    stops: grant("stop", REWRITES),
    starts: grant("subagent_start", REWRITES),
    ends: grant("subagent_stop", REWRITES),
    permits: { ...grant("permission_request", { block: true }), limits: { cpuMs: 200 } },
    compacts: grant("session", { cancel: true }),
    hears: { capabilities: { events: { see: ["notification", "worktree_remove"] }, session: ["messages"] } },
  },
);

const from = (name: string): string => `Message from hook ${name}.ts (not from the user):`;

/** What an agent is answered: the JSON of an ending with 0, or the reason of one with 2. */
async function told(agent: string, name: string, more: object, kind: "gate" | "note" = "note") {
  const { exit, stdout, stderr } = await world.run(agent, name, world.event(name, "one", "Bash", {}, more), { kind });
  return exit === 0 ? (stdout === "" ? undefined : JSON.parse(stdout)) : { exit, reason: stderr.trim() };
}
const specific = (hookEventName: string, fields: object) => ({ hookSpecificOutput: { hookEventName, ...fields } });
const denied = (message: string) => specific("PermissionRequest", { decision: { behavior: "deny", message } });

describe("events that are no calls", () => {
  test("a prompt that a hook took is rejected, and one that another added to comes with its words", async () => {
    const taken = { decision: "block", reason: "a hook took this prompt" };
    expect(await told("claude-code", "UserPromptSubmit", { prompt: "a secret" })).toEqual(taken);
    expect(await told("claude-code", "UserPromptSubmit", { prompt: "Monday" })).toEqual(
      specific("UserPromptSubmit", { additionalContext: `${from("adds")} today is Monday` }),
    );
    expect(await told("gemini-cli", "BeforeAgent", { prompt: "Monday" })).toEqual(
      specific("BeforeAgent", { additionalContext: `${from("adds")} today is Monday` }),
    );
  });

  test("a hook that fails there keeps nobody from going on", async () => {
    expect(await told("claude-code", "UserPromptSubmit", { prompt: "fails" })).toBeUndefined();
  });

  test.each([
    ["Stop", "finish it", "stops"],
    ["SubagentStop", "look again", "ends"],
  ])("at %s a hook makes it go on once, and never twice in a row", async (name, text, hook) => {
    const half = { last_assistant_message: "half", stop_hook_active: false };
    const goesOn = { decision: "block", reason: `${from(hook)} ${text}` };
    expect(await told("claude-code", name, half)).toEqual(goesOn);
    expect(await told("claude-code", name, { ...half, stop_hook_active: true })).toBeUndefined();
    expect(await told("claude-code", name, { ...half, last_assistant_message: "whole" })).toBeUndefined();
  });

  test("a subagent is told more, where the agent takes it", async () => {
    const started = { agent_id: "a", agent_type: "explore" };
    expect(await told("codex", "SubagentStart", started)).toEqual(
      specific("SubagentStart", { additionalContext: `${from("starts")} be brief, explore` }),
    );
    expect(await told("copilot-cli", "SubagentStart", started)).toBeUndefined();
  });

  test("the conversation stays as it is if a hook says so", async () => {
    expect(await told("claude-code", "PreCompact", { trigger: "auto" })).toMatchObject({ decision: "block" });
    expect(await told("claude-code", "PreCompact", { trigger: "manual" })).toBeUndefined();
  });

  test("what is only told is heard, and nothing is answered", async () => {
    const told1 = { message: "waits", notification_type: "idle_prompt" };
    expect(await told("claude-code", "Notification", told1)).toBeUndefined();
    expect(await told("claude-code", "WorktreeRemove", { worktree_path: "/w/t" })).toBeUndefined();
  });
});

describe.each(["claude-code", "codex", "qwen-code"])("before %s asks its person about a call", (agent) => {
  const broken = new World({});
  rmSync(broken.script);
  const tool = agent === "qwen-code" ? "run_shell_command" : "Bash";
  const asked = (command: string) =>
    told(agent, "PermissionRequest", { tool_name: tool, tool_input: { command } }, "gate");

  test("a hook denies it, and never allows it", async () => {
    expect(await asked("rm")).toEqual(denied("Blocked by hook permits.ts: no rm"));
    expect(await asked("ls")).toBeUndefined();
    expect(JSON.stringify((await asked("allow")) ?? "")).not.toContain('"behavior":"allow"');
  });

  test("a hook that fails denies it", async () => {
    expect(await asked("loop")).toEqual(denied(expect.stringMatching(/CPU/) as never));
  });

  test("an event that cannot be read denies it", async () => {
    const { exit, stdout } = await world.run(agent, "PermissionRequest", "{");
    expect([exit, JSON.parse(stdout)]).toEqual([0, denied(expect.stringMatching(/could not judge/) as never)]);
  });

  test("without Cordon's files it is denied", async () => {
    const text = world.event("PermissionRequest", "one", tool, { command: "ls" });
    const { exit, stdout } = await broken.run(agent, "PermissionRequest", text);
    expect([exit, JSON.parse(stdout)]).toEqual([0, denied(expect.stringMatching(/not where it was/) as never)]);
  });
});
