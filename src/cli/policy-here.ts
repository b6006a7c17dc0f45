import { type Policy, policiesInForce } from "../grants/policy.ts";
import { powersOf } from "../grants/schema.ts";
import { mayBlock, sees } from "../powers/events.ts";
import type { HookInfo } from "../session/hook-info.ts";
import { type Lacking, lackingRequired } from "../session/required.ts";
import type { Here } from "./here.ts";

/** The required hooks that would judge no calls in a session here. */
export function requiredHere(
  policies: readonly Policy[],
  hooks: readonly HookInfo[],
  here: readonly Here[],
): Lacking[] {
  const candidates = hooks.map(({ id, key = id, state, reason, disabled, capabilities, events }) => {
    const mayJudge = sees(capabilities.events, "tool_call") && mayBlock(capabilities.events);
    const isUp = !disabled && (state === "active" || state === "changed");
    return {
      ...{ id, state, reason, disabled, capabilities },
      origin: here.find((one) => one.key === key)?.origin,
      judges: isUp && mayJudge && events.includes("tool_call"),
    };
  });
  return lackingRequired(policies, candidates);
}

/** A policy in force, as a line for people. */
export const policyLines = (): string[] => policiesInForce().map(({ path, policy }) => `${path}: ${rulesLine(policy)}`);

function rulesLine({ sources, publishers, provenance, maximum, required }: Policy): string {
  const rules = [
    ...(sources ? [`installed hooks only from ${list(sources)}`] : []),
    ...(publishers ? [`of the publishers ${list(publishers)}`] : []),
    ...(provenance ? [`packages ${provenance}`] : []),
    ...(maximum ? [`at most the powers ${list(leftBy(maximum))}`] : []),
    ...(required?.length ? [`requires ${list(required)}`] : []),
  ];
  return rules.join("; ") || "it limits nothing";
}

/** The powers of a maximum that leave something: `"net": { "connect": [] }` leaves nothing. */
export const leftBy = (maximum: NonNullable<Policy["maximum"]>): string[] =>
  Object.entries(maximum).flatMap(([power, value]) => (powersOf.covers({}, { [power]: value }) ? [] : [power]));

const list = (items: readonly string[]): string => items.join(", ") || "(none)";
