/** The events of `@strands-agents/sdk` that a hook can hear. A plugin passes these classes to `agent.addHook`. */

export interface ToolUse {
  name: string;
  toolUseId: string;
  input: unknown;
}

/** A tool of the agent's, by name: nothing else is known about it here. */
export interface Tool {
  readonly name: string;
}

export interface InterruptParams {
  name: string;
  reason?: unknown;
  /** An answer that the hook knows already. */
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
  /** If true or a string, the tool does not run. The string is the error that the model reads. */
  cancel: boolean | string = false;
  /** Runs instead of `tool`. */
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

  /** Returns the person's answer. If there is none yet, throws an error that makes the agent ask for it. */
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
  /** Callbacks may replace it. */
  result: unknown;
  readonly error?: Error;
  /** Not supported: a hook that sets it gets an error. */
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

/** A question that stops the agent until a person answers. */
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
