import { createHash } from "node:crypto";
import { expect } from "vitest";
import { agentEnd, bash, call, hears, type Row, result, session, turnEnd } from "./row.ts";
import { list, read, write } from "./world.ts";

const blockedFor = (reason: string) => expect.objectContaining({ block: true, reason });

const TRIGGER = "$TMP/pi-trigger.txt";
const sha = (name: string, text: string): string => createHash(name).update(text).digest("hex");

/** Hooks that work with files of the project, of the person, or temporary files. */
export const FILE_ROWS: readonly Row[] = [
  {
    hook: "protected-paths",
    files: { "home/.pi/protected.json": '{ "paths": ["infra/", "LICENSE"] }' },
    steps: [call("write", { path: "./infra/prod.tf", content: "" }), call("write", { path: "src/a.ts", content: "" })],
    effect: ({ results }) => results,
    works: [blockedFor("infra/prod.tf is protected"), undefined],
    least: {
      ...hears(["tool_call"], { block: true }),
      fs: { read: ["$CWD/.pi/protected.json", "$HOME/.pi/protected.json"] },
    },
  },
  {
    hook: "todo-log",
    steps: [result("write", { path: "src/a.ts", content: "let a;\n// TODO: name it\n" }, "ok")],
    effect: ({ world }) => read(world, "work/TODO.log"),
    works: "src/a.ts:2 name it\n",
    least: { ...hears(["tool_result"]), fs: { write: ["$CWD/TODO.log"] } },
  },
  {
    hook: "file-checksums",
    files: { "work/notes.md": "one\n" },
    steps: [
      result("read", { path: "notes.md" }, "one"),
      call("edit", { path: "notes.md", oldText: "one", newText: "two" }),
      write("work/notes.md", "three\n"),
      call("edit", { path: "notes.md", oldText: "one", newText: "two" }),
    ],
    effect: ({ results }) => results.slice(1),
    works: [undefined, blockedFor("notes.md changed since it was read: read it again")],
    least: { ...hears(["tool_result", "tool_call"], { block: true }), fs: { read: ["$CWD/notes.md"] } },
  },
  {
    hook: "gitignore-guard",
    files: { "work/.gitignore": "# built\n/dist\n*.log\n\nsecrets/**\n" },
    steps: ["dist/a.js", "x/b.log", "src/dist.ts"].map((path) => call("read", { path })),
    effect: ({ results }) => results,
    works: [
      blockedFor("dist/a.js is ignored by git (/dist)"),
      blockedFor("x/b.log is ignored by git (*.log)"),
      undefined,
    ],
    least: { ...hears(["tool_call"], { block: true }), fs: { read: ["$CWD/.gitignore"] } },
  },
  {
    hook: "line-limit",
    files: { "work/long.txt": "ä\n\n\n\n" },
    steps: [
      call("edit", { path: "long.txt", oldText: "ä", newText: "b\nc\n" }),
      call("edit", { path: "long.txt", oldText: "ä", newText: "b\n" }),
    ],
    effect: ({ results }) => results,
    works: [blockedFor("long.txt would have 6 lines: split it (6 bytes)"), undefined],
    least: { ...hears(["tool_call"], { block: true }), fs: { read: ["$CWD/long.txt"] } },
  },
  {
    hook: "audit-jsonl",
    steps: [bash("ls"), bash("pwd")],
    effect: ({ world }) =>
      read(world, "home/.pi/audit/calls.jsonl")
        ?.trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    works: [
      {
        session: expect.stringMatching(/^[0-9a-f-]{36}$/),
        toolName: "bash",
        input: { command: "ls" },
        last: "0".repeat(64),
      },
      {
        session: expect.any(String),
        toolName: "bash",
        input: { command: "pwd" },
        last: expect.stringMatching(/^(?!0{64})[0-9a-f]{64}$/),
      },
    ],
    least: {
      ...hears(["tool_call"], { block: false }),
      fs: { read: ["$CWD/.no-audit"], write: ["$HOME/.pi/audit", "$HOME/.pi/audit/calls.jsonl"] },
    },
  },
  {
    hook: "backup-before-write",
    files: { "work/src/a.ts": "old" },
    steps: [call("write", { path: "src/a.ts", content: "new" })],
    effect: ({ world }) =>
      list(world, "tmp/pi-backups", /^[0-9a-f]{8}$/).map((name) => read(world, `tmp/pi-backups/${name}/src_a.ts`)),
    works: ["old"],
    least: (world) => {
      const folder = `$TMP/pi-backups/${sha("sha1", world.work).slice(0, 8)}`;
      return {
        ...hears(["tool_call"], { block: false }),
        fs: { read: ["$CWD/src/a.ts"], write: ["$TMP/pi-backups", folder, `${folder}/src_a.ts`] },
      };
    },
  },
  {
    hook: "trigger-watch",
    steps: [session("start"), write("tmp/pi-trigger.txt", "run the tests\n")],
    effect: ({ world, sent, shown }) => [sent, shown(), read(world, "tmp/pi-trigger.txt")],
    works: [["External trigger: run the tests"], ["notify: Watching pi-trigger.txt"], ""],
    samples: true,
    least: {
      ...hears(["session"]),
      fs: { read: [TRIGGER], write: [TRIGGER], watch: [TRIGGER] },
      ui: ["notify"],
      send: {},
    },
  },
  {
    hook: "url-guard",
    files: { "work/.pi/hosts.txt": "example.com\nlocalhost\n" },
    steps: [
      bash("curl -s https://api.example.com/x"),
      bash("wget 'http://evil.example.org:8080/x'"),
      bash("echo http://evil"),
    ],
    effect: ({ results }) => results,
    works: [undefined, blockedFor("evil.example.org is not on the list"), undefined],
    least: { ...hears(["tool_call"], { block: true }), fs: { read: ["$CWD/.pi/hosts.txt"] } },
  },
  {
    hook: "command-rules",
    files: {
      "home/.pi/agent/hooks/command-rules.json": '[{ "match": "^git push", "say": "A person pushes" }]',
    },
    steps: [bash("git push"), bash("git pull")],
    effect: ({ results }) => results,
    works: [blockedFor("A person pushes"), undefined],
    least: { ...hears(["tool_call"], { block: true }), fs: { read: ["$HOME/.pi/agent/hooks/command-rules.json"] } },
  },
  {
    hook: "scratch-copy",
    steps: [result("bash", { command: "make" }, "x".repeat(50), "call-7")],
    effect: ({ world, shown }) => [
      list(world, "tmp", /^pi-scratch-/).map((name) => read(world, `tmp/${name}/call-7.txt`)),
      shown(),
    ],
    works: [["x".repeat(50)], ["notify: Output of call-7 kept"]],
    least: {
      ...hears(["tool_result"]),
      fs: { write: ["$TMP/pi-scratch-??????", "$TMP/pi-scratch-??????/call-7.txt"] },
      ui: ["notify"],
    },
  },
  {
    hook: "shell-history",
    files: { "home/.pi_history": "ls\n" },
    steps: [bash("ls"), bash("make\nmake test"), bash("make\nmake test")],
    effect: ({ world }) => read(world, "home/.pi_history"),
    works: "ls\nmake; make test\n",
    least: {
      ...hears(["tool_call"], { block: false }),
      fs: { read: ["$HOME/.pi_history"], write: ["$HOME/.pi_history"] },
    },
  },
  {
    hook: "usage-stats",
    files: { "home/.pi/usage.json": '{"turns":2,"tokens":100}' },
    steps: [turnEnd(0, { role: "assistant", content: [], usage: { input: 20, output: 3 } }), agentEnd()],
    effect: ({ world, shown }) => [read(world, "home/.pi/usage.json"), shown()],
    works: ['{"turns":3,"tokens":123}', ["notify: 3 turns, 123 tokens"]],
    least: {
      ...hears(["turn_end", "agent_end"]),
      fs: { read: ["$HOME/.pi/usage.json"], write: ["$HOME/.pi/usage.json"] },
      session: ["messages"],
      ui: ["notify"],
    },
  },
  {
    hook: "truncate-output",
    steps: [result("bash", { command: "make" }, "0123456789".repeat(5))],
    effect: ({ world, results }) => [
      results,
      list(world, "tmp", /^pi-[0-9a-f]{16}\.txt$/).map((name) => read(world, `tmp/${name}`)),
    ],
    works: [
      [
        {
          content: [
            {
              type: "text",
              text: expect.stringMatching(/^(0123456789){3}01\n\[50 bytes, all of them in pi-[0-9a-f]+\.txt\]$/),
            },
          ],
        },
      ],
      ["0123456789".repeat(5)],
    ],
    least: {
      ...hears(["tool_result"], { rewriteResult: ["bash"] }),
      fs: {
        write: [`$TMP/pi-${sha("sha256", "0123456789".repeat(5)).slice(0, 16)}.txt`],
      },
    },
  },
];
