import { MAX_SUGGESTIONS, type Suggestions } from "../../../wire/screens.ts";
import type { GuestEnvironment } from "../../core/environment.ts";
import { checkLength } from "../../core/limits.ts";
import { failure } from "../../core/outcome.ts";
import { copyOf, forHook, isArray, own, parse, stringify } from "../../core/primordials.ts";

/** Longest text of a suggestion. */
const MAX_TEXT = 10_000;

interface Item {
  readonly value: string;
  readonly label: string;
}

/**
 * pi's provider of what the agent itself suggests. `asker` says who asks: the number of an editor, or 0, and the event in
 * which it asks.
 */
export const agentsProvider = (
  environment: GuestEnvironment,
  asker: () => { editor: number; dispatch: number },
): object =>
  Object.freeze(
    forHook({
      getSuggestions(lines: unknown, row: unknown, col: unknown, options: { force?: unknown } = {}) {
        const { editor, dispatch } = asker();
        return environment.remote.call("ui.suggest", dispatch, [editor, lines, row, col, options.force === true]);
      },
      applyCompletion,
      shouldTriggerFileCompletion: () => true,
    }),
  );

/** The lines and the cursor once the word before the cursor, `prefix`, is replaced by a suggestion, as in pi. */
function applyCompletion(lines: ArrayLike<string>, row: number, col: number, item: Item, prefix: string): object {
  const line = lines[row] ?? "";
  const before = line.slice(0, col - prefix.length);
  const isCommand = prefix.startsWith("/") && before.trim() === "" && !prefix.slice(1).includes("/");
  const isFolder = item.label.endsWith("/");
  const isQuoted = item.value.endsWith('"');
  const space = isCommand || (prefix.startsWith("@") && !isFolder) ? " " : "";
  const written = `${isCommand ? "/" : ""}${item.value}${space}`;
  const rest = line.slice(col);
  // The quotation mark that was written with the first one.
  const after = isQuoted && /^@?"/.test(prefix) && rest.startsWith('"') ? rest.slice(1) : rest;
  const changed = copyOf(lines);
  changed[row] = before + written + after;
  // In a folder, the next part goes before the mark.
  const back = isFolder && isQuoted ? 1 : 0;
  return parse(stringify({ lines: changed, cursorLine: row, cursorCol: before.length + written.length - back }));
}

/** What a hook's provider suggests, as plain data; nothing for null. */
export function suggestionsOf(returned: unknown): { suggestions?: Suggestions } {
  if (typeof returned !== "object" || returned === null) return {};
  const items = own(returned, "items");
  if (!isArray(items)) throw failure("BAD_RESULT", "getSuggestions() returned something other than { items: [...] }");
  return {
    suggestions: {
      items: copyOf<object>(items).slice(0, MAX_SUGGESTIONS).map(plainItem),
      prefix: textOf(own(returned, "prefix") ?? ""),
    },
  };
}

function plainItem(item: object): Suggestions["items"][number] {
  const value = textOf(own(item, "value"));
  const description = own(item, "description");
  return {
    value,
    label: textOf(own(item, "label") ?? value),
    ...(description === undefined ? {} : { description: textOf(description) }),
  };
}

const textOf = (value: unknown): string => checkLength(String(value), MAX_TEXT, "a text of a suggestion");
