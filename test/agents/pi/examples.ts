import { AGENT_ACTS, AGENT_READS } from "../../../sandbox/wire/choices.ts";
import { EXTENSION_EVENTS } from "../../../sandbox/wire/events.ts";
import { piProgram } from "./install.ts";
import type { Turn } from "./model-server.ts";

/** How an extension is driven, with Cordon and without. */
interface Script {
  /** `hook`: it hears and decides, without drawing anything. */
  kind: "hook" | "tool" | "command" | "screen" | "provider";
  /** What the model says. Default: it runs a command, and is done. */
  turns?: readonly Turn[];
  /** What the person types, or `rpc` commands. Default: a prompt, each command of the example, a new session, a prompt. */
  steps?: readonly (string | object)[];
  /** Files: `work/` is the project, `home/` the person's. */
  files?: Readonly<Record<string, string>>;
  /** Makes a git repository of the project, with a file that is changed or in the middle of a merge. */
  git?: "changed" | "conflict";
  /** Answers to dialogs, by the method. Default: the first option, yes, `some text`. */
  answers?: Readonly<Record<string, unknown>>;
  args?: readonly string[];
  /** Models that the person has besides, by provider. */
  providers?: Readonly<Record<string, readonly string[]>>;
  env?: Readonly<Record<string, string>>;
  /** What differs, and why. A difference that is not listed fails. */
  differs?: Readonly<Record<string, string>>;
  /** What neither run showed. */
  unseen?: string;
  /** Its main job is not done when it is contained: why. */
  not?: string;
}

/** One of pi's examples. */
export interface Example extends Script {
  /** Its file or folder in `examples/extensions`. */
  name: string;
  /** Powers beside {@link COMMON}. */
  powers?: object;
  /** Addresses in its source that become the model server's, in both runs: there is no network. */
  places?: RegExp;
  /** Packages that it needs beside it. */
  deps?: readonly string[];
}

/** What all of them were granted: all of pi's events and functions, and no file, program or network. */
export const COMMON = {
  events: {
    see: ["*", ...Object.keys(EXTENSION_EVENTS)],
    block: true,
    cancel: true,
    compact: true,
    rewriteInput: ["*"],
    rewriteResult: ["*"],
    rewriteMessage: true,
    rewriteParams: true,
    trustProject: true,
    rewritePrompt: true,
    rewriteContext: true,
    rewriteUserInput: true,
  },
  ui: ["notify", "select", "confirm", "input", "editor", "show", "draw", "typing"],
  agent: [...AGENT_READS, ...AGENT_ACTS],
  session: ["entries"],
  send: { perMinute: 60 },
  tools: ["*"],
  commands: ["*"],
  model: ["mock", "google"],
};

const bash = (command: string): Turn => ({ calls: [{ name: "bash", args: { command } }] });
const call = (name: string, args: object): Turn => ({ calls: [{ name, args }] });
const git = (...args: unknown[]) => ({ program: "git", args });
const anything = (program: string, ...args: unknown[]) => ({ program, args, fullAccess: true });
const TEXT = { kind: "text" };

const long = { text: "well ".repeat(2000) };
const KEEP_LITTLE = { "home/.pi/agent/settings.json": JSON.stringify({ compaction: { keepRecentTokens: 100 } }) };

/** The pi that runs these examples, as a program of the person's. */
const PI = `#!/bin/sh
exec ${process.execPath} ${piProgram("1.5.2")} "$@"
`;

/** Another machine, on this one. */
const SSH = `#!/bin/sh
shift
exec sh -c "$(printf %s "$*" | sed "s#/far#$HOME/far#g")"
`;

