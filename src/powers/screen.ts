import type { Drawing, KeyPress, ScreenChange } from "../../sandbox/wire/screens.ts";
import { type DrawnLine, drawnLine } from "../base/drawn-line.ts";
import { messageOf } from "../base/errors.ts";
import type { HookScreen, Terminal } from "../hook-screen.ts";
import { DrawingTime } from "./drawing-time.ts";
import { LeaveKeys } from "./leave-keys.ts";
import { BAR_COLUMNS, BAR_ROWS, BOX_COLUMNS, BOX_ROWS, bar, box } from "./screen-frame.ts";

/** Least time between two drawings that no key asked for, in ms: 30 a second. */
const FRAME_MS = 33;
/**
 * A component that lasts is drawn again this long after the agent drew its terminal: what it shows of the session may have
 * changed.
 */
const REFRESH_MS = 500;
/** Most keys that wait for a component, and the longest text that is pasted into one. */
const MAX_KEYS = 256;
const MAX_PASTE = 100_000;
const ROWS = 24;

/** A component of a hook, as the agent sees it. */
export abstract class Screen implements HookScreen {
  readonly hook: string;
  readonly ended: Promise<void>;
  readonly #name: string;
  /** It has the keyboard. */
  readonly #hasFocus: boolean;
  readonly #hides: boolean;
  readonly #says: "has the keyboard" | "reads what you type";
  readonly #end: () => void;
  readonly #listeners = new Set<() => void>();
  readonly #leave: LeaveKeys;
  readonly #left: () => void;
  readonly #time: DrawingTime;
  #keys: KeyPress[] = [];
  #hidden = false;
  #isOver = false;
  #failure: string | undefined;
  #terminal: Terminal | undefined;
  /** None before it was drawn first. */
  #lines: readonly string[] | undefined;
  /** Those of them that are shown, made fit for a terminal of this size. */
  #fit: { of: readonly string[]; inner: number; most: number; lines: DrawnLine[] } | undefined;
  #framed: { width: number; rows: number | undefined; lines: string[] } | undefined;
  /** The lines that the agent showed last, as a terminal gets them. */
  #seen: readonly string[] = [];
  #drawing = false;
  #waiting: { timer: NodeJS.Timeout; until: number } | undefined;
  #isStale = true;
  #recolour = false;
  /** What the hook was told of them. */
  #bindings: Terminal["bindings"];
  #lastAt = 0;

  constructor(options: {
    hook: { id: string; name: string };
    hasFocus: boolean;
    /** Its hook may hide it. What nobody sees gets no keys. */
    hides?: boolean | undefined;
    says?: "reads what you type";
    leave?: LeaveKeys;
    /** The person leaves by a key. */
    left?: () => void;
    /** Of all components of its hook. */
    time?: DrawingTime | undefined;
  }) {
    this.hook = options.hook.id;
    this.#name = options.hook.name;
    this.#hasFocus = options.hasFocus;
    this.#hides = options.hides ?? false;
    this.#says = options.says ?? "has the keyboard";
    this.#leave = options.leave ?? new LeaveKeys();
    this.#left = options.left ?? (() => {});
    this.#time = options.time ?? new DrawingTime();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#end = resolve;
  }

  get hidden(): boolean {
    return this.#hidden;
  }

  /** Why its hook failed to draw it. */
  get failure(): string | undefined {
    return this.#failure;
  }

