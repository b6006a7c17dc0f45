import { setTimeout as sleep } from "node:timers/promises";
import { cleanLine } from "../base/text.ts";
import type { HookHost } from "../host/host.ts";
import { sampleEvents } from "../host/sample-events.ts";
import { withoutWayOut } from "../session/failure-text.ts";
import type { HookError } from "../session/hook-error.ts";
import { withoutRemedy } from "../session/remedies.ts";
import { type Blocked, codeOfBlock } from "../verdicts/blocked.ts";
import type { EveryCall } from "./check-rules.ts";
import { LATE_MS } from "./common.ts";

/** Longest text of a hook that blocks every call. */
const MAX_SAID = 300;

/** What a hook without powers does with the sample events that it hears. */
export interface Rehearsed {
  /** What it says if it blocks each of the calls. */
  blocksEveryCall?: EveryCall;
  /** Wrong results; what it threw, unless it was refused something: that may be why; or how it hung, and nothing else. */
  faults: HookError[];
}

/** Failures after which a hook is not asked again: each may take as long as the first. */
export const HUNG: ReadonlySet<string> = new Set(["TIMEOUT", "CPU_EXCEEDED", "OUT_OF_MEMORY", "CRASHED"]);

/** Sends a hook what it hears of the samples. `isRefused`: whether it was refused anything so far. */
export async function rehearse(host: HookHost, isRefused: () => boolean): Promise<Rehearsed> {
  const errors: HookError[] = [];
  host.onError((error) => errors.push(error));
  let first: EveryCall | undefined;
  let passes = false;
  for (const event of sampleEvents()) {
    if (event.type === "tool_call") {
      const verdict = await host.emitToolCall(event);
      if (verdict && "block" in verdict) first ??= saidBy(verdict, host);
      else passes = true;
    } else if (host.hasHandlers(event.type)) await host.emit(event);
    const hung = errors.find(({ code }) => HUNG.has(code));
    if (hung) return { faults: [{ ...hung, event: event.type }] };
  }
  await sleep(LATE_MS);
  return {
    ...(first === undefined || passes ? {} : { blocksEveryCall: first }),
    faults: errors.filter((error) => error.code === "BAD_RESULT" || isOwn(error, isRefused())),
  };
}

/** Whether a hook threw for its own reasons: in a handler that was refused something, that may be why. */
const isOwn = ({ code, event, error }: HookError, isRefused: boolean): boolean =>
  code === "HOOK_THREW" && (!isRefused || (event === "background" && !/was not granted|permission denied/.test(error)));

function saidBy(verdict: Blocked, host: HookHost): EveryCall {
  const code = codeOfBlock(verdict);
  const at = host.lastBlock?.at;
  return {
    reason: cleanLine(withoutWayOut(withoutRemedy(verdict.reason)), MAX_SAID),
    ...(code === undefined ? {} : { code }),
    ...(at === undefined ? {} : { at }),
  };
}
