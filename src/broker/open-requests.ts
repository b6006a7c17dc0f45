import { AT_ONCE } from "../powers/run-program.ts";

/** A request under way. */
export interface OpenRequest {
  readonly cancel: AbortController;
  /** The dispatch that it belongs to, or 0. */
  readonly dispatch: number;
  /** Characters that are kept of it while it waits for a person. */
  readonly size: number;
  /** Asked when the grant has become less. A use that a person allowed once is not the grant's. */
  covered?: () => boolean;
}

/** What a request left in the host for longer than it took: a server. */
interface Lasting {
  readonly end: () => void;
  readonly covered: (() => boolean) | undefined;
}

/** What one hook has under way in the host. */
export class OpenRequests {
  readonly #open = new Map<number, OpenRequest>();
  readonly #lasting = new Set<Lasting>();

  get size(): number {
    return this.#open.size;
  }

  /** Characters that are kept of all of them. */
  get waiting(): number {
    return [...this.#open.values()].reduce((sum, { size }) => sum + size, 0);
  }

  begin(call: number, dispatch: number, size: number): OpenRequest {
    const request: OpenRequest = { cancel: new AbortController(), dispatch, size };
    this.#open.set(call, request);
    return request;
  }

  /** False if it is over already: its isolate is gone, and the number may be another's by now. */
  end(call: number, request: OpenRequest): boolean {
    return this.#open.get(call) === request && this.#open.delete(call);
  }

  /** `end`: called when the isolate is gone, or the grant covers the request no more. Returns what to call when it ended by itself. */
  last({ covered }: OpenRequest, end: () => void): () => void {
    const one: Lasting = { end, covered };
    this.#lasting.add(one);
    return () => this.#lasting.delete(one);
  }

  abort(call: number): void {
    this.#open.get(call)?.cancel.abort();
  }

  /** Cancels what was asked for in one dispatch. */
  release(dispatch: number): void {
    for (const request of this.#open.values()) if (request.dispatch === dispatch) request.cancel.abort();
  }

  /** Ends what the grant covers no more. */
  narrowed(): void {
    for (const { covered, cancel } of this.#open.values()) if (covered?.() === false) cancel.abort();
    for (const { covered, end } of this.#lasting) if (covered?.() === false) end();
  }

  /** Cancels everything, and ends what lasts. */
  clear(): void {
    for (const request of this.#open.values()) request.cancel.abort(AT_ONCE);
    for (const { end } of this.#lasting) end();
    this.#lasting.clear();
    this.#open.clear();
  }
}
