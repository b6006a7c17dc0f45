import { type Remote as ComlinkRemote, wrap } from "comlink";
import type { ToGuest } from "../../wire/messages.ts";
import type { AbortSignal } from "../realm/globals/abort.ts";
import { checkArguments, checkCall } from "./limits.ts";
import { failure } from "./outcome.ts";
import type { Port } from "./port.ts";
import { hookPromise, ignoreRejection, now, parseHere, rejected, serialize } from "./primordials.ts";

/** Most open calls of a hook, and most calls in a second. The host kills a process at four times as many. */
const MAX_OPEN_CALLS = 128;
const MAX_CALLS_PER_SECOND = 250;

type Listener = (event: { data: unknown }) => void;
type HostFunctions = Record<string, (...args: unknown[]) => Promise<unknown>>;

/** Calls host functions by name (`ui.select`), over Comlink. A hook never gets the proxy itself. */
export class Remote {
  readonly #port: Port;
  readonly #host: ComlinkRemote<HostFunctions>;
  readonly #listeners = new Set<Listener>();
  #lastCall = 0;
  #open = 0;
  #second = 0;
  #calls = 0;

  constructor(port: Port) {
    this.#port = port;
    this.#host = wrap<HostFunctions>({
      addEventListener: (_type: string, listener: unknown) => this.#listeners.add(listener as Listener),
      removeEventListener: (_type: string, listener: unknown) => this.#listeners.delete(listener as Listener),
      postMessage: (message: never) => port.message({ t: "call", apply: message }),
    });
  }

  /** Rejects with the host's refusal. `signal` cancels the call on the host; the host still answers. */
  call(name: string, dispatch: number, args: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    if (signal?.aborted) return rejected(signal.reason);
    const second = Math.floor(now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#calls = 0;
    }
    if (++this.#calls > MAX_CALLS_PER_SECOND || this.#open >= MAX_OPEN_CALLS) {
      return rejected(
        failure("RATE_LIMITED", `${name}: at most ${MAX_CALLS_PER_SECOND} calls a second, ${MAX_OPEN_CALLS} at once`),
      );
    }
    let plain: unknown[];
    try {
      plain = parseHere(checkCall(serialize(args), name));
      checkArguments(plain, name, false);
    } catch (thrown) {
      return rejected(thrown);
    }
    const call = ++this.#lastCall;
    this.#open++;
    const cancel = (): void => this.#port.message({ t: "abort", call });
    signal?.addEventListener("abort", cancel, { once: true });
    const done = (): void => {
      this.#open--;
      signal?.removeEventListener("abort", cancel);
    };
    const answer = (this.#host as HostFunctions)[name]?.({ call, dispatch }, ...plain) as Promise<unknown>;
    ignoreRejection(answer.finally(done));
    return hookPromise(answer);
  }

  receive(reply: (ToGuest & { t: "reply" })["reply"]): void {
    for (const listener of this.#listeners) listener({ data: reply });
  }
}
