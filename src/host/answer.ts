import type { AnswerEnd, AnswerPart, Block } from "../../sandbox/wire/providers.ts";
import { compile, exactly } from "../base/schema.ts";
import { cleanText } from "../base/text.ts";
import Type from "../base/type.ts";
import { parseUntrusted, toPlain } from "../supervisor/untrusted-json.ts";

/** Most characters of all parts of one answer, its end among them. The longest answers of models have a twentieth. */
const MAX_ANSWER = 16_000_000;
/** Most blocks of one answer. */
const MAX_BLOCKS = 1000;
const MAX_ERROR = 4000;

const text = Type.String();
const name = Type.String({ minLength: 1, maxLength: 256 });
const optional = Type.Optional(text);
const at = Type.Integer({ minimum: 0, maximum: MAX_BLOCKS - 1 });
const amount = Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

const block = Type.Union([
  exactly({ type: Type.Literal("text"), text, textSignature: optional }),
  exactly({
    type: Type.Literal("thinking"),
    thinking: text,
    thinkingSignature: optional,
    redacted: Type.Optional(Type.Boolean()),
  }),
  exactly({
    type: Type.Literal("toolCall"),
    id: name,
    name,
    arguments: Type.Record(text, Type.Unknown()),
    thoughtSignature: optional,
    namespace: optional,
    argumentsError: optional,
  }),
]);
const usage = exactly({
  input: amount,
  output: amount,
  cacheRead: amount,
  cacheWrite: amount,
  cacheWrite1h: Type.Optional(amount),
  reasoning: Type.Optional(amount),
  totalTokens: amount,
  cost: exactly({ input: amount, output: amount, cacheRead: amount, cacheWrite: amount, total: amount }),
});
const end = exactly({
  content: Type.Array(block, { maxItems: MAX_BLOCKS }),
  usage,
  responseModel: optional,
  responseId: optional,
  rawStopReason: optional,
  errorMessage: optional,
});
const parts = compile(
  Type.Array(
    Type.Union([
      exactly({ type: Type.Literal("start") }),
      exactly({ type: Type.Enum(["text_start", "thinking_start"]), at }),
      exactly({ type: Type.Literal("toolcall_start"), at, id: name, name }),
      exactly({ type: Type.Enum(["text_delta", "thinking_delta", "toolcall_delta"]), at, delta: text }),
      exactly({ type: Type.Enum(["text_end", "thinking_end", "toolcall_end"]), at, block }),
      exactly({ type: Type.Literal("done"), reason: Type.Enum(["stop", "length", "toolUse"]), end }),
      exactly({ type: Type.Literal("error"), reason: Type.Enum(["error", "aborted"]), end }),
    ]),
    { maxItems: 10_000 },
  ),
);

const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const NO_USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: NO_COST };

/** A message of a model, in pi's shape. It grows while its events arrive. */
export interface AnswerMessage extends Omit<AnswerEnd, "content" | "errorMessage"> {
  role: "assistant";
  content: Block[];
  api: unknown;
  provider: unknown;
  model: unknown;
  stopReason: string;
  errorMessage?: string;
  timestamp: number;
}

/** An event of an answer, in pi's shape. Each answer ends with one `done` or `error`. */
export type AnswerEvent =
  | { type: "start"; partial: AnswerMessage }
  | { type: "text_start" | "thinking_start" | "toolcall_start"; contentIndex: number; partial: AnswerMessage }
  | {
      type: "text_delta" | "thinking_delta" | "toolcall_delta";
      contentIndex: number;
      delta: string;
      partial: AnswerMessage;
    }
  | { type: "text_end" | "thinking_end"; contentIndex: number; content: string; partial: AnswerMessage }
  | { type: "toolcall_end"; contentIndex: number; toolCall: Block; partial: AnswerMessage }
  | { type: "done"; reason: string; message: AnswerMessage }
  | { type: "error"; reason: "error" | "aborted"; error: AnswerMessage };

/** Without the controls of a terminal, which no answer of a model needs. */
const clean = (said: string): string => said.replace(/[\p{Cc}--[\n\t\r]]/gv, "");

const KINDS = { text: "text", thinking: "thinking", toolcall: "toolCall" } as const;

/**
 * The answer of a hook to a request for a model, put together here from its parts: they are an attacker's. A part that is out of
 * order, of another shape or too long throws.
 */
export class Answer {
  readonly #message: AnswerMessage;
  readonly #open = new Set<number>();
  #characters = 0;
  #hasStarted = false;
  #isOver = false;

