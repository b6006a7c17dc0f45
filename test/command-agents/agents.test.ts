import { describe, expect, test } from "vitest";
import { joined, toAgent, toCanonical, toJudge } from "../../src/agents/command/canonical-tools.ts";
import { COMMAND_AGENTS, commandAgent } from "../../src/agents/command/index.ts";
import { BLOCKED_BY_JSON } from "../../src/agents/command/json-block.ts";
import type { Answer, CommandAgent, Input, ToolUse } from "../../src/agents/command/spoken.ts";

/** One call of each agent's shell, as its page of `agents.md` shows it, and what it makes of the answers. */
interface Row {
  agent: string;
  event?: string;
  call: object;
  /** What hooks judge. */
  judged: Partial<ToolUse>[];
  session: string | undefined;
  /** Of the session. Default: `/w`. */
  folder?: string;
  /** Replies other than the usual ones: exit 0 and nothing for a pass, 2 and the reason for a block. */
  says?: Partial<Record<Answer["kind"], unknown>>;
}

const shell = (input: object): Partial<ToolUse>[] => [{ tool: "bash", input: input as ToolUse["input"] }];
const claude = (tool: string, input: unknown, more: object = {}) => ({
  session_id: "s",
  cwd: "/w",
  hook_event_name: "PreToolUse",
  tool_name: tool,
  tool_input: input,
  tool_use_id: "t",
  ...more,
});
const specific = (fields: object, hookEventName = "PreToolUse") => ({
  hookSpecificOutput: { hookEventName, ...fields },
});
const asked = { permissionDecision: "ask", permissionDecisionReason: "why?" };
const ls = { command: "ls" };
const changed = { command: "new" };

const ROWS: Row[] = [
  {
    agent: "claude-code",
    call: claude("Bash", ls),
    judged: shell(ls),
    session: "s",
    says: {
      block: specific({ permissionDecision: "deny", permissionDecisionReason: "why" }),
      ask: specific(asked),
      change: specific({ updatedInput: changed }),
    },
  },
  {
    agent: "codex",
    call: claude("Bash", ls, { turn_id: "t", model: "m", permission_mode: "default", transcript_path: null }),
    judged: shell(ls),
    session: "s",
    says: { change: specific({ permissionDecision: "allow", updatedInput: changed }) },
  },
  {
    agent: "gemini-cli",
    call: { ...claude("run_shell_command", ls), hook_event_name: "BeforeTool", tool_use_id: undefined },
    judged: shell(ls),
    session: "s",
    says: {
      block: { decision: "deny", reason: "why" },
      ask: { decision: "ask", reason: "why?", systemMessage: "why?" },
      change: specific({ tool_input: changed }, "BeforeTool"),
    },
  },
  {
    agent: "qwen-code",
    call: claude("run_shell_command", ls),
    judged: shell(ls),
    session: "s",
    says: {
      block: specific({ permissionDecision: "deny", permissionDecisionReason: "why" }),
      ask: specific(asked),
    },
  },
  {
    agent: "factory",
    call: { sessionId: "s", cwd: "/w", hookEventName: "PreToolUse", tool_name: "Execute", tool_input: ls },
    judged: shell(ls),
    session: "s",
    says: { ask: specific(asked), change: specific({ updatedInput: changed }) },
  },
  {
    agent: "copilot-cli",
    event: "preToolUse",
    call: { sessionId: "s", timestamp: 1795422082015, cwd: "/w", toolName: "bash", toolArgs: JSON.stringify(ls) },
    judged: shell(ls),
    session: "s",
    says: {
      block: { permissionDecision: "deny", permissionDecisionReason: "why" },
      ask: asked,
      change: { modifiedArgs: changed },
    },
  },
  {
    agent: "kiro",
    call: { hook_event_name: "preToolUse", cwd: "/w", tool_name: "execute_bash", tool_input: ls },
    judged: shell(ls),
    session: undefined,
  },
  {
    agent: "goose",
    call: {
      event: "PreToolUse",
      session_id: "s",
      working_dir: "/w",
      tool_name: "developer__shell",
      tool_input: ls,
      tool_call_id: "t",
    },
    judged: shell(ls),
    session: "s",
  },
  {
    agent: "cursor",
    call: {
      conversation_id: "s",
      hook_event_name: "preToolUse",
      workspace_roots: ["/w"],
      tool_name: "Shell",
      tool_input: { command: "ls", working_directory: "/w/a" },
      tool_use_id: "t",
    },
    judged: shell({ command: "ls", cwd: "/w/a" }),
    session: "s",
    says: { change: { updated_input: changed } },
  },
  {
    agent: "windsurf",
    call: { agent_action_name: "pre_run_command", trajectory_id: "s", tool_info: { command_line: "ls", cwd: "/w" } },
    judged: shell({ command: "ls", cwd: "/w" }),
    session: "s",
    // Its events say where a command runs, and not where the session is.
    folder: "/elsewhere",
  },
  {
    agent: "cline",
    call: {
      hookName: "tool_call",
      taskId: "s",
      workspaceRoots: ["/w"],
      tool_call: { id: "t", name: "run_commands", input: { commands: ["ls", "pwd"] } },
    },
    judged: [{ tool: "run_commands" }, ...shell(ls), ...shell({ command: "pwd" })],
    session: "s",
    says: { pass: {}, block: { cancel: true, errorMessage: "why" }, change: { overrideInput: changed } },
  },
  {
    agent: "antigravity",
    event: "PreToolUse",
    call: {
      toolCall: { name: "run_command", args: { CommandLine: "ls", Cwd: "/w" } },
      workspacePaths: ["/w"],
      stepIdx: 0,
    },
    judged: shell({ command: "ls", cwd: "/w" }),
    session: undefined,
    says: {
      pass: { decision: "ask", reason: "" },
      block: { decision: "deny", reason: "why" },
      ask: { decision: "force_ask", reason: "why?" },
    },
  },
  {
    agent: "openclaw",
    event: "before_tool_call",
    call: {
      event: { toolName: "exec", params: { command: "ls", workdir: "/w/a" }, runId: "r", toolCallId: "t" },
      context: { agentId: "main", sessionKey: "agent:main:main", sessionId: "s", runId: "r" },
      cwd: "/w",
    },
    judged: shell({ command: "ls", cwd: "/w/a" }),
    session: "s",
    says: {
      pass: {},
      block: { block: true, blockReason: "why" },
      ask: {
        requireApproval: {
          title: "Cordon: a hook asks about exec",
          description: 'why?\nexec: {"command":"ls","workdir":"/w/a"}',
          severity: "warning",
          allowedDecisions: ["allow-once", "deny"],
        },
      },
      change: { params: changed },
    },
  },
  {
    agent: "opencode",
    event: "tool.execute.before",
    call: { directory: "/w", input: { tool: "bash", sessionID: "s", callID: "t" }, output: { args: ls } },
    judged: shell(ls),
    session: "s",
    says: { change: { args: changed } },
  },
];

