import type { AnswerEnd, Block } from "../../../wire/providers.ts";
import { failure } from "../../core/outcome.ts";
import { apply, copyOf, hookPromise, parseHere, serialize, settled, stringify } from "../../core/primordials.ts";

type Members = Record<string, unknown>;
type Callable = (...args: unknown[]) => unknown;

/** Characters of parts that are sent at once. */
const MAX_BATCH = 500_000;
/** Characters of parts that may wait. */
const MAX_WAITING = 1_000_000;

/**
 * Reads a stream of pi's events to its end, and sends them without what each repeats. The next parts are sent when the host has
 * taken those before.
 */
export function readAnswer(stream: unknown, send: (parts: string) => Promise<unknown>): Promise<unknown> {
  const waiting: string[] = [];
  let sending: Promise<unknown> | undefined;
  /** The host takes no more. */
  let fault: { reason: unknown } | undefined;
  const flush = (): Promise<unknown> => {
    if (waiting.length === 0) return sending ?? Promise.resolve();
    sending ??= send(`[${batchOf(waiting).join(",")}]`).then(() => {
      sending = undefined;
      return flush();
    });
    return sending;
  };
  /** Characters since nothing waited. */
  let size = 0;
  const read = async (): Promise<void> => {
    const iterator = iteratorOf(await settled(stream));
    for (;;) {
      const step = Object(await settled(call(iterator, "next"))) as Members;
      if (step.done === true) break;
      const part = stringify(partOf(Object(step.value) as Members));
      waiting.push(part);
      size += part.length;
      if (fault) throw fault.reason;
      // What comes meanwhile is sent together. Who is much faster than the host waits for it.
      const sent = flush().catch((reason: unknown) => {
        fault = { reason };
      });
      if (size > MAX_WAITING) await sent;
      if (waiting.length === 0) size = 0;
    }
    await flush();
  };
  return hookPromise(read());
}

function batchOf(waiting: string[]): string[] {
  let size = 0;
  let count = 0;
  while (count < waiting.length && (count === 0 || size + (waiting[count] as string).length < MAX_BATCH))
    size += (waiting[count++] as string).length;
  return waiting.splice(0, count);
}

function call(owner: unknown, name: string | symbol): unknown {
  const method = (Object(owner) as Record<string | symbol, unknown>)[name];
  if (typeof method !== "function") throw failure("BAD_RESULT", "streamSimple returned no stream of events");
  return apply(method as Callable, owner, []);
}

const iteratorOf = (stream: unknown): unknown => call(stream, Symbol.asyncIterator);

/** An event without the message that it repeats. */
function partOf(event: Members): object {
  const { type, contentIndex: at, delta, reason } = event;
  if (type === "start") return { type };
  if (type === "done") return { type, reason, end: endOf(event.message) };
  if (type === "error") return { type, reason, end: endOf(event.error) };
  const block = (): Members => Object((Object((event.partial as Members)?.content) as Members)[Number(at)]) as Members;
  if (type === "toolcall_start") {
    const { id, name } = block();
    return { type, at, id, name };
  }
  if (type === "text_start" || type === "thinking_start") return { type, at };
  if (type === "text_delta" || type === "thinking_delta" || type === "toolcall_delta") return { type, at, delta };
  if (type === "toolcall_end") return { type, at, block: blockOf(Object(event.toolCall ?? block()) as Members) };
  if (type === "text_end" || type === "thinking_end") return { type, at, block: blockOf(block()) };
  throw failure("BAD_RESULT", `streamSimple has no event ${String(type)}`);
}

const BLOCKS: Readonly<Record<string, readonly string[]>> = {
  text: ["type", "text", "textSignature"],
  thinking: ["type", "thinking", "thinkingSignature", "redacted"],
  toolCall: ["type", "id", "name", "arguments", "thoughtSignature", "namespace", "argumentsError"],
};

/** Providers keep notes of their own in a block. */
const blockOf = (block: Members): Block => picked(block, BLOCKS[String(block.type)] ?? ["type"]) as Block;

function endOf(message: unknown): AnswerEnd {
  const given = Object(message) as Members;
  const content = copyOf(Object(given.content) as ArrayLike<Members>).map(blockOf);
  const texts = picked(given, ["responseModel", "responseId", "rawStopReason", "errorMessage", "usage"]);
  return { ...texts, usage: Object(texts.usage) as object, content };
}

const picked = (from: Members, names: readonly string[]): Members =>
  Object.fromEntries(
    names.flatMap((name) => (from[name] === undefined ? [] : [[name, parseHere(serialize(from[name])) as unknown]])),
  );
