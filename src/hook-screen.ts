import type { Mount } from "../sandbox/wire/choices.ts";
import type { ArgumentsOf, OverlayLayout } from "../sandbox/wire/operations.ts";
import type { CompletionQuestion, Edit, EditorAct, KeyPress, Suggestions } from "../sandbox/wire/screens.ts";

/** What may follow where a person writes. Null: nothing. */
export type Suggest = (question: CompletionQuestion) => Promise<Suggestions | null>;

/** What an agent says of its terminal when it draws a component. */
export interface Terminal {
  /** Columns for the component with its frame. */
  width: number;
  /** Rows of the whole terminal. */
  rows?: number;
  /** What a footer shows. */
  footer?: { gitBranch: string | null; statuses: Readonly<Record<string, string>> };
  /** The keys that are bound to the agent's actions, by the actions' names, which components show as hints. */
  bindings?: Readonly<Record<string, readonly string[]>>;
}

/** A hook's component that an agent shows. The component runs in the sandbox; this has the lines that it drew last. */
export interface HookScreen {
  /** Id of the hook. */
  readonly hook: string;
  /** Its hook wants it out of sight for a while. */
  readonly hidden: boolean;
  /** Resolves when it is over. The agent then removes it. */
  readonly ended: Promise<void>;
  /**
   * Its lines, cut to the width, in a frame that carries the hook's name. If they are not up to date, they are asked for,
   * and listeners hear of them.
   */
  render(terminal: Terminal): string[];
  /**
   * A key or pasted text, as the terminal sent it, while it has the keyboard. Ctrl+C, and Escape pressed twice, end it.
   * `actions`: names of the agent's actions that are bound to the key.
   */
  handleInput(data: string, actions?: KeyPress["actions"]): void;
  /** The agent's colours changed: it is drawn again. */
  invalidate(): void;
  /** Calls back when there are new lines, or when it was hidden, shown or ended. Returns the function that ends that. */
  onChange(listener: () => void): () => void;
  /** The person leaves it. */
  close(): void;
}

/**
 * A hook's editor that an agent shows in the place of its own, with all keys that the person types. Ctrl+C is the agent's;
 * Escape pressed twice at once ends it.
 */
export interface HookEditor extends HookScreen {
  /** What is written in it. */
  readonly text: string;
  /** What the agent itself suggests where the person writes: commands, files. */
  suggest: Suggest | undefined;
  /** The agent replaces its text. */
  setText(text: string): void;
  /** A text was sent: keys of the hook's may bring it back. */
  addToHistory(text: string): void;
  /** The escape sequences that begin and end the colour of its border. */
  setBorder(border: NonNullable<Edit["border"]>): void;
  /**
   * Calls back when the person pressed a key that means one of the agent's actions, or that the text is to be sent: a text
   * that they saw in the editor, or agreed to send. Returns the function that ends that.
   */
  onAct(listener: (act: EditorAct) => void): () => void;
}

export interface CustomOptions {
  overlay: boolean;
  layout?: OverlayLayout;
}

export interface MountOptions {
  where: Mount;
  /** The hook's own name for a widget. */
  key: string;
  placement: ArgumentsOf<"ui.mount">[3];
}