const agentOf = (name: string): CommandAgent => commandAgent(name) as CommandAgent;
const read = (agent: string, call: unknown, event = "", isGate = false) =>
  agentOf(agent).read(typeof call === "string" ? call : JSON.stringify(call), { event, cwd: "/elsewhere", isGate });

test("every agent has a row", () => {
  expect(ROWS.map(({ agent }) => agent).sort()).toEqual(COMMAND_AGENTS.map(({ name }) => name).sort());
});

describe.each(ROWS)("$agent", ({ agent, event, call, judged, session, folder = "/w", says = {} }) => {
  const spoken = read(agent, call, event);

  test("a call is read under canonical names, in its session and folder", () => {
    expect(spoken).toMatchObject({ session, cwd: folder, said: { kind: "call" } });
    const use = spoken.said.kind === "call" && spoken.said.use;
    expect(use && toCanonical(agentOf(agent).tools, use)).toMatchObject(judged);
  });

  const { asks, rewrites } = agentOf(agent);
  const answers: Answer[] = [
    { kind: "pass" },
    { kind: "block", reason: "why" },
    ...(asks ? [{ kind: "ask", question: "why?" } as const] : []),
    ...(rewrites ? [{ kind: "change", input: changed } as const] : []),
  ];

  test.each(answers)("what it is told for a $kind", (answer) => {
    const reply = agentOf(agent).say(spoken, answer);
    const usual = answer.kind === "block" ? { exit: 2, text: "why" } : { exit: 0, text: "" };
    const own = says[answer.kind];
    if (answer.kind === "ask" || answer.kind === "change") expect(own).toBeDefined();
    expect(own === undefined ? reply : { exit: reply.exit, ...JSON.parse(reply.text) }).toEqual(
      own === undefined ? usual : { exit: 0, ...own },
    );
  });

  test("a block without any knowledge is the block of a call", () => {
    const { block, say } = agentOf(agent);
    expect(block("why", "PreToolUse")).toEqual(
      says.block && ![...BLOCKED_BY_JSON, "openclaw"].includes(agent)
        ? { exit: 2, text: "why" }
        : say(spoken, { kind: "block", reason: "why" }),
    );
  });

  test.each([
    ["nothing", ""],
    ["half of it", JSON.stringify(call).slice(0, -5)],
    ["a list", "[]"],
    ["a key twice", JSON.stringify(call).replace("{", '{"cwd":"/a","cwd":"/b",')],
    ["a number that no parser keeps", JSON.stringify(call).replace("{", '{"n":12345678901234567890,')],
  ])("%s is not judged", (_what, text) => {
    expect(() => read(agent, text, event, true)).toThrow();
  });

  const NAMES = ["hook_event_name", "hookEventName", "hookName", "agent_action_name"];
  const calledBy = (name: string) => {
    const renamed = JSON.parse(JSON.stringify(call));
    for (const field of NAMES) if (renamed[field] !== undefined) renamed[field] = name;
    return renamed;
  };

  test.each(["PostToolUse", "SessionEnd", "post_run_command", "tool_result", "pretooluse", "of another day", ""])(
    "a gate judges what it was entered for, also where the event is called %j",
    (name) => {
      const heard = { event: spoken.event, cwd: "/elsewhere", isGate: true };
      expect(agentOf(agent).read(JSON.stringify(calledBy(name)), heard)).toEqual(spoken);
    },
  );

  test("an event by an unknown name is known to be none", () => {
    const unknown = agentOf(agent).read(JSON.stringify(calledBy("of another day")), {
      ...{ event: "of another day", cwd: "/elsewhere", isGate: true },
    });
    expect(unknown.said).toEqual({ kind: "unknown" });
  });

  test("a call without its tool or its input is not judged", () => {
    const cut = JSON.parse(JSON.stringify(call));
    for (const part of [cut, cut.tool_call, cut.toolCall, cut.tool_info, cut.event])
      for (const name of ["tool_input", "input", "args", "toolArgs", "command_line", "params"])
        if (part) delete part[name];
    if (agent === "windsurf") cut.agent_action_name = "pre_write_code";
    const judge = () => {
      const { said } = read(agent, cut, event);
      if (said.kind === "call") toCanonical(agentOf(agent).tools, said.use);
    };
    expect(judge).toThrow();
  });
});

