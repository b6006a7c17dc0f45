import { readFileSync } from "node:fs";
import { readJson } from "../../../sandbox/wire/read-json.ts";
import { MAX_BODY_BYTES } from "../../base/daemon-wire.ts";
import { askEvent, type Told } from "../ask-event.ts";
import { Deadlines } from "./deadlines.ts";
import { hold } from "./hold.ts";

/** What opencode says of a session's hook: see its `@opencode-ai/plugin`. */
interface Heard {
  sessionID: string;
  args?: unknown;
}

/** Time that a call and its result wait, also for a person; and what only tells, in ms. */
const GATE_MS = 300_000;
const NOTE_MS = 30_000;

/** Events that hooks hear, or that end a call. Others come with each word of the model. */
const EVENTS = new Set(["session.created", "session.idle", "session.deleted"]);

/** Beside this file: what runs the daemon, and of which home. Read for each event, since it may change while opencode runs. */
const PATHS = new URL("paths.json", import.meta.url);

/**
 * The hooks of Cordon's plugin in opencode, for one folder. A call and its result throw unless hooks let them pass: that is how
 * opencode takes a block, and it gives the model the message.
 */
export function hooksFor(directory: string) {
  const deadlines = new Deadlines();
  const sessions = new Set<string>();

  const ask = (event: string, kind: "gate" | "note", input: Heard, output: unknown): Promise<Told> => {
    sessions.add(input.sessionID);
    const bytes = Buffer.from(JSON.stringify({ directory, input, output }));
    if (bytes.length > MAX_BODY_BYTES / 2) throw new Error(`the event has more than ${MAX_BODY_BYTES / 2} bytes`);
    const { home, node, start } = readJson(readFileSync(PATHS, "utf8"));
    const wait = kind === "gate" ? GATE_MS : NOTE_MS;
    const options = { home, daemon: [node, start] as const, agent: "opencode", kind, event, parent: process.pid, wait };
    return deadlines.within(wait, input.sessionID, (signal) => askEvent(options, bytes, signal));
  };

  /** What hooks made of it, as JSON; `undefined` if they left it as it was. */
  const judge = async (event: string, input: Heard, output: unknown) => {
    let told: Told;
    try {
      told = await ask(event, "gate", input, output);
    } catch (error) {
      throw new Error(`${(error as Error).message}; run: cordon doctor`);
    }
    if (told.exit !== 0) throw new Error(told.text);
    return told.text === "" ? undefined : readJson(told.text);
  };

  const note = async (event: string, input: Heard, output?: unknown): Promise<void> => {
    try {
      await ask(event, "note", input, output);
    } catch {
      // An event that only tells keeps nobody from their session.
    }
  };

  return {
    async "tool.execute.before"(input: Heard, output: { args: unknown }) {
      // Another plugin may change it while hooks judge.
      const args = readJson(JSON.stringify(output.args));
      const changed = await judge("tool.execute.before", input, { args });
      hold(output.args, changed ? changed.args : args);
    },

    async "tool.execute.after"(input: Heard, output: Record<string, unknown>) {
      // As it was then: whoever has it may change it while hooks look.
      const shown = readJson(JSON.stringify(output));
      const names = new Set(Object.keys(output));
      const changed = await judge("tool.execute.after", input, shown);
      for (const name of Object.keys(output)) if (!names.has(name)) delete output[name];
      Object.assign(output, changed ? changed.output : shown);
    },

    "chat.message": (input: Heard, output: unknown) => note("chat.message", input, output),

    async event({ event: { type, properties } }: { event: { type: string; properties: Heard } }) {
      if (!EVENTS.has(type)) return;
      // Also after an abort, which opencode's hooks are not told of.
      if (type === "session.idle") deadlines.end(properties.sessionID);
      await note(type, properties);
    },

    async dispose() {
      await Promise.all([...sessions].map((sessionID) => note("dispose", { sessionID })));
    },
  };
}
