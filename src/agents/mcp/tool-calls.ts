import { HookBlockedError, messageOf } from "../../base/errors.ts";
import type { HookHost } from "../../host/host.ts";
import { type Call, ToolGates, type ToolNameOptions } from "../tool-gates.ts";
import type { Params } from "./message.ts";
import { type Answer, changedResult, shownOf } from "./results.ts";

/** Tasks whose results may still be asked for: more than any server keeps. */
const MAX_TASKS = 10_000;

/** What a client asked: `params` of a `tools/call`, with what is to be sent instead. */
export interface JudgedCall {
  call: Call;
  /** `undefined`: the params as they are. */
  params: Params | undefined;
}

/** Judges the calls of one client's session, and their results. */
export class ToolCalls {
  readonly #host: Promise<HookHost>;
  readonly #names: ToolNameOptions;
  /** Calls whose results come later, by the task that they began. */
  readonly #tasks = new Map<unknown, Call>();

  constructor(host: Promise<HookHost>, names: ToolNameOptions) {
    this.#host = host;
    this.#names = names;
  }

  /** Throws a {@link HookBlockedError}, also for every failure. */
  async judge(id: string, params: Params, signal: AbortSignal): Promise<JudgedCall> {
    const { name, arguments: given = {} } = params;
    if (typeof name !== "string") throw new HookBlockedError("", "the call names no tool");
    const call = await (await this.#gates()).judge(name, id, given, { signal });
    const isSame = JSON.stringify(call.input) === JSON.stringify(given);
    return { call, params: isSame ? undefined : { ...params, arguments: call.input } };
  }

  /** The result that takes the place of an answer, if one does. Never rejects. */
  async show(call: Call, answer: Answer, started: number): Promise<Params | undefined> {
    try {
      this.#keepTask(call, answer);
      const gates = await this.#gates();
      if (!gates.hearsResults) return undefined;
      const passed = await gates.show(call, shownOf(answer), started);
      return passed && changedResult(answer, passed);
    } catch (error) {
      return failed(`Withheld by Cordon: no hook could check this result: ${messageOf(error)}`);
    }
  }

  /** The same for the result of a task that a call began. */
  async showTask(taskId: unknown, answer: Answer, started: number): Promise<Params | undefined> {
    const call = this.#tasks.get(taskId);
    if (call) return this.show(call, answer, started);
    const hears = await this.#gates().then(
      (gates) => gates.hearsResults,
      () => true,
    );
    return hears ? failed("Withheld by Cordon: no hook judged the call that began this task") : undefined;
  }

  #keepTask(call: Call, answer: Answer): void {
    const { task } = answer.kind === "result" ? answer.result : {};
    if (typeof task !== "object" || task === null || !("taskId" in task)) return;
    if (this.#tasks.size >= MAX_TASKS) this.#tasks.delete(this.#tasks.keys().next().value);
    this.#tasks.set(task.taskId, call);
  }

  async #gates(): Promise<ToolGates> {
    const host = await this.#host.catch((error: unknown) => {
      throw new HookBlockedError("", `Cordon did not start: ${messageOf(error)}`);
    });
    return new ToolGates(host, this.#names);
  }
}

/** A result in place of a withheld one: it tells the model why. */
export const failed = (text: string): Params => ({ content: [{ type: "text", text }], isError: true });
