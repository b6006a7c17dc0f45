import type { Turn } from "./model-server.ts";

/** What a person does, and what the screen must show then, as is and within Cordon. */
type Act = readonly [does: { submit: string } | { press: readonly string[] } | { type: string }, shows: RegExp];

/** One of pi's examples that draws, and how a person uses it. */
export interface TerminalExample {
  name: string;
  /** Why what is shown is not compared word by word. */
  differs?: string;
  turns?: readonly Turn[];
  /** What the screen shows when pi has started. */
  begins?: RegExp;
  acts: readonly Act[];
  files?: Readonly<Record<string, string>>;
  powers?: object;
}

const call = (name: string, args: object): Turn => ({ calls: [{ name, args }] });
const submit = (text: string) => ({ submit: text });
const press = (...keys: string[]) => ({ press: keys });
const type = (text: string) => ({ type: text });

const BASH = { program: "bash", args: ["-c", { kind: "text" }], fullAccess: true };
const OPTIONS = [{ label: "Alpha", description: "the first" }, { label: "Beta" }];
const QUESTIONS = [
  { id: "a", label: "Colour", prompt: "Which colour?", options: [{ value: "r", label: "Red" }] },
  { id: "b", label: "Size", prompt: "Which size?", options: [{ value: "s", label: "Small" }] },
];

const LIST = "issue list --repo me/mine --state open --limit 100 --json number,title,state".split(" ");
const ISSUES = [
  { number: 12, title: "Broken", state: "OPEN" },
  { number: 13, title: "Slow", state: "OPEN" },
];

