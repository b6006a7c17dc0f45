import { MAX_PIECE } from "../../wire/conversions.ts";
import type { LazyCode } from "../../wire/lazy-code.ts";
import type { FromGuest, SyncRequest } from "../../wire/messages.ts";
import type { MakesExports } from "../realm/realm-host.ts";
import { own, parse, stringify } from "./primordials.ts";

type Post = (text: string) => unknown;

/** The guest's end of its only exit: one method for each kind of message, but verdicts, which a `Dispatch` sends itself. */
export class Port {
  readonly post: Post;

  constructor(post: Post) {
    this.post = post;
  }

  message(message: FromGuest): void {
    this.post(`M${stringify(message)}`);
  }

  /** `answer`: JSON of a `PriorityAnswer`. */
  priority(query: number, answer: string): void {
    this.post(`Q${query}:${answer}`);
  }

  /** Blocks until the host answers. Throws the host's refusal. */
  ask(request: SyncRequest): unknown {
    const answer = parse(this.post(`S${stringify(request)}`) as string);
    const error = own(answer, "error") as { message: string } | undefined;
    if (error) {
      const code = own(error, "code");
      throw Object.assign(new Error(error.message), code === undefined ? {} : { code });
    }
    return answer.value;
  }

  /** Random bytes from the sandbox process, as hexadecimal text. */
  random(bytes: number): string {
    return this.post(`X${bytes}`) as string;
  }

  /** A key or a digest from the sandbox process, as hexadecimal text. */
  derive(text: string): string {
    return this.post(`D${text}`) as string;
  }

  /** The bytes of a text, in base64. The sandbox process gets no copy of one that is too long: then this returns an empty text. */
  bytesOfText(text: string): string {
    return text.length > MAX_PIECE ? "" : (this.post(`B${text}`) as string);
  }

  /** The other way. */
  textOfBytes(base64: string): string {
    return base64.length > MAX_PIECE ? "" : (this.post(`T${base64}`) as string);
  }

  /** A function of the hook's realm, which makes what this code exports. */
  lazyCode(name: LazyCode): MakesExports {
    return this.post(`P${name}`) as MakesExports;
  }

  /** Asks for the next entry in `ms` milliseconds. A negative number cancels it. */
  wake(ms: number): void {
    this.post(`W${ms}`);
  }
}
