import { basename, isAbsolute } from "node:path";
import { meant, nearNames } from "../base/near-names.ts";
import { command } from "../base/shell-word.ts";
import { fitsSource, type Policy, policyFault } from "../grants/policy.ts";
import type { Capabilities } from "../grants/schema.ts";
import { mayBlock, sees } from "../powers/events.ts";
import type { HookState, Origin } from "./hook.ts";

/** A hook that a policy requires and that does not judge tool calls here. */
export interface Lacking {
  id: string;
  why: string;
  /** The ids of hooks here that the policy may mean. */
  near?: string[];
  /** The command that helps, if one does. */
  run?: string;
}

/** What is known of a hook here. */
export interface Candidate {
  id: string;
  origin: Origin | undefined;
  /** It judges tool calls, or blocks them while it cannot. */
  judges: boolean;
  state: HookState;
  reason: string | undefined;
  disabled: boolean;
  capabilities: Capabilities;
}

/** The required hooks that judge no tool calls: without them, every call is blocked. `looks`: the session looks for hooks itself. */
export function lackingRequired(policies: readonly Policy[], hooks: readonly Candidate[], looks = true): Lacking[] {
  const lacking = new Map<string, Lacking>();
  for (const policy of policies)
    for (const id of policy.required ?? []) {
      const lack = lackOf(id, policy, hooks, looks);
      if (lack && !lacking.has(id)) lacking.set(id, { id, ...lack });
    }
  return [...lacking.values()];
}

function lackOf(
  id: string,
  policy: Policy,
  hooks: readonly Candidate[],
  looks: boolean,
): Omit<Lacking, "id"> | undefined {
  const hook = hooks.find((one) => one.id === id);
  if (!hook) {
    const help = helpFor(id, policy, hooks);
    if (looks || help.near) return { why: "it is missing", ...help };
    return { why: "this session looks for no hooks, and it is not among those that it was given" };
  }
  const fault = faultOfOrigin(policy, hook.origin);
  if (fault !== undefined) return { why: fault };
  if (hook.judges) return undefined;
  const { disabled, state, reason, capabilities } = hook;
  if (disabled) return { why: "it is disabled", run: command`cordon enable ${id}` };
  if (state === "pending") return { why: "it was never accepted", run: "cordon accept" };
  if (state !== "active" && state !== "changed") return { why: `it is ${state}: ${reason ?? "unknown"}` };
  const isHeard = sees(capabilities.events, "tool_call");
  if (isHeard && mayBlock(capabilities.events)) return { why: "it has no handler for tool calls" };
  return {
    why: `it may not ${isHeard ? "block" : "hear tool calls"}`,
    run: command`cordon grant ${id} events ${'{"see":["tool_call"],"block":true}'}`,
  };
}

/**
 * A misspelt id may be the name of a package that somebody else published, and any id may become one. It is a command only where
 * no hook here is near, and the policy's sources, or else its scope, say whose package is meant.
 */
function helpFor(
  id: string,
  { required = [], sources }: Policy,
  hooks: readonly Candidate[],
): Pick<Lacking, "near" | "run"> {
  const others = hooks.filter((hook) => !required.includes(hook.id));
  // A scope says whose package it is.
  const nameOf = id.startsWith("@") ? String : bareName;
  const ids = new Map(others.map((hook) => [nameOf(hook.id), hook.id]));
  const near = nearNames(nameOf(id), ids.keys()).flatMap((name) => ids.get(name) ?? []);
  if (near.length > 0) return { near };
  const name = id.replace(/#.*/s, "");
  const isMeant = !isAbsolute(id) && (sources ? fitsSource(sources, `npm:${name}`) : name.startsWith("@"));
  return isMeant ? { run: command`cordon add ${name}` } : {};
}

/** The name of a file without its ending, or that of a package without its scope. */
const bareName = (id: string): string =>
  isAbsolute(id) ? basename(id).replace(/\.[cm]?[jt]sx?$/, "") : id.replace(/^@[^/]+\//, "");

/** An id is only a name, and any file can have it: where a policy says whose hooks it allows, a required one is one of those. */
function faultOfOrigin(policy: Policy, origin: Origin | undefined): string | undefined {
  const { sources, publishers, provenance } = policy;
  if (!sources && !publishers && !provenance) return undefined;
  if (origin?.kind === "installed") return policyFault([policy], origin.entry);
  return "it is not installed, and your organisation's policy says from where it has to be";
}

/** What helps, as the end of a sentence. */
export const helpText = ({ near = [], run }: Lacking): string =>
  near.length > 0 ? meant(near) : run === undefined ? "" : `; run: ${run}`;

/** Why nobody disables a hook that a policy requires. `id`: as a person knows it. */
export const requiredText = (id: string): string =>
  `${id} is required by your organisation's policy: without it, all tool calls would be blocked`;

/** Most hooks that a block names. */
const MOST_NAMED = 5;

/** As a sentence. */
export function lackText(all: readonly Lacking[]): string {
  const named = all.slice(0, MOST_NAMED).map((one) => `the hook ${one.id}: ${one.why}${helpText(one)}`);
  const more = all.length - named.length;
  const parts = more > 0 ? [...named, `${more} more: cordon doctor names all`] : named;
  const joined = parts.reduce((text, part) => `${text}${text.endsWith("?") ? " And" : "; and"} ${part}`);
  return `your organisation's policy requires ${joined}`;
}