describe("files", () => {
  const one = (agent: string, tool: string, input: object) => {
    const use: ToolUse = { tool, input: { ...input }, id: "t" };
    return toCanonical(agentOf(agent).tools, use).map(({ tool, input }) => ({ tool, ...input }));
  };

  test.each([
    ["claude-code", "Read", { file_path: "/a", limit: 5 }, { tool: "read", path: "/a", limit: 5 }],
    ["claude-code", "Write", { file_path: "/a", content: "x" }, { tool: "write", path: "/a", content: "x" }],
    [
      "claude-code",
      "Edit",
      { file_path: "/a", old_string: "x", new_string: "y", replace_all: true },
      { tool: "edit", path: "/a", oldText: "x", newText: "y", replace_all: true },
    ],
    [
      "gemini-cli",
      "replace",
      { file_path: "/a", old_string: "x", new_string: "y" },
      { tool: "edit", path: "/a", oldText: "x", newText: "y" },
    ],
    ["qwen-code", "write_file", { file_path: "/a", content: "x" }, { tool: "write", path: "/a", content: "x" }],
    ["copilot-cli", "create", { path: "/a", file_text: "x" }, { tool: "write", path: "/a", content: "x" }],
    [
      "copilot-cli",
      "edit",
      { path: "/a", old_str: "x", new_str: "y" },
      { tool: "edit", path: "/a", oldText: "x", newText: "y" },
    ],
    [
      "cursor",
      "StrReplace",
      { file_path: "/a", old_string: "x", new_string: "y" },
      { tool: "edit", path: "/a", oldText: "x", newText: "y" },
    ],
    [
      "goose",
      "developer__edit",
      { path: "/a", before: "x", after: "y" },
      { tool: "edit", path: "/a", oldText: "x", newText: "y" },
    ],
    ["factory", "Create", { file_path: "/a", content: "x" }, { tool: "write", path: "/a", content: "x" }],
    [
      "opencode",
      "edit",
      { filePath: "/a", oldString: "x", newString: "y" },
      { tool: "edit", path: "/a", oldText: "x", newText: "y" },
    ],
    ["antigravity", "view_file", { AbsolutePath: "/a" }, { tool: "read", path: "/a" }],
    ["claude-code", "mcp__server__tool", { a: 1 }, { tool: "mcp__server__tool", a: 1 }],
    ["openclaw", "read", { path: "/a", offset: 1 }, { tool: "read", path: "/a", offset: 1 }],
    ["openclaw", "write", { path: "/a", content: "x" }, { tool: "write", path: "/a", content: "x" }],
    ["openclaw", "edit", { path: "/a", edits: [] }, { tool: "edit", path: "/a", edits: [] }],
  ])("%s: %s", (agent, tool, input, canonical) => {
    expect(one(agent, tool, input)).toEqual([canonical]);
  });

  test.each(COMMAND_AGENTS.map((agent) => [agent.name, agent] as const))(
    "%s: what hooks left as it was goes back as it came, for each tool with names of its own",
    (_name, { tools }) => {
      for (const [tool, shape] of Object.entries(tools)) {
        if ("parts" in shape) continue;
        const input = Object.fromEntries([...Object.values(shape.fields), "own"].map((field, at) => [field, at]));
        const [use] = toCanonical(tools, { tool, input, id: undefined });
        expect(use?.tool).toBe(shape.tool);
        expect(Object.keys(use?.input ?? {}).sort()).toEqual([...Object.keys(shape.fields), "own"].sort());
        expect(toAgent(tools, tool, use?.input ?? {})).toEqual(input);
      }
    },
  );

  test.each(COMMAND_AGENTS.map((agent) => [agent.name, agent] as const))(
    "%s: a field under both of its names is not judged: hooks would see one, and the tool take the other",
    (_name, { tools }) => {
      for (const [tool, shape] of Object.entries(tools)) {
        if ("parts" in shape) continue;
        for (const [canonical, own] of Object.entries(shape.fields)) {
          const use: ToolUse = { tool, input: { [own]: "/etc/passwd", [canonical]: "/fine" }, id: undefined };
          expect(() => toCanonical(tools, use)).toThrow(canonical);
        }
      }
    },
  );

  // biome-ignore format: a table
  const COMMANDS: [agent: string, tool: string, input: object, judged: object[]][] = [
    ["claude-code", "PowerShell", { command: "ls" }, [{ tool: "bash", command: "ls" }]],
    ["claude-code", "Monitor", { command: "ls", description: "d" }, [{ tool: "bash", command: "ls", description: "d" }]],
    ["claude-code", "NotebookEdit", { notebook_path: "/a", new_source: "x" }, [{ tool: "write", path: "/a", content: "x" }]],
    ["claude-code", "SlashCommand", { command: "/review" }, [{ tool: "SlashCommand", command: "/review" }]],
    ["claude-code", "MultiEdit", { file_path: "/a", edits: [{ old_string: "x", new_string: "y" }] }, [{ tool: "MultiEdit", file_path: "/a", edits: [{ old_string: "x", new_string: "y" }] }, { tool: "edit", path: "/a", oldText: "x", newText: "y" }]],
    ["cursor", "Delete", { path: "/a" }, [{ tool: "Delete", path: "/a" }, { tool: "edit", path: "/a", oldText: "", newText: "" }]],
    ["qwen-code", "monitor", { command: "ls" }, [{ tool: "bash", command: "ls" }]],
    ["gemini-cli", "read_many_files", { include: [".env", "a/*"] }, [{ tool: "read_many_files", include: [".env", "a/*"] }, { tool: "read", path: ".env" }, { tool: "read", path: "a/*" }]],
    ["qwen-code", "read_many_files", { paths: [".env"] }, [{ tool: "read_many_files", paths: [".env"] }, { tool: "read", path: ".env" }]],
    ["copilot-cli", "powershell", { command: "ls" }, [{ tool: "bash", command: "ls" }]],
    ["copilot-cli", "write_powershell", { input: "ls" }, [{ tool: "write_powershell", input: "ls" }, { tool: "bash", command: "ls" }]],
    ["antigravity", "replace_file_content", { TargetFile: "/a", TargetContent: "x", ReplacementContent: "y" }, [{ tool: "edit", path: "/a", oldText: "x", newText: "y" }]],
    ["antigravity", "multi_replace_file_content", { TargetFile: "/a", ReplacementChunks: [{ TargetContent: "x", ReplacementContent: "y" }] }, [{ tool: "multi_replace_file_content", TargetFile: "/a", ReplacementChunks: [{ TargetContent: "x", ReplacementContent: "y" }] }, { tool: "edit", path: "/a", oldText: "x", newText: "y" }]],
    ["antigravity", "send_command_input", { CommandId: "1", Input: "ls" }, [{ tool: "send_command_input", CommandId: "1", Input: "ls" }, { tool: "bash", command: "ls" }]],
    ["factory", "ApplyPatch", { input: "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch" }, [{ tool: "ApplyPatch", input: "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch" }, { tool: "write", path: "a", content: "x" }]],
  ];

  test.each(COMMANDS)("%s's %s of %j is judged as what it does", (agent, tool, input, judged) => {
    expect(one(agent, tool, input)).toEqual(judged);
  });

  test.each([
    ["factory", "ApplyPatch", { input: "x" }],
    ["factory", "ApplyPatch", { a: "*** Add File: a", b: "*** Add File: b" }],
    ["antigravity", "multi_replace_file_content", { TargetFile: "/a", ReplacementChunks: [] }],
    ["antigravity", "send_command_input", { Input: ["ls"] }],
    ["antigravity", "send_command_input", { input: "rm -rf /" }],
    [
      "antigravity",
      "multi_replace_file_content",
      { TargetFile: "/a", ReplacementChunks: [{ ReplacementContent: "ok", replacementContent: "evil" }] },
    ],
    ["antigravity", "multi_replace_file_content", { TargetFile: "/a", targetFile: "/b", ReplacementChunks: [{}] }],
    ["openclaw", "apply_patch", { input: "*** Add File: a", patch: "*** Add File: b" }],
    ["openclaw", "apply_patch", { patch: "*** Add File: a", command: "*** Add File: b" }],
    ["openclaw", "apply_patch", {}],
    ["claude-code", "MultiEdit", { file_path: "/a", edits: "x" }],
    ["factory", "MultiEdit", { file_path: "/a", edits: ["x"] }],
    ["cursor", "Delete", { path: "/a", file_path: "/b" }],
    ["cursor", "Delete", {}],
    ["gemini-cli", "read_many_files", { include: ".env" }],
    ["gemini-cli", "read_many_files", { include: [{}] }],
    ["windsurf", "write_code", { file_path: "/a", edits: [] }],
  ])("%s's %s of %j cannot be judged", (agent, tool, input) => {
    expect(() => one(agent, tool, input)).toThrow();
  });

  test.each(COMMAND_AGENTS.map(({ name }) => name))(
    "%s: the command of a tool that is not known is judged, too",
    (agent) => {
      for (const field of ["command", "Command", "CommandLine", "command_line", "cmd"]) {
        const input = { [field]: "rm -rf /" };
        expect(one(agent, "new_shell", input)).toEqual([
          { tool: "new_shell", ...input },
          { tool: "bash", command: "rm -rf /" },
        ]);
      }
      expect(one(agent, "new_shell", { cmd: ["sh", "-c", "a b"] })[1]).toEqual({
        tool: "bash",
        command: "sh -c 'a b'",
      });
      for (const [tool, input] of [
        ["mcp__db__query", { command: "x" }],
        ["mcp_db_query", { command: "x" }],
        ["MCP:query", { command: "x" }],
        ["plan", { text: "x", command: 1, cmd: [], commandline: ["a", 1] }],
      ] as const)
        expect(one(agent, tool, input)).toEqual([{ tool, ...input }]);
    },
  );

  test.each(COMMAND_AGENTS.map((agent) => [agent.name, agent] as const))(
    "%s: a call with names that differ in case alone is not judged: some programs take the one, and some the other",
    (_name, { tools }) => {
      for (const tool of [...Object.keys(tools), "unknown"])
        expect(() => toCanonical(tools, { tool, input: { list: 1, liſt: 2 }, id: undefined })).toThrow('"liſt"');
      for (const [tool, shape] of Object.entries(tools)) {
        if ("parts" in shape) continue;
        for (const own of Object.values(shape.fields)) {
          const use: ToolUse = { tool, input: { [own.toUpperCase()]: "x" }, id: undefined };
          expect(() => toCanonical(tools, use), own).toThrow("in another case");
        }
      }
    },
  );

  test("a tool named like a property of every object has no canonical form", () => {
    expect(one("claude-code", "constructor", { a: 1 })).toEqual([{ tool: "constructor", a: 1 }]);
  });
});

