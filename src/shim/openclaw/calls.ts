import { readJson } from "../../../sandbox/wire/read-json.ts";
import { isRecord } from "../../agents/command/fields.ts";
import type { Ask } from "./ask.ts";
import { isExact, isSame } from "./exact-params.ts";
import type { Context, Decision, ToolCallEvent } from "./plugin-api.ts";

/** Most calls that are between the two times that OpenClaw tells of them. An older one is judged anew. */
const MAX_CALLS = 256;

/** The name of the plugin in OpenClaw. */
export const PLUGIN_ID = "openclaw-cordon";

/** What is known of a call: it passed as it is here, or the person allowed a question about it. */
export type Known = { passed: Record<string, unknown> } | { allowed: string };

/**
 * Judges calls. OpenClaw tells a policy of a call before its other plugins, and asks the person then, if the policy wants that.
 * It tells of the call a second time when that is over: there it is judged with the answer, and also if it is another one by now.
 */
export class Calls {
  readonly #ask: Ask;
  readonly #known: Map<string, Known>;

  constructor(ask: Ask, known: Map<string, Known>) {
    this.#ask = ask;
    this.#known = known;
  }

  /** What a policy says of a call. Never rejects. */
  first(event: ToolCallEvent, context: Context): Promise<Decision | undefined> {
    return closed(async () => {
      // Another plugin may change them while hooks judge.
      const judged = readJson(JSON.stringify(event.params) ?? "null");
      const words = await this.#judge(event, context);
      if (words.block !== undefined) return blockIn(words);
      const { params, question, requireApproval } = words;
      const key = keyOf(event);
      if (requireApproval !== undefined) {
        if (typeof question !== "string" || !isRecord(requireApproval)) throw new Error(NONSENSE);
        if (key === undefined) throw new Error("a hook asks about a call that OpenClaw gave no id");
        const onResolution = (decision: string): void => {
          if (decision === "allow-once") this.#keep(key, { allowed: question });
        };
        // OpenClaw names the owner of a hook's question, and none of a policy's, which it then cannot put.
        const approval = { ...requireApproval, pluginId: PLUGIN_ID, onResolution } as NonNullable<
          Decision["requireApproval"]
        >;
        return { requireApproval: approval, ...paramsIn(params) };
      }
      const changed = paramsIn(params);
      if (key !== undefined) this.#keep(key, { passed: { ...judged, ...structuredClone(changed.params) } });
      return changed.params && changed;
    });
  }

  /** What a hook says of the same call, the last word before it runs. Never rejects. */
  last(event: ToolCallEvent, context: Context): Promise<Decision | undefined> {
    return closed(async () => {
      const key = keyOf(event);
      const known = key === undefined ? undefined : this.#known.get(key);
      if (key !== undefined) this.#known.delete(key);
      if (known && "passed" in known && isSame(known.passed, event.params)) return undefined;
      const words = await this.#judge(event, context, known && "allowed" in known ? known.allowed : undefined);
      if (words.block !== undefined) return blockIn(words);
      if (words.requireApproval !== undefined) throw new Error("hooks ask about a call that another plugin changed");
      const changed = paramsIn(words.params);
      return changed.params && changed;
    });
  }

  #judge(event: ToolCallEvent, context: Context, allowed?: string): Promise<Record<string, unknown>> {
    if (!isExact(event.params)) throw new Error("the call has values that hooks cannot be shown as they are");
    return this.#ask({ kind: "gate", name: "before_tool_call", event, context, ...(allowed ? { allowed } : {}) });
  }

  #keep(key: string, known: Known): void {
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size >= MAX_CALLS) this.#known.delete(oldest);
    this.#known.set(key, known);
  }
}

const NONSENSE = "Cordon's daemon answered nonsense; run: cordon doctor";

/** What fails is a block with its reason: OpenClaw blocks for what is thrown, too, and tells nobody why. */
async function closed(judge: () => Promise<Decision | undefined>): Promise<Decision | undefined> {
  try {
    return await judge();
  } catch (error) {
    return { block: true, blockReason: error instanceof Error ? error.message : String(error) };
  }
}

const keyOf = ({ runId = "", toolCallId, toolName }: ToolCallEvent): string | undefined =>
  toolCallId ? JSON.stringify([runId, toolCallId, toolName]) : undefined;

function blockIn({ blockReason }: Record<string, unknown>): Decision {
  return { block: true, blockReason: typeof blockReason === "string" ? blockReason : NONSENSE };
}

function paramsIn(params: unknown): Pick<Decision, "params"> {
  if (params === undefined) return {};
  if (isRecord(params)) return { params };
  throw new Error(NONSENSE);
}
