import type { AgentHappened } from "../../sandbox/wire/answers.ts";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { counted } from "../base/counted.ts";

/** Longest text in an event, and longest event, in characters: a file that the agent reads may be larger. */
const MAX_TEXT = 200_000;
const MAX_EVENT = 1_500_000;
/** Most characters that wait for a hook, and most in one answer. A hook that does not read them has no use for its agent. */
const MAX_WAITING = 8_000_000;
const MAX_ANSWER = 2_000_000;
/** Time between two answers: what streams in would be hundreds of frames in a second. */
const PACE_MS = 50;

/** Events of which a later one says all that an earlier one said. */
const REPLACED = new Set(["message_update", "tool_execution_update"]);

interface Waiting {
  readonly type: unknown;
  readonly key: unknown;
  readonly text: string;
}

/** What happened in an agent of a hook's own, until the hook reads it. */
export class AgentEvents {
  #waiting: Waiting[] = [];
  #size = 0;
  #count = 0;
  #ended: string | undefined;
  #wake: (() => void) | undefined;
  #reads = false;

  /** How many there were. */
  get count(): number {
    return this.#count;
  }

  /** False if more wait than a hook may leave. */
  push(event: object): boolean {
    if (this.#ended !== undefined) return true;
    const { type, toolCallId } = event as { type?: unknown; toolCallId?: unknown };
    const one = { type, key: toolCallId, text: textOf(event) };
    const last = this.#waiting.at(-1);
    if (last && REPLACED.has(String(type)) && last.type === type && last.key === toolCallId) {
      this.#waiting.pop();
      this.#size -= last.text.length;
    } else this.#count++;
    this.#waiting.push(one);
    this.#size += one.text.length;
    this.#wake?.();
    return this.#size <= MAX_WAITING;
  }

  /** There will be no more. */
  end(why: string): void {
    this.#ended ??= why;
    this.#wake?.();
  }

  /** What happened since the last time, as soon as something did. */
  async take(signal: AbortSignal): Promise<AgentHappened> {
    if (this.#reads) throw new Error("the events of an agent are read one time after the other");
    this.#reads = true;
    try {
      if (this.#waiting.length === 0 && this.#ended === undefined) await this.#something(signal);
      if (this.#ended === undefined) await new Promise((resolve) => setTimeout(resolve, PACE_MS).unref());
      return this.#part();
    } finally {
      this.#reads = false;
    }
  }

  #something(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        signal.removeEventListener("abort", done);
        resolve();
      };
      const done = (): void => this.#wake?.();
      signal.addEventListener("abort", done, { once: true });
      if (signal.aborted) done();
    });
  }

  #part(): AgentHappened {
    let size = 0;
    let most = 0;
    while (most < this.#waiting.length && (most === 0 || size < MAX_ANSWER))
      size += this.#waiting[most++]?.text.length ?? 0;
    const part = this.#waiting.splice(0, most);
    for (const { text } of part) this.#size -= text.length;
    const isLast = this.#ended !== undefined && this.#waiting.length === 0;
    return {
      events: part.map(({ text }) => readJson(text)),
      count: this.#count - this.#waiting.length,
      ...(isLast ? { ended: this.#ended } : {}),
    };
  }
}

/** An event as JSON. What the hook has from other events, or is too long, is left out. */
function textOf(event: object): string {
  const cut = (_name: string, value: unknown): unknown =>
    typeof value === "string" && value.length > MAX_TEXT
      ? `${value.slice(0, MAX_TEXT)}[${counted(value.length - MAX_TEXT, "character")} left out]`
      : value;
  const { type } = event as { type?: unknown };
  const text = JSON.stringify(slimmed(event), cut);
  return text.length <= MAX_EVENT ? text : JSON.stringify({ type, leftOut: text.length });
}

/** The hook knows the messages of a run and of a turn, and the message that streams. */
function slimmed(event: object): object {
  const { type, ...rest } = event as { type?: unknown; [name: string]: unknown };
  if (type === "agent_end") return { ...event, messages: undefined };
  if (type === "turn_end") return { ...event, message: undefined, toolResults: undefined };
  if (type !== "message_update") return event;
  const { partial: _partial, ...update } = Object(rest.assistantMessageEvent) as { partial?: unknown };
  return { ...event, assistantMessageEvent: update };
}
