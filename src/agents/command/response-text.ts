import { readJson } from "../../../sandbox/wire/read-json.ts";
import { attemptOr } from "../../base/attempt.ts";
import { deepJson, isDeeper } from "../../base/json-depth.ts";
import { isRecord } from "./fields.ts";
import type { Input } from "./spoken.ts";

/** Where the agents' own tools have the text that the model reads. */
const PLACES = [
  ["text_result_for_llm"],
  ["textResultForLlm"],
  ["stdout"],
  ["file", "content"],
  ["content"],
  ["llmContent"],
  ["output"],
] as const;
type Place = (typeof PLACES)[number];

/** Levels of a response: those of tools have a few. Of one that is deeper, the agent gets what hooks leave as a text. */
const MAX_DEPTH = 200;

/** Fields whose texts say what kind of thing it is: with another, the agent would not know it any more. */
const KINDS = new Set(["type", "mimeType", "media_type", "mode", "resultType", "result_type", "status"]);

/** What is beside that text and says nothing of its own: how a tool went, and where. */
const FACTS = new Set(
  `appliedLimit appliedOffset backgroundTaskId bytes code durationMs durationSeconds duration_ms exitCode exit_code
  filePath file_path interrupted isImage killed noOutputExpected numFiles numLines numMatches returnCodeInterpretation signal
  startLine title totalLines truncated`
    .split(/\s+/)
    .concat(...KINDS),
);
/** What only the screen, or the agent, gets. */
const NOT_FOR_MODELS = new Set(["returnDisplay", "sessionLog", "toolTelemetry"]);

const isFact = (name: string, value: unknown): boolean =>
  NOT_FOR_MODELS.has(name) || value === null || (FACTS.has(name) && typeof value !== "object");
/** What a command said of its errors, which comes behind its output. */
const isErrors = (name: string, value: unknown): boolean => name === "stderr" && typeof value === "string";
const isEmpty = (value: unknown): boolean => !value || (typeof value === "object" && Object.keys(value).length === 0);

/** What a response has beside the text at its place, and the errors of a command; `undefined` if nothing. */
function restOf(response: unknown, [name = "", ...inner]: readonly string[], isInner = false): Input | undefined {
  if (!isRecord(response)) return undefined;
  const rest = Object.entries(response).flatMap(([one, value]): [string, unknown][] => {
    if (one === name && inner.length === 0) return [];
    if (!isInner && isErrors(one, value)) return [];
    const left = one === name ? restOf(value, inner, true) : value;
    return isFact(one, left) || isEmpty(left) ? [] : [[one, left]];
  });
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}

const restText = (response: unknown, place: Place): string => {
  const rest = restOf(response, place);
  return rest ? deepJson(rest) : "";
};

/** What the model reads of a response of an agent's own tool; of one that is not known, and of a server's, all of it as JSON. */
export function textOfResponse(response: unknown, isOfServer = false): string {
  if (response === undefined) return "";
  if (typeof response === "string") return response;
  const place = isOfServer ? undefined : placeIn(response);
  if (!place) return deepJson(response);
  const errors = isRecord(response) && typeof response.stderr === "string" ? response.stderr : "";
  return [String(at(response, place)), errors, restText(response, place)].filter((part) => part !== "").join("\n");
}

/**
 * A response of an agent's own tool in the same shape, in which `text` is all that can be read: agents take a result in place of such a
 * tool's only in the tool's own shape. What {@link textOfResponse} put behind the text stays if it is still there.
 */
export function withText(response: unknown, text: string): unknown {
  if (isDeeper(response, MAX_DEPTH)) return text;
  const place = placeIn(response);
  if (place) return withTextAt(response, place, text);
  if (typeof response === "string") return text;
  const given: unknown = attemptOr(() => readJson(text), undefined);
  return given !== undefined && isAlike(given, response) ? given : withFirstText(response, text);
}

