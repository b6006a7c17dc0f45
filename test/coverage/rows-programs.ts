import { createHash } from "node:crypto";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { agentEnd, bash, hears, type Row, result, session, turnEnd } from "./row.ts";
import { git, list, read } from "./world.ts";

const runs = (program: string, ...args: string[]) => ({ program, args });

/** Hooks that run other programs. */
export const PROGRAM_ROWS: readonly Row[] = [
  {
    hook: "session-summary",
    repository: true,
    steps: [session("start"), session("shutdown", [{ type: "session" }, { type: "message" }, { type: "message" }])],
    effect: ({ world }) => read(world, "home/.local/state/pi-summaries/work.md"),
    works: "# work\nbranch: main\nmessages: 2\n",
    least: {
      ...hears(["session"]),
      session: ["entries"],
      exec: [runs("git", "branch", "--show-current")],
      fs: {
        write: [".local", ".local/state", ".local/state/pi-summaries", ".local/state/pi-summaries/work.md"].map(
          (name) => `$HOME/${name}`,
        ),
      },
    },
  },
  {
    hook: "branch-guard",
    repository: true,
    steps: [
      bash("git commit -m x"),
      (world) => void git(world, "switch", "--quiet", "-c", "topic"),
      bash("git commit -m x"),
    ],
    effect: ({ results }) => results,
    works: [expect.objectContaining({ reason: "main is protected: make a branch first" }), undefined],
    least: {
      ...hears(["tool_call"], { block: true }),
      env: ["PI_ALLOW_MAIN"],
      fs: { read: ["$CWD/.git"] },
      exec: [runs("git", "rev-parse", "--abbrev-ref", "HEAD")],
    },
  },
  {
    hook: "syntax-check",
    files: { "work/bad.mjs": "let let = 1;\n", "work/good.mjs": "export {};\n" },
    steps: ["bad.mjs", "good.mjs"].map((path) => result("write", { path, content: "" }, "written")),
    effect: ({ results }) => results,
    works: [
      {
        content: [
          { type: "text", text: "written" },
          { type: "text", text: expect.stringMatching(/^node --check: SyntaxError: /) },
        ],
      },
      undefined,
    ],
    least: ({ work }) => ({
      ...hears(["tool_result"], { rewriteResult: ["write"] }),
      fs: { read: ["$CWD/bad.mjs", "$CWD/good.mjs"] },
      exec: ["bad.mjs", "good.mjs"].map((name) => ({
        ...runs("node", "--check", `${work}/${name}`),
        fullAccess: true,
      })),
    }),
  },
  {
    hook: "git-banner",
    repository: true,
    files: { "work/a.txt": "a" },
    changed: { "work/a.txt": "b" },
    steps: [session("start")],
    effect: ({ shown }) => shown(),
    works: ["notify: Ada: first (1 changed)"],
    least: {
      ...hears(["session"]),
      fs: { read: ["$CWD/.git"] },
      exec: [runs("git", "log", "-1", "--format=%an: %s"), runs("git", "status", "--porcelain")],
      ui: ["notify"],
    },
  },
  {
    hook: "turn-commit",
    repository: true,
    changed: { "work/a.txt": "a" },
    steps: [turnEnd(3)],
    effect: ({ world, shown }) => [git(world, "log", "--format=%s"), shown()],
    works: ["wip: turn 3\nfirst\n", ["notify: Committed turn 3"]],
    least: {
      ...hears(["turn_end"]),
      env: ["PI_NO_COMMIT"],
      fs: { read: ["$CWD/.git/MERGE_HEAD"] },
      exec: [
        runs("git", "status", "--porcelain"),
        runs("git", "add", "--all"),
        runs("git", "commit", "--quiet", "-m", "wip: turn 3"),
      ],
      ui: ["notify"],
    },
  },
  {
    hook: "desktop-notify",
    env: () => ({ PI_NOTIFY_AFTER_MS: "0" }),
    files: { "bin/notify-send": '#!/bin/sh\necho "$1: $2" > "$HOME/desktop.txt"\n' },
    steps: [{ type: "agent_start" }, agentEnd()],
    effect: ({ world }) => read(world, "home/desktop.txt"),
    works: "pi: Done in work\n",
    least: {
      ...hears(["agent_start", "agent_end"]),
      env: ["PI_NOTIFY_AFTER_MS"],
      exec: [{ ...runs("notify-send", "pi", "Done in work"), fullAccess: true }],
    },
  },
  {
    hook: "diff-digest",
    repository: true,
    files: { "work/a.txt": "a\n", "work/b.txt": "b\n" },
    changed: { "work/a.txt": "A\n", "work/b.txt": "B\n" },
    steps: [
      result("edit", { path: "a.txt", oldText: "a", newText: "A" }, "ok"),
      result("edit", { path: "./b.txt", oldText: "b", newText: "B" }, "ok"),
    ],
    effect: ({ sent }) => sent,
    works: ["a.txt, b.txt: 2 files changed, 2 insertions(+), 2 deletions(-)"],
    least: {
      ...hears(["tool_result"]),
      fs: { read: ["$CWD/.git"] },
      exec: [runs("git", "diff", "--shortstat")],
      send: {},
    },
  },
  {
    hook: "session-lock",
    repository: true,
    steps: [
      session("start"),
      (world) => {
        const [lock] = list(world, "tmp", /^pi-[0-9a-f]{12}\.lock$/);
        if (lock) copyFileSync(join(world.tmp, lock), join(world.tmp, "seen"));
      },
      session("shutdown"),
    ],
    effect: ({ world }) => [read(world, "tmp/seen")?.length, list(world, "tmp", /\.lock$/)],
    works: [36, []],
    least: ({ work }) => {
      const lock = `$TMP/pi-${createHash("md5").update(work).digest("hex").slice(0, 12)}.lock`;
      return {
        ...hears(["session"]),
        exec: [runs("git", "rev-parse", "--show-toplevel")],
        fs: { read: [lock], write: [lock] },
      };
    },
  },
  {
    hook: "transcript-export",
    repository: true,
    steps: [agentEnd({ role: "user", content: "x" }, { role: "assistant", content: [] })],
    effect: ({ world }) =>
      list(world, "work/transcripts", /^\d+\.json$/).map((name) =>
        JSON.parse(read(world, `work/transcripts/${name}`) as string),
      ),
    works: [{ commit: expect.stringMatching(/^[0-9a-f]{7,}$/), roles: ["user", "assistant"] }],
    least: {
      ...hears(["agent_end"]),
      session: ["messages"],
      exec: [runs("git", "rev-parse", "--short", "HEAD")],
      fs: { read: ["$CWD/transcripts"], write: ["$CWD/transcripts", "$CWD/transcripts/*.json"] },
    },
  },
];
