import { MAX_CALL_MEMBERS, MAX_HANDLERS, mostMembers, type Verdict, type VerdictKind } from "../../wire/messages.ts";
import type { Settled } from "../realm/intrinsics.ts";
import type { Dispatch } from "./dispatch.ts";
import { placeOf, withPlace } from "./handler-place.ts";
import { checkSize, MAX_TEXT } from "./limits.ts";
import { describe, failure } from "./outcome.ts";
import { everyObject, refuseUnreadable, settleTo, soon, stringify } from "./primordials.ts";

/** An async handler that waits for nothing ends within this number of turns of the microtask queue. */
const TURNS = 20;

/** What {@link HandlerChain.hint} said. */
const hinted = new Set<string>();

/**
 * Passes one event to a bundle's handlers, one after the other, until one of them decides. A dialect defines how to
 * call a handler, what its return value means, and what the verdict is.
 */
export abstract class HandlerChain<Link = unknown> implements Settled {
  protected readonly dispatch: Dispatch;
  /** What the chain goes through: mostly the handlers. It can grow while they run, since a handler can register another. */
  protected links: readonly Link[];
  private decided: Verdict | undefined;
  /** The number of handlers that were called; 0 once it may be any of them that is wrong. */
  private at = 0;
  /** Where the handler was registered that blocked the tool call. */
  private blamed: string | undefined;
  /** The number of the work that the chain waits for. */
  protected turn = 0;

  constructor(links: readonly Link[], dispatch: Dispatch) {
    this.dispatch = dispatch;
    this.links = links;
    dispatch.chain = this;
  }

  /** Whether a handler that fails blocks the tool call. */
  private get guards(): boolean {
    return this.dispatch.type === "tool_call" && !this.dispatch.environment.init.failOpen;
  }

  /** The handler that runs, or ran last, as it was registered. */
  protected get asked(): unknown {
    return this.at > 0 ? this.handler(this.at - 1) : undefined;
  }

  /** Calls one handler. An exception or a rejection is a failure of the hook. */
  protected abstract call(at: number): unknown;

  /** One handler, as it was registered. */
  protected handler(_at: number): unknown {
    return undefined;
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
    const at = this.at;
    if (at >= this.links.length) {
      this.end(false);
      return;
    }
    this.at = at + 1;
    try {
      this.wait(this.call(at));
    } catch (thrown) {
      this.goOn(thrown);
    }
  }

  /** {@link returned} or {@link failed} is called when `work` settles, and {@link failed} when the time is up: whichever is first. */
  protected wait(work: unknown): void {
    const turn = ++this.turn;
    settleTo(work, this, turn);
    if (this.dispatch.expired !== undefined) this.failSoon(turn, TURNS);
  }

  private failSoon(turn: number, turns: number): void {
    soon(() => {
      if (turns > 0) this.failSoon(turn, turns - 1);
      else this.failed(failure("TIMEOUT", this.dispatch.expired as string), turn);
    });
  }

  /** Waits no longer. */
  stop(reason: Error): void {
    this.failed(reason, this.turn);
  }

  /** Starts again with the first handler. */
  protected again(): void {
    this.at = 0;
    this.next();
  }

  protected verdict(): Verdict {
    this.decided ??= {};
    return this.decided;
  }

  /** `handler`: the one whose fault it is. */
  protected fail(thrown: unknown, handler: unknown = this.asked): void {
    const verdict = this.verdict();
    const error = withPlace(describe(thrown), placeOf(handler));
    // The host accepts no more errors than this.
    if ((verdict.errors?.length ?? 0) < MAX_HANDLERS) verdict.errors = [...(verdict.errors ?? []), error];
  }

  /** Tells the hook's author, once, of what decides nothing and was meant to. */
  protected hint(text: string | undefined): void {
    const place = placeOf(this.asked);
    const hint = `${text} ${place}`;
    if (text === undefined || hinted.has(hint) || hinted.size >= MAX_HANDLERS) return;
    hinted.add(hint);
    const at = place === undefined ? {} : { at: `cordon-hook.js:${place}` };
    this.dispatch.environment.port.message({ t: "log", level: "warn", text, ...at });
  }

  /** The handler that ran last blocks the tool call. The first of several counts. */
  protected blame(): void {
    this.blamed ??= placeOf(this.asked);
  }

  protected end(stop: boolean): void {
    // Of several, any may have left what is wrong.
    if (this.links.length !== 1) this.at = 0;
    if (!this.decided?.errors || !this.guards) {
      try {
        if (everyObject.toJSON !== undefined || everyObject.then !== undefined) refuseUnreadable();
        this.finish();
      } catch (thrown) {
        this.fail(thrown);
        stop ||= this.guards;
      }
    }
    if (!this.decided) {
      this.dispatch.end("p", "", stop);
      return;
    }
    // In every dialect, a block is final at the end of its bundle.
    const { result } = this.decided;
    if (this.dispatch.type === "tool_call" && isBlock(result)) {
      stop = true;
      if (this.blamed !== undefined) result.at = this.blamed;
    }
    this.dispatch.end(...inFrame(this.decided, this.dispatch), stop);
  }

  returned(value: unknown, turn: number): void {
    if (turn !== this.turn) return;
    this.turn++;
    let stop = this.dispatch.cancelled === true;
    try {
      if (this.take(value)) stop = true;
    } catch (thrown) {
      this.goOn(thrown);
      return;
    }
    if (stop) this.end(true);
    else this.next();
  }

  failed(thrown: unknown, turn: number): void {
    if (turn !== this.turn) return;
    this.turn++;
    this.goOn(thrown);
  }

  /** A handler threw. */
  private goOn(thrown: unknown): void {
    try {
      if (!this.forgives(thrown)) this.fail(thrown);
    } catch (other) {
      this.fail(other);
    }
    if (this.dispatch.cancelled || (this.guards && this.decided?.errors)) this.end(true);
    else this.next();
  }
}

const isBlock = (result: unknown): result is { block: true; at?: string } =>
  (result as { block?: unknown } | undefined)?.block === true;

/** No shorter JSON has more members than any verdict may have. */
const SHORT = 2 * MAX_CALL_MEMBERS;

/** The kind of the verdict, and its JSON as it fits a frame. The JSON of a pass is empty. */
function inFrame(verdict: Verdict, { type, text: given, fetched = "" }: Dispatch): [VerdictKind, string] {
  const { result, input, tool, errors } = verdict;
  if (!errors && result === undefined && input === undefined && tool === undefined) return ["p", ""];
  try {
    checkSize(verdict, "BAD_RESULT", "a result");
    const text = stringify(verdict);
    if (text.length > SHORT) checkSize(verdict, "BAD_RESULT", "a result", mostMembers(type, [given, fetched]));
    if (text.length <= MAX_TEXT) return [errors ? "f" : "r", text];
    const message = `a result of ${text.length} characters is over the limit of ${MAX_TEXT}`;
    return ["f", stringify({ errors: [{ code: "BAD_RESULT", message }] })];
  } catch (thrown) {
    return ["f", stringify({ errors: [{ ...describe(thrown), code: "BAD_RESULT" }] })];
  }
}
