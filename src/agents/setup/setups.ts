import { join } from "node:path";
import { builtForHost } from "../../base/package-root.ts";
import { claudeLike } from "./claude-like.ts";
import { NOTE_S, type Setup, WAIT_MS, WAIT_S } from "./setup.ts";

const CLAUDE = {
  gates: ["PreToolUse"],
  notes: ["PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "SessionStart", "SessionEnd", "Stop"],
  matched: ["PreToolUse", "PostToolUse", "PostToolUseFailure"],
  closed: { onFailure: "block" },
};

const claudeCode: Setup = {
  name: "claude-code",
  title: "Claude Code",
  program: "claude",
  since: {
    version: "2.1.295",
    lacks: "its switch `onFailure`: a hook command that cannot start or is too late lets the call pass",
  },
  folder: ({ user, env }) => env.CLAUDE_CONFIG_DIR ?? join(user, ".claude"),
  user: (places, command) => [
    { kind: "entries", file: join(claudeCode.folder(places), "settings.json"), entries: claudeLike(command, CLAUDE) },
  ],
  project: (folder, command) => [
    { kind: "entries", file: join(folder, ".claude", "settings.local.json"), entries: claudeLike(command, CLAUDE) },
  ],
};

const codex: Setup = {
  name: "codex",
  title: "Codex",
  program: "codex",
  folder: ({ user, env }) => env.CODEX_HOME ?? join(user, ".codex"),
  user: (places, command) => [
    {
      kind: "entries",
      file: join(codex.folder(places), "hooks.json"),
      entries: claudeLike(command, {
        gates: ["PreToolUse"],
        notes: ["PostToolUse", "UserPromptSubmit", "SessionStart", "Stop"],
      }),
    },
  ],
  left: ["start codex, open /hooks, and trust Cordon's entries: until then codex runs none of them"],
};

/** It counts milliseconds. */
const geminiCli: Setup = {
  name: "gemini-cli",
  title: "Gemini CLI",
  program: "gemini",
  folder: ({ user }) => join(user, ".gemini"),
  user: ({ user }, command) => [
    {
      kind: "entries",
      file: join(user, ".gemini", "settings.json"),
      entries: claudeLike(command, {
        gates: ["BeforeTool"],
        notes: ["AfterTool", "BeforeAgent", "AfterAgent", "SessionStart", "SessionEnd"],
        matched: ["BeforeTool", "AfterTool"],
        unitsPerSecond: 1000,
      }),
    },
  ],
};

/** It takes a time of 1000 and more for milliseconds, and a smaller one for seconds. */
const qwenCode: Setup = {
  name: "qwen-code",
  title: "Qwen Code",
  program: "qwen",
  folder: ({ user }) => join(user, ".qwen"),
  user: ({ user }, command) => [
    {
      kind: "entries",
      file: join(user, ".qwen", "settings.json"),
      entries: claudeLike(command, {
        gates: ["PreToolUse"],
        notes: ["PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "SessionStart", "SessionEnd", "Stop"],
        matched: ["PreToolUse", "PostToolUse", "PostToolUseFailure"],
      }),
    },
  ],
};

const factory: Setup = {
  name: "factory",
  title: "Factory",
  program: "droid",
  folder: ({ user }) => join(user, ".factory"),
  user: ({ user }, command) => [
    {
      kind: "entries",
      file: join(user, ".factory", "hooks.json"),
      entries: claudeLike(command, {
        gates: ["PreToolUse"],
        notes: ["PostToolUse", "UserPromptSubmit", "SessionStart", "SessionEnd", "Stop"],
        matched: ["PreToolUse", "PostToolUse"],
      }),
    },
  ],
};

const cursor: Setup = {
  name: "cursor",
  title: "Cursor",
  program: "cursor",
  folder: ({ user }) => join(user, ".cursor"),
  user: ({ user }, command) => {
    const entry = (event: string, kind: "gate" | "note") => ({
      path: ["hooks", event],
      value: {
        command: command(kind, event, (kind === "gate" ? WAIT_S : NOTE_S) * 1000),
        timeout: kind === "gate" ? WAIT_S : NOTE_S,
        ...(kind === "gate" ? { failClosed: true } : {}),
      },
    });
    const notes = ["postToolUse", "beforeSubmitPrompt", "sessionStart", "sessionEnd", "stop"];
    return [
      {
        kind: "entries",
        file: join(user, ".cursor", "hooks.json"),
        base: { version: 1 },
        entries: [entry("preToolUse", "gate"), ...notes.map((event) => entry(event, "note"))],
      },
    ];
  },
};

const copilotCli: Setup = {
  name: "copilot-cli",
  title: "Copilot CLI",
  program: "copilot",
  folder: ({ user, env }) => env.COPILOT_HOME ?? join(user, ".copilot"),
  user: (places, command) => {
    const entry = (event: string, kind: "gate" | "note") => {
      const timeoutSec = kind === "gate" ? WAIT_S : NOTE_S;
      return [event, [{ type: "command", bash: command(kind, event, timeoutSec * 1000), timeoutSec }]];
    };
    const notes = ["PostToolUse", "UserPromptSubmit", "SessionStart", "SessionEnd", "Stop"];
    const hooks = Object.fromEntries([entry("PreToolUse", "gate"), ...notes.map((event) => entry(event, "note"))]);
    const file = join(copilotCli.folder(places), "hooks", "cordon.json");
    return [{ kind: "file", file, content: `${JSON.stringify({ version: 1, hooks }, null, 2)}\n`, mode: 0o600 }];
  },
};

const goose: Setup = {
  name: "goose",
  title: "Goose",
  program: "goose",
  folder: ({ user }) => join(user, ".config", "goose"),
  user: ({ user }, command) => {
    const shape = {
      gates: ["PreToolUse"],
      notes: ["PostToolUse", "SessionStart", "SessionEnd"],
      closed: { on_failure: "block" },
    };
    const hooks = Object.fromEntries(claudeLike(command, shape).map(({ path, value }) => [path[1], [value]]));
    const file = join(user, ".agents", "plugins", "cordon", "hooks", "hooks.json");
    return [{ kind: "file", file, content: `${JSON.stringify({ hooks }, null, 2)}\n`, mode: 0o600 }];
  },
};

const windsurf: Setup = {
  name: "windsurf",
  title: "Windsurf",
  program: "windsurf",
  folder: ({ user }) => join(user, ".codeium", "windsurf"),
  user: (places, command) => [
    {
      kind: "entries",
      file: join(windsurf.folder(places), "hooks.json"),
      entries: [
        ...["pre_run_command", "pre_read_code", "pre_write_code", "pre_mcp_tool_use"].map((event) => ({
          path: ["hooks", event],
          value: { command: command("gate", event, WAIT_MS), show_output: true },
        })),
        ...["post_run_command", "post_mcp_tool_use", "pre_user_prompt"].map((event) => ({
          path: ["hooks", event],
          value: { command: command("note", event, NOTE_S * 1000) },
        })),
      ],
    },
  ],
};

/** `cache_ttl_seconds` is left at 0: a decision would be used again for another call. */
const kiro: Setup = {
  name: "kiro",
  title: "Kiro",
  program: "kiro-cli",
  folder: ({ user }) => join(user, ".kiro"),
  user: ({ user }, command) => {
    const hook = (trigger: string, event: string, kind: "gate" | "note") => ({
      name: `cordon-${event}`,
      trigger,
      ...(kind === "gate" ? { matcher: ".*" } : {}),
      action: { type: "command", command: command(kind, event, (kind === "gate" ? WAIT_S : NOTE_S) * 1000) },
      timeout: kind === "gate" ? WAIT_S : NOTE_S,
      enabled: true,
    });
    const hooks = [
      hook("PreToolUse", "preToolUse", "gate"),
      hook("PostToolUse", "postToolUse", "note"),
      hook("UserPromptSubmit", "userPromptSubmit", "note"),
    ];
    const content = `${JSON.stringify({ version: "v1", hooks }, null, 2)}\n`;
    return [{ kind: "file", file: join(user, ".kiro", "hooks", "cordon.json"), content, mode: 0o600 }];
  },
};

/** Files named by events, which it runs. */
const cline: Setup = {
  name: "cline",
  title: "Cline",
  program: "cline",
  folder: ({ user }) => join(user, ".cline"),
  user: ({ user }, command) => {
    const file = (name: string, event: string, kind: "gate" | "note") => ({
      kind: "file" as const,
      file: join(user, ".cline", "hooks", name),
      content: `#!/bin/sh\n${command(kind, event, kind === "gate" ? 100_000 : NOTE_S * 1000)}\n`,
      mode: 0o755,
    });
    return [
      file("PreToolUse", "tool_call", "gate"),
      file("PostToolUse", "tool_result", "note"),
      file("UserPromptSubmit", "prompt_submit", "note"),
      file("TaskStart", "agent_start", "note"),
      file("SessionShutdown", "session_shutdown", "note"),
    ];
  },
};

const antigravity: Setup = {
  name: "antigravity",
  title: "Antigravity CLI",
  program: "agy",
  folder: ({ user }) => join(user, ".gemini", "config"),
  user: (places, command) => [
    {
      kind: "entries",
      file: join(antigravity.folder(places), "hooks.json"),
      base: { cordon: { enabled: true } },
      entries: [
        {
          path: ["cordon", "PreToolUse"],
          value: {
            matcher: "*",
            hooks: [{ type: "command", command: command("gate", "PreToolUse", WAIT_MS), timeout: WAIT_S }],
          },
        },
      ],
    },
  ],
};

/** pi from 0.87 on: an extension, which runs the hooks in pi's own process and needs no daemon. */
const pi: Setup = {
  name: "pi",
  title: "pi",
  program: "pi",
  since: { version: "0.87.0", lacks: "extensions as they are now" },
  folder: ({ user, env }) => env.PI_CODING_AGENT_DIR ?? join(user, ".pi", "agent"),
  user: (places) => [
    {
      kind: "file",
      file: join(pi.folder(places), "extensions", "cordon.ts"),
      content: `export { default } from ${JSON.stringify(builtForHost("agents", "pi", "entry", "index.js"))};\n`,
      mode: 0o600,
    },
  ],
  left: ["if Cordon's package is taken away, pi starts without it and says so in one line; cordon doctor finds that"],
};

/** The agents that `cordon install` knows. */
export const SETUPS: readonly Setup[] = [
  pi,
  claudeCode,
  codex,
  geminiCli,
  qwenCode,
  cursor,
  copilotCli,
  goose,
  factory,
  kiro,
  windsurf,
  cline,
  antigravity,
];