/** A response of a server's tool: what a hook gives back of its JSON, or the text alone. */
export function withTextOfServer(response: unknown, text: string): unknown {
  if (typeof response === "string") return text;
  const given: unknown = attemptOr(() => readJson(text), undefined);
  const isWritable = !isDeeper(given, MAX_DEPTH);
  if (isWritable && (Array.isArray(response) ? Array.isArray(given) : isRecord(response) && isRecord(given)))
    return given;
  const blocks = [{ type: "text", text }];
  return isRecord(response) ? { content: blocks } : blocks;
}

/** The text before what was put behind it; `undefined` if that is not there any more. */
export function textBefore(rest: string, text: string): string | undefined {
  if (rest === "" || (text !== rest && !text.endsWith(`\n${rest}`))) return undefined;
  return text.slice(0, -rest.length).replace(/\n$/, "");
}

function withTextAt(response: unknown, place: Place, text: string): unknown {
  const rest = restText(response, place);
  const before = textBefore(rest, text);
  const [isKept, own] = [before !== undefined, before ?? text];
  const put = (part: unknown, [name = "", ...inner]: readonly string[]): unknown =>
    isRecord(part)
      ? mapped(part, (one, value) => {
          if (one === name) return inner.length === 0 ? own : put(value, inner);
          if (isKept && !isErrors(one, value) && !isFact(one, value)) return value;
          return isFact(one, value) ? withoutTextsIn(one, value) : emptied(value);
        })
      : part;
  return put(response, place);
}

/** A value of the same shape, without its texts. */
export function withoutTexts(value: unknown): unknown {
  if (typeof value === "string") return "";
  if (Array.isArray(value)) return value.map(withoutTexts);
  return isRecord(value) ? mapped(value, (_name, one) => withoutTexts(one)) : value;
}

/** The same of a field, but for a text that says what kind of thing it is. */
function withoutTextsIn(name: string, value: unknown): unknown {
  if (typeof value === "string") return KINDS.has(name) ? value : "";
  if (Array.isArray(value)) return value.map((one) => withoutTextsIn("", one));
  return isRecord(value) ? mapped(value, withoutTextsIn) : value;
}

function emptied(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  if (isRecord(value)) return {};
  return typeof value === "string" ? "" : typeof value === "number" ? 0 : typeof value === "boolean" ? false : value;
}

/** Where a response that has its text deeper has what the model reads. */
const PREFERRED = ["content", "result", "results", "message", "filenames"];

/** The first text that there is, where the model reads it, becomes this one, and the others are empty. */
function withFirstText(response: unknown, text: string): unknown {
  let left: string | undefined = text;
  const visit = (part: unknown): unknown => {
    if (typeof part === "string") {
      const own = left ?? "";
      left = undefined;
      return own;
    }
    if (Array.isArray(part)) return part.map(visit);
    if (!isRecord(part)) return part;
    return mapped(part, (name, one) => (FACTS.has(name) ? withoutTextsIn(name, one) : visit(one)));
  };
  const place = isRecord(response) ? PREFERRED.find((name) => hasText(response[name])) : undefined;
  if (place === undefined || !isRecord(response)) return visit(response);
  return mapped(response, (name, one) => (name === place ? visit(one) : withoutTextsIn(name, one)));
}

const hasText = (value: unknown): boolean =>
  typeof value === "string" || (typeof value === "object" && value !== null && Object.values(value).some(hasText));

const mapped = (record: Input, of: (name: string, value: unknown) => unknown): Input =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, of(name, value)]));

const placeIn = (response: unknown): Place | undefined =>
  PLACES.find((place) => typeof at(response, place) === "string");

const at = (value: unknown, place: readonly string[]): unknown =>
  place.reduce<unknown>((part, name) => (isRecord(part) ? part[name] : undefined), value);

/** True if only texts differ. */
function isAlike(one: unknown, other: unknown): boolean {
  if (typeof one === "string") return typeof other === "string";
  if (Array.isArray(one))
    return (
      Array.isArray(other) && one.length === other.length && one.every((part, index) => isAlike(part, other[index]))
    );
  if (!isRecord(one)) return one === other;
  const names = Object.keys(one);
  return (
    isRecord(other) &&
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isAlike(one[name], other[name]))
  );
}
