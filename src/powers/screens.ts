import { type Drawing, MAX_SCREENS, type ScreenChange } from "../../sandbox/wire/screens.ts";
import { CordonError } from "../base/errors.ts";
import { ComponentScreen } from "./component-screen.ts";
import { DrawingTime } from "./drawing-time.ts";
import { type AskToSend, type Edited, EditorScreen } from "./editor-screen.ts";
import type { Screen } from "./screen.ts";

/** How long a hook takes no keys after a person left one of its components, in ms: they do what they left it for. */
const LEFT_MS = 5000;

/** The components of one hook that are shown now, by the numbers that its isolate gave them. */
export class Screens {
  readonly #hook: { readonly id: string; readonly name: string };
  readonly #draw: (number: number, drawing: Drawing) => Promise<Edited>;
  readonly #open = new Map<number, Screen>();
  /** What the hook said of screens before they were open: a request takes longer than a message. */
  readonly #early = new Map<number, ScreenChange>();
  /** Those with the keyboard. */
  readonly #withKeys = new Set<Screen>();
  readonly #time = new DrawingTime();
  #leftAt = Number.NEGATIVE_INFINITY;

  /** `draw`: makes the hook draw. */
  constructor(
    hook: { readonly id: string; readonly name: string },
    draw: (number: number, drawing: Drawing) => Promise<Edited>,
  ) {
    this.#hook = hook;
    this.#draw = draw;
  }

  /** Throws if its number is taken, or if there are too many. `hides`: the hook may hide it, and show it again. */
  open(number: number, hasFocus: boolean, hides: boolean): Screen {
    this.#check(number);
    const draw = async (drawing: Drawing) => (await this.#draw(number, drawing)).lines;
    const left = (): void => this.#leave();
    const screen = new ComponentScreen({ hook: this.#hook, hasFocus, hides, draw, left, time: this.#time });
    if (hasFocus) {
      this.#withKeys.add(screen);
      void screen.ended.then(() => this.#withKeys.delete(screen));
    }
    return this.#add(number, screen);
  }

  /** A person left one with the keyboard just now: the next one counts as left at once. */
  get isLeft(): boolean {
    return performance.now() - this.#leftAt < LEFT_MS;
  }

  /** Of several above each other, the person leaves all. */
  #leave(): void {
    this.#leftAt = performance.now();
    for (const screen of this.#withKeys) screen.close();
  }

  /** Opens an editor. Throws as `open` does. */
  edit(number: number, ask: AskToSend): EditorScreen {
    this.#check(number);
    const draw = (drawing: Drawing) => this.#draw(number, drawing);
    return this.#add(number, new EditorScreen({ hook: this.#hook, draw, ask, time: this.#time }));
  }

  /** The editor with this number. */
  editor(number: number): EditorScreen | undefined {
    const screen = this.#open.get(number);
    return screen instanceof EditorScreen ? screen : undefined;
  }

  #check(number: number): void {
    if (this.#open.has(number) || this.#open.size >= MAX_SCREENS)
      throw new CordonError("RATE_LIMITED", `hook ${this.#hook.name} may show ${MAX_SCREENS} components at once`);
  }

  #add<One extends Screen>(number: number, screen: One): One {
    this.#open.set(number, screen);
    const early = this.#early.get(number);
    this.#early.delete(number);
    void screen.ended.then(() => {
      // The next isolate of the hook counts from 1 again.
      if (this.#open.get(number) === screen) this.#open.delete(number);
    });
    if (early) screen.change(early);
    return screen;
  }

  /** The isolate that has them is gone. */
  closeAll(): void {
    for (const screen of this.#open.values()) screen.close();
    this.#open.clear();
    this.#early.clear();
  }

  /** The hook says something of one. It may not be open yet, or not any more. */
  change(number: number, change: ScreenChange): void {
    const screen = this.#open.get(number);
    if (screen) screen.change(change);
    else if (change !== "stale") {
      this.#early.set(number, change);
      const [oldest] = this.#early.keys();
      if (this.#early.size > MAX_SCREENS && oldest !== undefined) this.#early.delete(oldest);
    }
  }
}
