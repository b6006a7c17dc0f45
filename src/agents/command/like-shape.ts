import { isRecord } from "./fields.ts";

/** Fields whose texts say what kind of thing it is: with another, the agent would not know it any more. */
const KINDS = new Set(["type", "mimeType", "media_type"]);

/**
 * A value of the same shape, in which `text` is all that can be read: it stands where the first text was. Agents take a result
 * in place of a tool's only in the tool's own shape.
 */
export function likeShape(value: unknown, text: string): unknown {
  let left: string | undefined = text;
  const visit = (part: unknown): unknown => {
    if (typeof part === "string") {
      const own = left ?? "";
      left = undefined;
      return own;
    }
    if (Array.isArray(part)) return part.map(visit);
    if (!isRecord(part)) return part;
    return Object.fromEntries(
      Object.entries(part).map(([name, one]) => [name, KINDS.has(name) && typeof one === "string" ? one : visit(one)]),
    );
  };
  return visit(value);
}
