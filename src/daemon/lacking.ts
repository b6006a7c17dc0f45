import type { CommandAgent } from "../agents/command/spoken.ts";
import type { Capabilities } from "../grants/schema.ts";
import type { HookHost } from "../host/host.ts";
import type { Offers } from "../host/offers.ts";
import type { HookInfo } from "../session/hook-info.ts";
import type { LogLine } from "../session/log-line.ts";

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

/** Logs once what hooks have in vain, now and as they go on offering more. */
export function sayLacking(host: HookHost, { agent, log }: { agent: CommandAgent; log(line: LogLine): void }): void {
  const said = new Set<string>();
  const sayOnce = (text: string | undefined): void => {
    if (text !== undefined && !said.has(text)) log({ level: "warn", text });
    if (text !== undefined) said.add(text);
  };
  for (const hook of host.hooks) sayOnce(lackingText(agent, hook));
  const sayOffers = (): void => lackingOffers(agent, host.offers).forEach(sayOnce);
  host.onOffers(sayOffers);
  sayOffers();
}

/** What hooks offer to the agent in vain, each in a line. */
function lackingOffers({ title }: Pick<CommandAgent, "title">, offers: Offers): string[] {
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
