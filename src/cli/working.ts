import { performance } from "node:perf_hooks";
import { cleanLine } from "../base/text.ts";
import { wrap } from "../base/wrap.ts";

/** A command that takes no longer than this shows nothing, in ms. */
const PATIENCE_MS = 1000;
const REDRAW_MS = 100;
const CLEAR = "\r\u001b[K";

/** An output that a person may watch. */
interface Watched {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

/**
 * What a command is doing, on a terminal in one line that changes, from its first second on. Elsewhere nothing is written. Whatever
 * else is printed meanwhile comes after {@link Working.clear}.
 */
export class Working {
  readonly #screen: Watched;
  readonly #patience: number;
  #started: number | undefined;
  #text = "";
  #drawn = "";
  #last = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(screen: Watched = process.stderr, patience = PATIENCE_MS) {
    this.#screen = screen;
    this.#patience = patience;
  }

  /** Says what is being done now. It costs little: a loop may call it for each of its rounds. */
  step(text: string): void {
    if (!this.#screen.isTTY) return;
    this.#started ??= performance.now();
    this.#text = text;
    // While the command waits, too.
    this.#timer ??= setInterval(() => this.#draw(), this.#patience / 4).unref();
    this.#draw();
  }

  /** Takes the line away. The next step shows it again. */
  clear(): void {
    if (this.#drawn !== "") this.#screen.write(CLEAR);
    this.#drawn = "";
  }

  /** The work is done. */
  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#started = undefined;
    this.clear();
  }

  #draw(): void {
    const now = performance.now();
    if (this.#text === this.#drawn || now - (this.#started ?? now) < this.#patience || now - this.#last < REDRAW_MS)
      return;
    this.#last = now;
    this.#drawn = this.#text;
    const [line = ""] = wrap(cleanLine(this.#text, 200), (this.#screen.columns ?? 80) - 3);
    this.#screen.write(`${CLEAR}${line} …`);
  }
}

/** The line of this process. */
export const working = new Working();
