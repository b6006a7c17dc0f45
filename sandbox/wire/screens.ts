/** Components of hooks on the wire: what they need to draw themselves, and what they say. */

/** Most components of one hook that are shown at once, most lines of one, and the longest line with its colours. */
export const MAX_SCREENS = 16;
export const MAX_LINES = 500;
export const MAX_LINE = 10_000;

/** Longest text in an editor, and most things that it wants of the agent at once. */
export const MAX_EDITED = 1_000_000;
export const MAX_ACTS = 300;

/** Most characters at which a completer is asked, and most suggestions. */
export const MAX_TRIGGERS = 50;
export const MAX_SUGGESTIONS = 1000;

/** The agent's colours, as the escape sequences that begin them. */
export interface Palette {
  name: string;
  appearance?: "dark" | "light";
  fg: Readonly<Record<string, string>>;
  bg: Readonly<Record<string, string>>;
}

/** A key or pasted text, as the terminal sent it, and the names of the agent's actions that the person bound to it. */
export interface KeyPress {
  data: string;
  actions?: readonly string[];
}

/** What a component needs to draw itself: columns and rows, and what happened to it before. */
export interface Drawing {
  width: number;
  rows: number;
  keys?: readonly KeyPress[];
  /** The agent's colours changed. */
  recolour?: true;
  /** What a footer shows of the agent. */
  footer?: { gitBranch: string | null; statuses: Readonly<Record<string, string>> };
  /** The keys of each of the agent's actions, where they were not said before. */
  bindings?: Readonly<Record<string, readonly string[]>>;
  /** Of an editor. */
  edit?: Edit;
  /** What a renderer draws: a message, an entry, the arguments of a tool, or its result. */
  subject?: unknown;
  /** The second argument of a renderer. */
  options?: Readonly<Record<string, unknown>>;
}

/** What the agent did to a hook's editor since it was drawn last. */
export interface Edit {
  /** Its text was replaced by this one. */
  text?: string;
  /** Texts that were sent. */
  history?: readonly string[];
  /** The escape sequences that begin and end the colour of its border. */
  border?: readonly [string, string];
}

/** Where a person writes, and wants to know how a word goes on. */
export interface CompletionQuestion {
  lines: readonly string[];
  /** Where the cursor stands, from 0. */
  row: number;
  col: number;
  /** The person asked for it. */
  force: boolean;
}

/** How a word may go on. `prefix`: what stands before the cursor and is replaced. */
export interface Suggestions {
  items: readonly { value: string; label: string; description?: string }[];
  prefix: string;
}

/** What a hook's editor wants of the agent: one of the actions that are bound to a key, or that a text is sent. */
export type EditorAct = { action: string } | { submit: string };

export const SCREEN_CHANGES = ["stale", "ended", "hidden", "visible"] as const;
export type ScreenChange = (typeof SCREEN_CHANGES)[number];

/** How iTerm2 is told the colour of a tab, one part of it at a time. */
export const TAB_COLOR = /^1;bg;(\*;default|(red|green|blue);brightness;\d{1,3})$/;
