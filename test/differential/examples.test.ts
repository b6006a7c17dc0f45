import { readdirSync, writeFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { sampled } from "../support/length.ts";
import { expectSame } from "./compare.ts";
import { agentEnd, agentStart, ENTRIES, session, turnStart } from "./events.ts";
import type { Shown } from "./recording-ui.ts";
import type { Capabilities, LiveSession, Step } from "./scenario.ts";

const EXAMPLES = join(
  dirname(findPackageJSON("@mariozechner/pi-coding-agent", import.meta.url) as string),
  "examples",
  "hooks",
);
const example = (name: string): string => join(EXAMPLES, `${name}.ts`);

const status = { program: "git", args: ["status", "--porcelain"] };
const edit =
  (path: string, text: string) =>
  ({ cwd }: LiveSession): void =>
    writeFileSync(join(cwd, path), text);
const bash = (command: string): Step => ({ call: { command } });

interface Example {
  name: string;
  case: string;
  exec?: Capabilities["exec"];
  hasUI?: boolean;
  answers?: (asked: Shown) => unknown;
  script: Step[];
  /** That the scenario reaches what it is about: on pi's side, which the other must equal. */
  reaches: (steps: Awaited<ReturnType<typeof expectSame>>["steps"]) => unknown;
}

const DANGEROUS = [
  "rm -rf build",
  "ls",
  "sudo reboot",
  "chmod 777 x",
  "rm --recursive x",
  "rm file",
  "chown a:b 777",
].map(bash);
const PROTECTED: Step[] = [".env", "src/.env.local", "node_modules/a.js", ".git/config", "src/a.ts"].flatMap((path) => [
  { call: { path, content: "x" }, tool: "write" },
  { call: { path, oldText: "a", newText: "b" }, tool: "edit" },
  { call: { path }, tool: "read" },
]);
const LEAVING: Step[] = (["before_clear", "before_switch", "before_branch", "start", "clear", "shutdown"] as const).map(
  (reason) => ({ emit: session(reason) }),
);
const BRANCHING: Step[] = [
  { emit: agentStart },
  { act: edit("src/code.txt", "two\n") },
  { emit: turnStart(1) },
  { act: edit("src/code.txt", "one\n") },
  { emit: session("before_branch") },
  { emit: session("before_branch", { targetTurnIndex: 7 }) },
  { emit: agentEnd },
  { act: edit("src/code.txt", "one\n") },
  { emit: session("before_branch") },
];

const CASES: Example[] = [
  {
    name: "permission-gate",
    case: "the user says no",
    answers: () => "No",
    script: DANGEROUS,
    reaches: (steps) => steps[0]?.outcome,
  },
  {
    name: "permission-gate",
    case: "the user says yes",
    answers: () => "Yes",
    script: DANGEROUS,
    reaches: (steps) => steps[0]?.shown[0]?.title,
  },
  {
    name: "permission-gate",
    case: "nobody is there",
    hasUI: false,
    script: DANGEROUS,
    reaches: (steps) => steps[2]?.outcome,
  },
  { name: "protected-paths", case: "somebody is told", script: PROTECTED, reaches: (steps) => steps[0]?.shown[0] },
  {
    name: "protected-paths",
    case: "nobody is there",
    hasUI: false,
    script: PROTECTED,
    reaches: (steps) => steps[0]?.outcome,
  },
  {
    name: "confirm-destructive",
    case: "the user says no",
    answers: ({ kind }) => (kind === "select" ? "No, stay in current session" : false),
    script: LEAVING,
    reaches: (steps) => steps[2]?.outcome,
  },
  {
    name: "confirm-destructive",
    case: "the user says yes",
    answers: ({ kind }) => (kind === "select" ? "Yes, create branch" : true),
    script: LEAVING,
    reaches: (steps) => steps[0]?.shown[0],
  },
  {
    name: "confirm-destructive",
    case: "the user dismisses the dialogs",
    script: LEAVING,
    reaches: (steps) => steps[1]?.outcome,
  },
  {
    name: "confirm-destructive",
    case: "nobody is there",
    hasUI: false,
    script: LEAVING,
    reaches: (steps) => steps.length === 6,
  },
  {
    name: "confirm-destructive",
    case: "nothing to lose",
    script: [{ emit: session("before_switch", { entries: ENTRIES.slice(0, 1) }) }],
    reaches: (steps) => steps[0]?.shown.length === 0,
  },
  {
    name: "dirty-repo-guard",
    case: "changes, and the user stays",
    exec: [status],
    answers: () => "No, let me commit first",
    script: [{ act: edit("new.txt", "x") }, ...LEAVING],
    reaches: (steps) => steps[1]?.outcome,
  },
  {
    name: "dirty-repo-guard",
    case: "changes, and the user goes on",
    exec: [status],
    answers: () => "Yes, proceed anyway",
    script: [{ act: edit("new.txt", "x") }, ...LEAVING],
    reaches: (steps) => steps[3]?.shown[0],
  },
  {
    name: "dirty-repo-guard",
    case: "changes, and nobody is there",
    exec: [status],
    hasUI: false,
    script: [{ act: edit("new.txt", "x") }, ...LEAVING],
    reaches: (steps) => steps[1]?.outcome,
  },
  {
    name: "dirty-repo-guard",
    case: "nothing changed",
    exec: [status],
    script: LEAVING,
    reaches: (steps) => steps.every((step) => step.shown.length === 0),
  },
  {
    name: "git-checkpoint",
    case: "restores the work tree for real",
    exec: [
      { program: "git", args: ["stash", "create"] },
      { program: "git", args: ["stash", "apply", { kind: "sha" }] },
    ],
    answers: () => "Yes, restore code to that point",
    script: BRANCHING,
    reaches: (steps) => steps[4]?.repository?.files["src/code.txt"] === "two\n" && steps[8]?.shown.length === 0,
  },
  {
    name: "git-checkpoint",
    case: "leaves the work tree alone",
    exec: [
      { program: "git", args: ["stash", "create"] },
      { program: "git", args: ["stash", "apply", { kind: "sha" }] },
    ],
    answers: () => "No, keep current code",
    script: BRANCHING,
    reaches: (steps) => steps[4]?.shown.length === 1 && steps[4].repository?.files["src/code.txt"] === "one\n",
  },
  {
    name: "auto-commit-on-exit",
    case: "commits what was changed",
    exec: [
      status,
      { program: "git", args: ["add", "-A"] },
      { program: "git", args: ["commit", "-m", { kind: "text" }] },
    ],
    script: [
      { emit: session("start") },
      { act: edit("new.txt", "x") },
      { emit: session("shutdown") },
      { emit: session("shutdown") },
    ],
    reaches: (steps) =>
      steps[2]?.repository?.commits.length === 2 &&
      steps[2].shown[0]?.title === "Auto-committed: [pi] Tidied the tests and the documentation of the pars...",
  },
  {
    name: "auto-commit-on-exit",
    case: "has no words to commit with",
    exec: [
      status,
      { program: "git", args: ["add", "-A"] },
      { program: "git", args: ["commit", "-m", { kind: "text" }] },
    ],
    hasUI: false,
    script: [{ act: edit("kept.txt", "second\n") }, { emit: session("shutdown", { entries: [] }) }],
    reaches: (steps) => steps[1]?.repository?.commits[0] === "[pi] Work in progress",
  },
];

describe("pi's shipped hooks, unmodified, do the same in Cordon as in pi", () => {
  test.each(sampled(CASES))("$name: $case", async ({ name, exec, hasUI, answers, script, reaches }) => {
    const { steps, loading } = await expectSame({
      hooks: [example(name)],
      script,
      ...(exec ? { grant: { exec } } : {}),
      ...(answers ? { answers } : {}),
      ...(hasUI === undefined ? {} : { hasUI }),
    });
    expect(loading).toEqual([]);
    expect(reaches(steps)).toBeTruthy();
  });

  test("all six together keep their order", async () => {
    const names = [
      "permission-gate",
      "protected-paths",
      "confirm-destructive",
      "dirty-repo-guard",
      "git-checkpoint",
      "auto-commit-on-exit",
    ];
    await expectSame({
      hooks: names.map(example),
      grant: {
        exec: [
          status,
          { program: "git", args: ["stash", "create"] },
          { program: "git", args: ["stash", "apply", { kind: "sha" }] },
          { program: "git", args: ["add", "-A"] },
          { program: "git", args: ["commit", "-m", { kind: "text" }] },
        ],
      },
      answers: ({ kind, rest }) => (kind === "select" ? (rest as string[])[0] : true),
      script: [...DANGEROUS.slice(0, 3), ...PROTECTED.slice(0, 3), ...BRANCHING, ...LEAVING],
    });
  });
});

/** Shown by tests of their own, with what they reach: a file that changes, a model. */
const ELSEWHERE = ["file-trigger", "custom-compaction"];

describe("the shipped hooks", () => {
  test("are all shown here or elsewhere", () => {
    const shipped = readdirSync(EXAMPLES)
      .filter((name) => name.endsWith(".ts"))
      .map((name) => name.replace(/\.ts$/, ""));
    expect(new Set([...CASES.map(({ name }) => name), ...ELSEWHERE])).toEqual(new Set(shipped));
  });
});
