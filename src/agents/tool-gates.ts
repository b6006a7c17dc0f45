import { HookBlockedError, messageOf } from "../base/errors.ts";
import { cleanLine } from "../base/text.ts";
import { judgeable, type ToolOutput } from "../host/framed.ts";
import type { HookHost } from "../host/host.ts";
import { type PassedResult, passResult } from "../host/pass-result.ts";
import { codeOfBlock } from "../verdicts/blocked.ts";

/** How hooks see the tools of an agent. */
export interface ToolNameOptions {
  /** The name that hooks see, by the agent's own name of the tool: `{ runCommand: "bash" }`. Others keep theirs. */
  toolNames?: Readonly<Record<string, string>>;
}

/** One call of a tool, under the agent's own name of it. */
export interface Call {
  tool: string;
  id: string;
  /** What hooks judged, and what has to run. */
  input: Record<string, unknown>;
}

export interface JudgeOptions {
  signal?: AbortSignal;
  /** Tools of the agent that a hook may choose instead, by the agent's own names. Default: none. */
  others?: readonly string[];
}

/** What a tool gave. */
export interface ShownResult extends ToolOutput {
  isError: boolean;
}

/** Hooks around the calls of an agent that is a library: its adapter brings calls and results into these shapes. */
export class ToolGates {
  readonly #host: HookHost;
  readonly #names: ReadonlyMap<string, string>;

  constructor(host: HookHost, { toolNames = {} }: ToolNameOptions = {}) {
    this.#host = host;
    this.#names = new Map(Object.entries(toolNames));
  }

  /** True if a hook hears results now: then nothing of one may be passed on before hooks have seen it. */
  get hearsResults(): boolean {
    return this.#host.hasHandlers("tool_result");
  }

  /**
   * Asks the hooks about a call. Resolves with what is to run instead of what was given: one plain copy of the input, or what
   * hooks made of it. Throws a {@link HookBlockedError} for a block, for an input that is no plain JSON, and for every failure.
   */
  async judge(tool: string, id: string, given: unknown, options: JudgeOptions = {}): Promise<Call> {
    // Without a hook that judges calls, the tool gets what the agent gave, as `wrapToolsWithHooks` does.
    if (!this.#host.hasHandlers("tool_call")) return { tool, id, input: given as Call["input"] };
    try {
      return await this.#judged(tool, id, judgeable(given), options);
    } catch (error) {
      throw error instanceof HookBlockedError ? error : new HookBlockedError("", messageOf(error));
    }
  }

  async #judged(tool: string, id: string, copy: Call["input"], { signal, others = [] }: JudgeOptions): Promise<Call> {
    const chosen = (name: string): string | undefined => others.find((other) => this.#shown(other) === name);
    const verdict = await this.#host.emitToolCall(
      { type: "tool_call", toolName: this.#shown(tool), toolCallId: id, input: copy },
      { ...(signal ? { signal } : {}), canRun: (name) => chosen(name) !== undefined },
    );
    if (verdict && "block" in verdict)
      throw new HookBlockedError(cleanLine(verdict.hook, 200), verdict.reason, codeOfBlock(verdict));
    if (verdict?.toolName === undefined) return { tool, id, input: verdict?.input ?? copy };
    return { tool: chosen(verdict.toolName) as string, id, input: verdict.input };
  }

  /**
   * Shows hooks a result. Resolves with what takes its place, if something does. Never rejects: a result that hooks could not
   * be shown is withheld.
   */
  show({ tool, id, input }: Call, result: ShownResult, started: number): Promise<PassedResult | undefined> {
    return passResult(this.#host, {
      type: "tool_result",
      toolName: this.#shown(tool),
      toolCallId: id,
      input,
      ...result,
      ...(result.isError ? { error: textOf(result) } : {}),
      durationMs: performance.now() - started,
    });
  }

  #shown(tool: string): string {
    return this.#names.get(tool) ?? tool;
  }
}

/** The text of a result, for agents whose results are texts. */
export const textOf = ({ content }: Pick<ToolOutput, "content">): string =>
  content.map((item) => (item.type === "text" ? item.text : `[${item.type}]`)).join("\n");
