import { toolNamed } from "../../agents/strands-sdk/agent.ts";
import { type Content, fromBlocks } from "../../agents/strands-sdk/content.ts";
import type {
  AfterToolCallEvent,
  BeforeToolCallEvent,
  Interrupt,
  InterruptParams,
  ToolUse,
} from "../../agents/strands-sdk/events.ts";
import type { Sdk } from "../../agents/strands-sdk/sdk.ts";
import type { Dispatch, Event } from "../../core/dispatch.ts";
import { isObject } from "../../core/exports.ts";
import { HandlerChain } from "../../core/handler-chain.ts";
import { checkNames, type ResultShape } from "../../core/members.ts";
import { failure, plainObject } from "../../core/outcome.ts";
import { apply, copyOf, forHook, isArray, parse, serialize } from "../../core/primordials.ts";

export type Callback = (event: object) => unknown;

/** The fields of events that this chain reads. */
interface CanonicalEvent {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly input: unknown;
  readonly content: readonly Content[];
  readonly isError: boolean;
  readonly error?: string;
  readonly invocationState?: unknown;
}

/** Most questions for one tool call. */
const MAX_QUESTIONS = 20;

const BEFORE_TOOL_CALL: ResultShape = {
  event: "BeforeToolCallEvent",
  names: ["type", "agent", "invocationState", "toolUse", "tool", "cancel", "selectedTool"],
  deciding: ["cancel", "selectedTool"],
};
const RETURNED: ResultShape = {
  event: "BeforeToolCallEvent",
  names: [],
  deciding: ["cancel", "block"],
  sets: "event.cancel",
};

const CANCELLED = "Tool cancelled by hook";

/** The plugins of a bundle. */
interface Plugins {
  /** Returns the callbacks that are registered now. */
  readonly callbacks: () => readonly Callback[];
  readonly agent: object;
  readonly sdk: Sdk;
}

/**
 * Strands' rules: all callbacks run on one event, and its state at the end counts. If a callback throws an interrupt,
 * it becomes a question to the person. With the answer, all callbacks run again, on a new event.
 */
export class StrandsChain extends HandlerChain<Callback> {
  readonly #plugins: Plugins;
  readonly #answers = new Map<string, unknown>();
  /** Interrupts that were thrown once. Only a person can answer them: a `response` of the hook no longer counts. */
  readonly #raised = new Set<string>();
  #event: object;
  #before: string;
  #open: Interrupt[] = [];
  /** Takes the answer to the question that is open. */
  #asking: ((answer: unknown) => void) | undefined;

  constructor(plugins: Plugins, dispatch: Dispatch) {
    super(plugins.callbacks(), dispatch);
    this.#plugins = plugins;
    this.#event = this.#makeEvent();
    this.#before = serialize(this.#event);
  }

