import { describe, expect, test } from "vitest";
import { World } from "./world.ts";

/** Results and questions of calls that hooks judge under more than one name. */

const GUARD = `export default (pi) => {
  pi.on("tool_result", ({ toolName, content }) => {
    if (toolName !== "read" && toolName !== "bash") return undefined;
    if (content[0].text === "") return { content: [] };
    if (content[0].text.startsWith("WHOLE")) return { content: [{ type: "text", text: "gone" }] };
    return { content: [{ type: "text", text: content[0].text.replace("SECRET", "[REDACTED]") }] };
  });
  pi.on("permission_request", ({ toolName, input }) => {
    if (toolName === "bash" && String(input.command).includes("rm")) return { deny: "no rm" };
    if (toolName === "edit" && input.path === "/b") return { deny: "not b" };
  });
};`;
const events = { see: ["*", "permission_request"], block: true, rewriteResult: ["read", "bash"] };
const world = new World({ guard: GUARD }, { guard: { capabilities: { events } } });

const gemini = (tool: string, input: object) => ({
  ...{ session_id: "g", cwd: world.work, hook_event_name: "AfterTool", tool_name: tool, tool_input: input },
  tool_response: { llmContent: "SECRET=1" },
});
const copilot = (toolName: string, toolArgs: object) => ({
  ...{ sessionId: "k", cwd: world.work, toolName, toolArgs },
  toolResult: { resultType: "success", textResultForLlm: "SECRET=1" },
});

describe("a result is shown under each name that its call has", () => {
  test.each([
    ["read_file", { file_path: "/x" }],
    ["read_many_files", { include: ["/x", "/y"] }],
    ["start_process", { command: "cat .env" }],
  ])("Gemini CLI's %s", async (tool, input) => {
    const { stdout } = await world.run("gemini-cli", "AfterTool", JSON.stringify(gemini(tool, input)));
    expect(JSON.parse(stdout)).toMatchObject({ reason: expect.stringContaining("[REDACTED]=1") });
  });

  test.each([
    ["bash", { command: "cat .env" }],
    ["read_bash", { shellId: "1" }],
    ["write_bash", { shellId: "1", input: "cat .env\n" }],
    ["read_powershell", { shellId: "1" }],
  ])("Copilot CLI's %s", async (tool, input) => {
    const { stdout } = await world.run("copilot-cli", "postToolUse", JSON.stringify(copilot(tool, input)));
    expect(JSON.parse(stdout)).toMatchObject({ modifiedResult: { textResultForLlm: "[REDACTED]=1" } });
  });

  test.each(["BashOutput", "TaskOutput"])("Claude Code's %s", async (tool) => {
    const event = { ...JSON.parse(world.event("PostToolUse", "c", tool, { id: "1" })), tool_response: "SECRET=1" };
    const { stdout } = await world.run("claude-code", "PostToolUse", JSON.stringify(event));
    expect(JSON.parse(stdout)).toMatchObject({ hookSpecificOutput: { updatedToolOutput: "[REDACTED]=1" } });
  });

  test("and with all that the model could read in it", async () => {
    const response = { stdout: "", stderr: "", log: "SECRET=1" };
    const event = { ...JSON.parse(world.event("PostToolUse", "c", "Bash", { command: "x" })), tool_response: response };
    const { stdout } = await world.run("claude-code", "PostToolUse", JSON.stringify(event));
    const updatedToolOutput = { stdout: '{"log":"[REDACTED]=1"}', stderr: "", log: "" };
    expect(JSON.parse(stdout)).toMatchObject({ hookSpecificOutput: { updatedToolOutput } });
  });

  test("and is left alone where no hook changes it", async () => {
    const { stdout } = await world.run("gemini-cli", "AfterTool", JSON.stringify(gemini("glob", { pattern: "*" })));
    expect(stdout).toBe("");
  });
});

test.each([
  ["Bash", { command: "rm -rf /" }, "no rm"],
  ["NewTool", { command: "rm -rf /" }, "no rm"],
  ["MultiEdit", { file_path: "/b", edits: [{ old_string: "x", new_string: "y" }] }, "not b"],
  ["NewTool", { command: "ls" }, undefined],
])("a permission is asked for each thing that %s of %j does", async (tool, input, reason) => {
  const { stdout } = await world.run(
    "claude-code",
    "PermissionRequest",
    world.event("PermissionRequest", "p", tool, input),
  );
  if (reason === undefined) expect(stdout).toBe("");
  else expect(stdout).toContain(reason);
});

/** What the middleware of OpenClaw gives the model of a result. */
async function ofOpenClaw(text: string): Promise<unknown> {
  const image = { type: "image", data: "AA==", mimeType: "image/png" };
  const event = {
    toolName: "read",
    toolCallId: "1",
    args: { path: "/x.png" },
    result: { content: [{ type: "text", text }, image] },
  };
  const { stdout } = await world.run(
    "openclaw",
    "tool_result",
    JSON.stringify({ event, context: { sessionId: "s" }, cwd: world.work }),
  );
  return JSON.parse(stdout).result.content;
}

test("what is no text of a result of OpenClaw's stays where a hook leaves it, and goes where it does not", async () => {
  expect(await ofOpenClaw("SECRET")).toEqual([
    { type: "text", text: "[REDACTED]" },
    { type: "image", data: "AA==", mimeType: "image/png" },
  ]);
  expect(await ofOpenClaw("WHOLE")).toEqual([{ type: "text", text: "gone" }]);
});
