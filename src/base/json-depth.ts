/** Whether a value of JSON is nested deeper than this. Whoever goes through it all could run out of stack. */
export const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1)));

/** A part of a JSON text that is written already. */
class Written {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** `JSON.stringify` of a value that was parsed from JSON, nested as deep as it may be: V8 parses deeper values than it writes. */
export function deepJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  const parts: string[] = [];
  // The next part stands last.
  const left: unknown[] = [value];
  while (left.length > 0) {
    const part = left.pop();
    if (part instanceof Written) parts.push(part.text);
    else if (typeof part !== "object" || part === null) parts.push(JSON.stringify(part));
    else {
      const isList = Array.isArray(part);
      parts.push(isList ? "[" : "{");
      left.push(new Written(isList ? "]" : "}"));
      for (const [at, [name, one]] of [...Object.entries(part).entries()].reverse())
        left.push(one, new Written(`${at > 0 ? "," : ""}${isList ? "" : `${JSON.stringify(name)}:`}`));
    }
  }
  return parts.join("");
}