// biome-ignore format: a table
export const EXAMPLES: readonly Example[] = [
  { name: "auto-commit-on-exit.ts", kind: "hook", git: "changed",
    powers: { exec: [git("status", "--porcelain"), git("add", "-A"), git("commit", "-m", { kind: "text" })] } },
  { name: "bash-spawn-hook.ts", kind: "tool", turns: [bash("echo hook is $PI_SPAWN_HOOK")], files: { "home/.profile": "" }, powers: { tools: ["bash"], exec: [{ ...anything("bash", "-c", { kind: "text", lines: true }), env: { PI_SPAWN_HOOK: "1" } }] } },
  { name: "bookmark.ts", kind: "command", steps: ["go", "/bookmark here", "/unbookmark", "/unbookmark"] },
  { name: "border-status-editor.ts", kind: "screen", powers: { exec: [git("branch", "--show-current")] } },
  { name: "built-in-tool-renderer.ts", kind: "screen", powers: { tools: ["read", "bash", "edit", "write"], exec: [anything("bash", "-c", TEXT)] }, differs: { requests: "its tools say that they are a hook's" } },
  { name: "claude-rules.ts", kind: "hook", files: { "work/.claude/rules/one.md": "One.", "work/.claude/rules/more/two.md": "Two." },
    powers: { fs: { read: ["$CWD/**"] } } },
  { name: "commands.ts", kind: "command", steps: ["go", "/commands extension", "/commands skill"], answers: { select: 1 }, differs: { shown: "the source of a contained command is Cordon's extension" } },
  { name: "confirm-destructive.ts", kind: "hook", steps: ["go", { type: "new_session" }, "on"], answers: { confirm: false, select: 1 } },
  { name: "custom-compaction.ts", kind: "hook", files: KEEP_LITTLE, turns: [bash("ls"), long, bash("ls"), long, { text: "summary" }, { text: "summary" }],
    steps: ["go", "on", { type: "compact" }] },
  { name: "custom-footer.ts", kind: "screen" },
  { name: "custom-header.ts", kind: "screen" },
  { name: "custom-provider-anthropic", kind: "provider", deps: ["@anthropic-ai/sdk"], places: /https:\/\/api\.anthropic\.com/g, env: { CUSTOM_ANTHROPIC_API_KEY: "key" },
    args: ["--model", "custom-anthropic/claude-sonnet-4-5"], steps: ["go"],
    powers: { providers: [{ name: "custom-anthropic", streams: true }, { name: "custom-anthropic", login: true }], env: ["CUSTOM_ANTHROPIC_API_KEY", "ANTHROPIC_*"], net: { connect: ["127.0.0.1:8080"] } } },
  { name: "custom-provider-gitlab-duo", kind: "provider", places: /https:\/\/(cloud\.)?gitlab\.com/g, env: { GITLAB_TOKEN: "key" },
    args: ["--model", "gitlab-duo/claude-sonnet-4-6"], steps: ["go"],
    powers: { providers: [{ name: "gitlab-duo", streams: true }, { name: "gitlab-duo", login: true }], env: ["GITLAB_TOKEN"], net: { connect: ["127.0.0.1:8080"] } } },
  { name: "debug-provider.ts", kind: "command", steps: ["/debug-provider on", "go", "/debug-provider", "/debug-provider no"] },
  { name: "dirty-repo-guard.ts", kind: "hook", git: "changed", steps: ["go", { type: "new_session" }, "on"], answers: { select: 1 },
    powers: { exec: [git("status", "--porcelain")] } },
  { name: "doom-overlay", kind: "screen", not: "imports `node:module`, for WebAssembly" },
  { name: "dynamic-resources", kind: "hook" },
  { name: "dynamic-tools.ts", kind: "tool", turns: [call("echo_session", { message: "one" }), { text: "so" }, call("mine", { message: "two" })],
    steps: ["go", "/add-echo-tool mine", "/add-echo-tool mine", "on"] },
  { name: "entry-renderer.ts", kind: "screen", steps: ["go", "/status-card all is well"] },
  { name: "event-bus.ts", kind: "hook", steps: ["go", "/emit hello"], powers: { bus: ["my:notification"] } },
  { name: "file-trigger.ts", kind: "hook", turns: [bash("echo look > /tmp/agent-trigger.txt; sleep 1"), { text: "so" }],
    powers: { fs: { read: ["/tmp/agent-trigger.txt"], write: ["/tmp/agent-trigger.txt"], watch: ["/tmp/agent-trigger.txt"] } } },
  { name: "git-checkpoint.ts", kind: "hook", git: "changed", turns: [bash("echo changed > tracked.txt"), { text: "so" }],
    powers: { exec: [git("stash", "create"), git("stash", "apply", { kind: "sha" })] }, unseen: "its question at a fork, which it forgets when the run has settled" },
  { name: "git-merge-and-resolve.ts", kind: "hook", git: "conflict", turns: [{ text: "so" }, bash("git checkout -q --ours tracked.txt && git add -A && git commit -qm merged"), { text: "done" }],
    powers: { fs: { read: ["$CWD/**"] }, exec: [git("rev-parse", "--git-dir"), git("rev-parse", "MERGE_HEAD"), git("status", "--porcelain"),
      git("rev-parse", "--abbrev-ref", "--symbolic-full-name", "@{u}"), git("diff", "--name-only", "--diff-filter=U")] } },
  { name: "github-issue-autocomplete.ts", kind: "screen", powers: { exec: [{ ...git("remote", "-v"), fullAccess: true }] } },
  { name: "gondolin", kind: "tool", differs: { requests: "a virtual machine; without its package pi itself does not start", entries: "the same", shown: "the same", errors: "the same" }, not: "a virtual machine; without its package pi itself does not start" },
  { name: "handoff.ts", kind: "screen", steps: ["go", "/handoff go on"] },
  { name: "hello.ts", kind: "tool", turns: [call("hello", { name: "Ada" })] },
  { name: "hidden-thinking-label.ts", kind: "screen" },
  { name: "inline-bash.ts", kind: "hook", steps: ["what is in !{echo made}?", "!{exit 3} and !{echo two}"], powers: { exec: [anything("bash", "-c", TEXT)] } },
  { name: "input-transform-streaming.ts", kind: "hook", git: "changed", steps: ["what are the changes?", "nothing else"], powers: { exec: [git("diff", "--stat")] } },
  { name: "input-transform.ts", kind: "hook", steps: ["?quick what is this", "ping", "other"] },
  { name: "interactive-shell.ts", kind: "screen", steps: ["go", { type: "bash", command: "echo by hand" }], powers: { env: ["INTERACTIVE_*"] }, not: "hands the terminal over to a program: no hook has the terminal, which would show whatever it likes and hear all keys" },
  { name: "jev-router.ts", kind: "provider", providers: { "openai-codex": ["gpt-5.6-sol", "gpt-5.6-terra", "gpt-5.6-luna"] }, args: ["--model", "jev/auto"],
    turns: [{ calls: [{ name: "write", args: { path: "a.txt", content: "a" } }] }, { text: "so" }, { text: "on" }], steps: ["go", "on"],
    powers: { providers: [{ name: "jev", routes: true }], model: ["openai-codex"] } },
  { name: "mac-system-theme.ts", kind: "hook", files: { "home/bin/osascript": "#!/bin/sh\necho true\n" }, powers: { exec: [anything("osascript", "-e", TEXT)] }, unseen: "without a terminal pi has no themes (`themes.test.ts` has one)" },
  { name: "message-renderer.ts", kind: "screen" },
  { name: "minimal-mode.ts", kind: "screen", powers: { tools: ["read", "bash", "edit", "write", "find", "grep", "ls"], exec: [anything("bash", "-c", TEXT)] }, differs: { requests: "its tools say that they are a hook's" } },
  { name: "modal-editor.ts", kind: "screen" },
  { name: "model-status.ts", kind: "hook", steps: ["go", { type: "set_model", provider: "mock", modelId: "other" }, "on"] },
  { name: "notify.ts", kind: "hook", powers: { env: ["WT_SESSION", "KITTY_WINDOW_ID"] }, differs: { errors: "as it is, it writes its escape sequence between the messages of rpc mode" } },
  { name: "overlay-qa-tests.ts", kind: "screen" },
  { name: "overlay-test.ts", kind: "screen" },
  { name: "permission-gate.ts", kind: "hook", turns: [bash("rm -rf made"), bash("sudo true"), bash("echo fine")], answers: { select: 1 }, differs: { shown: "the title loses a variation selector" } },
  { name: "pirate.ts", kind: "hook", steps: ["go", "/pirate", "on", "/pirate"] },
  { name: "plan-mode", kind: "command", turns: [bash("ls"), bash("rm tracked.txt"), { text: "Plan:\n1. Read the file\n2. Write the test\n" }, { text: "[DONE:1] [DONE:2] All done." }],
    steps: ["/plan", "make a plan", "/todos", "/plan"], files: { "work/tracked.txt": "x\n" }, answers: { select: 0 } },
  { name: "preset.ts", kind: "command", steps: ["go", "/preset plan", "on", "/preset none"], args: ["--preset", "plan"],
    files: { "home/.pi/agent/presets.json": JSON.stringify({ plan: { provider: "mock", model: "other", tools: ["read"], instructions: "Only plan." } }) },
    powers: { fs: { read: ["$HOME/.pi/agent/presets.json", "$CWD/.pi/presets.json"] } } },
  { name: "project-trust.ts", kind: "hook", files: { "work/.pi/settings.json": "{}" }, differs: { errors: "where nobody can be asked, a notice is not shown" } },
  { name: "prompt-customizer.ts", kind: "hook" },
  { name: "protected-paths.ts", kind: "hook", turns: [call("write", { path: ".env", content: "A=1" }), call("write", { path: "src/a.txt", content: "a" }), call("edit", { path: ".git/config", edits: [{ oldText: "a", newText: "b" }] })] },
  { name: "provider-payload.ts", kind: "hook", files: { "work/.pi/.keep": "" }, powers: { fs: { write: ["$CWD/.pi/provider-payload.log"] } } },
  { name: "qna.ts", kind: "screen" },
  { name: "question.ts", kind: "screen", turns: [call("question", { question: "Which?", options: [{ label: "A" }, { label: "B" }] })] },
  { name: "questionnaire.ts", kind: "screen", turns: [call("questionnaire", { questions: [{ id: "a", prompt: "Which?", options: [{ value: "x", label: "X" }] }] })] },
  { name: "rainbow-editor.ts", kind: "screen" },
  { name: "reload-runtime.ts", kind: "command", turns: [call("reload_runtime", {})], steps: ["go", "/reload-runtime", "on"] },
  { name: "rpc-demo.ts", kind: "command", turns: [bash("sudo true"), { text: "so" }] },
  { name: "send-user-message.ts", kind: "command", steps: ["/ask", "/ask one thing", "/askwith another", "/steer this", "/followup that"] },
  { name: "session-name.ts", kind: "command", steps: ["go", "/session-name", "/session-name mine", "/session-name"] },
  { name: "shutdown-command.ts", kind: "command", turns: [call("deploy_and_exit", { environment: "test" })], steps: ["go"] },
  { name: "snake.ts", kind: "screen" },
  { name: "space-invaders.ts", kind: "screen" },
  { name: "ssh.ts", kind: "tool", turns: [bash("ls"), call("write", { path: "new.txt", content: "far away" }), call("read", { path: "new.txt" })], args: ["--ssh", "me@host:/far"], files: { "home/bin/ssh": SSH, "home/far/there.txt": "there" }, powers: { tools: ["read", "write", "edit", "bash"], exec: [anything("ssh", { rest: "text" })], fs: { read: ["$CWD/**"] } } },
  { name: "status-line.ts", kind: "hook" },
  { name: "structured-output.ts", kind: "tool", turns: [call("structured_output", { headline: "H", summary: "S", actionItems: ["a"] })] },
  { name: "subagent", kind: "tool", turns: [call("subagent", { agent: "scout", task: "look" }), bash("echo made > made.txt"), { text: "It is there." }, call("subagent", { agent: "nobody", task: "look" }), { text: "so" }], steps: ["go"],
    files: { "home/bin/pi": PI, "home/.pi/agent/agents/scout.md": "---\nname: scout\ndescription: looks\ntools: read, bash\n---\n\nLook well.\n" },
    powers: { fs: { read: ["$HOME/.pi/agent/**", "/**/.pi/agents", "/.pi/agents"], write: ["$TMP/pi-subagent-*", "$TMP/pi-subagent-*/**"] }, exec: [anything("pi", "--mode", "json", "-p", "--no-session", "--model", TEXT, "--thinking", TEXT, "--tools", TEXT, "--append-system-prompt", TEXT, TEXT)] } },
  { name: "summarize.ts", kind: "screen", powers: { model: ["openai"] } },
  { name: "system-prompt-header.ts", kind: "hook" },
  { name: "tic-tac-toe.ts", kind: "screen" },
  { name: "timed-confirm.ts", kind: "command" },
  { name: "titlebar-spinner.ts", kind: "hook" },
  { name: "todo.ts", kind: "tool", turns: [call("todo", { action: "add", text: "one" }), call("todo", { action: "toggle", id: 1 }), call("todo", { action: "toggle", id: 9 }), call("todo", { action: "list" })], steps: ["go", "/todos"] },
  { name: "tool-override.ts", kind: "tool", turns: [call("read", { path: "tracked.txt" }), call("read", { path: ".env" })], files: { "work/tracked.txt": "one\ntwo\n", "work/.env": "A=1" },
    powers: { tools: ["read"], fs: { read: ["$CWD/**", "$HOME/.pi/agent/read-access.log"], write: ["$HOME/.pi/agent/read-access.log"] } } },
  { name: "tools.ts", kind: "screen" },
  { name: "trigger-compact.ts", kind: "command", files: KEEP_LITTLE, turns: [bash("ls"), long, bash("ls"), long, { text: "summary" }, { text: "summary" }], steps: ["go", "on", "/trigger-compact"] },
  { name: "truncated-tool.ts", kind: "tool", turns: [call("rg", { pattern: "needle" }), { text: "so" }], files: { "work/hay.txt": "needle\n", "home/bin/rg": "#!/bin/sh\necho hay.txt:1:needle\n" }, powers: { exec: [anything("rg", "--line-number", "--color=never", "needle", ".")] } },
  { name: "widget-placement.ts", kind: "hook" },
  { name: "with-deps", kind: "tool", deps: ["ms"], turns: [call("parse_duration", { duration: "2 days" })] },
  { name: "working-indicator.ts", kind: "screen" },
  { name: "working-message-test.ts", kind: "screen" },
];
