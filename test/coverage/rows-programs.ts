import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { agentEnd, bash, type Row, result, session, turnEnd } from "./row.ts";
import { git, list, read } from "./world.ts";

/** Hooks that run other programs. */
export const PROGRAM_ROWS: readonly Row[] = [
  {
    hook: "session-summary",
    repository: true,
    steps: [session("start"), session("shutdown", [{ type: "session" }, { type: "message" }, { type: "message" }])],
    effect: ({ world }) => read(world, "home/.local/state/pi-summaries/work.md"),
    works: "# work\nbranch: main\nmessages: 2\n",
    rounds: 3,
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
    rounds: 2,
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
    rounds: 3,
  },
  {
    hook: "git-banner",
    repository: true,
    files: { "work/a.txt": "a" },
    changed: { "work/a.txt": "b" },
    steps: [session("start")],
    effect: ({ shown }) => shown(),
    works: ["notify: Ada: first (1 changed)"],
    rounds: 3,
  },
  {
    hook: "turn-commit",
    repository: true,
    changed: { "work/a.txt": "a" },
    steps: [turnEnd(3)],
    effect: ({ world, shown }) => [git(world, "log", "--format=%s"), shown()],
    works: ["wip: turn 3\nfirst\n", ["notify: Committed turn 3"]],
    rounds: 4,
  },
  {
    hook: "desktop-notify",
    env: () => ({ PI_NOTIFY_AFTER_MS: "0" }),
    files: { "bin/notify-send": '#!/bin/sh\necho "$1: $2" > "$HOME/desktop.txt"\n' },
    steps: [{ type: "agent_start" }, agentEnd()],
    effect: ({ world }) => read(world, "home/desktop.txt"),
    works: "pi: Done in work\n",
    rounds: 2,
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
    rounds: 3,
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
    rounds: 3,
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
    rounds: 3,
  },
];