describe("what OpenClaw takes otherwise than it is written", () => {
  const judged = (tool: string, input: ToolUse["input"]) =>
    toCanonical(agentOf("openclaw").tools, { tool, input, id: "t" }).map(({ input }) => input.path ?? input.command);

  test.each([
    [".env</arg_value>>", ".env"],
    [".env</arg_value>>>>", ".env"],
    ["a</arg_value>>/.env", undefined],
    ["plan.docodex", "plan.docx"],
    ["plan.XLSxcodex", "plan.XLSx"],
    ["@.env", ".env"],
    ["@@x", "@x"],
    ["@/etc/passwd</arg_value>>", "/etc/passwd"],
    ["file:///etc/pass%77d", "/etc/passwd"],
    ["@FILE:///etc/passwd", "/etc/passwd"],
    ["/fine", undefined],
  ])("the path %s is judged as it is, and as it is used", (path, taken) => {
    for (const tool of ["read", "write", "edit"])
      expect(judged(tool, { path })).toEqual(taken === undefined ? [path] : [path, taken]);
  });

  test("a command, too", () => {
    expect(judged("exec", { command: "cat .env</arg_value>>" })).toEqual(["cat .env</arg_value>>", "cat .env"]);
    expect(judged("exec", { command: "ls" })).toEqual(["ls"]);
  });

  test("a command of its code mode is not judged as one of the shell", () => {
    const event = { toolName: "exec", toolKind: "code_mode_exec", params: { command: "rm()" }, toolCallId: "t" };
    const spoken = read("openclaw", { event, context: {}, cwd: "/w" }, "before_tool_call");
    expect(spoken).toMatchObject({ said: { use: { tool: "code_mode_exec" } } });
  });
});

