import Type from "typebox";
import { MAX_TOOL_NAME } from "../../sandbox/wire/messages.ts";
import { toPlain } from "../supervisor/untrusted-json.ts";
import { list, namesOrAll } from "./algebra.ts";
import { type Capability, sealed } from "./capability.ts";
import type { Power } from "./power.ts";

const grant = Type.Array(Type.String({ minLength: 1, maxLength: MAX_TOOL_NAME }));
type Grant = string[];

/** The agents' own tools. A hook that replaces one sees and answers all its calls, so `*` does not cover them. */
export const OWN_TOOLS: ReadonlySet<string> = new Set([
  "bash",
  "powershell",
  "read",
  "edit",
  "write",
  "grep",
  "find",
  "ls",
]);

const toolNames = list<string>({
  covers: (wide, narrow) => wide === narrow || (wide === "*" && !OWN_TOOLS.has(narrow)),
});

/** The tools that a hook may offer to the model, by name. */
export const toolsPower: Power<typeof grant> = { schema: grant, ...toolNames };

/** The commands that a hook may offer to the person, by name, and its shortcuts, by key. */
export const commandsPower: Power<typeof grant> = { schema: grant, ...namesOrAll };

export const offersTool = (granted: Grant | undefined, name: string): boolean => toolNames.covers(granted, [name]);
export const offersCommand = (granted: Grant | undefined, name: string): boolean => namesOrAll.covers(granted, [name]);

/** A part of the result of a tool that runs. */
const update: Capability<"tools.update", Grant, object> = {
  read: ([partial]) => partial,
  check: (partial, granted) => granted && partial,
  async perform({ checked }, { event }) {
    event?.onUpdate?.(toPlain(checked));
    return null;
  },
  describe: () => "a part of a result",
  perMinute: () => 6000,
};

export const tools = sealed("tools.update", update);
