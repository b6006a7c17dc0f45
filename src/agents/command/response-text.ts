import { attemptOr } from "../../base/attempt.ts";
import { isRecord } from "./fields.ts";

/** Where tools' responses have the text that the model reads. */
const PLACES = [
  ["stdout"],
  ["file", "content"],
  ["content"],
  ["llmContent"],
  ["output"],
  ["text_result_for_llm"],
] as const;

/** Fields whose texts say what kind of thing it is: with another, the agent would not know it any more. */
const KINDS = new Set(["type", "mimeType", "media_type", "resultType", "result_type"]);

/** What the model reads of a tool's response; of one that is not known, all of it as JSON. */
export function textOfResponse(response: unknown): string {
  if (response === undefined) return "";
  if (typeof response === "string") return response;
  const place = placeIn(response);
  if (!place) return JSON.stringify(response);
  const errors = isRecord(response) && typeof response.stderr === "string" ? response.stderr : "";
  return [String(at(response, place)), errors].filter((part) => part !== "").join("\n");
}

/**
 * A response of the same shape, in which `text` is all that can be read: agents take a result in place of a tool's only in the
 * tool's own shape.
 */
export function withText(response: unknown, text: string): unknown {
  const place = placeIn(response);
  if (!place && typeof response !== "string") {
    const given: unknown = attemptOr(() => JSON.parse(text), undefined);
    if (given !== undefined && isAlike(given, response)) return given;
  }
  let left: string | undefined = text;
  const visit = (part: unknown, way: string): unknown => {
    if (typeof part === "string") {
      if (place && way !== `.${place.join(".")}`) return "";
      const own = left ?? "";
      left = undefined;
      return own;
    }
    if (Array.isArray(part)) return part.map((one) => visit(one, `${way}[]`));
    if (!isRecord(part)) return part;
    return Object.fromEntries(
      Object.entries(part).map(([name, one]) => [
        name,
        KINDS.has(name) && typeof one === "string" ? one : visit(one, `${way}.${name}`),
      ]),
    );
  };
  return visit(response, "");
}

const placeIn = (response: unknown): readonly string[] | undefined =>
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
