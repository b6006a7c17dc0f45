import {
  type Drawing,
  type KeyPress,
  MAX_LINE,
  MAX_LINES,
  MAX_SCREENS,
  type ScreenChange,
} from "../../../wire/screens.ts";
import type { GuestEnvironment } from "../../core/environment.ts";
import { checkLength } from "../../core/limits.ts";
import { failure } from "../../core/outcome.ts";
import { apply, copyOf, forHook, isArray, settled } from "../../core/primordials.ts";
import type { Editor, EditorSide } from "./editor-side.ts";

/** A component of pi's: it draws lines of text, and may take keys. */
interface Component {
  readonly render?: unknown;
  readonly handleInput?: unknown;
  readonly invalidate?: unknown;
  readonly dispose?: unknown;
  readonly wantsKeyRelease?: unknown;
}

/** Makes a component when it is first drawn. May return a promise. */
type MakeComponent = (screen: Screen) => unknown;

/** A component that is to be shown. `hasFocus`: it gets the keyboard. */
export interface Shown {
  readonly make: MakeComponent;
  readonly hasFocus: boolean;
  /** pi's `tui.showOverlay`. */
  overlay(component: unknown, options: unknown): object;
  /** It is an editor. */
  readonly editor?: EditorSide;
}

/** The components of a bundle that are shown now. They stay in the isolate: the host gets the lines that they draw. */
export class Screens {
  readonly #environment: GuestEnvironment;
  readonly #open = new Map<number, Screen>();
  #last = 0;

  constructor(environment: GuestEnvironment) {
    this.#environment = environment;
  }