test("a prompt without a text, which Qwen Code tells after a call, is none", () => {
  const event = { session_id: "s", cwd: "/w", hook_event_name: "UserPromptSubmit", prompt: "" };
  expect(read("qwen-code", event, "UserPromptSubmit").said).toEqual({ kind: "other" });
});

describe("Copilot CLI's results", () => {
  const event = { sessionId: "s", timestamp: 1, cwd: "/w", toolName: "view", toolArgs: { path: "/k" } };
  const said = (name: string, more: object) => read("copilot-cli", { ...event, ...more }, name);

  test("are what the model reads, and can be replaced", () => {
    const spoken = said("postToolUse", { toolResult: { resultType: "success", textResultForLlm: "KEY" } });
    expect(spoken.said).toMatchObject({ kind: "result", text: "KEY", isError: false });
    const { text } = agentOf("copilot-cli").say(spoken, { kind: "result", text: "***" });
    expect(JSON.parse(text)).toEqual({ modifiedResult: { resultType: "success", textResultForLlm: "***" } });
  });

  test("of another shape hide nothing from hooks", () => {
    expect(said("postToolUse", { toolResult: { other: "KEY" } }).said).toMatchObject({ text: '{"other":"KEY"}' });
  });

  test("that failed have their error", () => {
    expect(said("postToolUseFailure", { error: "KEY" }).said).toMatchObject({ text: "KEY", isError: true });
  });
});

