import type { ErrorCode } from "../base/errors.ts";
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

/** For blocks that a handler decided: where it was registered in the hook's source. */
const places = new WeakMap<Blocked, string>();
export const placeOfBlock = (block: Blocked): string | undefined => places.get(block);

/** The block that a handler of this hook decided. `at`: where it was registered, as the guest says it. */
export function decidedBlock(hook: Hook, reason: string, at: string | undefined): Blocked {
  const block: Blocked = { block: true, reason, hook: hook.id };
  const place = at === undefined ? undefined : hook.positions?.positionOf(at);
  if (place !== undefined) places.set(block, place);
  return block;
}

/** The block that a failure of this hook causes. */
export function failedBlock(hook: Hook, reason: string, code: ErrorCode): Blocked {
  const block: Blocked = { block: true, reason, hook: hook.id };
  codes.set(block, code);
  return block;
}
