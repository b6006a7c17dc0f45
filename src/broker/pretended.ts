import type { AnyCapability, Asked, Circumstances } from "../powers/capability.ts";
import type { Pretence } from "../powers/pretence.ts";
import { type CallAnswer, type FailedCall, failureOf } from "./answer-call.ts";

/** A request that was refused. */
interface RefusedRequest {
  readonly method: string;
  readonly capability: AnyCapability;
  readonly args: readonly unknown[];
  readonly asked: Asked;
  readonly circumstances: Circumstances;
}

/** What a hook that is tried out gets instead of a refusal. */
export async function pretended(
  { method, capability, args, asked, circumstances }: RefusedRequest,
  pretence: Pretence,
  refusal: FailedCall["error"],
): Promise<CallAnswer> {
  try {
    const { capability: power } = capability;
    const proposed = pretence.proposed?.includes(power) ? { [power]: asked.propose() } : {};
    const others = pretence.others?.(method, args);
    const tried = others ? capability.ask(others, circumstances) : asked;
    const permitted = tried.check({ ...pretence.powers, ...proposed });
    return permitted ? { value: await permitted.perform() } : (pretence.answer(method, args) ?? { error: refusal });
  } catch (error) {
    return { error: failureOf(error) };
  }
}