export const TERMINAL_EXAMPLES: readonly TerminalExample[] = [
  {
    name: "border-status-editor.ts",
    begins: /mock\/mock · \w+ .*ctx/,
    acts: [[submit("hello"), /hello[\s\S]*done[\s\S]*mock\/mock · \w+ .*ctx/]],
    powers: { exec: [{ program: "git", args: ["branch", "--show-current"] }], env: ["HOME"] },
  },
  {
    name: "built-in-tool-renderer.ts",
    turns: [call("bash", { command: "echo one; echo two" }), { text: "All right." }],
    acts: [[submit("go"), /\$ echo one; echo two[\s\S]*All right\./]],
    powers: {
      tools: ["read", "bash", "edit", "write"],
      exec: [BASH],
    },
  },
  {
    name: "custom-footer.ts",
    acts: [
      [submit("/footer"), /↑0 ↓0 \$0\.000\s+mock/],
      [submit("go"), /↑1\.0k ↓10 \$0\.000\s+mock/],
      [submit("/footer"), /Default footer restored/],
    ],
  },
  {
    name: "custom-header.ts",
    begins: /█▌ {2}█▌[\s\S]*██████████████/,
    acts: [[submit("/builtin-header"), /Built-in header restored/]],
  },
  {
    name: "entry-renderer.ts",
    acts: [[submit("/status-card all is well"), /\[status\] all is well/]],
  },
  {
    name: "github-issue-autocomplete.ts",
    files: {
      "home/bin/git": "#!/bin/sh\necho 'origin git@github.com:me/mine.git (fetch)'\n",
      "home/bin/gh": `#!/bin/sh\necho '${JSON.stringify(ISSUES)}'\n`,
    },
    powers: {
      exec: [
        { program: "git", args: ["remote", "-v"], fullAccess: true },
        { program: "gh", args: LIST, fullAccess: true },
      ],
    },
    acts: [
      [type("see #1"), /see #1/],
      // The first of what the program listed, whose number has one more digit.
      [press("Tab"), /see #12/],
      [press("Enter"), /see #12[\s\S]*done/],
    ],
  },
  {
    name: "handoff.ts",
    turns: [{ text: "Hello." }, { text: "Do it again.", waitMs: 1500 }],
    acts: [
      [submit("go"), /Hello\./],
      [
        submit("/handoff more"),
        /Generating handoff prompt\.\.\.[\s\S]*Edit handoff prompt[\s\S]*Do it again\.|Edit handoff prompt[\s\S]*Do it again\./,
      ],
    ],
  },
  {
    name: "message-renderer.ts",
    acts: [[submit("/status error it broke"), /\[ERROR\] .*it broke/]],
  },
  {
    name: "minimal-mode.ts",
    turns: [call("bash", { command: "echo one" }), { text: "All right." }],
    acts: [[submit("go"), /\$ echo one[\s\S]*All right\./]],
    powers: {
      tools: ["read", "bash", "edit", "write", "find", "grep", "ls"],
      exec: [BASH],
    },
  },
  {
    name: "modal-editor.ts",
    begins: /INSERT/,
    acts: [
      [type("hello"), /hello[\s\S]*INSERT/],
      [press("Escape"), /hello[\s\S]*NORMAL/],
      [type("0xi"), /(?<!h)ello[\s\S]*INSERT/],
      [type("J"), /Jello/],
      [press("Enter"), /Jello[\s\S]*done/],
    ],
  },
  {
    name: "overlay-qa-tests.ts",
    differs: "its frame covers other parts of what is below",
    acts: [
      [submit("/overlay-anchors"), /top-left/],
      [press("Escape"), /^(?![\s\S]*Anchor Test)/],
      [submit("/overlay-toggle"), /[Tt]oggle/],
      [press("Escape"), /./],
    ],
  },
  {
    name: "overlay-test.ts",
    acts: [
      [submit("/overlay-test"), /Search[\s\S]*Settings[\s\S]*Cancel/],
      [type("abc"), /Search: abc/],
      [press("Enter"), /Search: "abc"/],
    ],
  },
  {
    name: "qna.ts",
    turns: [{ text: "Which one do you want?" }, { text: "Q: Which one?", waitMs: 1000 }],
    acts: [
      [submit("go"), /Which one do you want\?/],
      [submit("/qna"), /Q: Which one\?/],
    ],
  },
  {
    name: "question.ts",
    turns: [call("question", { question: "Which letter?", options: OPTIONS }), { text: "All right." }],
    acts: [
      [submit("go"), /Which letter\?[\s\S]*> 1\. Alpha[\s\S]*2\. Beta/],
      [press("Down"), /> 2\. Beta/],
      [press("Enter"), /✓ .*Beta[\s\S]*All right\./],
    ],
  },
  {
    name: "questionnaire.ts",
    turns: [call("questionnaire", { questions: QUESTIONS }), { text: "All right." }],
    acts: [
      [submit("go"), /Which colour\?[\s\S]*Red/],
      [press("Enter"), /Which size\?[\s\S]*Small/],
      [press("Enter"), /Ready to submit/],
      [press("Enter"), /All right\./],
    ],
  },
  {
    name: "rainbow-editor.ts",
    differs: "its letters shine, and a coloured text is asked about",
    acts: [
      [type("do ultrathink"), /do ultrathink/],
      [press("Enter"), /done|Send it\?/],
      [press("Enter"), /do ultrathink[\s\S]*done/],
    ],
  },
  {
    name: "snake.ts",
    differs: "it moves by itself",
    acts: [
      [submit("/snake"), /SNAKE[\s\S]*Score/],
      [press("Escape"), /^(?![\s\S]*SNAKE)/],
    ],
  },
  {
    name: "space-invaders.ts",
    differs: "it moves by itself",
    acts: [
      [submit("/invaders"), /INVADERS/],
      [press("q"), /^(?![\s\S]*SPACE INVADERS)/],
    ],
  },
  {
    name: "summarize.ts",
    turns: [{ text: "Hello." }, { text: "# Goals\n\nTo say hello." }],
    acts: [
      [submit("go"), /Hello\./],
      [submit("/summarize"), /Conversation Summary[\s\S]*Goals[\s\S]*To say hello\./],
      [press("Enter"), /^(?![\s\S]*Conversation Summary)/],
    ],
    powers: { model: ["openai"] },
  },
  {
    name: "tic-tac-toe.ts",
    differs: "its frame takes two rows: what is above moves out of sight",
    turns: [
      call("tic_tac_toe", { action: "move_left" }),
      call("tic_tac_toe", { action: "play" }),
      { text: "Your turn." },
    ],
    acts: [
      [submit("/tic-tac-toe"), /ENTER play/],
      [press("Enter"), /Your turn\.|ENTER play/],
    ],
  },
  {
    name: "todo.ts",
    turns: [call("todo", { action: "add", text: "buy milk" }), { text: "All right." }],
    acts: [
      [submit("go"), /buy milk[\s\S]*All right\./],
      [submit("/todos"), /0\/1 completed[\s\S]*buy milk/],
      [press("Escape"), /^(?![\s\S]*0\/1 completed)/],
    ],
  },
  {
    name: "tools.ts",
    acts: [
      [submit("/tools"), /Tool Configuration[\s\S]*bash +enabled|Tool Configuration[\s\S]*read +enabled/],
      [press("Enter"), /disabled/],
      [press("Escape"), /^(?![\s\S]*Tool Configuration)/],
    ],
  },
];