  /** Throws if there are too many. */
  open(shown: Shown): Screen {
    if (this.#open.size >= MAX_SCREENS)
      throw failure("RATE_LIMITED", `a hook may show ${MAX_SCREENS} components at once`);
    const number = ++this.#last;
    const tell = (change: ScreenChange): void => {
      this.#environment.port.message({ t: "screen", screen: number, change });
    };
    const screen = new Screen(number, shown, this, tell, () => this.#open.delete(number));
    this.#open.set(number, screen);
    return screen;
  }

  /** In pi, one component that asks to be drawn has all drawn. */
  stale(): void {
    for (const screen of this.#open.values()) screen.stale();
  }

  /** Draws a screen: its `lines`, and what an editor holds. A screen that is over has no lines. */
  draw(number: number, drawing: Drawing): unknown {
    return this.#open.get(number)?.draw(drawing) ?? { lines: [] };
  }
}

const all = new WeakMap<GuestEnvironment, Screens>();

/** The screens of the bundle in this environment. */
export function screensOf(environment: GuestEnvironment): Screens {
  const screens = all.get(environment) ?? new Screens(environment);
  all.set(environment, screens);
  return screens;
}

/** A component that is shown, or will be. */
export class Screen {
  readonly number: number;
  /** What it was drawn with last. */
  drawing: Drawing = { width: 80, rows: 24 };
  /** What pi calls the `tui`: the terminal of this component. */
  readonly tui: object;
  readonly #make: MakeComponent;
  readonly #hasFocus: boolean;
  readonly #editor: EditorSide | undefined;
  #making: Promise<unknown> | undefined;
  #component: Component | undefined;
  readonly #tell: (change: ScreenChange) => void;
  readonly #gone: () => void;
  /** The host knows that there is something new to draw. */
  #isStale = false;
  #isOver = false;
  #isHidden = false;
  /** The agent's actions for the key in hand. */
  #actions: readonly string[] = [];
  /** The keys of all of them. */
  bindings: NonNullable<Drawing["bindings"]> = {};

  constructor(
    number: number,
    { make, hasFocus, overlay, editor }: Shown,
    screens: Screens,
    tell: (change: ScreenChange) => void,
    gone: () => void,
  ) {
    this.number = number;
    this.#make = make;
    this.#hasFocus = hasFocus;
    this.#editor = editor;
    this.#tell = tell;
    this.#gone = gone;
    this.tui = tuiOf(this, screens, overlay);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get isHidden(): boolean {
    return this.#isHidden;
  }

  set isHidden(hidden: boolean) {
    if (hidden === this.#isHidden || this.#isOver) return;
    this.#isHidden = hidden;
    this.#tell(hidden ? "hidden" : "visible");
  }

  /** Whether the key in hand is bound to this action of the agent's. */
  isBoundTo(action: string): boolean {
    return this.#actions.includes(action);
  }

  /** The component wants to be drawn again. */
  stale(): void {
    if (this.#isStale || this.#isOver) return;
    this.#isStale = true;
    this.#tell("stale");
  }

  /** The hook ends it. */
  end(): void {
    if (this.#isOver) return;
    this.leave();
    this.#tell("ended");
  }

  /** It is over, and the host knows it. */
  leave(): void {
    this.#isOver = true;
    this.#gone();
    method(this.#component, "dispose")?.();
    this.#component = undefined;
  }

  /** Lines of text and what an editor holds, or a promise of them if the component has to be made first. */
  draw(drawing: Drawing): unknown {
    this.drawing = drawing;
    if (drawing.bindings) this.bindings = drawing.bindings;
    if (this.#component) return this.#draw(this.#component);
    this.#making ??= settled(this.#make(this));
    return this.#making.then((made) => this.#drawMade(made));
  }

  #drawMade(made: unknown): object {
    if (this.#isOver) return { lines: [] };
    if (typeof made !== "object" || made === null) throw new TypeError("a component must be an object with render()");
    if (!this.#component && this.#hasFocus && "focused" in made) made.focused = true;
    if (!this.#component) this.#editor?.connect(made as Editor);
    this.#component ??= made;
    return this.#draw(this.#component);
  }

  #draw(component: Component): object {
    const { edit } = this.drawing;
    if (this.drawing.recolour) method(component, "invalidate")?.();
    if (edit) this.#editor?.apply(component as Editor, edit);
    for (const press of this.drawing.keys ?? []) this.#press(component, press);
    this.#isStale = false;
    if (this.#isOver) return { lines: [] };
    const lines = linesOf(component, this.drawing.width);
    return this.#editor?.edited(component as Editor, lines) ?? { lines };
  }

  #press(component: Component, { data, actions = [] }: KeyPress): void {
    if (this.#isOver) return;
    this.#editor?.bind(component as Editor, actions);
    this.#actions = actions;
    method(component, "handleInput")?.(data);
    this.#actions = [];
  }
}

/** Lines of a component at this width, checked as the host checks them. */
export function linesOf(component: Component, width: number): string[] {
  const lines = method(component, "render")?.(width);
  if (!isArray(lines))
    throw failure("BAD_RESULT", "a component's render() returned something other than a list of lines");
  return copyOf<unknown>(lines)
    .slice(0, MAX_LINES)
    .map((line) => checkLength(String(line), MAX_LINE, "a line of a component"));
}

function method(
  component: Component | undefined,
  name: keyof Component,
): ((...args: unknown[]) => unknown) | undefined {
  const found = component?.[name];
  return typeof found === "function" ? (...args) => apply(found, component, args) : undefined;
}

const impossible = (name: string) => (): never => {
  throw failure("NOT_GRANTED", `${name} cannot be offered to a contained hook: the terminal is the agent's`);
};

/** What components use of pi's terminal. */
function tuiOf(screen: Screen, screens: Screens, showOverlay: Shown["overlay"]): object {
  const terminal = forHook({
    get columns(): number {
      return screen.drawing.width;
    },
    get rows(): number {
      return screen.drawing.rows;
    },
    kittyProtocolActive: false,
    // As what is written to `process.stdout`: components set modes of the terminal, which the agent keeps as they are.
    write() {},
    clearScreen() {},
    ...Object.fromEntries(["start", "stop"].map((name) => [name, impossible(`tui.terminal.${name}`)])),
  });
  return Object.freeze(
    forHook({
      terminal: Object.freeze(terminal),
      requestRender: () => screens.stale(),
      invalidate: () => screens.stale(),
      showOverlay,
      ...Object.fromEntries(
        ["start", "stop", "setFocus", "hideOverlay", "addChild", "removeChild", "addInputListener"].map((name) => [
          name,
          impossible(`tui.${name}`),
        ]),
      ),
    }),
  );
}