  /** `model`: the one that the agent asked for. A hook does not say which one it is. */
  constructor({ api, provider, id }: { api?: unknown; provider?: unknown; id?: unknown }) {
    const own = { role: "assistant", content: [], api, provider, model: id, usage: NO_USAGE } as const;
    this.#message = { ...own, content: [], stopReason: "pending", timestamp: Date.now() };
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Takes JSON of a list of `AnswerPart`, one after the other: the message has grown by a part when its event is given. */
  *take(json: string): Generator<AnswerEvent> {
    this.#characters += json.length;
    if (this.#characters > MAX_ANSWER) throw new Error(`an answer of more than ${MAX_ANSWER} characters`);
    const given = parseUntrusted(json);
    if (!parts.Check(given)) throw new Error("a part of an answer of the wrong shape");
    for (const part of toPlain(given) as AnswerPart[]) yield this.#take(part);
  }

  /** Ends it in the place of its hook. */
  fail(reason: "error" | "aborted", why: string): AnswerEvent {
    return this.#end("error", reason, { ...this.#message, errorMessage: why });
  }

  #take(part: AnswerPart): AnswerEvent {
    if (this.#isOver) throw new Error("a part of an answer after its end");
    const partial = this.#message;
    if (part.type === "start") {
      if (this.#hasStarted) throw new Error("an answer that starts twice");
      this.#hasStarted = true;
      return { type: "start", partial };
    }
    // A request may fail before it has begun.
    if (part.type === "error") return this.#end("error", part.reason, part.end);
    if (!this.#hasStarted) throw new Error("a part of an answer before its start");
    switch (part.type) {
      case "done":
        if (this.#open.size > 0) throw new Error("an answer that ends in the middle of a block");
        return this.#end("done", part.reason, part.end);
      case "text_start":
      case "thinking_start":
      case "toolcall_start":
        if (part.at !== partial.content.length) throw new Error("a block of an answer out of order");
        partial.content.push(begun(part));
        this.#open.add(part.at);
        return { type: part.type, contentIndex: part.at, partial };
      case "text_delta":
      case "thinking_delta":
      case "toolcall_delta": {
        const block = this.#opened(part.type, part.at);
        const delta = block.type === "toolCall" ? part.delta : clean(part.delta);
        if (block.type === "text") block.text += delta;
        if (block.type === "thinking") block.thinking += delta;
        return { type: part.type, contentIndex: part.at, delta, partial };
      }
      default: {
        const open = this.#opened(part.type, part.at);
        if (part.block.type !== open.type) throw new Error("a block of an answer that becomes another");
        const block = cleaned(part.block);
        partial.content[part.at] = block;
        this.#open.delete(part.at);
        if (block.type === "toolCall") return { type: "toolcall_end", contentIndex: part.at, toolCall: block, partial };
        const content = block.type === "text" ? block.text : block.thinking;
        return { type: `${block.type}_end`, contentIndex: part.at, content, partial };
      }
    }
  }

  #opened(type: string, at: number): Block {
    const block = this.#open.has(at) ? this.#message.content[at] : undefined;
    const kind = KINDS[type.split("_")[0] as keyof typeof KINDS];
    if (block?.type !== kind) throw new Error("a part of an answer for no open block of its kind");
    return block;
  }

  #end(type: "done" | "error", reason: string, given: AnswerEnd): AnswerEvent {
    this.#isOver = true;
    const { content, usage, errorMessage, ...rest } = given;
    Object.assign(this.#message, rest, { stopReason: reason, content: content.map(cleaned), usage });
    if (type === "done") return { type, reason, message: this.#message };
    this.#message.errorMessage = cleanText(errorMessage ?? "the hook did not say why", MAX_ERROR);
    return { type, reason: reason as "error" | "aborted", error: this.#message };
  }
}

function begun(part: AnswerPart): Block {
  if (part.type === "text_start") return { type: "text", text: "" };
  if (part.type === "thinking_start") return { type: "thinking", thinking: "" };
  if (part.type === "toolcall_start") return { type: "toolCall", id: part.id, name: part.name, arguments: {} };
  throw new Error(`no beginning: ${part.type}`);
}

/** The arguments of a call stay as they are: what is judged is what runs. */
function cleaned(block: Block): Block {
  if (block.type === "text") return { ...block, text: clean(block.text) };
  if (block.type === "thinking") return { ...block, thinking: clean(block.thinking) };
  return block;
}
