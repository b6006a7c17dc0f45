import { type AuditLine, isDecision } from "../audit/line.ts";

/** What a line of the record says that happened. */
export type Deed =
  | "passed"
  | "changed"
  | "blocked"
  | "monitored"
  | "asked"
  | "used"
  | "refused"
  | "decided"
  | "failed"
  | "other";

const DEEDS: ReadonlyMap<string, Deed> = new Map([
  ["pass", "passed"],
  ["answered", "passed"],
  ["rewrite", "changed"],
  ["block", "blocked"],
  ["withheld", "blocked"],
  ["cancel", "blocked"],
  ["would block", "monitored"],
  ["ask", "asked"],
  ["allowed", "used"],
  ["ran", "used"],
]);

/** A trusted hook was loaded: it runs in the agent's own process. */
const NO_SANDBOX = "trusted: no sandbox";

export const lacksSandbox = ({ event, outcome }: AuditLine): boolean => event === "load" && outcome === NO_SANDBOX;

/** Outcomes of a load, or of a crash, that are no failure. */
const HARMLESS = new Set(["built", "active", "pending", "restarted", NO_SANDBOX]);

/** Looks at the names of what was granted, and reads none of it. */
const LOOKS = new Set(["env.names"]);

export function deedOf(line: AuditLine): Deed {
  const { event, outcome, capability } = line;
  if (isDecision(line)) return "decided";
  // What a hook offers may fail for a power that it lacks: the refusal of that is a line of its own.
  if (capability !== undefined && /^(NOT_GRANTED|RATE_LIMITED)\b/.test(outcome)) return "refused";
  if (capability !== undefined && LOOKS.has(capability) && outcome === "allowed") return "other";
  if (event === "load" || event === "crash") return HARMLESS.has(outcome) ? "other" : "failed";
  // What a hook offers fails with a code.
  return DEEDS.get(outcome) ?? (/^[A-Z_]{3,30}$/.test(outcome) ? "failed" : "other");
}

/** True for what a person wants to see first. */
export const isNotable = (deed: Deed): boolean => deed !== "passed" && deed !== "used" && deed !== "other";

/** How often it happened: a line about repeated refusals counts them. */
export function timesOf({ outcome }: AuditLine): number {
  const [, count] = /^\w+ \((\d{1,9}) (?:times? )?more\b/.exec(outcome) ?? [];
  return count === undefined ? 1 : Number(count);
}

/** Powers that are used by being asked to do what they offer, by the kind of that. */
const OFFERED: ReadonlyMap<string, string> = new Map([
  ["tool", "tools"],
  ["command", "commands"],
  ["shortcut", "commands"],
  ["provider", "providers"],
  ["completer", "ui"],
  ["keyListener", "ui"],
  ["markdownTransformer", "ui"],
]);

/** The power that a line is about; `undefined` if it is about none. Answering an event uses the power `events`. */
export function powerOf(line: AuditLine): string | undefined {
  const { capability, event } = line;
  if (capability !== undefined) return capability.replace(/\..*/s, "");
  const offered = OFFERED.get(event ?? "");
  if (offered !== undefined) return offered;
  return ["passed", "changed", "blocked", "monitored", "asked"].includes(deedOf(line)) ? "events" : undefined;
}