describe("Cline's tools", () => {
  const parts = (tool: string, input: object) =>
    toCanonical(agentOf("cline").tools, { tool, input: { ...input }, id: "t" })
      .slice(1)
      .map(({ tool, input }) => ({ tool, ...input }));
  const bash = (command: string) => ({ tool: "bash", command });
  const read = (path: string, more: object = {}) => ({ tool: "read", path, ...more });

  test.each([
    ["run_commands", { commands: ["ls", "pwd"] }, [bash("ls"), bash("pwd")]],
    ["run_commands", { commands: "ls" }, [bash("ls")]],
    ["run_commands", { cmd: "ls" }, [bash("ls")]],
    ["run_commands", { command: "ls" }, [bash("ls")]],
    ["run_commands", { command: "rm", args: ["-rf", "a b"] }, [bash("rm -rf 'a b'")]],
    ["run_commands", { commands: [{ command: "sh", args: ["-c", "rm x"] }] }, [bash("sh -c 'rm x'")]],
    ["run_commands", { commands: { command: "ls" } }, [bash("ls")]],
    ["read_files", { files: [{ path: "/a", start_line: 2 }] }, [read("/a", { start_line: 2 })]],
    ["read_files", { files: "/a" }, [read("/a")]],
    ["read_files", { files: ["/a", { filePath: "/b" }] }, [read("/a"), read("/b")]],
    ["read_files", { file_paths: ["/a"] }, [read("/a")]],
    ["read_files", { paths: { file_path: "/a" } }, [read("/a")]],
    ["read_files", { filePath: "/a" }, [read("/a")]],
    ["editor", { path: "/a", new_text: "x" }, [{ tool: "write", path: "/a", content: "x" }]],
    ["editor", { path: "/a", old_text: null, new_text: "x" }, [{ tool: "write", path: "/a", content: "x" }]],
    [
      "editor",
      { path: "/a", old_text: "x", new_text: "y" },
      [{ tool: "edit", path: "/a", oldText: "x", newText: "y" }],
    ],
    [
      "editor",
      { path: "/a", new_text: "y", insert_line: 1 },
      [{ tool: "edit", path: "/a", oldText: "", newText: "y" }],
    ],
  ])("%s %j: hooks judge what it does", (tool, input, judged) => {
    expect(parts(tool, input)).toEqual(judged);
  });

  test.each([
    ["run_commands", {}],
    ["run_commands", { commands: ["ls"], cmd: "rm" }],
    ["run_commands", { commands: [1] }],
    ["run_commands", { commands: [["rm"]] }],
    ["run_commands", { command: "ls", args: [{}] }],
    ["read_files", { files: [], path: "/a" }],
    ["read_files", { files: [{ path: "/a", file_path: "/b" }] }],
    ["read_files", { files: [{}] }],
    ["editor", { new_text: "x" }],
  ])("%s %j is not judged", (tool, input) => {
    expect(() => parts(tool, input)).toThrow();
  });

  test("one command alone can be changed", () => {
    const { tools } = agentOf("cline");
    expect(joined(tools, "run_commands", { command: "pwd" })).toEqual({ commands: ["pwd"] });
    expect(joined(tools, "run_commands", { command: "pwd", cwd: "/" })).toBeUndefined();
    expect(() => joined(tools, "run_commands", {})).toThrow();
  });
});

