import { agentStart, emits, hook, on, session, turnStart } from "../events.ts";
import type { Probe } from "../scenario.ts";

const ASK_ALL = `
  const answers = [await ctx.ui.select("Pick", ["a", "b"]), await ctx.ui.confirm("Sure?", "Really"), await ctx.ui.input("Name", "nobody"), await ctx.ui.input("Name")];
  ctx.ui.notify(JSON.stringify(answers), "info");
  pi.send(JSON.stringify([answers, ctx.hasUI]));`;

// biome-ignore format: a table
export const CONTEXT: Probe[] = [
  ["every dialog, answered", { asker: on("agent_start", ASK_ALL) }, emits(agentStart),
    { answers: ({ kind }) => ({ select: "b", confirm: true, input: "me", notify: undefined })[kind] }],
  ["every dialog, dismissed", { asker: on("agent_start", ASK_ALL) }, emits(agentStart)],
  ["every dialog where nobody is there", { asker: on("agent_start", ASK_ALL) }, emits(agentStart), { hasUI: false }],
  ["an empty answer is an answer", { asker: on("agent_start", ASK_ALL) }, emits(agentStart),
    { answers: ({ kind }) => (kind === "input" ? "" : undefined) }],
  ["the user interface comes and goes within a session", { asker: on("agent_start", ASK_ALL) },
    [{ emit: agentStart }, { act: (live) => live.setHasUI(false) }, { emit: agentStart },
      { act: (live) => live.setHasUI(true) }, { emit: agentStart }],
    { answers: ({ kind }) => ({ select: "a", confirm: true, input: "x", notify: undefined })[kind] }],
  ["notify is synchronous, and keeps its place among dialogs", { teller: on("agent_start", `
      const returned = ctx.ui.notify("one", "info");
      ctx.ui.notify(String(returned), "warning");
      await ctx.ui.confirm("two", "");
      ctx.ui.notify("three", "error");
      const asked = ctx.ui.confirm("four", "");
      ctx.ui.notify("five", "info");
      await asked;
      ctx.ui.notify("six", "info");`) }, emits(agentStart)],
  ["titles keep newlines, tabs and letters of every script", { teller: on("agent_start", `
      await ctx.ui.select("⚠ a:\\n\\n\\tü → 漢字 🙂", ["→ yes", "no\\tno"]);
      await ctx.ui.confirm("t", "a\\nb");
      ctx.ui.notify("", "info");`) }, emits(agentStart)],
  ["cwd, sessionFile and hasUI",
    { teller: on("turn_start",
      "ctx.ui.notify(JSON.stringify([ctx.cwd, ctx.sessionFile, ctx.hasUI, Object.keys(ctx).sort(), Object.keys(ctx.ui).sort()]), 'info');") },
    [{ emit: turnStart(0) }, { act: (live) => live.setSessionFile("sessions/a.jsonl") }, { emit: turnStart(1) },
      { act: (live) => live.setSessionFile(null) }, { emit: turnStart(2) }]],
  ["messages into the session, with and without attachments", { sender: hook([["agent_start", `
      pi.send("plain");
      pi.send("with", [{ type: "document", fileName: "a.txt", content: "aGk=" }]);
      pi.send("two\\nlines", []);
      pi.send("");`], ["session", "pi.send(`session ${event.reason}`);"]]) }, emits(session("start"), agentStart)],
  ["a message is sent by the time the event is over, also after a wait",
    { sender: on("agent_start", 'await new Promise((resolve) => setTimeout(resolve, 20)); pi.send("later");') },
    emits(agentStart)],
  ["a context that is kept works in a later event",
    { keeper: hook([["agent_start", "kept = ctx;"],
        ["turn_start", 'kept.ui.notify(`${kept.cwd}`, "info"); await kept.ui.confirm("still?", "");']],
      "let kept: any;") }, emits(agentStart, turnStart(0))],
];
