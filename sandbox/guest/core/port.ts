import type { FromGuest, SyncRequest, VerdictKind } from "../../wire/messages.ts";
import { own, parse, stringify } from "./primordials.ts";

type Post = (text: string) => string | undefined;

/** The guest's end of the one way out: one method for each thing that can be said. */
export class Port {
  readonly #post: Post;

  constructor(post: Post) {
    this.#post = post;
  }

  message(message: FromGuest): void {
    this.#post(`M${stringify(message)}`);
  }

  /** `verdict`: JSON text, empty for `p`. `stop`: no later hook of this run need hear the event. */
  verdict(dispatch: number, stop: boolean, kind: VerdictKind, verdict: string): void {
    this.#post(`V${stop ? 1 : 0}${kind}${dispatch}:${verdict}`);
  }

  /** Blocks until the host has answered. Throws the host's refusal. */
  ask(request: SyncRequest): unknown {
    const answer = parse(this.#post(`S${stringify(request)}`) as string);
    const error = own(answer, "error") as { message: string } | undefined;
    if (error) {
      const code = own(error, "code");
      throw Object.assign(new Error(error.message), code === undefined ? {} : { code });
    }
    return answer.value;
  }

  /** Random bytes from the sandbox process, as hexadecimal text. */
  random(bytes: number): string {
    return this.#post(`X${bytes}`) as string;
  }

  /** The large globals, as text. */
  polyfills(): string {
    return this.#post("P") as string;
  }

  /** Asks to be entered again in `ms`; a negative number disarms. */
  wake(ms: number): void {
    this.#post(`W${ms}`);
  }
}
