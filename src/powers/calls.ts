import { MAX_TOOL_NAME } from "../../sandbox/wire/messages.ts";
import { CordonError } from "../base/errors.ts";
import Type from "../base/type.ts";
import { toPlain } from "../supervisor/untrusted-json.ts";
import { lacking } from "./agent.ts";
import { names } from "./algebra.ts";
import { type Capability, sealed } from "./capability.ts";
import type { Power } from "./power.ts";
import { quoted } from "./quoted.ts";

const grant = Type.Array(Type.String({ minLength: 1, maxLength: MAX_TOOL_NAME }), {
  description: "Tools of the agent that its own tools may run, by name.",
});
type Grant = string[];

/** The agent's tools that the hook's own tools may run, by name: there is no wildcard. */
export const callsPower: Power<typeof grant> = { schema: grant, ...names<string>() };

/** Most calls of one hook at once: a tool may run itself. */
const AT_ONCE = 8;
const open = new WeakMap<object, number>();

type Asked = { name: string; args: unknown };

const run: Capability<"calls.run", Grant, Asked> = {
  read: ([name, args]) => ({ name, args }),
  check: (asked, granted) => (granted?.includes(asked.name) ? asked : undefined),
  async perform({ checked: { name, args } }, { hook, event, signal }) {
    // Only a tool that runs, in an agent that has this, is given the function.
    if (!event?.callTool) throw lacking("ctx.executeTool here");
    const count = open.get(hook) ?? 0;
    if (count >= AT_ONCE)
      throw new CordonError("RATE_LIMITED", `the tools of hook ${hook.name} may run ${AT_ONCE} others at once`);
    open.set(hook, count + 1);
    try {
      return await event.callTool(name, toPlain(args), signal);
    } finally {
      open.set(hook, (open.get(hook) ?? 1) - 1);
    }
  },
  describe: ({ name }) => quoted(name),
  propose: ({ name }) => [name],
  waits: "person",
  perMinute: () => 300,
};

export const calls = sealed("calls.run", run);
