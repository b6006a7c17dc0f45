import { isRecord } from "../../agents/command/fields.ts";
import { type Ask, asker, GATE_MS } from "./ask.ts";
import { Calls, type Known, PLUGIN_ID } from "./calls.ts";
import type { Context, PluginApi, ToolCallEvent } from "./plugin-api.ts";

/** Before all other plugins: what they ask and change comes after what hooks said. */
const FIRST = 1_000_000;

/** OpenClaw registers a plugin several times in one process, and may tell each of them of another part of a call. */
const known = new Map<string, Known>();

const RUNTIMES = ["openclaw", "codex"];

/** OpenClaw's plugin of Cordon: it hands events to Cordon's daemon, and the answers back. */
export default {
  id: PLUGIN_ID,
  name: "Cordon",
  description: "Runs hooks in isolation, and has them judge tool calls",
  register(api: PluginApi): void {
    const ask = asker(api);
    const calls = new Calls(ask, known);
    api.registerTrustedToolPolicy({
      id: "cordon",
      description: "Cordon's hooks judge each tool call",
      evaluate: (event, context) => calls.first(event, context),
    });
    const last = (event: ToolCallEvent, context: Context) => calls.last(event, context);
    api.on("before_tool_call", last, { priority: FIRST, timeoutMs: GATE_MS });
    api.registerAgentToolResultMiddleware((event, context) => resultOf(ask, event, context), { runtimes: RUNTIMES });
    // A conversation's text is more than hooks are told.
    api.on("before_agent_run", ({ prompt }: { prompt: string }, context) =>
      tell(ask, "before_agent_run", { prompt }, context),
    );
    api.on("agent_end", ({ success }: { success: boolean }, context) => tell(ask, "agent_end", { success }, context));
    for (const name of ["session_start", "session_end"])
      api.on(name, (event: object, context) => tell(ask, name, event, context));
  },
};

/** Rejects if hooks could not be asked: OpenClaw withholds the result then. */
async function resultOf(ask: Ask, event: object, context: Context): Promise<{ result: object } | undefined> {
  const { block, result } = await ask({ kind: "gate", name: "tool_result", event, context });
  if (block !== undefined) throw new Error("Cordon's hooks could not be shown this result");
  if (result === undefined) return undefined;
  if (isRecord(result)) return { result };
  throw new Error("Cordon's daemon answered nonsense");
}

/** What decides nothing holds nothing up. */
async function tell(ask: Ask, name: string, event: object, context: Context): Promise<undefined> {
  await ask({ kind: "note", name, event, context }).catch(() => {});
}
