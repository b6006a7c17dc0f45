const ESC = "\u001b";
const CONTROL_C = "\u0003";
/** How terminals write Escape and Ctrl+C by the protocols of kitty and of xterm, after the first character. */
const ESCAPE = /^\[27(?:;1(?::[12])?)?u$|^\[27;1;27~$/;
const CTRL_C = /^\[99(?::\d*)*;5(?::[12])?u$|^\[27;5;99~$/;
/** A key that was let go, which some terminals report. */
const RELEASE = /^\[[\d;:]*:3[u~A-Z]$/;

/** Finds the keys with which a person always leaves a component: Ctrl+C, and Escape twice with no other key between. */
export class LeaveKeys {
  #escapes = 0;

  /** True if the person leaves by this key. */
  press(data: string): boolean {
    const rest = data.startsWith(ESC) ? data.slice(1) : undefined;
    if (rest !== undefined && RELEASE.test(rest)) return false;
    if (data === CONTROL_C || (rest !== undefined && CTRL_C.test(rest))) return true;
    if (rest === ESC) return true;
    this.#escapes = rest === "" || (rest !== undefined && ESCAPE.test(rest)) ? this.#escapes + 1 : 0;
    return this.#escapes > 1;
  }
}