  protected override call(at: number): unknown {
    return apply(this.links[at] as Callback, undefined, [this.#event]);
  }

  protected override handler(at: number): unknown {
    return this.links[at];
  }

  protected override take(returned: unknown): boolean {
    // Return values are ignored. A callback that returns a cancel made a mistake: it must set it.
    if (this.dispatch.type !== "tool_call") return false;
    if ((this.#event as BeforeToolCallEvent).cancel) this.blame();
    else checkNames(returned, RETURNED);
    return false;
  }

  protected override forgives(thrown: unknown): boolean {
    if (this.dispatch.type !== "tool_call" || !(thrown instanceof this.#plugins.sdk.InterruptError)) return false;
    const interrupts = copyOf(thrown.interrupts);
    // The hook can create this error itself. Without valid questions, it is an error like any other.
    if (interrupts.length === 0 || !interrupts.every((one) => typeof one?.name === "string")) return false;
    this.#open.push(...interrupts);
    return true;
  }

  protected override end(stop: boolean): void {
    const open = this.#open;
    if (stop || open.length === 0 || this.dispatch.cancelled) {
      super.end(stop);
      return;
    }
    this.#open = [];
    const names = open.map(({ name }) => name);
    const twice = new Set(names.filter((name, at) => names.indexOf(name) !== at));
    if (twice.size > 0) {
      this.#stop(new Error(`interrupt_names=<${[...twice].join(", ")}> | duplicate interrupt names`));
      return;
    }
    this.#ask(open);
  }

  /** Asks the questions one after the other. Without an answer, the tool does not run. */
  #ask([first, ...rest]: Interrupt[]): void {
    if (!first) {
      this.#event = this.#makeEvent();
      this.#before = serialize(this.#event);
      this.links = this.#plugins.callbacks();
      this.again();
      return;
    }
    if (this.#answers.size >= MAX_QUESTIONS) {
      this.#stop(new Error(`more than ${MAX_QUESTIONS} interrupts for one tool call`));
      return;
    }
    const title = first.reason === undefined ? first.name : `${first.name}: ${textOf(first.reason)}`;
    this.#asking = (answer) => {
      if (typeof answer !== "string") {
        this.#refuse(`Interrupt ${first.name} was not answered`);
        return;
      }
      this.#answers.set(first.name, answer);
      this.#ask(rest);
    };
    this.wait(this.dispatch.environment.remote.call("ui.input", this.dispatch.id, [title]));
  }

  override returned(value: unknown, turn: number): void {
    const asking = this.#asked(turn);
    if (asking) asking(value);
    else super.returned(value, turn);
  }

  override failed(thrown: unknown, turn: number): void {
    if (this.#asked(turn)) this.#stop(thrown);
    else super.failed(thrown, turn);
  }

  #asked(turn: number): ((answer: unknown) => void) | undefined {
    if (turn !== this.turn) return undefined;
    const asking = this.#asking;
    this.#asking = undefined;
    if (asking) this.turn++;
    return asking;
  }

  #stop(thrown: unknown): void {
    this.fail(thrown);
    super.end(true);
  }

  #refuse(reason: string): void {
    (this.#event as BeforeToolCallEvent).cancel = reason;
    super.end(true);
  }

  #interrupt({ name, reason, response }: InterruptParams): unknown {
    if (this.#answers.has(name)) return this.#answers.get(name);
    if (response !== undefined && !this.#raised.has(name)) {
      this.#answers.set(name, response);
      return response;
    }
    this.#raised.add(name);
    const id = `hook:beforeToolCall:${String(this.dispatch.event.toolCallId)}:${name}`;
    throw new this.#plugins.sdk.InterruptError(new this.#plugins.sdk.Interrupt({ id, name, reason }));
  }

  #makeEvent(): object {
    const { toolName, toolCallId, input, content, isError, error, invocationState } = this.dispatch.again() as Event &
      CanonicalEvent;
    const common = {
      agent: this.#plugins.agent,
      invocationState: isObject(invocationState) ? invocationState : forHook({}),
    };
    const use: ToolUse = forHook({ name: toolName, toolUseId: toolCallId, input });
    const { BeforeToolCallEvent, AfterToolCallEvent, BeforeInvocationEvent, AfterInvocationEvent } = this.#plugins.sdk;
    switch (this.dispatch.type) {
      case "tool_call":
        return new BeforeToolCallEvent({ ...common, toolUse: use, tool: toolNamed(toolName) }, (params) =>
          this.#interrupt(params),
        );
      case "tool_result": {
        const thrown = typeof error === "string" ? { error: new Error(error) } : {};
        const status = isError ? "error" : "success";
        const blocks = this.#plugins.sdk.toBlocks(content);
        const result = new this.#plugins.sdk.ToolResultBlock({
          toolUseId: toolCallId,
          status,
          content: blocks,
          ...thrown,
        });
        return new AfterToolCallEvent({ ...common, toolUse: use, tool: toolNamed(toolName), result, ...thrown });
      }
      case "agent_start":
        return new BeforeInvocationEvent(common);
      default:
        return new AfterInvocationEvent(common);
    }
  }

  protected override finish(): void {
    if (this.dispatch.type === "tool_call") this.#finishCall(this.#event as BeforeToolCallEvent);
    else if (this.dispatch.type === "tool_result") this.#finishResult(this.#event as AfterToolCallEvent);
    else this.#refuseRest(this.#event as { cancel?: unknown; resume?: unknown });
  }

  /** Reports `cancel` and `resume`, which have no effect here: the plugin must not believe otherwise. */
  #refuseRest({ cancel, resume }: { cancel?: unknown; resume?: unknown }): void {
    if (cancel) this.fail(failure("BAD_RESULT", "event.cancel of an invocation cannot be offered to a hook"));
    if (resume !== undefined) this.fail(failure("BAD_RESULT", "event.resume cannot be offered to a hook"));
  }

  #finishCall({ cancel, selectedTool, toolUse }: BeforeToolCallEvent): void {
    checkNames(this.#event, BEFORE_TOOL_CALL);
    if (cancel) this.verdict().result = { block: true, reason: typeof cancel === "string" ? cancel : CANCELLED };
    const before = this.dispatch.again();
    if (!isObject(toolUse))
      throw failure("BAD_RESULT", "event.toolUse was replaced by something that is not an object");
    const after = serialize(toolUse.input);
    if (after !== serialize(before.input)) this.verdict().input = plainObject(after, "event.toolUse.input");
    const chosen: unknown = isObject(selectedTool) ? selectedTool.name : (selectedTool ?? toolUse.name);
    if (typeof chosen !== "string" || chosen === "")
      throw failure("BAD_RESULT", "event.selectedTool is not a tool: it has no name");
    if (chosen !== before.toolName) this.verdict().tool = chosen;
  }

  #finishResult({ result, retry }: AfterToolCallEvent): void {
    const after = parse(serialize(result))?.toolResult;
    const before = parse(this.#before).result.toolResult;
    if (!isObject(after) || !isArray(after.content))
      throw failure("BAD_RESULT", "event.result was replaced by something that is not a ToolResultBlock");
    const changed = {
      ...(serialize(after.content) === serialize(before.content) ? {} : { content: fromBlocks(after.content) }),
      ...(after.status === before.status ? {} : { isError: after.status === "error" }),
    };
    if (Object.keys(changed).length > 0) this.verdict().result = changed;
    if (retry) this.fail(failure("BAD_RESULT", "event.retry cannot be offered to a hook: the tool has run once"));
  }
}

/** A reason can be any JSON value. */
const textOf = (reason: unknown): string => (typeof reason === "string" ? reason : serialize(reason));
