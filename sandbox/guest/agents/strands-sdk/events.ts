/** The events of `@strands-agents/sdk` that a hook can hear, as classes that a plugin names in `agent.addHook`. */

export interface ToolUse {
  name: string;
  toolUseId: string;
  input: unknown;
}

/** What is known here of a tool: it stands for the agent's own of that name. */
export interface Tool {
  readonly name: string;
}

export interface InterruptParams {
  name: string;
  reason?: unknown;
  /** An answer that is known already. */
  response?: unknown;
}

abstract class Event {
  abstract readonly type: string;
  readonly agent: object;
  readonly invocationState: Record<string, unknown>;

  constructor(data: Pick<Event, "agent" | "invocationState">) {
    this.agent = data.agent;
    this.invocationState = data.invocationState;
  }

  toJSON(): object {
    return { type: this.type };
  }
}

export class BeforeInvocationEvent extends Event {
  readonly type = "beforeInvocationEvent";
}

export class AfterInvocationEvent extends Event {
  readonly type = "afterInvocationEvent";
}

export class BeforeToolCallEvent extends Event {
  readonly type = "beforeToolCallEvent";
  toolUse: ToolUse;
  readonly tool: Tool | undefined;
  /** True or a text: the tool does not run, and the text is the error that the model reads. */
  cancel: boolean | string = false;
  /** Runs in place of `tool`. */
  selectedTool: Tool | undefined = undefined;
  readonly #raise: (params: InterruptParams) => unknown;

  constructor(
    data: Pick<BeforeToolCallEvent, "agent" | "invocationState" | "toolUse" | "tool">,
    raise: (params: InterruptParams) => unknown = ({ name }) => {
      throw new InterruptError(new Interrupt({ id: name, name }));
    },
  ) {
    super(data);
    this.toolUse = data.toolUse;
    this.tool = data.tool;
    this.#raise = raise;
  }

  /** The person's answer, where there is one; else throws what makes the agent ask for it. */
  interrupt<Answer = unknown>(params: InterruptParams): Answer {
    return this.#raise(params) as Answer;
  }

  override toJSON(): object {
    return { type: this.type, toolUse: this.toolUse };
  }
}

export class AfterToolCallEvent extends Event {
  readonly type = "afterToolCallEvent";
  readonly toolUse: ToolUse;
  readonly tool: Tool | undefined;
  /** May be replaced. */
  result: unknown;
  readonly error?: Error;
  /** Cannot be offered: to set it is reported as an error of the hook. */
  retry?: boolean;

  constructor(data: Pick<AfterToolCallEvent, "agent" | "invocationState" | "toolUse" | "tool" | "result" | "error">) {
    super(data);
    this.toolUse = data.toolUse;
    this.tool = data.tool;
    this.result = data.result;
    if (data.error !== undefined) this.error = data.error;
  }

  override toJSON(): object {
    const error = this.error && { error: { message: this.error.message } };
    return { type: this.type, toolUse: this.toolUse, result: this.result, ...error };
  }
}

/** A question that stops the agent until a person has answered. */
export class Interrupt {
  readonly id: string;
  readonly name: string;
  readonly reason?: unknown;
  readonly response?: unknown;
  readonly source = "hook";

  constructor(data: Pick<Interrupt, "id" | "name" | "reason" | "response">) {
    this.id = data.id;
    this.name = data.name;
    if (data.reason !== undefined) this.reason = data.reason;
    if (data.response !== undefined) this.response = data.response;
  }
}

export class InterruptError extends Error {
  override readonly name = "InterruptError";
  readonly interrupts: readonly Interrupt[];

  constructor(interrupt: Interrupt | readonly Interrupt[]) {
    const all = Array.isArray(interrupt) ? (interrupt as readonly Interrupt[]) : [interrupt as Interrupt];
    const names = all.map(({ name }) => name).join(", ");
    super(all.length === 1 ? `Interrupt raised: ${names}` : `${all.length} interrupts raised: ${names}`);
    this.interrupts = all;
  }
}

/** Lower runs first. */
export const HookOrder = Object.freeze({
  SDK_FIRST: -100,
  INTERVENTION_OUTPUT: -90,
  DEFAULT: 0,
  MODEL_ROUTING: 50,
  INTERVENTION_INPUT: 90,
  SDK_LAST: 100,
});
