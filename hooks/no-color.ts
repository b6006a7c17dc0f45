import { definePluginEntry } from "openclaw/plugin-sdk/plugin-entry";

/** Adds `--color=never` to commands that would fill the model's context with escape codes. */
const COLOURFUL = /^\s*(ls|grep|egrep|fgrep|diff|git (diff|log|show|branch))(\s|$)/;

/** Lines with several commands, or with text that the shell expands. They are not changed. */
const COMPOUND = /[|;&<>`$(){}\n\\"']|(^|\s)--(\s|$)/;

interface Api {
  on(name: string, handler: (event: ToolCall) => unknown): void;
}
interface ToolCall {
  toolName: string;
  params: Record<string, unknown>;
}

export default definePluginEntry({
  id: "no-color",
  name: "No colour",
  register(api: Api) {
    api.on("before_tool_call", ({ toolName, params }) => {
      const { command } = params;
      if (toolName !== "exec" || typeof command !== "string") return undefined;
      if (!COLOURFUL.test(command) || COMPOUND.test(command) || command.includes("--color")) return undefined;
      return { params: { ...params, command: `${command.trimEnd()} --color=never` } };
    });
  },
});
