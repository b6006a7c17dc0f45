import { MAX_EVENT_TYPES, MAX_HANDLERS, MAX_NAME, type Verdict } from "../../protocol.ts";
import type { Dialect, GuestEnvironment, Handled } from "../dialect.ts";
import type { Dispatch } from "../dispatch.ts";
import { checkLength, checkSize, MAX_TEXT } from "../limits.ts";
import { describe, failure } from "../outcome.ts";
import { apply, isArray, parse, stringify } from "../primordials.ts";
import { piContext } from "./pi-context.ts";
import { piEvent } from "./pi-event.ts";
import { sessionResult, toolCallResult, toolResultResult } from "./pi-result.ts";

/** The host cuts a message long before this. */
const MAX_SENT = 1_000_000;
const MAX_ATTACHMENTS = 20;

type Handler = (event: unknown, context: unknown) => unknown;

/** pi's API: a default export that registers handlers with `pi.on`. */
export function pi(environment: GuestEnvironment): Dialect {
  const { port, remote } = environment;
  const handlers = new Map<string, Handler[]>();
  let loaded = false;
  const counts = (): Record<string, number> =>
    Object.fromEntries([...handlers].map(([type, list]) => [type, list.length]));
  const api = Object.freeze({
    on(type: unknown, handler: Handler): void {
      const name = checkLength(String(type), MAX_NAME, "an event's name");
      const list = handlers.get(name) ?? [];
      if (list.length >= MAX_HANDLERS || (list.length === 0 && handlers.size >= MAX_EVENT_TYPES)) {
        throw new RangeError(
          `a hook may have ${MAX_HANDLERS} handlers for one event, and hear ${MAX_EVENT_TYPES} events`,
        );
      }
      list.push(handler);
      handlers.set(name, list);
      if (loaded) port.message({ t: "events", events: counts() });
    },
    send(text: unknown, attachments?: unknown): void {
      if (typeof text !== "string") throw new TypeError("pi.send takes a text");
      checkLength(text, MAX_SENT, "a message");
      if (attachments !== undefined && (!isArray(attachments) || attachments.length > MAX_ATTACHMENTS)) {
        throw new TypeError(`pi.send takes a list of at most ${MAX_ATTACHMENTS} attachments`);
      }
      // The host reports a refusal; pi's own `send` answers nothing either.
      remote.call("send", 0, attachments === undefined ? [text] : [text, attachments]).catch(() => {});
    },
  });

  return {
    async load(namespace) {
      const exported = defaultOf(namespace);
      if (typeof exported !== "function") throw failure("LOAD_FAILED", "Hook must export a default function");
      await exported(api);
      loaded = true;
    },
    events: counts,
    handle: (dispatch) => run(environment, dispatch, handlers.get(dispatch.envelope.event.type) ?? []),
  };
}

/** The default export, also of CommonJS that names one itself. */
function defaultOf(namespace: Record<string, unknown>): unknown {
  const exported = "default" in namespace ? namespace.default : namespace;
  const inner =
    typeof exported === "object" && exported !== null ? (exported as { default?: unknown }).default : undefined;
  return typeof inner === "function" ? inner : exported;
}

async function run(environment: GuestEnvironment, dispatch: Dispatch, list: Handler[]): Promise<Handled> {
  const { type } = dispatch.envelope.event;
  const event = piEvent(environment, dispatch);
  const context = piContext(environment, dispatch);
  const guards = type === "tool_call";
  const before = guards ? stringify(event.input) : "";
  const verdict: Verdict = {};
  let stop = false;
  for (let at = 0; at < list.length && !stop; at++) {
    if (at > 0) environment.port.message({ t: "next", id: dispatch.id });
    try {
      const handler: unknown = list[at];
      if (typeof handler !== "function") throw new TypeError("handler is not a function");
      const returned = await dispatch.race(apply(handler as never, undefined, [event, context]));
      stop = take(type, event, returned, verdict);
    } catch (thrown) {
      verdict.errors = [...(verdict.errors ?? []), describe(thrown)];
      stop = guards;
    }
    if (dispatch.cancelled) stop = true;
  }
  if (guards && !verdict.errors) {
    try {
      const after = stringify(event.input);
      if (after !== before) verdict.input = plainInput(after);
    } catch (thrown) {
      verdict.errors = [describe(thrown)];
      stop = true;
    }
  }
  return { verdict: textOf(verdict), stop };
}

/** Adds what one handler returned to the verdict. True when the rest need not run. */
function take(type: string, event: Record<string, unknown>, returned: unknown, verdict: Verdict): boolean {
  if (!returned) return false;
  if (type === "tool_call") {
    const result = toolCallResult(returned);
    if (result) verdict.result = result;
    return result?.block === true;
  }
  if (type === "tool_result") {
    const result = toolResultResult(returned);
    verdict.result = { ...(verdict.result as object), ...result };
    Object.assign(event, parse(stringify(result)));
    return false;
  }
  if (type === "session") {
    const result = sessionResult(returned);
    verdict.result = result;
    return result.cancel === true;
  }
  return false;
}

function plainInput(text: string | undefined): Record<string, unknown> {
  const input = text === undefined ? undefined : parse(text);
  if (typeof input !== "object" || input === null || isArray(input)) {
    throw failure("BAD_RESULT", "event.input was replaced by something that is not an object");
  }
  return input;
}

function textOf(verdict: Verdict): string {
  try {
    checkSize(verdict, "BAD_RESULT", "a result");
    const text = stringify(verdict);
    if (text.length <= MAX_TEXT) return text;
    const message = `a result of ${text.length} characters is over the limit of ${MAX_TEXT}`;
    return stringify({ errors: [{ code: "BAD_RESULT", message }] });
  } catch (thrown) {
    return stringify({ errors: [{ ...describe(thrown), code: "BAD_RESULT" }] });
  }
}