describe("Kiro's tools", () => {
  const parts = (tool: string, input: object) =>
    toCanonical(agentOf("kiro").tools, { tool, input: { ...input }, id: "t" })
      .slice(1)
      .map(({ tool, input }) => ({ tool, ...input }));
  const read = (path: string, more: object = {}) => ({ tool: "read", path, ...more });

  const READS = [
    [{ operations: [{ mode: "Line", path: "/a", start_line: 2 }] }, [read("/a", { mode: "Line", start_line: 2 })]],
    [{ operations: [{ path: "/a" }, { path: "/b" }], summary: "why" }, [read("/a"), read("/b")]],
    [
      { operations: [{ mode: "Image", image_paths: ["/a", "/b"] }] },
      [read("/a", { mode: "Image" }), read("/b", { mode: "Image" })],
    ],
    [{ operations: [{ path: "/a", image_paths: ["/b"] }] }, [read("/a"), read("/b")]],
    [{ path: "/a" }, [read("/a")]],
    [{ operations: [{ path: "/a" }], path: "/b" }, [read("/a"), read("/b")]],
  ] as const;
  const WRITES = [
    [
      { command: "create", path: "/a", file_text: "x" },
      { tool: "write", path: "/a", content: "x" },
    ],
    [
      { command: "create", path: "/a", new_str: "x" },
      { tool: "write", path: "/a", content: "x" },
    ],
    [
      { command: "str_replace", path: "/a", old_str: "x", new_str: "y" },
      { tool: "edit", path: "/a", oldText: "x", newText: "y" },
    ],
    [
      { command: "insert", path: "/a", insert_line: 1, new_str: "y" },
      { tool: "edit", path: "/a", oldText: "", newText: "y" },
    ],
    [
      { command: "append", path: "/a", new_str: "y" },
      { tool: "edit", path: "/a", oldText: "", newText: "y" },
    ],
  ] as const;

  test.each(["fs_read", "read"].flatMap((tool) => READS.map(([input, judged]) => ({ tool, input, judged }))))(
    "$tool $input: hooks judge each reading",
    ({ tool, input, judged }) => {
      expect(parts(tool, input)).toEqual(judged);
    },
  );

  test.each(["fs_write", "write"].flatMap((tool) => WRITES.map(([input, judged]) => ({ tool, input, judged }))))(
    "$tool $input: hooks judge what is written",
    ({ tool, input, judged }) => {
      expect(parts(tool, input)).toEqual([judged]);
    },
  );

  test.each([
    ["fs_read", {}],
    ["fs_read", { operations: { path: "/a" } }],
    ["fs_read", { operations: ["/a"] }],
    ["fs_read", { operations: [{ mode: "Line" }] }],
    ["fs_read", { operations: [{ image_paths: "/a" }] }],
    ["fs_write", { path: "/a", file_text: "x" }],
    ["fs_write", { command: "create", file_text: "x" }],
    ["fs_write", { command: "view", path: "/a" }],
  ])("%s %j is not judged", (tool, input) => {
    expect(() => parts(tool, input)).toThrow();
  });
});

