import { isDeepStrictEqual } from "node:util";
import {
  applyEdits,
  type FormattingOptions,
  findNodeAtLocation,
  getNodeValue,
  type ModificationOptions,
  modify,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { readJson } from "../../../sandbox/wire/read-json.ts";
import { attemptOr } from "../../base/attempt.ts";
import { CordonError } from "../../base/errors.ts";
import type { JsonEntry } from "./setup.ts";

/** Agents' settings may have comments, and commas before a closing bracket. */
const LENIENT = { allowTrailingComma: true, disallowComments: false };

/** Throws for something else than an object on the way, or than a list at the end of it. */
function refuseOthers(text: string, { path, isValue }: JsonEntry, file: string): void {
  for (let length = 1; length <= path.length; length++) {
    const value = valueAt(text, path.slice(0, length), file);
    const isList = Array.isArray(value);
    if (length === path.length && isValue) return;
    const fits = length === path.length ? isList : typeof value === "object" && value !== null && !isList;
    if (value !== undefined && !fits) {
      const wanted = length === path.length ? "list" : "object";
      throw new CordonError(
        "BAD_GRANT",
        `${file}: "${path.slice(0, length).join(".")}" is no ${wanted}; mend it first`,
      );
    }
  }
}

interface Target {
  /** For messages. */
  file: string;
  /** What the commands of Cordon's entries begin with. */
  own: string;
}

type Path = readonly (string | number)[];

/**
 * The text of a settings file with these entries, each first in its list. All that is there stays as it is, byte for byte.
 * `base`: what a file has that is made for them. `own`: what Cordon's entries run; those that are there already, at any place
 * of these lists, are taken out. Throws `BAD_GRANT` for a text that is no JSON, for a key on the way that is there twice, and where
 * something else than a list is in the way.
 */
export function withEntries(
  text: string,
  entries: readonly JsonEntry[],
  { file, own, base = {} }: Target & { base?: object },
): string {
  const given = text.trim() === "" ? `${JSON.stringify(base, null, 2)}\n` : text;
  const wanted = entries.filter(({ path, onlyBeside }) => !onlyBeside || isFilled(valueAt(given, path, file)));
  const isThere = ({ path, value, isValue }: JsonEntry): boolean =>
    JSON.stringify(valueAt(given, isValue ? path : [...path, 0], file)) === JSON.stringify(value);
  if (wanted.every(isThere)) return given;
  for (const entry of wanted) refuseOthers(given, entry, file);
  const without = withoutEntries(given, wanted, { file, own });
  return wanted.reduce((left, { path, value, isValue }) => {
    if (isValue) return changed(left, path, value, file);
    return valueAt(left, path, file) === undefined
      ? changed(left, path, [value], file)
      : changed(left, [...path, 0], value, file, true);
  }, without);
}

const isFilled = (list: unknown): boolean => Array.isArray(list) && list.length > 0;

/**
 * The text without these entries. Lists and objects that have nothing left go, too, unless they are in `before`: the text as it
 * was before the entries came.
 */
export function withoutEntries(
  text: string,
  entries: readonly JsonEntry[],
  { file, own }: Target,
  before = text,
): string {
  if (text.trim() === "") return text;
  return entries.reduce((left, { path, value, isValue, onlyBeside }) => {
    const list = valueAt(left, path, file);
    if (isValue) return withoutValue(left, path, before, file);
    if (!Array.isArray(list)) return left;
    const isOurs = (one: unknown): boolean => isOwn(one, own) || isSame(one, value);
    const count = list.filter(isOurs).length;
    if (count === 0) return left;
    if (count === list.length && !onlyBeside && !isIn(before, path)) return withoutEmpty(left, path, before, file);
    // From the last one on, so that the others keep their places.
    return list.reduceRight((rest: string, one, at) => (isOurs(one) ? removed(rest, [...path, at], file) : rest), left);
  }, text);
}

/** What stood there before stands there again. */
function withoutValue(text: string, path: Path, before: string, file: string): string {
  if (valueAt(text, path, file) === undefined) return text;
  const old = before.trim() === "" ? undefined : valueAt(before, path, file);
  return old === undefined ? withoutEmpty(text, path, before, file) : changed(text, path, old, file);
}

/** True for a file with this member. Throws `BAD_GRANT` for a text that is no JSON object. */
export const hasMember = (text: string, name: string, file: string): boolean =>
  text.trim() !== "" && valueAt(text, [name], file) !== undefined;

/** The items of a list; none where there is no list. Throws `BAD_GRANT` for a text that is no JSON object. */
export function itemsAt(text: string, path: Path, file: string): unknown[] {
  if (text.trim() === "") return [];
  const list = valueAt(text, path, file);
  return Array.isArray(list) ? list : [];
}

/** Parsed texts have objects without a prototype, which count as others. */
const plain = (value: unknown): unknown => readJson(JSON.stringify(value ?? null));

/** True for two equal JSON values. */
export const isSame = (one: unknown, other: unknown): boolean => isDeepStrictEqual(plain(one), plain(other));

/** The text with an item of a list replaced, or taken out. `undefined` if the list has no such item. */
export function withoutItem(
  text: string,
  { path, value, instead }: { path: Path; value: unknown; instead?: unknown },
  file: string,
): string | undefined {
  const at = itemsAt(text, path, file).findIndex((one) => isSame(one, value));
  if (at < 0) return undefined;
  return instead === undefined ? removed(text, [...path, at], file) : changed(text, [...path, at], instead, file);
}

/** The text with an item put into a list, at this place if the list is as long. */
export function withItem(
  text: string,
  { path, value, at }: { path: Path; value: unknown; at: number },
  file: string,
): string {
  const given = text.trim() === "" ? "{}\n" : text;
  const items = valueAt(given, path, file);
  if (!Array.isArray(items)) return changed(given, path, [value], file);
  return changed(given, [...path, Math.min(at, items.length)], value, file, true);
}

/** A group with commands of others beside Cordon's is theirs. */
function isOwn(entry: unknown, own: string): boolean {
  const { hooks } = (entry ?? {}) as { hooks?: unknown };
  if (Array.isArray(hooks) && hooks.length > 1) return false;
  return textsIn(entry).some((text) => text === own || (text.startsWith(own) && /[\s/]/.test(text[own.length] ?? "")));
}

/** What an entry begins with says whose it is: one of the person's own may name Cordon's script further on. */
const textsIn = (value: unknown): string[] => {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
};

/** Takes out a value, and what has nothing left in it then. */
function withoutEmpty(text: string, path: Path, before: string, file: string): string {
  const above = path.slice(0, -1);
  const node = findNodeAtLocation(parseTree(text, [], LENIENT) as Node, [...above]);
  const isLast = above.length > 0 && node?.children?.length === 1 && !isIn(before, above);
  return isLast ? withoutEmpty(text, above, before, file) : removed(text, path, file);
}

function isIn(text: string, path: Path): boolean {
  const tree = parseTree(text, [], LENIENT);
  return tree !== undefined && findNodeAtLocation(tree, [...path]) !== undefined;
}

/** Whether a text has one of these entries in a list. */
export function hasOwn(text: string, entries: readonly JsonEntry[], { file, own }: Target): boolean {
  return entries.some(({ path, isValue }) => !isValue && itemsAt(text, path, file).some((one) => isOwn(one, own)));
}

/** All that is in a settings file. Throws `BAD_GRANT` for a text that is no JSON. */
export const settingsIn = (text: string, file: string): Record<string, unknown> =>
  text.trim() === "" ? {} : (valueAt(text, [], file) as Record<string, unknown>);

function valueAt(text: string, path: Path, file: string): unknown {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, LENIENT);
  if (!tree || errors.length > 0 || tree.type !== "object")
    throw new CordonError("BAD_GRANT", `${file}${faultIn(text, errors[0])}; mend it first`);
  refuseRepeated(text, tree, path, file);
  const node = findNodeAtLocation(tree, [...path]);
  return node && getNodeValue(node);
}

