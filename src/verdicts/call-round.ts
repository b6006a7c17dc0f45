import { cleanText } from "../base/text.ts";
import type { ToolCallEvent } from "../hook-api.ts";
import {
  codeOf,
  DEFAULT_REASON,
  failureReason,
  MAX_HOOK_TEXT,
  thrownReason,
  troubleOf,
} from "../session/failure-text.ts";
import type { Hook } from "../session/hook.ts";
import { type Failure, isPass, type Outcome } from "../supervisor/outcome.ts";
import { toPlain } from "../supervisor/untrusted-json.ts";
import { type Blocked, decidedBlock, failedBlock } from "./blocked.ts";
import { isCancelled } from "./cancelled.ts";
import type { HostInside } from "./host-inside.ts";
import { plainCopy } from "./plain-copy.ts";
import { givenBy } from "./result-shape.ts";
import { isSame } from "./same-json.ts";

export type Input = Record<string, unknown>;

/** How a bundle changed a call. */
export interface Change {
  input?: Input;
  tool?: string;
}

/** The judging of one call. */
export interface Judging {
  host: HostInside;
  signal: AbortSignal | undefined;
  /** True for a hook that asked the person, and whose block the agent puts to them as a question. */
  isQuestion: (hook: string) => boolean;
  /** The first such block. */
  question?: Blocked;
  onWouldBlock: ((block: Blocked) => void) | undefined;
}

/** What becomes of the changes of hooks that may make them. */
export type Rewriting =
  | { take(change: Change): void }
  /** `dropped`: hears whose change it was. */
  | { dropped(hook: Hook): void }
  /** The call as it is now is not what the hook agrees to. */
  | "refused";

const NOT_AS_IT_IS = "another hook changed the call after this one, which would change it back";
/** A person saw the changed call, and allowed no other one. */
const NOT_AS_APPROVED = "a person approved of the call as this hook changed it, and that change does not count";

interface Refusal {
  block: Blocked;
  hook: Hook;
  /** What happened to the hook, if it gave no verdict. */
  failure: Failure | undefined;
}

/** Takes the outcomes of hooks that are asked about one call, each of them once. */
export class CallRound {
  readonly #judging: Judging;
  readonly #hooks: readonly Hook[];
  readonly #event: ToolCallEvent;
  readonly #judged: Set<Hook>;
  readonly #rewriting: Rewriting;
  readonly #passed: Hook[] = [];
  #refusal: Refusal | undefined;

  /** `judged`: receives the hooks whose verdict lets the call pass. */
  constructor(judging: Judging, hooks: readonly Hook[], event: ToolCallEvent, judged: Set<Hook>, rewriting: Rewriting) {
    this.#judging = judging;
    this.#hooks = hooks;
    this.#event = event;
    this.#judged = judged;
    this.#rewriting = rewriting;
  }

  /** Takes one hook's outcome. The others need not be asked after a block. */
  visit(hook: Hook, outcome: Outcome): "stop" | undefined {
    // Nearly all outcomes: what follows would find nothing in it.
    if (isPass(outcome)) {
      hook.blocks = 0;
      this.#judged.add(hook);
      this.#passed.push(hook);
      return undefined;
    }
    const { host, signal } = this.#judging;
    const block = blockOf(host, hook, outcome, isCancelled(host, signal));
    if (block) {
      const trouble = troubleOf(outcome);
      this.#refusal = { block, hook, failure: trouble && "failure" in trouble ? trouble.failure : undefined };
      return "stop";
    }
    this.#judged.add(hook);
    if (!("verdict" in outcome)) return undefined;
    const { input, tool, approved } = outcome.verdict;
    const changed = input && !isSame(input, this.#event.input) ? input : undefined;
    const chosen = tool === this.#event.toolName ? undefined : tool;
    if (!changed && chosen === undefined) {
      this.#passed.push(hook);
      return undefined;
    }
    const change = { input: changed, tool: chosen };
    const isTaken = takeChange(host, hook, this.#event.toolName, change, this.#rewriting);
    const reason = approved ? NOT_AS_APPROVED : this.#rewriting === "refused" ? NOT_AS_IT_IS : undefined;
    if (isTaken || reason === undefined || !hook.mayBlock) return undefined;
    this.#refusal = { block: decidedBlock(hook, reason, undefined), hook, failure: undefined };
    return "stop";
  }

  /** The first refusal, if there is one; otherwise all hooks have judged. */
  end(): Refusal | undefined {
    this.#judging.host.reporter.passed(this.#passed, "tool_call", this.#event.toolName);
    if (this.#refusal) return this.#refusal;
    // The verdict of a hook that may not block is not needed.
    for (const hook of this.#hooks) if (!hook.mayBlock) this.#judged.add(hook);
    const silent = this.#hooks.find((hook) => !this.#judged.has(hook));
    if (!silent) return undefined;
    const failure: Failure = { code: "CRASHED", summary: "it gave no verdict" };
    return { block: failedBlock(silent, failureReason(silent, failure), failure.code), hook: silent, failure };
  }
}

/** The block that one hook's outcome means, if it does. */
function blockOf(host: HostInside, hook: Hook, outcome: Outcome, cancelled: boolean): Blocked | undefined {
  const trouble = troubleOf(outcome);
  if (trouble) {
    const reason = "failure" in trouble ? failureReason(hook, trouble.failure) : thrownReason(trouble.thrown);
    const code = "failure" in trouble ? trouble.failure.code : codeOf(trouble.thrown);
    if (!cancelled) host.reporter.reportOutcome(hook, "tool_call", outcome);
    if (!hook.failsOpen && hook.mayBlock) {
      const { stack } = "failure" in trouble ? trouble.failure : trouble.thrown;
      return failedBlock(hook, reason, code, stack);
    }
    // The decisions of its other handlers hold.
  }
  const result = givenBy<{ block?: unknown; reason?: unknown; at?: string }>(outcome);
  if (!result?.block) {
    hook.blocks = 0;
    return undefined;
  }
  if (!hook.mayBlock) {
    host.reporter.refuse(hook, "tool_call", { right: "block" }, "its block was dropped");
    return undefined;
  }
  if (!cancelled) hook.blocks++;
  const reason = typeof result.reason === "string" && result.reason !== "" ? result.reason : DEFAULT_REASON;
  return decidedBlock(hook, cleanText(reason, MAX_HOOK_TEXT) || DEFAULT_REASON, result.at);
}

/** Whether the change counts. */
function takeChange(
  host: HostInside,
  hook: Hook,
  from: string,
  { input, tool }: Change,
  rewriting: Rewriting,
): boolean {
  const to = tool ?? from;
  const denied = [from, to].find((name) => !hook.mayFor("rewriteInput", name));
  if (denied !== undefined) {
    const dropped = to === from ? "its change of the input was dropped" : `its choice of the tool ${to} was dropped`;
    host.reporter.refuse(hook, "tool_call", { right: "rewriteInput", tool: denied }, dropped);
    return false;
  }
  if (rewriting === "refused") return false;
  if ("dropped" in rewriting) {
    rewriting.dropped(hook);
    return false;
  }
  const plain = input && (plainCopy(toPlain(input)) as Input);
  const value = to === from ? from : `${from}: ${to}`;
  host.reporter.audit({ hook: hook.id, event: "tool_call", value, outcome: "rewrite" });
  rewriting.take({ input: plain, tool: to === from ? undefined : to });
  return true;
}
