import type { ErrorCode } from "../base/errors.ts";
import { positionIn } from "../bundle/source-positions.ts";
import type { Hook } from "../session/hook.ts";

/** A tool call that must not run, and why. */
export interface Blocked {
  block: true;
  reason: string;
  /** Id of the hook; empty when Cordon itself blocks. */
  hook: string;
  /**
   * No hook refuses it but some that asked the person: the agent puts this to them, and runs the call if they allow it, with
   * this input if hooks changed it.
   */
  question?: { input?: Record<string, unknown> };
}

/** The outcome of a block that does not hold, in the audit. */
export const WOULD_BLOCK = "would block";

/** For blocks that a failure caused: what happened to the hook. */
const codes = new WeakMap<Blocked, ErrorCode>();
export const codeOfBlock = (block: Blocked): ErrorCode | undefined => codes.get(block);

/** Where in the hook's source a handler was registered that decided a block, or an error came from that caused it. */
const places = new WeakMap<Blocked, string>();
export const placeOfBlock = (block: Blocked): string | undefined => places.get(block);

/** The block that a handler of this hook decided. `at`: where it was registered, as the guest says it. */
export function decidedBlock(hook: Hook, reason: string, at: string | undefined): Blocked {
  const block: Blocked = { block: true, reason, hook: hook.id };
  const place = at === undefined ? undefined : hook.positions?.positionOf(at);
  if (place !== undefined) places.set(block, place);
  return block;
}

/** The block that a failure of this hook causes. `stack`: as the guest says it. */
export function failedBlock(hook: Hook, reason: string, code: ErrorCode, stack?: string): Blocked {
  const block: Blocked = { block: true, reason, hook: hook.id };
  codes.set(block, code);
  const place = stack === undefined ? undefined : ownPlace(hook, stack);
  if (place !== undefined) places.set(block, place);
  return block;
}

/** The first place of a stack, if it is in the hook's own source: a hook may give its errors any stack. */
function ownPlace({ positions }: Hook, stack: string): string | undefined {
  const place = positions && positionIn(positions.translate(stack));
  return place !== undefined && positions?.files.includes(place.replace(/:\d+:\d+$/, "")) ? place : undefined;
}
