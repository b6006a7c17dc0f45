import { HookBlockedError, messageOf } from "../../base/errors.ts";
import type { HookHost } from "../../host/host.ts";
import { type Call, ToolGates, type ToolNameOptions } from "../tool-gates.ts";
import type { Params } from "./message.ts";
import { type Answer, changedResult, shownOf } from "./results.ts";
import { changedTask, shownTask, withheldTask } from "./task.ts";
import { isOfTasks, judgeTasks, taskBegunBy, taskIdsIn } from "./tasks-told.ts";

/** Tasks whose results may still be asked for: more than any server keeps. */
const MAX_TASKS = 10_000;

const NO_CALL = "Withheld by Cordon: it is not known which call began this task";
const unchecked = (error: unknown): string =>
  `Withheld by Cordon: no hook could check this result: ${messageOf(error)}`;

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
  readonly #tasks = new Map<unknown, Call | undefined>();

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

  /**
   * Remembers the task that this answer to a call begins; false if it begins none. Of one that the server gives to two calls,
   * nobody knows whose result it has.
   */
  begin(call: Call, answer: Answer): boolean {
    const id = taskBegunBy(answer);
    if (id === undefined) return false;
    if (this.#tasks.size >= MAX_TASKS) this.#tasks.delete(this.#tasks.keys().next().value);
    this.#tasks.set(id, this.#tasks.has(id) ? undefined : call);
    return true;
  }

  /** What takes the place of the answer to a call, if something does. Never rejects. */
  async answered(call: Call, answer: Answer, started: number): Promise<Params | undefined> {
    const id = taskBegunBy(answer);
    if (answer.kind === "error" || id === undefined) return resultOf(await this.#show(call, answer, started));
    return resultOf(await this.showTasks(answer.result, id, started));
  }

  /** The same for the answer to a question about tasks. */
  async answeredOfTasks(
    method: string,
    { taskId }: Params,
    answer: Answer,
    started: number,
  ): Promise<Params | undefined> {
    if (method === "tasks/result") return resultOf(await this.#showLater(taskId, answer, started));
    const asked = method === "tasks/list" ? undefined : taskId;
    if (answer.kind === "error") return this.showTasks({ error: answer.error }, asked, started);
    return resultOf(await this.showTasks(answer.result, asked, started));
  }

  /** True if this tells of tasks that calls began, or may do so. */
  tellOfTasks(method: string, body: Params): boolean {
    return isOfTasks(method) || taskIdsIn(body).some((id) => this.#tasks.has(id));
  }

  /** What takes the place of a message that tells of tasks, if something does. `asked`: the one that it has to be about. Never rejects. */
  showTasks(body: Params, asked: unknown, started: number): Promise<Params | undefined> {
    return judgeTasks(body, asked, async (task, id) => {
      try {
        const shown = shownTask(task);
        if (!shown) return undefined;
        const gates = await this.#gates();
        if (!gates.hearsResults) return undefined;
        const call = asked === undefined || id === asked ? this.#tasks.get(id) : undefined;
        if (!call) return withheldTask(task, NO_CALL);
        const passed = await gates.show(call, shown, started);
        return passed && changedTask(task, passed);
      } catch (error) {
        return withheldTask(task, unchecked(error));
      }
    });
  }

  /** The result that takes the place of an answer, if one does. */
  async #show(call: Call, answer: Answer, started: number): Promise<Params | undefined> {
    try {
      const gates = await this.#gates();
      if (!gates.hearsResults) return undefined;
      const passed = await gates.show(call, shownOf(answer), started);
      return passed && changedResult(answer, passed);
    } catch (error) {
      return failed(unchecked(error));
    }
  }

  /** The same for an answer that is the result of a task. */
  async #showLater(taskId: unknown, answer: Answer, started: number): Promise<Params | undefined> {
    const call = this.#tasks.get(taskId);
    if (call) return this.#show(call, answer, started);
    const hears = await this.#gates().then(
      (gates) => gates.hearsResults,
      () => true,
    );
    return hears ? failed(NO_CALL) : undefined;
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

const resultOf = (result: Params | undefined): Params | undefined => result && { result };
