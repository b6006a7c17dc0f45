import { visibleLine } from "../../base/text.ts";
import { MAX_POWER } from "../limits.ts";

/** Markup of Cordon's own, with the values of others escaped in it. Only this file makes it. */
export class Markup {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  static text(markup: Markup): string {
    return markup.#text;
  }
}

/** What may stand in a template: texts, which are escaped; markup; lists of these. `undefined` and `false` are nothing. */
export type Part = string | number | Markup | undefined | false | readonly Part[];

/** Where a value stands in a template. */
type Place = "text" | "tag" | "quoted";

const places = new WeakMap<TemplateStringsArray, readonly Place[]>();

/**
 * Markup from a template. Every value is escaped, and what is not seen in it is written as an escape. In a tag, a value stands
 * in double quotes; anywhere else in a tag only markup may stand. Scripts and styles are {@link ownText}.
 */
export function html(words: TemplateStringsArray, ...values: readonly Part[]): Markup {
  const where = placesOf(words);
  let text = "";
  words.forEach((word, at) => {
    text += at === 0 ? word : filled(values[at - 1], where[at - 1] as Place) + word;
  });
  return new Markup(text);
}

/** A style or a script of Cordon's own, as it is, made of other such texts. Never with a value of others in it. */
export const ownText = (words: TemplateStringsArray, ...parts: readonly Markup[]): Markup =>
  new Markup(String.raw(words, ...parts.map(Markup.text)));

function filled(value: Part, place: Place): string {
  if (value === undefined || value === false) return "";
  if (typeof value === "string" || typeof value === "number") {
    if (place === "tag") throw new TypeError("a value stands in a tag, and not in quotes");
    return escaped(String(value));
  }
  if (value instanceof Markup) {
    if (place === "quoted") throw new TypeError("markup stands in quotes");
    return Markup.text(value);
  }
  return value.map((one: Part) => filled(one, place)).join("");
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
  ["`", "&#96;"],
]);

const escaped = (text: string): string =>
  visibleLine(text, MAX_POWER).replace(/[&<>"'`]/g, (one) => ESCAPES.get(one) ?? "");

/** Where each value of a template stands, found once for a template. */
function placesOf(words: TemplateStringsArray): readonly Place[] {
  const known = places.get(words);
  if (known) return known;
  const found: Place[] = [];
  let place: Place = "text";
  for (const word of words) {
    for (const one of word) place = next(place, one);
    found.push(place);
  }
  places.set(words, found);
  return found;
}

function next(place: Place, one: string): Place {
  if (place === "text") return one === "<" ? "tag" : "text";
  if (one === '"') return place === "tag" ? "quoted" : "tag";
  return place === "tag" && one === ">" ? "text" : place;
}
