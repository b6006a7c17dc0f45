import { operationChecks } from "cordon:operation-checks";
import { MAX_CALL_MEMBERS, MAX_DEPTH, MAX_MEMBERS, MAX_NAMES } from "../../wire/messages.ts";
import { failure } from "./outcome.ts";
import { isArray } from "./primordials.ts";

/** Longest text of one message. A character has at most 3 bytes, so that the text always fits a frame. */
export const MAX_TEXT = 2_500_000;

/**
 * Throws for plain data that the host would refuse. The host kills a process that sends such data, so an honest hook
 * gets the error here. `value` must come from `JSON.parse`, since it must have no getters.
 */
export function checkSize(value: unknown, code: string, subject: string, most = MAX_MEMBERS): void {
  let members = 0;
  const walk = (node: unknown, depth: number): void => {
    if (typeof node !== "object" || node === null) return;
    if (depth >= MAX_DEPTH) throw failure(code, `${subject} is nested deeper than ${MAX_DEPTH} levels`);
    const names = isArray(node) ? node.length : Object.keys(node);
    const count = typeof names === "number" ? names : names.length;
    if (typeof names !== "number" && count > MAX_NAMES)
      throw failure(code, `${subject} has an object with more than ${MAX_NAMES} names`);
    members += count;
    if (members > most) throw failure(code, `${subject} has more than ${most} members`);
    for (let at = 0; at < count; at++)
      walk(
        (node as Record<string | number, unknown>)[typeof names === "number" ? at : (names[at] as string)],
        depth + 1,
      );
  };
  walk(value, 0);
}

/**
 * Throws for arguments of an operation that the host would refuse, and for an operation that does not allow this kind
 * of call.
 *
 * @param isBlocking whether the call blocks
 */
export function checkArguments(args: readonly unknown[], name: string, isBlocking: boolean): void {
  if (!isArray(args)) throw new TypeError(`${name} takes a list of arguments`);
  // The message that contains the arguments has members, too.
  checkSize(args, "RATE_LIMITED", name, MAX_CALL_MEMBERS - 100);
  const operation = declared(name);
  if (!operation) throw new TypeError(`the host has no operation ${name}`);
  if (isBlocking ? !operation.blocking : operation.blocking === "only")
    throw new TypeError(`${name} needs ${isBlocking ? "an asynchronous" : "a synchronous"} call`);
  const fault = operation.check(args);
  if (fault !== undefined) throw new TypeError(`${name}: ${fault}`);
}

/** Of a command: its longest name or folder, and its most arguments. The host accepts no more. */
export const MAX_PROGRAM = 4096;
export const MAX_ARGS = 1000;

/** Throws for a text longer than `most`. */
export function checkLength(text: string, most: number, subject: string): string {
  if (text.length > most) throw new RangeError(`${subject} has ${text.length} characters; the limit is ${most}`);
  return text;
}

/** Longest message in ASCII: a character of ASCII has one byte, others have at most three. */
const MAX_ASCII = 7_500_000;
const ASCII = /^[\0-\x7f]*$/;

function declared(name: string) {
  const checks = operationChecks();
  return Object.hasOwn(checks, name) ? checks[name] : undefined;
}

/** Throws if the JSON of a call's arguments is longer than its operation allows, or does not fit a frame. */
export function checkCall(text: string, name: string): string {
  const most = declared(name)?.most ?? Number.POSITIVE_INFINITY;
  if (text.length > most) throw failure("RATE_LIMITED", `${name} takes at most ${most} characters, not ${text.length}`);
  return text.length <= MAX_TEXT || !ASCII.test(text)
    ? checkLength(text, MAX_TEXT, name)
    : checkLength(text, MAX_ASCII, name);
}