  render(terminal: Terminal): string[] {
    if (this.#isOver) return [];
    const before = this.#terminal;
    this.#terminal = terminal;
    const { width, rows } = terminal;
    if (before?.width !== width || before.rows !== rows || before.footer !== terminal.footer) this.#isStale = true;
    if (this.#isStale) this.#request();
    else if (!this.#hasFocus) this.#request(REFRESH_MS);
    if (this.#framed?.width !== width || this.#framed.rows !== rows)
      this.#framed = { width, rows, lines: this.#frame(terminal) };
    if (this.#keys.length > 0) this.#request();
    return this.#framed.lines;
  }

  handleInput(data: string, actions?: readonly string[]): void {
    if (this.#isOver || !this.#hasFocus) return;
    if (this.#leave.press(data)) {
      this.close();
      this.#left();
      return;
    }
    if (this.#hidden || this.#keys.length >= MAX_KEYS || data.length > MAX_PASTE) return;
    this.#keys.push({ data, ...(actions?.length ? { actions } : {}) });
    this.#request();
  }

  invalidate(): void {
    this.#recolour = true;
    this.refresh();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#end();
    this.#changed();
  }

  /** What the hook says of it. */
  change(change: ScreenChange): void {
    if (change === "ended") this.close();
    else if (change === "stale") this.refresh();
    else if (this.#hides) {
      this.#hidden = change === "hidden";
      this.#changed();
    }
  }

  /** Makes the component draw itself. Rejects with the reason if its hook fails. */
  protected abstract draw(drawing: Drawing): Promise<readonly string[]>;

  /** How many of the keys that wait it takes now. `isSeen`: what it drew last is on the agent's screen. */
  protected ready(keys: readonly KeyPress[], _isSeen: boolean): number {
    return keys.length;
  }

  /** The lines that the agent showed last, without their frame. */
  protected get seen(): readonly string[] {
    return this.#seen;
  }

  /** There is something new to draw. */
  protected refresh(): void {
    this.#isStale = true;
    this.#request();
  }

  /** Keys that wait are for something that is gone. */
  protected forgetKeys(): void {
    this.#keys = [];
  }

  /** Asks for new lines: at once for a key, else `afterMs` after the last ones. One drawing at a time. */
  #request(afterMs = FRAME_MS): void {
    if (this.#drawing || this.#isOver || !this.#terminal) return;
    const isPressed = this.#ready > 0;
    if (this.#keys.length > 0 && !isPressed && !this.#isStale) return;
    const until = isPressed ? 0 : this.#lastAt + afterMs;
    if (this.#waiting && this.#waiting.until <= until) return;
    clearTimeout(this.#waiting?.timer);
    this.#waiting = undefined;
    const wait = until - performance.now();
    if (wait <= 0) void this.#redraw(this.#terminal);
    else
      this.#waiting = { until, timer: setTimeout(() => void this.#redraw(this.#terminal as Terminal), wait).unref() };
  }

  async #redraw({ width, rows = ROWS, footer, bindings }: Terminal): Promise<void> {
    this.#waiting = undefined;
    this.#drawing = true;
    this.#lastAt = performance.now();
    this.#isStale = false;
    const recolour = this.#recolour;
    this.#recolour = false;
    const keys = this.#keys.splice(0, this.#ready);
    const news = bindings === this.#bindings ? undefined : bindings;
    this.#bindings = bindings;
    const before = this.#lines;
    try {
      const lines = await this.draw({
        width: this.#inner(width),
        rows: Math.max(1, rows - (this.#hasFocus ? BOX_ROWS : 0)),
        ...(keys.length > 0 ? { keys } : {}),
        ...(recolour ? { recolour } : {}),
        ...(footer ? { footer } : {}),
        ...(news ? { bindings: news } : {}),
      });
      await this.#time.take(() => this.#fitTo(lines, this.#terminal ?? { width, rows }));
      this.#lines = lines;
    } catch (error) {
      this.#failure = messageOf(error);
      this.close();
      return;
    }
    this.#drawing = false;
    if (!isSame(before, this.#lines)) {
      this.#framed = undefined;
      this.#changed();
    }
    if (this.#isStale || this.#keys.length > 0) this.#request();
  }

  get #ready(): number {
    return this.ready(this.#keys, this.#framed !== undefined);
  }

  #inner(width: number): number {
    return Math.max(1, width - (this.#hasFocus ? BOX_COLUMNS : BAR_COLUMNS));
  }

  #frame(terminal: Terminal): string[] {
    const { width } = terminal;
    const lines = this.#fitTo(this.#lines ?? [], terminal);
    this.#seen = lines.map(({ text }) => text);
    return this.#hasFocus ? box(lines, this.#name, width, this.#says) : bar(lines, this.#name, width);
  }

  #fitTo(of: readonly string[], { width, rows = ROWS }: Terminal): DrawnLine[] {
    const inner = this.#inner(width);
    // A component that is longer would push its name out of sight. Below one without keys stands the agent's editor.
    const most = Math.max(1, this.#hasFocus ? rows - BOX_ROWS : Math.floor(rows / 2) - BAR_ROWS);
    const known = this.#fit;
    if (known?.of === of && known.inner === inner && known.most === most) return known.lines;
    const lines = of.slice(0, most).map((line) => drawnLine(line, inner));
    this.#fit = { of, inner, most, lines };
    return lines;
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

const isSame = (before: readonly string[] | undefined, after: readonly string[]): boolean =>
  before?.length === after.length && after.every((line, at) => line === before[at]);
