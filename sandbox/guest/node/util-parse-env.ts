import { wrongType } from "./fault.ts";

const trimmed = (text: string): string => text.replace(/^[ \t\n]+|[ \t\n]+$/g, "");
const QUOTES = ['"', "'", "`"];

/** `util.parseEnv`: the variables in the text of an `.env` file. It reads odd lines as Node's own parser does. */
export function parseEnv(content: unknown): Record<string, string> {
  if (typeof content !== "string") throw wrongType("content", "of type string");
  const found = new Map<string, string>();
  let rest = trimmed(content.replaceAll("\r", ""));
  const toNextLine = (from = 0): void => {
    const end = rest.indexOf("\n", from);
    rest = end < 0 ? "" : rest.slice(end + 1);
  };
  while (rest !== "") {
    const equals = rest.search(/[=\n]/);
    if (/^[\n#]/.test(rest)) {
      toNextLine();
      continue;
    }
    if (rest[equals] !== "=") {
      toNextLine();
      rest = trimmed(rest);
      continue;
    }
    const written = trimmed(rest.slice(0, equals));
    const name = trimmed(written.replace(/^export /, ""));
    rest = rest.slice(equals + 1);
    if (rest === "" || rest.startsWith("\n")) {
      found.set(written, "");
      toNextLine();
    } else if (name === "") rest = trimmed(rest);
    else {
      rest = trimmed(rest);
      const [quote] = QUOTES.filter((one) => rest.startsWith(one));
      const close = quote === undefined ? -1 : rest.indexOf(quote, 1);
      const [line = ""] = rest.split("\n", 1);
      if (close > 0) {
        const quoted = rest.slice(1, close);
        found.set(name, quote === '"' ? quoted.replaceAll("\\n", "\n") : quoted);
      } else found.set(name, quote === undefined ? trimmed(line.replace(/#.*$/, "")) : line);
      toNextLine(close + 1);
    }
  }
  // Node keeps them in this order.
  return Object.fromEntries([...found].sort(([one], [other]) => (one < other ? -1 : 1)));
}
