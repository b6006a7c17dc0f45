import { attemptOr } from "../base/attempt.ts";
import { AT_ONCE } from "../powers/run-program.ts";

/** A request under way. */
export interface OpenRequest {
  readonly cancel: AbortController;
  /** The dispatch that it belongs to, or 0. */
  readonly dispatch: number;
  /** Characters that the host keeps while the request waits. */
  readonly size: number;
  /** Most of them for all such requests together. */
  readonly most: number;
  /** Called after a revocation. */
  covered?: () => boolean;
}

/** Something that outlives its request, such as a server. */
interface Lasting {
  readonly end: () => void;
  readonly covered: (() => boolean) | undefined;
}

/** Whether the isolate of a request is gone, or the grant no longer covers it. */
export const isEnded = ({ reason }: AbortSignal): boolean => reason === AT_ONCE;

/** The open requests of one hook. */
export class OpenRequests {
  readonly #open = new Map<number, OpenRequest>();
  readonly #lasting = new Set<Lasting>();

  get size(): number {
    return this.#open.size;
  }

  /**
   * Characters that the host keeps for all of those that may keep this many, or fewer: what a program is given to read does not keep a
   * dialog from being shown.
   */
  waiting(limit: number): number {
    return [...this.#open.values()].reduce((sum, { size, most }) => (most <= limit ? sum + size : sum), 0);
  }

  begin(call: number, dispatch: number, kept = { size: 0, most: 0 }): OpenRequest {
    const request: OpenRequest = { cancel: new AbortController(), dispatch, ...kept };
    this.#open.set(call, request);
    return request;
  }

  /** False if the request is over already, because its isolate is gone. Another request may have its number by now. */
  end(call: number, request: OpenRequest): boolean {
    return this.#open.get(call) === request && this.#open.delete(call);
  }

  /**
   * Keeps something that outlives its request, until it is over. `end` is called when the isolate is gone or the grant no longer
   * covers it, be it already.
   */
  last({ covered, cancel }: OpenRequest, end: () => void, over: AbortSignal): void {
    if (isEnded(cancel.signal)) {
      end();
      return;
    }
    if (over.aborted) return;
    const one: Lasting = { end, covered };
    this.#lasting.add(one);
    over.addEventListener("abort", () => this.#lasting.delete(one), { once: true });
  }

  abort(call: number): void {
    this.#open.get(call)?.cancel.abort();
  }

  /** Cancels the requests of one dispatch. */
  release(dispatch: number): void {
    for (const request of this.#open.values()) if (request.dispatch === dispatch) request.cancel.abort();
  }

  /** Ends what the grant no longer covers. */
  narrowed(): void {
    for (const { covered, cancel } of this.#open.values())
      if (!cancel.signal.aborted && !isCovered(covered)) cancel.abort(AT_ONCE);
    for (const one of this.#lasting)
      if (!isCovered(one.covered)) {
        this.#lasting.delete(one);
        one.end();
      }
  }

  /** Cancels everything, and ends what lasts. */
  clear(): void {
    for (const request of this.#open.values()) request.cancel.abort(AT_ONCE);
    for (const { end } of this.#lasting) end();
    this.#lasting.clear();
    this.#open.clear();
  }
}

/** What cannot be asked about, such as a connection that was taken from the hook, is not covered: all others are still to be looked at. */
const isCovered = (covered: (() => boolean) | undefined): boolean => covered === undefined || attemptOr(covered, false);
