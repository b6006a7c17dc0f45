import type { Drawing, KeyPress, ScreenChange } from "../../sandbox/wire/messages.ts";
import { drawnLine } from "../base/drawn-line.ts";
import { messageOf } from "../base/errors.ts";
import type { HookScreen, Terminal } from "../hook-screen.ts";
import { LeaveKeys } from "./leave-keys.ts";
import { BAR_COLUMNS, BOX_COLUMNS, BOX_ROWS, bar, box } from "./screen-frame.ts";

/** Makes the component draw itself. Rejects with the reason if its hook fails. */
export type Draw = (drawing: Drawing) => Promise<readonly string[]>;

/** Least time between two drawings that no key asked for, in ms: 30 a second. */
const FRAME_MS = 33;
/** Most keys that wait for a component, and the longest text that is pasted into one. */
const MAX_KEYS = 256;
const MAX_PASTE = 100_000;
const ROWS = 24;

/** A component of a hook, as the agent sees it. */
export class Screen implements HookScreen {
  readonly hook: string;
  readonly ended: Promise<void>;
  readonly #name: string;
  readonly #draw: Draw;
  /** It has the keyboard. */
  readonly #hasFocus: boolean;
  readonly #end: () => void;
  readonly #listeners = new Set<() => void>();
  readonly #leave = new LeaveKeys();
  #keys: KeyPress[] = [];
  #hidden = false;
  #isOver = false;
  #failure: string | undefined;
  #terminal: Terminal | undefined;
  #lines: readonly string[] = [];
  #framed: { width: number; lines: string[] } | undefined;
  /** A drawing is under way, or waits for its turn. */
  #drawing = false;
  #isStale = true;
  #recolour = false;
  #lastAt = 0;

  constructor(options: { hook: { id: string; name: string }; hasFocus: boolean; draw: Draw }) {
    this.hook = options.hook.id;
    this.#name = options.hook.name;
    this.#hasFocus = options.hasFocus;
    this.#draw = options.draw;
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
    const { width } = terminal;
    if (before?.width !== width || before.rows !== terminal.rows || before.footer !== terminal.footer)
      this.#isStale = true;
    if (this.#isStale) this.#request();
    if (this.#framed?.width !== width) this.#framed = { width, lines: this.#frame(terminal) };
    return this.#framed.lines;
  }

  handleInput(data: string, actions?: readonly string[]): void {
    if (this.#isOver || !this.#hasFocus) return;
    if (this.#leave.press(data)) {
      this.close();
      return;
    }
    if (this.#keys.length >= MAX_KEYS || data.length > MAX_PASTE) return;
    this.#keys.push({ data, ...(actions?.length ? { actions } : {}) });
    this.#request();
  }

  invalidate(): void {
    this.#recolour = true;
    this.#refresh();
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
    else if (change === "stale") this.#refresh();
    else {
      this.#hidden = change === "hidden";
      this.#changed();
    }
  }

  #refresh(): void {
    this.#isStale = true;
    this.#request();
  }

  /** Asks for new lines: at once for a key, else when the next frame is due. One drawing at a time. */
  #request(): void {
    if (this.#drawing || this.#isOver || !this.#terminal) return;
    this.#drawing = true;
    const wait = this.#keys.length > 0 ? 0 : Math.max(0, this.#lastAt + FRAME_MS - performance.now());
    if (wait === 0) void this.#redraw(this.#terminal);
    else setTimeout(() => void this.#redraw(this.#terminal as Terminal), wait).unref();
  }

  async #redraw({ width, rows = ROWS, footer }: Terminal): Promise<void> {
    this.#lastAt = performance.now();
    this.#isStale = false;
    const recolour = this.#recolour;
    this.#recolour = false;
    const keys = this.#keys;
    this.#keys = [];
    try {
      this.#lines = await this.#draw({
        width: this.#inner(width),
        rows: Math.max(1, rows - (this.#hasFocus ? BOX_ROWS : 0)),
        ...(keys.length > 0 ? { keys } : {}),
        ...(recolour ? { recolour } : {}),
        ...(footer ? { footer } : {}),
      });
    } catch (error) {
      this.#failure = messageOf(error);
      this.close();
      return;
    }
    this.#drawing = false;
    this.#framed = undefined;
    this.#changed();
    if (this.#isStale || this.#keys.length > 0) this.#request();
  }

  #inner(width: number): number {
    return Math.max(1, width - (this.#hasFocus ? BOX_COLUMNS : BAR_COLUMNS));
  }

  #frame({ width, rows = ROWS }: Terminal): string[] {
    const inner = this.#inner(width);
    // A component that is longer than the terminal would push the frame's upper edge out of sight.
    const most = this.#hasFocus ? Math.max(1, rows - BOX_ROWS) : this.#lines.length;
    const lines = this.#lines.slice(0, most).map((line) => drawnLine(line, inner));
    return this.#hasFocus ? box(lines, this.#name, width) : bar(lines, this.#name, width);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
