import { readJson } from "../../../sandbox/wire/read-json.ts";
import type { PassedResult } from "../../host/pass-result.ts";
import { type ShownResult, textOf } from "../tool-gates.ts";
import { isObject, type Params } from "./message.ts";
import { changedResult, shownOf, text } from "./results.ts";

const isText = (value: unknown): boolean => typeof value === "string";
const isTime = (value: unknown): boolean => typeof value === "string" && /^[\dTZ:.+-]{1,40}$/.test(value);
const isNumber = (value: unknown): boolean => typeof value === "number" || value === null;
const oneOf =
  (...words: string[]) =>
  (value: unknown): boolean =>
    words.includes(value as string);

/**
 * What a client follows a task by, in the revisions 2025-11-25 and 2026-07-28, as long as it has this form. It tells a model
 * nothing, so hooks do not see it.
 */
const STATE: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ["taskId", isText],
  ["nextCursor", isText],
  ["status", oneOf("working", "input_required", "completed", "failed", "cancelled")],
  ["resultType", oneOf("task", "complete", "input_required", "incomplete")],
  ["createdAt", isTime],
  ["lastUpdatedAt", isTime],
  ["ttl", isNumber],
  ["ttlMs", isNumber],
  ["pollInterval", isNumber],
  ["pollIntervalMs", isNumber],
]);

/** A task, by what becomes of its parts. */
interface Divided {
  state: Params;
  /** Those of the call that began it. */
  result?: Params;
  error?: Params;
  /** All else: messages, requests for input, what no revision knows. */
  words: Params;
}

function divided(task: Params): Divided {
  const members = Object.entries(task).filter(([, value]) => value !== undefined);
  const isState = ([name, value]: [string, unknown]): boolean => STATE.get(name)?.(value) === true;
  const isOfCall = ([name, value]: [string, unknown]): boolean => /^(result|error)$/.test(name) && isObject(value);
  return {
    state: Object.fromEntries(members.filter(isState)),
    ...Object.fromEntries(members.filter(isOfCall)),
    words: Object.fromEntries(members.filter((one) => !isState(one) && !isOfCall(one))),
  };
}

const shownParts = ({
  result,
  error,
  words,
}: Divided): Record<"result" | "error" | "words", ShownResult["content"]> => ({
  result: result ? shownOf({ kind: "result", result }).content : [],
  error: error ? shownOf({ kind: "error", error }).content : [],
  words: Object.keys(words).length > 0 ? [text(words)] : [],
});

/** What an agent would read of a task: its result, its error, and the rest as JSON. `undefined`: nothing. */
export function shownTask(task: Params): ShownResult | undefined {
  const parts = divided(task);
  const { result, error, words } = shownParts(parts);
  const content = [...result, ...error, ...words];
  if (content.length === 0 && !parts.result) return undefined;
  return { content, isError: parts.error !== undefined || parts.result?.isError === true };
}

/** The task with what hooks made of that. */
export function changedTask(task: Params, { content, isError }: PassedResult): Params {
  const parts = divided(task);
  const shown = shownParts(parts);
  // `framed` says in one more part at the front who changed it.
  const passed = content.slice(1);
  const [afterResult, afterError] = [shown.result.length, shown.result.length + shown.error.length];
  if (passed.length !== afterError + shown.words.length) return saying(parts, content, isError);
  const frame = content.slice(0, 1);
  const ofError = passed.slice(afterResult, afterError);
  return {
    ...wordsIn(textOf({ content: passed.slice(afterError) })),
    ...parts.state,
    ...(parts.result && {
      result: changedResult(
        { kind: "result", result: parts.result },
        { content: [...frame, ...passed.slice(0, afterResult)], isError },
      ),
    }),
    ...(parts.error && { error: errorSaying(parts.error, [...frame, ...ofError]) }),
  };
}

/** The task with a reason in the place of all that it says. */
export const withheldTask = (task: Params, why: string): Params => saying(divided(task), [text(why)], true);

function saying({ state, result, error }: Divided, content: PassedResult["content"], isError: boolean): Params {
  if (result) return { ...state, result: { content, ...(isError ? { isError } : {}) } };
  return { ...state, ...(error ? { error: errorSaying(error, content) } : { statusMessage: textOf({ content }) }) };
}

const errorSaying = ({ code }: Params, content: PassedResult["content"]): Params => ({
  code: Number.isSafeInteger(code) ? code : -32000,
  message: textOf({ content }),
});

/** What hooks left of the rest, or their text as its message if that is no object any more. */
function wordsIn(changed: string): Params {
  if (changed === "") return {};
  try {
    const words: unknown = readJson(changed);
    if (isObject(words)) return words;
  } catch {}
  return { statusMessage: changed };
}
