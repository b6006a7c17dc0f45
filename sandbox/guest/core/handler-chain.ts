import { MAX_HANDLERS, type Verdict } from "../../wire/messages.ts";
import type { GuestEnvironment, Handled } from "../dialects/dialect.ts";
import type { Dispatch } from "./dispatch.ts";
import { placeOf, withPlace } from "./handler-place.ts";
import { checkSize, MAX_TEXT } from "./limits.ts";
import { describe } from "./outcome.ts";
import { checkReadable, stringify } from "./primordials.ts";

/** What {@link HandlerChain.hint} said. */
const hinted = new Set<string>();

/**
 * Passes one event to a bundle's handlers, one after the other, until one of them decides. A dialect defines how to
 * call a handler, what its return value means, and what the verdict is.
 */
export abstract class HandlerChain {
  protected readonly environment: GuestEnvironment;
  protected readonly dispatch: Dispatch;
  protected readonly type: string;
  readonly #done: (handled: Handled) => void;
  /** If true, a handler that fails blocks the tool call. */
  readonly #guards: boolean;
  #verdict: Verdict | undefined;
  #at = 0;
  /** The handler that runs, or ran last. */
  #asked: unknown;
  /** Where the handler was registered that blocked the tool call. */
  #blamed: string | undefined;

  constructor(environment: GuestEnvironment, dispatch: Dispatch, done: (handled: Handled) => void) {
    this.environment = environment;
    this.dispatch = dispatch;
    this.type = dispatch.type;
    this.#done = done;
    this.#guards = this.type === "tool_call" && !environment.init.failOpen;
  }

  /** The number of handlers. It can grow while they run, since a handler can register another. */
  protected abstract count(): number;

  /** Calls one handler. An exception or a rejection is a failure of the hook. */
  protected abstract call(at: number): unknown;

  /** One handler, as it was registered. */
  protected handler(_at: number): unknown {
    return undefined;
  }

  /** Whether the tool call is blocked by what the handlers said so far. */
  protected blocks(): boolean {
    return isBlock(this.#verdict?.result);
  }

  /** Takes the return value of a handler. Returns true if the other handlers need not run. */
  protected abstract take(returned: unknown): boolean;

  /** Completes the verdict. May throw if the handlers left values of a wrong shape. */
  protected finish(): void {}

  /** Returns true if the thrown value is not a failure. */
  protected forgives(_thrown: unknown): boolean {
    return false;
  }

  /** Calls the next handler, or ends the chain. */
  next(): void {
    if (this.#at >= this.count()) {
      this.end(false);
      return;
    }
    this.#asked = this.handler(this.#at);
    try {
      const returned = this.call(this.#at++);
      this.dispatch.settle(
        returned,
        (value) => this.#returned(value),
        (thrown) => this.#failed(thrown),
      );
    } catch (thrown) {
      this.#failed(thrown);
    }
  }

  /** Starts again with the first handler. */
  protected again(): void {
    this.#at = 0;
    this.next();
  }

  protected verdict(): Verdict {
    this.#verdict ??= {};
    return this.#verdict;
  }

  /** `handler`: the one whose fault it is. */
  protected fail(thrown: unknown, handler: unknown = this.#asked): void {
    const verdict = this.verdict();
    const error = withPlace(describe(thrown), placeOf(handler));
    // The host accepts no more errors than this.
    if ((verdict.errors?.length ?? 0) < MAX_HANDLERS) verdict.errors = [...(verdict.errors ?? []), error];
  }

  /** Tells the hook's author, once, of what decides nothing and was meant to. */
  protected hint(text: string | undefined): void {
    const place = placeOf(this.#asked);
    const hint = `${text} ${place}`;
    if (text === undefined || hinted.has(hint) || hinted.size >= MAX_HANDLERS) return;
    hinted.add(hint);
    const at = place === undefined ? {} : { at: `cordon-hook.js:${place}` };
    this.environment.port.message({ t: "log", level: "warn", text, ...at });
  }

  protected end(stop: boolean): void {
    // Of several, any may have left what is wrong.
    if (this.count() !== 1) this.#asked = undefined;
    if (!this.#verdict?.errors || !this.#guards) {
      try {
        checkReadable();
        this.finish();
      } catch (thrown) {
        this.fail(thrown);
        stop ||= this.#guards;
      }
    }
    // In every dialect, a block is final at the end of its bundle.
    const result = this.#verdict?.result;
    if (this.type === "tool_call" && isBlock(result)) {
      stop = true;
      if (this.#blamed !== undefined) result.at = this.#blamed;
    }
    this.#done(this.#verdict ? toHandled(this.#verdict, stop) : { kind: "p", verdict: "", stop });
  }

  #returned(value: unknown): void {
    let stop = this.dispatch.cancelled;
    try {
      if (this.take(value)) stop = true;
      if (this.type === "tool_call" && this.#blamed === undefined && this.blocks()) this.#blamed = placeOf(this.#asked);
    } catch (thrown) {
      this.#failed(thrown);
      return;
    }
    if (stop) this.end(true);
    else this.next();
  }

  #failed(thrown: unknown): void {
    try {
      if (!this.forgives(thrown)) this.fail(thrown);
    } catch (other) {
      this.fail(other);
    }
    if (this.dispatch.cancelled || (this.#guards && this.#verdict?.errors)) this.end(true);
    else this.next();
  }
}

const isBlock = (result: unknown): result is { block: true; at?: string } =>
  (result as { block?: unknown } | undefined)?.block === true;

/** The verdict in the form for the host: its kind and its JSON. The JSON of a pass is empty. */
function toHandled(verdict: Verdict, stop: boolean): Handled {
  const { result, input, tool, errors } = verdict;
  if (!errors && result === undefined && input === undefined && tool === undefined)
    return { kind: "p", verdict: "", stop };
  try {
    checkSize(verdict, "BAD_RESULT", "a result");
    const text = stringify(verdict);
    if (text.length <= MAX_TEXT) return { kind: errors ? "f" : "r", verdict: text, stop };
    const message = `a result of ${text.length} characters is over the limit of ${MAX_TEXT}`;
    return { kind: "f", verdict: stringify({ errors: [{ code: "BAD_RESULT", message }] }), stop };
  } catch (thrown) {
    return { kind: "f", verdict: stringify({ errors: [{ ...describe(thrown), code: "BAD_RESULT" }] }), stop };
  }
}
