import type { CommunityPackage } from "./community-package.ts";
import { bash, call, so, use } from "./script.ts";

type InRepository = Extract<CommunityPackage, { commit: string }>;

/** Rows of one commit. `what`: the row's own part of its name. */
const from =
  (repository: string, commit: string) =>
  (what: string, rest: Omit<InRepository, "name" | "repository" | "commit">): InRepository => ({
    name: `${repository}/${what}`,
    repository: `github:${repository}` as InRepository["repository"],
    commit,
    ...rest,
  });

const diegopetrucci = from("diegopetrucci/pi-extensions", "8a9aa8677cc21f14b5e11adfa7aff115197a644c");
const mitsuhiko = from("mitsuhiko/agent-stuff", "cc4b711dc6a2bee2aefb89820600e38291500543");
const hjanuschka = from("hjanuschka/shitty-extensions", "1d6d9d6f2ffe2011ac4203ba42a3f1ec83437102");
const jayshah = from("jayshah5696/pi-agent-extensions", "35146fbc049d02e486e0388a3529e9e06c67ec4c");
const fradser = from("FradSer/pi-packages", "6f03399c4ed05c674d0de4a48dfe42eef59122ec");
const winter = from("w-winter/dot314", "cac5bd1a952cf79ca199ea143cd6ad83e90755db");
const tmustier = from("tmustier/pi-extensions", "60d70f24825446205c45e89f98813688e52823f3");
const pascoe = from("ian-pascoe/pi-extensions", "f70ff0734551fdc2f0ffbae961eebf9d7d421ff6");
const prateek = from("prateekmedia/pi-hooks", "9e0a99e5cb3e8157dc43d2d702d9970baf624b23");
const nicobailon = from("nicobailon/pi-rewind-hook", "932be34c64d8dbf96ca107b074fee415c2750062");
const masurii = from("MasuRii/pi-permission-system", "cedd6d73e97e067dfb60fff6dadff6248fa0369d");
const inobit = from("inobit/pi-packages", "d46b658624a795b0d502e1228a03ed8b01545006");
const aliou = from("aliou/pi-guardrails", "df7acd4ad15bce7bf22b36b52cb0ed65a7d81a8c");
const mattdevy = from("MattDevy/pi-extensions", "ab5bd8985472a6bba5e2a8d05a7e7f35d20cc03f");
const ferologics = from("ferologics/pi-notify", "a00d92f6a1c750e8f06665ca1c7f743d3f3af5fc");
const pchaganti = from("pchaganti/px-pi-packages", "e71b20e3cc60f3b34fb0dcbd101b68dc1068453e");
const narumi = from("narumiruna/pi-extensions", "e049e85c7eb25b76a2dac556170212ebbf142e92");

/** An extension that is a folder, or a file, of `extensions`, and needs nothing of npm. */
const inFolder = (name: string) => ({ folder: `extensions/${name}`, entry: "index.ts", needs: [] });
const inFile = (name: string) => ({ folder: "extensions", entry: `${name}.ts`, needs: [] });

/** A program that writes down how it was called, and what it says. */
const told = (says = ""): string =>
  `#!/bin/sh\necho "$(basename "$0")" "$@" >> "$HOME/../work/sent.txt"\n${says === "" ? "" : `echo '${says}'\n`}`;
const ARGV = "it reads the mode in the agent's arguments, which no hook gets: it asks, as on a terminal";
const OSC = "as it is, it writes its escape sequence between the messages of rpc mode";

