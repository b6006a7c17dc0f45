import { agentStart, hook, session, turnStart } from "../events.ts";
import type { Probe } from "../scenario.ts";

const ASK_ALL = `
  const answers = [await ctx.ui.select("Pick", ["a", "b"]), await ctx.ui.confirm("Sure?", "Really"), await ctx.ui.input("Name", "nobody"), await ctx.ui.input("Name")];
  ctx.ui.notify(JSON.stringify(answers), "info");
  pi.send(JSON.stringify([answers, ctx.hasUI]));`;

export const CONTEXT: Probe[] = [
  {
    name: "every dialog, answered",
    hooks: { asker: hook([["agent_start", ASK_ALL]]) },
    answers: ({ kind }) => ({ select: "b", confirm: true, input: "me", notify: undefined })[kind],
    script: [{ emit: agentStart }],
  },
  {
    name: "every dialog, dismissed",
    hooks: { asker: hook([["agent_start", ASK_ALL]]) },
    script: [{ emit: agentStart }],
  },
  {
    name: "every dialog where nobody is there",
    hooks: { asker: hook([["agent_start", ASK_ALL]]) },
    hasUI: false,
    script: [{ emit: agentStart }],
  },
  {
    name: "an empty answer is an answer",
    hooks: { asker: hook([["agent_start", ASK_ALL]]) },
    answers: ({ kind }) => (kind === "input" ? "" : undefined),
    script: [{ emit: agentStart }],
  },
  {
    name: "the user interface comes and goes within a session",
    hooks: { asker: hook([["agent_start", ASK_ALL]]) },
    answers: ({ kind }) => ({ select: "a", confirm: true, input: "x", notify: undefined })[kind],
    script: [
      { emit: agentStart },
      { act: (live) => live.setHasUI(false) },
      { emit: agentStart },
      { act: (live) => live.setHasUI(true) },
      { emit: agentStart },
    ],
  },
  {
    name: "notify is synchronous, and keeps its place among dialogs",
    hooks: {
      teller: hook([
        [
          "agent_start",
          `
            const returned = ctx.ui.notify("one", "info");
            ctx.ui.notify(String(returned), "warning");
            await ctx.ui.confirm("two", "");
            ctx.ui.notify("three", "error");
            const asked = ctx.ui.confirm("four", "");
            ctx.ui.notify("five", "info");
            await asked;
            ctx.ui.notify("six", "info");`,
        ],
      ]),
    },
    script: [{ emit: agentStart }],
  },
  {
    name: "titles keep newlines, tabs and letters of every script",
    hooks: {
      teller: hook([
        [
          "agent_start",
          `
            await ctx.ui.select("⚠ a:\\n\\n\\tü → 漢字 🙂", ["→ yes", "no\\tno"]);
            await ctx.ui.confirm("t", "a\\nb");
            ctx.ui.notify("", "info");`,
        ],
      ]),
    },
    script: [{ emit: agentStart }],
  },
  {
    name: "cwd, sessionFile and hasUI",
    hooks: {
      teller: hook([
        [
          "turn_start",
          "ctx.ui.notify(JSON.stringify([ctx.cwd, ctx.sessionFile, ctx.hasUI, Object.keys(ctx).sort(), Object.keys(ctx.ui).sort()]), 'info');",
        ],
      ]),
    },
    script: [
      { emit: turnStart(0) },
      { act: (live) => live.setSessionFile("sessions/a.jsonl") },
      { emit: turnStart(1) },
      { act: (live) => live.setSessionFile(null) },
      { emit: turnStart(2) },
    ],
  },
  {
    name: "messages into the session, with and without attachments",
    hooks: {
      sender: hook([
        [
          "agent_start",
          `
            pi.send("plain");
            pi.send("with", [{ type: "document", fileName: "a.txt", content: "aGk=" }]);
            pi.send("two\\nlines", []);
            pi.send("");`,
        ],
        ["session", "pi.send(`session ${event.reason}`);"],
      ]),
    },
    script: [{ emit: agentStart }, { emit: session("start") }],
  },
  {
    name: "a message is sent by the time the event is over, also after a wait",
    hooks: {
      sender: hook([["agent_start", 'await new Promise((resolve) => setTimeout(resolve, 20)); pi.send("later");']]),
    },
    script: [{ emit: agentStart }],
  },
  {
    name: "a context that is kept works in a later event",
    hooks: {
      keeper: hook(
        [
          ["agent_start", "kept = ctx;"],
          ["turn_start", 'kept.ui.notify(`${kept.cwd}`, "info"); await kept.ui.confirm("still?", "");'],
        ],
        "let kept: any;",
      ),
    },
    script: [{ emit: agentStart }, { emit: turnStart(0) }],
  },
];