describe("patches", () => {
  const patch = [
    "*** Begin Patch",
    "*** Add File: new.txt",
    "+hello",
    "+*** Delete File: not-this",
    "*** Update File: src/a.ts",
    "*** Move to: src/b.ts",
    "@@ class A",
    " same",
    "-old",
    "+new",
    "*** Delete File: gone.txt",
    "*** End Patch",
  ].join("\n");
  const files = (agent: string, tool: string, input: object) =>
    toCanonical(agentOf(agent).tools, { tool, input: { ...input }, id: "t" }).slice(1);

  test.each([
    ["codex", { command: patch }],
    ["copilot-cli", { patch }],
    ["cline", { input: patch }],
    ["openclaw", { input: patch }],
    ["openclaw", { patch }],
    ["openclaw", { command: patch }],
    ["copilot-cli", { input: patch }],
    ["opencode", { patchText: patch }],
  ])("%s: each file that it touches is judged", (agent, input) => {
    expect(files(agent, "apply_patch", input)).toEqual([
      { id: "t", tool: "write", input: { path: "new.txt", content: "hello\n*** Delete File: not-this" } },
      { id: "t", tool: "edit", input: { path: "src/a.ts", oldText: "old", newText: "new" } },
      { id: "t", tool: "edit", input: { path: "src/b.ts", oldText: "old", newText: "new" } },
      { id: "t", tool: "edit", input: { path: "gone.txt", oldText: "", newText: "" } },
    ]);
  });

  test("a call with two patches is not judged: nobody here knows which one runs", () => {
    for (const agent of ["copilot-cli", "cline"])
      expect(() => files(agent, "apply_patch", { input: "*** Add File: a", patch })).toThrow();
  });

  test("a patch in a command of the shell is judged, too", () => {
    const command = `cd src && apply_patch <<'EOF'\n${patch}\nEOF`;
    expect(files("codex", "Bash", { command }).map(({ input }) => input.path)).toEqual([
      "new.txt",
      "src/a.ts",
      "src/b.ts",
      "gone.txt",
    ]);
    expect(files("codex", "Bash", { command: "ls" })).toEqual([]);
  });

  test.each([
    ["spaces before a marker", "*** Begin Patch\n   *** Update File: .env  \n@@\n-a\n+b\n*** End Patch", ".env"],
    ["other ends of lines", "*** Begin Patch\r\n*** Delete File: .env\r\n*** End Patch", ".env"],
    ["no beginning", "*** Delete File: .env", ".env"],
    ["a marker in what is kept", "*** Begin Patch\n*** Update File: a\n *** Update File: .env\n*** End Patch", ".env"],
  ])("%s hides no file", (_what, command, path) => {
    expect(files("codex", "apply_patch", { command }).map(({ input }) => input.path)).toContain(path);
  });

  test.each([
    ["no file", "*** Begin Patch\n*** End Patch"],
    ["a marker that is not known", "*** Begin Patch\n*** Rename File: a\n*** Add File: b\n+x\n*** End Patch"],
  ])("a patch with %s is not judged", (_what, command) => {
    expect(() => files("codex", "apply_patch", { command })).toThrow();
  });
});

describe("a known tool that says under another name what it is about", () => {
  const NAMES: Record<string, string[]> = {
    command: ["command", "Command", "cmd", "command_line", "commandLine", "CommandLine"],
    path: [
      "path",
      "file",
      "filePath",
      "file_path",
      "FilePath",
      "filename",
      "absolute_path",
      "AbsolutePath",
      "target_file",
    ],
  };
  const TOOLS = COMMAND_AGENTS.flatMap(({ name, tools }) =>
    Object.entries(tools).flatMap(([tool, shape]): [agent: string, tool: string, field: string, own: string][] => {
      if (!("fields" in shape) || !["bash", "read", "write", "edit"].includes(shape.tool)) return [];
      const field = shape.tool === "bash" ? "command" : "path";
      return [[name, tool, field, shape.fields[field] ?? field]];
    }),
  );

  test.each(TOOLS)("%s's %s is not judged without its %s", (agent, tool, field, own) => {
    const { tools } = agentOf(agent);
    const judge = (input: Input) => toJudge(tools, { tool, input, id: "t" });
    expect(judge({ [own]: "/a" })[0]?.input).toEqual({ [field]: "/a" });
    for (const name of NAMES[field] ?? [])
      if (name !== own && name !== field) expect(() => judge({ [name]: "/a" }), name).toThrow();
    for (const value of [["rm", "-rf", "/"], { a: 1 }, 7, null]) expect(() => judge({ [own]: value })).toThrow();
    // What it may also be about is judged as it is, under the name of the tool.
    expect(judge({ ws: { url: "x" } })).toHaveLength(1);
  });
});
