import { join } from "node:path";
import { NOTE_S, type Setup, WAIT_S } from "./setup.ts";
import { filesUp, offWith, switchedOff } from "./switches.ts";

export const copilotCli: Setup = {
  name: "copilot-cli",
  title: "Copilot CLI",
  program: "copilot",
  folder: ({ user, env }) => env.COPILOT_HOME ?? join(user, ".copilot"),
  user: (places, command) => {
    const entry = (event: string, kind: "gate" | "note") => {
      const timeoutSec = kind === "gate" ? WAIT_S : NOTE_S;
      return [event, [{ type: "command", bash: command(kind, event, timeoutSec * 1000), timeoutSec }]];
    };
    const notes = [
      "postToolUse",
      "postToolUseFailure",
      "userPromptSubmitted",
      "sessionStart",
      "sessionEnd",
      "agentStop",
      "subagentStart",
      "subagentStop",
      "preCompact",
      "notification",
    ];
    const hooks = Object.fromEntries([entry("preToolUse", "gate"), ...notes.map((event) => entry(event, "note"))]);
    const file = join(copilotCli.folder(places), "hooks", "cordon.json");
    return [{ kind: "file", file, content: `${JSON.stringify({ version: 1, hooks }, null, 2)}\n`, mode: 0o600 }];
  },
  openIn(folders, places) {
    const own = ["settings.json", "config.json"].map((name) => join(copilotCli.folder(places), name));
    // It reads Claude Code's settings of a project, too.
    const theirs = [join(".github", "copilot"), ".claude"].flatMap((folder) =>
      ["settings.json", "settings.local.json"].map((name) => join(folder, name)),
    );
    return switchedOff("Copilot CLI", [...own, ...filesUp(folders, ...theirs)], [offWith("disableAllHooks")]);
  },
};
