const ESC = "\u001b";
const CONTROL_C = "\u0003";
/** How terminals write Escape and Ctrl+C by the protocols of kitty and of xterm, after the first character. */
const ESCAPE = /^\[27(?:;1(?::[12])?)?u$|^\[27;1;27~$/;
const CTRL_C = /^\[99(?::\d*)*;5(?::[12])?u$|^\[27;5;99~$/;
/** A key that was let go, which some terminals report. */
const RELEASE = /^\[[\d;:]*:3[u~A-Z]$/;

export const isControlC = (data: string): boolean =>
  data === CONTROL_C || (data.startsWith(ESC) && CTRL_C.test(data.slice(1)));

/** Ctrl+C is in what a terminal sent, which may be several keys at once. */
export const hasControlC = (data: string): boolean => data.includes(CONTROL_C) || isControlC(data);

/** Finds the keys with which a person always leaves a component: Ctrl+C, and Escape twice with no other key between. */
export class LeaveKeys {
  readonly #withinMs: number;
  #escapes = 0;
  #lastAt = Number.NEGATIVE_INFINITY;

  /** `withinMs`: most time between the two Escapes. */
  constructor(withinMs = Number.POSITIVE_INFINITY) {
    this.#withinMs = withinMs;
  }

  /** True if the person leaves by this key. */
  press(data: string): boolean {
    const rest = data.startsWith(ESC) ? data.slice(1) : undefined;
    if (rest !== undefined && RELEASE.test(rest)) return false;
    if (isControlC(data)) return true;
    if (rest === ESC) return true;
    const isEscape = rest === "" || (rest !== undefined && ESCAPE.test(rest));
    const now = performance.now();
    this.#escapes = isEscape ? (now - this.#lastAt <= this.#withinMs ? this.#escapes + 1 : 1) : 0;
    this.#lastAt = now;
    return this.#escapes > 1;
  }
}
