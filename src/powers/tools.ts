import { MAX_TOOL_NAME } from "../../sandbox/wire/messages.ts";
import Type from "../base/type.ts";
import { toPlain } from "../supervisor/untrusted-json.ts";
import { list, namesOrAll } from "./algebra.ts";
import { type Capability, sealed } from "./capability.ts";
import type { Power } from "./power.ts";

const grantOf = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: MAX_TOOL_NAME }), { description });
const toolsGrant = grantOf('Tools that it offers to the model, by name. "*": all but names of the agent\'s own tools.');
const commandsGrant = grantOf("Commands that it offers to the person, by name, and its shortcuts, by key.");
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

export const toolsPower: Power<typeof toolsGrant> = { schema: toolsGrant, ...toolNames };

export const commandsPower: Power<typeof commandsGrant> = { schema: commandsGrant, ...namesOrAll };

export const offersTool = (granted: Grant | undefined, name: string): boolean => toolNames.has(granted, name);
export const offersCommand = (granted: Grant | undefined, name: string): boolean => namesOrAll.has(granted, name);

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
