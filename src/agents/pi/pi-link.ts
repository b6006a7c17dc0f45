import { drawnLine } from "../../base/drawn-line.ts";
import type { PiApi, PiCommandContext, PiContext, PiReplacedContext } from "./pi-api.ts";
import type { PiTui } from "./pi-ui.ts";

/**
 * pi's session as the hooks of one host reach it. pi hands out a new context with each event, and refuses the old ones once
 * another session has taken their place.
 */
export class PiLink {
  readonly pi: PiApi;
  /** In rpc mode pi reads answers only once extensions have heard that the first session starts. */
  hearsAnswers = true;
  #context: PiContext | undefined;
  #command: PiCommandContext | undefined;
  #replaced: PiReplacedContext | undefined;
  #tui: PiTui | undefined;
  #notices: readonly string[] = [];

  constructor(pi: PiApi) {
    this.pi = pi;
  }

  /** Throws before the session has begun. */
  get context(): PiContext {
    if (!this.#context) throw new Error("the session has not begun");
    return this.#context;
  }

  /** Throws outside of commands: pi lets them alone replace the session. */
  get command(): PiCommandContext {
    if (!this.#command) throw new Error("only a command can do this");
    return this.#command;
  }

  /** Puts messages into the session, also into the one that took the place of the first. */
  get sends(): Pick<PiApi, "sendMessage" | "sendUserMessage"> {
    return this.#replaced ?? this.pi;
  }

  /** Lines of Cordon's own above the editor, which no hook can cover: a footer of one hides pi's statuses. */
  set notices(notices: readonly string[]) {
    this.#notices = notices;
    this.redraw();
  }

  /** Makes pi redraw its terminal. pi hands its terminal only to components, so a widget receives it. */
  redraw(): void {
    this.#tui?.requestRender();
  }

  /** Makes pi draw all that it shows anew. */
  redrawAll(): void {
    this.#tui?.invalidate();
    this.redraw();
  }

  /** Hands to pi what a person typed. */
  type(data: string): void {
    this.#tui?.handleTerminalInput(data);
  }

  /** Sends a command to the terminal, through tmux if pi runs in it. Without a terminal, nothing is sent. */
  toTerminal(command: string): void {
    const passed = process.env.TMUX ? `\u001bPtmux;${command.replaceAll("\u001b", "\u001b\u001b")}\u001b\\` : command;
    this.#tui?.terminal.write(passed);
  }

  /** Of the terminal, if pi has one. */
  get columns(): number | undefined {
    return this.#tui?.terminal.columns;
  }

  watchTerminal(): void {
    if (this.context.mode !== "tui") return;
    this.context.ui.setWidget("cordon:terminal", (tui) => {
      this.#tui = tui;
      return {
        render: (width) => this.#notices.map((notice) => `┃ ${drawnLine(notice, width - 2).text}`),
        invalidate: () => {},
      };
    });
  }

  get hasBegun(): boolean {
    return this.#context !== undefined;
  }

  hears(context: PiContext): void {
    this.#context = context;
  }

  /** A command goes on in the session that it began. */
  readonly replace = async (fresh: PiReplacedContext): Promise<void> => {
    this.#context = fresh;
    this.#command = fresh;
    this.#replaced = fresh;
  };

  /** Runs a command of a hook's. */
  async during<T>(context: PiCommandContext, run: () => Promise<T>): Promise<T> {
    const before = this.#command;
    this.#command = context;
    try {
      return await run();
    } finally {
      this.#command = before;
    }
  }
}