/** Throws for a key on the way that is there twice: an edit would change the first one, and an agent takes the last. */
function refuseRepeated(text: string, tree: Node, path: Path, file: string): void {
  for (const [at, key] of path.entries()) {
    const object = findNodeAtLocation(tree, path.slice(0, at));
    const members = object?.type === "object" ? (object.children ?? []) : [];
    const [first, again] = members.filter(({ children }) => children?.[0]?.value === key);
    if (!first || !again) continue;
    const lines = `${lineAt(text, first.offset)}: the key "${path.slice(0, at + 1).join(".")}" is there again in line ${lineAt(text, again.offset)}`;
    throw new CordonError("BAD_GRANT", `${file}:${lines}, and agents take the last one; mend it first`);
  }
}

/** Where a text is no JSON object, and why. JSON5 has names without quotes, and texts in single ones. */
function faultIn(text: string, error: ParseError | undefined): string {
  if (text.startsWith("\uFEFF")) return ":1:1: it begins with a byte order mark; save it without one";
  if (!error) return ":1:1: it is no JSON object";
  const { offset } = error;
  const place = `:${lineAt(text, offset)}:${offset - text.lastIndexOf("\n", offset - 1)}`;
  if (/^[\w$']/.test(text.slice(offset)) && !/^(true|false|null)\b|^\d/.test(text.slice(offset)))
    return `${place}: without double quotes this is no JSON, which is all that Cordon reads there, with comments`;
  const why = printParseErrorCode(error.error).replace(/\B[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${place}: it is no valid JSON (${why.toLowerCase()})`;
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;

/** The text with a value put in, its surroundings formatted, unless that would change what they say. */
function changed(text: string, path: Path, value: unknown, file: string, isArrayInsertion = false): string {
  const edited = (options: ModificationOptions) =>
    applyEdits(text, modify(text, [...path], value, { ...options, isArrayInsertion }));
  const formatted = edited({ formattingOptions: styleOf(text) });
  const best = isDeepStrictEqual(parsed(formatted), parsed(edited({}))) ? formatted : edited({});
  return checked(text, best, path, file, (holder) => {
    const key = path.at(-1) ?? "";
    if (isArrayInsertion && Array.isArray(holder)) holder.splice(Number(key), 0, value);
    else Reflect.set(holder, key, value);
  });
}

/** The text without a value, and without the comma beside it. The library's own removal breaks texts on one line. */
function removed(text: string, path: Path, file: string): string {
  const value = findNodeAtLocation(parseTree(text, [], LENIENT) as Node, [...path]);
  const one = value?.parent?.type === "property" ? value.parent : value;
  if (!one) return text;
  return checked(text, cutOut(text, one), path, file, (holder) => {
    const key = path.at(-1) ?? "";
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete holder[key];
  });
}

function cutOut(text: string, one: Node): string {
  const beside = one.parent?.children ?? [];
  const at = beside.indexOf(one);
  const [before, after] = [beside[at - 1], beside[at + 1]];
  const end = one.offset + one.length;
  if (after) return text.slice(0, one.offset) + text.slice(after.offset);
  if (before) return text.slice(0, before.offset + before.length) + text.slice(end);
  return text.slice(0, one.offset) + text.slice(end).replace(/^\s*,/, "");
}

/**
 * The edited text, if it says what was meant to who reads it as its agent does. Throws `BAD_GRANT` for another one, which was not
 * written yet. `act`: makes the same change in the list or object at the end of the way, as it was read in the text before.
 */
function checked(before: string, after: string, path: Path, file: string, act: (holder: Holder) => void): string {
  const meant = plain(asRead(before)) as Holder;
  act(path.slice(0, -1).reduce<Holder>((at, key) => (Reflect.get(at, key) ?? made(at, key)) as Holder, meant));
  if (isSame(asRead(after), meant)) return after;
  const what = `"${path.join(".")}" cannot be edited without changing more`;
  throw new CordonError("BAD_GRANT", `${file}: ${what}; mend it first`);
}

type Holder = unknown[] | Record<string | number, unknown>;

function made(at: Holder, key: string | number): object {
  const empty = {};
  Reflect.set(at, key, empty);
  return empty;
}

/** A settings file as its agent parses it. */
const asRead = (text: string): unknown => attemptOr(() => readJson(text), undefined) ?? parsed(text);

/** Of a text with errors, `undefined`. */
function parsed(text: string): unknown {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, LENIENT);
  return tree && errors.length === 0 ? getNodeValue(tree) : undefined;
}

/** The indentation and the ends of lines that the text has. */
function styleOf(text: string): FormattingOptions {
  const [, indent = "  "] = /^\{[^\n]*\r?\n([ \t]+)/.exec(text.trimStart()) ?? [];
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  return { insertSpaces: !indent.startsWith("\t"), tabSize: indent.startsWith("\t") ? 1 : indent.length, eol };
}
