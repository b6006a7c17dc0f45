import { counted } from "../base/counted.ts";
import { exactly, quoted } from "../powers/quoted.ts";
import type { Trouble } from "./finding.ts";
import type { PowerState, ReportedHook } from "./hook.ts";
import { MAX_REFUSED_NAMES } from "./limits.ts";
import { type Refusal, together, wantedIn } from "./refusal.ts";
import { commandAbout, grantCommand } from "./typed.ts";

/** What a hook was refused: one thing to look at for each power and cause, with the command that ends it. */
export const refusalTroubles = (hook: ReportedHook): Trouble[] =>
  hook.powers.flatMap((power) => [...byCause(power.refusals).values()].map((some) => troubleOf(hook, power, some)));

/** By their cause. What was granted since is refused no more. */
function byCause(refusals: readonly Refusal[]): Map<Refusal["cause"], [Refusal, ...Refusal[]]> {
  const all = new Map<Refusal["cause"], [Refusal, ...Refusal[]]>();
  for (const one of refusals) {
    if (one.cause === "granted") continue;
    const known = all.get(one.cause);
    if (known) known.push(one);
    else all.set(one.cause, [one]);
  }
  return all;
}

function troubleOf(hook: ReportedHook, state: PowerState, refusals: readonly [Refusal, ...Refusal[]]): Trouble {
  const { name } = hook;
  const count = refusals.reduce((sum, { count }) => sum + count, 0);
  const times = count === 1 ? "once" : counted(count, "time");
  const named = refusals.filter(({ name }) => name !== "");
  const shown = named.slice(0, MAX_REFUSED_NAMES);
  const more = named.length > shown.length ? ", …" : "";
  const values = shown.length === 0 ? "" : `: ${shown.map(({ name }) => quoted(name)).join(", ")}${more}`;
  const run = remedyOf(hook, state, refusals[0].cause, shown);
  const text = `was refused ${state.power} ${times}${whyRefused(state, refusals)}${values}`;
  return { level: "look", hook: name, text, ...(run === undefined ? {} : { run }) };
}

/** A policy goes before what a person granted. */
function whyRefused(
  { granted, taken = "", forbidden }: PowerState,
  refusals: readonly [Refusal, ...Refusal[]],
): string {
  switch (refusals[0].cause) {
    case "policy": {
      const files = new Set(refusals.flatMap(({ policy }) => (policy === undefined ? [] : [quoted(policy)])));
      return `: a policy did not allow it, whatever was granted: ${[...files].join(", ")}`;
    }
    case "forbidden":
      return `, which your organisation's policy ${forbidden ? "now allows no hook" : "does not allow now"}`;
    case "taken":
      return "; it is granted now, and your organisation's policy takes it";
    case "narrowed":
      return `; of what is granted now, your organisation's policy takes ${taken === granted ? "all" : quoted(taken)}`;
    default:
      return granted === undefined ? "" : ", outside of what was granted";
  }
}

/** The command that grants what is named, if a person can. Of older lines the record does not say what would cover them. */
function remedyOf(
  { name, state }: ReportedHook,
  { power }: PowerState,
  cause: Refusal["cause"],
  shown: readonly Refusal[],
): string | undefined {
  // Nothing can be granted to a hook that was never accepted.
  if (state === "pending") return "cordon accept";
  if (cause !== "open" || state === "recorded" || state === "granted" || power === "other") return undefined;
  if (shown.every(({ asked }) => asked)) return shown.length === 0 ? undefined : commandAbout("grant", name, power);
  const grants = shown.flatMap(({ wanted }) => wantedIn(power, wanted) ?? []);
  const grant = (together(grants) as Readonly<Record<string, unknown>>)[power];
  const json = exactly(JSON.stringify(grant) ?? "");
  return grantCommand(name, power, json) ?? commandAbout("trace", name);
}