// biome-ignore format: a table
export const IN_REPOSITORIES: readonly InRepository[] = [
  diegopetrucci("permission-gate", { ...inFolder("permission-gate"), kind: "hook",
    turns: [bash("sudo true"), call("write", { path: ".env", content: "A=1" }), call("write", { path: "a.txt", content: "x" }), so], steps: ["go"], answers: { select: 1, confirm: false }, differs: { shown: "the title loses a variation selector" } }),
  diegopetrucci("confirm-destructive", { ...inFolder("confirm-destructive"), kind: "hook", steps: ["go", { type: "new_session" }, "on"] }),
  diegopetrucci("dirty-repo-guard", { ...inFolder("dirty-repo-guard"), kind: "hook", git: "changed", steps: ["go", { type: "new_session" }, "on"], answers: { select: 1 } }),
  diegopetrucci("inline-bash", { ...inFolder("inline-bash"), kind: "hook",
    steps: ["what is !{echo here} now"], more: { exec: [{ program: "bash", args: ["-c", { kind: "text" }], fullAccess: true }] } }),
  diegopetrucci("notify", { ...inFolder("notify"), kind: "hook", files: { "home/bin/notify-send": told() }, steps: ["go"], differs: { errors: OSC } }),
  diegopetrucci("brrr", { ...inFolder("brrr"), kind: "hook", files: { "home/.pi/agent/extensions/brrr.json": '{"webhook":"https://api.brrr.now/v1/br_x","idleSeconds":null}' },
    steps: ["go", "/brrr"], unseen: "its server: there is no network" }),
  diegopetrucci("fast", { ...inFolder("fast"), kind: "hook", steps: ["go", "/fast on", "/fast status", "on"] }),
  diegopetrucci("context-cap", { ...inFolder("context-cap"), kind: "hook", steps: ["go", "/context-cap", "on"], not: "changes the agent's own list of models in place" }),
  mitsuhiko("notify", { ...inFile("notify"), kind: "hook", steps: ["go"], differs: { errors: OSC } }),
  mitsuhiko("no-sleep", { ...inFile("no-sleep"), kind: "hook", steps: ["go", "/no-sleep status"], unseen: "it keeps macOS alone awake" }),
  mitsuhiko("trust-github-repos", { ...inFile("trust-github-repos"), kind: "hook",
    git: "changed", files: { "work/.git/config": '[core]\n\trepositoryformatversion = 0\n[remote "origin"]\n\turl = https://github.com/mitsuhiko/x.git\n', "work/.pi/prompts/hi.md": "Hi $@" }, steps: ["/hi there"] }),
  mitsuhiko("whimsical", { ...inFile("whimsical"), kind: "hook", steps: ["go"], unseen: "without a terminal its words are not shown" }),
  hjanuschka("funny-working-message", { ...inFile("funny-working-message"), kind: "hook", steps: ["go", "on"], unseen: "without a terminal its words are not shown" }),
  hjanuschka("ultrathink", { ...inFile("ultrathink"), kind: "hook",
    steps: ["ultrathink about it", "/ultrathink", "on"], differs: { shown: "its notice is of the kind `success`, which pi does not have: `info`" } }),
  hjanuschka("status-widget", { ...inFile("status-widget"), kind: "hook", steps: ["go", "/status", "on"] }),
  winter("protect-paths", { ...inFolder("protect-paths"), kind: "hook",
    turns: [call("read", { path: ".env" }), bash("cat .git/config"), bash("brew install x"), call("write", { path: "a.txt", content: "x" }), so], steps: ["go"], files: { "work/.env": "A=1" } }),
  winter("titlebar-spinner", { ...inFile("titlebar-spinner"), kind: "hook", steps: ["go"] }),
  winter("iterm-tab-color", { ...inFile("iterm-tab-color"), kind: "hook", steps: ["go"], env: { TERM_PROGRAM: "iTerm.app" }, differs: { errors: OSC } }),
  winter("model-sysprompt-appendix", { ...inFolder("model-sysprompt-appendix"), kind: "hook",
    files: { "home/.pi/agent/extensions/model-sysprompt-appendix/model-sysprompt-appendix.json": '{"exact":{"mock/mock":"Be quick."},"default":"Be good.","includeModelLine":true}' }, steps: ["go", "/model-sysprompt-appendix status", use("mock", "other"), "on"] }),
  winter("orca-session-tab-title", { ...inFolder("orca-session-tab-title"), kind: "hook", env: { ORCA_PANE_KEY: "a:leaf" },
    files: { "home/bin/orca": told('{"result":{"terminals":[{"handle":"h1","leafId":"leaf"}]}}') }, steps: ["go", { type: "set_session_name", name: "My work" }, "on"], more: { exec: [{ program: "orca", args: ["terminal", "rename", "--terminal", { kind: "text" }, "--title", { kind: "text" }, "--json"], fullAccess: true }] } }),
  winter("inline-shell", { ...inFile("inline-shell"), kind: "hook",
    steps: ["what is !{echo here} now"], more: { exec: [{ program: "/bin/bash", args: ["-i", "-c", { kind: "text", lines: true }], fullAccess: true }, { program: "/usr/bin/bash", args: ["-i", "-c", { kind: "text", lines: true }], fullAccess: true }], fs: { read: ["/bin/bash", "/usr/bin/bash"] } } }),
  winter("cmux", { ...inFolder("cmux"), kind: "hook", steps: ["go"],
    files: { "home/bin/cmux": told() }, env: { CMUX_SURFACE_ID: "1", CMUX_WORKSPACE_ID: "2", CMUX_SOCKET_PATH: "/tmp/x" }, differs: { files: "what it starts as pi ends, and does not wait for, does not run" } }),
  winter("ephemeral-mode", { ...inFile("ephemeral-mode"), kind: "hook",
    files: { "home/bin/trash": '#!/bin/sh\nrm "$1"\n' }, steps: ["go", "/ephemeral", "on", { type: "new_session" }, "again"], more: { exec: [{ program: "trash", args: [{ kind: "text" }], fullAccess: true }] } }),
  tmustier("tab-status", { folder: "tab-status", entry: "tab-status.ts", needs: [], kind: "hook", steps: ["go"] }),
  tmustier("session-recap", { folder: "session-recap", entry: "index.ts", needs: [], kind: "hook", steps: ["go", "/recap"] }),
  tmustier("agent-guidance", { folder: "agent-guidance", entry: "agent-guidance.ts", needs: [], kind: "hook",
    files: { "work/CLAUDE.md": "Be quick.", "work/AGENTS.md": "Be you.", "home/.pi/agent/agent-guidance.json": '{"providers":{"mock":["CLAUDE.md"]}}' }, steps: ["go"] }),
  pascoe("tps-tracker", { folder: "packages/pi-tps-tracker", entry: "src/index.ts", kind: "hook", steps: ["go"] }),
  pascoe("git-status-widget", { folder: "packages/pi-git-status-widget", entry: "src/index.ts", kind: "hook", git: "changed", steps: ["go", "on"] }),
  pascoe("git-checkpoints", { folder: "packages/pi-git-checkpoints", entry: "src/index.ts", kind: "hook",
    git: "changed", steps: ["go", "on"], not: "its commands of git name the folders of each session: each is asked for anew" }),
  pascoe("bible-verses", { folder: "packages/pi-bible-verses", entry: "src/index.ts", kind: "hook", steps: ["go"], unseen: "without a terminal its words are not shown" }),
  prateek("permission", { folder: "permission", entry: "permission.ts", kind: "hook",
    turns: [bash("git push"), bash("rm -rf x"), bash("ls"), so], steps: ["go", "/permission low", "on"], differs: { requests: ARGV, entries: ARGV, shown: ARGV } }),
  prateek("checkpoint", { folder: "checkpoint", entry: "checkpoint.ts", needs: [], kind: "hook", git: "changed", steps: ["go", "on"] }),
  nicobailon("rewind", { entry: "index.ts", needs: [], kind: "hook",
    git: "changed", varies: [/(?<=")[0-9a-f]{8}(?=")/g, /(?<=")[0-9a-f]{40}(?=")/g], steps: ["go", "on"] }),
  masurii("permission-system", { entry: "src/index.ts", kind: "hook", turns: [bash("rm -rf x"), bash("ls"), so], steps: ["go"] }),
  inobit("permission", { folder: "packages/pi-permission", entry: "src/index.ts", kind: "hook",
    turns: [bash("rm -rf x"), bash("ls"), call("write", { path: ".env", content: "A=1" }), so], steps: ["go"] }),
  aliou("guardrails", { entry: "src/index.ts", needs: ["@aliou/pi-utils-settings@0.19.2", "@aliou/sh@0.2.2"], kind: "hook",
    turns: [call("read", { path: ".env" }), bash("rm -rf x"), bash("cat .env"), bash("ls"), so], steps: ["go"], files: { "work/.env": "A=1" } }),
  mattdevy("red-green", { folder: "packages/pi-red-green", entry: "src/index.ts", kind: "hook", steps: ["go", "/tdd-status"] }),
  mattdevy("code-review", { folder: "packages/pi-code-review", entry: "src/index.ts", kind: "hook",
    git: "changed", turns: [call("write", { path: "a.ts", content: "const a = 1\n" }), so], steps: ["go", "on"] }),
  ferologics("pi-notify", { entry: "index.ts", needs: [], kind: "hook", steps: ["go"], differs: { errors: OSC } }),
  fradser("worktree", { folder: "packages/utils", entry: "extensions/worktree.ts", needs: [], kind: "hook",
    git: "changed", varies: [/HEAD is now at [0-9a-f]{7}/g], turns: [bash("git worktree add ../other -b other"), so], steps: ["go"] }),
  pchaganti("ancestor-discovery", { folder: "packages/pi-ancestor-discovery", entry: "extensions/index.ts", kind: "hook",
    git: "changed", files: { "home/.agents/skills/do/SKILL.md": "---\nname: do\ndescription: do it\n---\nDo.\n", "work/.pi/skills/up/SKILL.md": "---\nname: up\ndescription: up it\n---\nDo.\n" }, steps: ["go"], args: ["--approve"] }),
  pchaganti("openai-fast", { folder: "packages/pi-openai-fast", entry: "extensions/index.ts", kind: "hook", steps: ["go", "/fast on", "on"], unseen: "the service tier of a request" }),
  pchaganti("openai-verbosity", { folder: "packages/pi-openai-verbosity", entry: "extensions/index.ts", kind: "hook", steps: ["go", "/openai-verbosity", "on"], unseen: "the verbosity of a request" }),
  narumi("retry", { folder: "deprecated/pi-retry", entry: "src/retry.ts", kind: "hook", steps: ["go"] }),
  narumi("stamp", { folder: "packages/pi-stamp", entry: "src/stamp.ts", needs: ["@narumitw/pi-tui-kit@0.65.1"], kind: "hook", steps: ["go"], unseen: "without a terminal it shows nothing" }),
  narumi("github-pr", { folder: "packages/pi-github-pr", entry: "src/github-pr.ts", kind: "hook",
    git: "changed", files: { "home/bin/gh": told('[]') }, steps: ["go"], more: { fs: { watch: ["$CWD/.git"] } } }),
  inobit("undo", { folder: "packages/pi-undo", entry: "src/index.ts", kind: "command", git: "changed", varies: [/(?<="at":")[0-9a-f]{8}/g], steps: ["go", "/undo"] }),
  inobit("retry", { folder: "packages/pi-retry", entry: "src/index.ts", kind: "command", steps: ["go", "/retry"] }),
  mitsuhiko("todos", { varies: [/(?<=TODO-|"id":"|todos\/)[0-9a-f]{8}/g], ...inFile("todos"), kind: "tool",
    turns: [call("todo", { action: "create", title: "One", body: "B" }), call("todo", { action: "list" }), so], steps: ["go"] }),
  mitsuhiko("uv", { entry: "extensions/uv.ts", needs: [], kind: "tool", turns: [bash("pip install x"), bash("python3 -m pip install x"), bash("echo fine"), so], steps: ["go"] }),
  mitsuhiko("review", { ...inFile("review"), kind: "command", git: "changed", varies: [/(?<="originId":")[0-9a-f]{8}/g], steps: ["go", "/review uncommitted", "/end-review"] }),
  hjanuschka("plan-mode", { ...inFile("plan-mode"), kind: "command", turns: [so, bash("rm -rf x"), so], steps: ["/plan", "go", "/plan"] }),
  hjanuschka("resistance", { ...inFile("resistance"), kind: "screen", steps: ["go", "/resistance"] }),
  diegopetrucci("todo", { ...inFolder("todo"), kind: "tool", turns: [call("todo", { action: "add", text: "One" }), call("todo", { action: "list" }), so], steps: ["go", "/todos"] }),
  diegopetrucci("git-footer", { ...inFolder("git-footer"), kind: "screen", git: "changed", steps: ["go"] }),
  diegopetrucci("review", { ...inFolder("review"), kind: "command", git: "changed", steps: ["go", "/review uncommitted", "/end-review"] }),
  jayshah("ask-user", { varies: [/(?<="answeredAt":)\d+/g], ...inFolder("ask-user"), kind: "tool",
    turns: [call("ask_user", { questions: [{ id: "q", question: "Which?", options: [{ label: "a" }, { label: "b" }] }] }), so], steps: ["go"] }),
  jayshah("session-breakdown", { ...inFolder("session-breakdown"), kind: "screen", steps: ["go", "/session-breakdown"] }),
  winter("plan-mode", { ...inFile("plan-mode"), kind: "command", turns: [so, bash("rm -rf x"), so], steps: ["/plan", "go", "/plan"] }),
  winter("preset", { ...inFile("preset"), kind: "command", files: { "work/.pi/presets.json": '{"plan":{"thinkingLevel":"high","tools":["read"],"instructions":"Plan."}}' }, args: ["--approve"],
    steps: ["/preset plan", "go"] }),
  tmustier("raw-paste", { folder: "raw-paste", entry: "index.ts", needs: [], kind: "screen", steps: ["go", "/paste"] }),
  tmustier("usage", { folder: "usage-extension", entry: "index.ts", needs: [], kind: "screen", steps: ["go", "/usage"], unseen: "without a terminal it shows nothing" }),
];
