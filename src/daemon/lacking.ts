import type { CommandAgent } from "../agents/command/spoken.ts";
import type { Capabilities } from "../grants/schema.ts";
import type { Offers } from "../host/offers.ts";
import type { HookInfo } from "../session/hook-info.ts";

/** Powers that need more of an agent than that it runs a command for each event. */
const POWERS = ["agent", "agents", "calls", "commands", "model", "providers", "send", "session", "tools"] as const;
const SCREENS: readonly string[] = ["editor", "show", "draw", "markdown", "typing"];

/** The powers of a hook that do nothing in such an agent, by their names in a grant. */
export function lackingPowers(capabilities: Capabilities): string[] {
  const powers = POWERS.filter((name) => capabilities[name] !== undefined);
  const ui = (capabilities.ui ?? []).filter((part) => SCREENS.includes(part));
  return [...powers, ...ui.map((part) => `ui ${part}`)];
}

/** For a person: what a hook was granted in vain. */
export function lackingText(
  { title }: Pick<CommandAgent, "title">,
  { id, capabilities }: HookInfo,
): string | undefined {
  const powers = lackingPowers(capabilities);
  return powers.length === 0
    ? undefined
    : `hook ${id}: ${title} has no place for what it was granted: ${powers.join(", ")}`;
}

/** What hooks offer to the agent in vain, each in a line. */
export function lackingOffers({ title }: Pick<CommandAgent, "title">, offers: Offers): string[] {
  const offered: [kind: string, names: readonly { hook: string; name: string }[]][] = [
    ["tool", offers.tools],
    ["command", offers.commands("command")],
    ["shortcut", offers.commands("shortcut")],
    ["flag", offers.flags],
  ];
  return offered.flatMap(([kind, all]) =>
    all.map(({ hook, name }) => `hook ${hook}: its ${kind} ${name} is not offered: ${title} takes none of hooks`),
  );
}
