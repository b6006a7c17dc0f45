import type { Suggestions } from "../../../sandbox/wire/screens.ts";
import type { AgentValue } from "../../agent-values.ts";

export interface PiUi {
  select(title: string, options: string[], how?: PiDialogOptions): Promise<string | undefined>;
  confirm(title: string, message: string, how?: PiDialogOptions): Promise<boolean>;
  input(title: string, placeholder?: string, how?: PiDialogOptions): Promise<string | undefined>;
  editor(title: string, prefill?: string): Promise<string | undefined>;
  notify(message: string, type?: "info" | "warning" | "error"): void;
  setStatus(key: string, text: string | undefined): void;
  setWidget(
    key: string,
    content: string[] | PiFactory | undefined,
    options?: { placement?: "aboveEditor" | "belowEditor" },
  ): void;
  setFooter(factory: PiFactory | undefined): void;
  setHeader(factory: PiFactory | undefined): void;
  custom<Result>(
    factory: (tui: PiTui, theme: PiTheme, keybindings: PiKeybindings, done: (result: Result) => void) => PiComponent,
    options?: { overlay?: boolean; overlayOptions?: object; onHandle?: (handle: PiOverlay) => void },
  ): Promise<Result>;
  setEditorComponent(factory: ((tui: PiTui, theme: object, keybindings: PiKeybindings) => PiEditor) | undefined): void;
  addAutocompleteProvider(factory: (agents: PiCompleter) => PiCompleter): void;
  onTerminalInput(listener: (data: string) => PiKey): () => void;
  readonly theme: PiTheme;
  setTitle(title: string): void;
  setTheme(name: string): unknown;
  setWorkingMessage(message?: string): void;
  setWorkingVisible(visible: boolean): void;
  setWorkingIndicator(options?: { frames?: string[]; intervalMs?: number }): void;
  setHiddenThinkingLabel(label?: string): void;
  setEditorText(text: string): void;
  pasteToEditor(text: string): void;
  getEditorText(): string;
  setToolsExpanded(expanded: boolean): void;
}

export interface PiComponent {
  render(width: number): string[];
  handleInput?(data: string): void;
  invalidate(): void;
}

/** The part of pi's editors that pi calls, and the functions that pi puts into them. */
export interface PiEditor extends PiComponent {
  readonly actionHandlers: Map<string, () => void>;
  onSubmit?: (text: string) => void;
  onChange?: (text: string) => void;
  onEscape?: () => void;
  onCtrlD?: () => void;
  onPasteImage?: () => void;
  /** True if it was a shortcut of an extension. */
  onExtensionShortcut?: (data: string) => boolean;
  borderColor: ((line: string) => string) | undefined;
  getText(): string;
  setText(text: string): void;
  addToHistory(text: string): void;
  insertTextAtCursor(text: string): void;
  setAutocompleteProvider(agents: PiCompleter): void;
}

/** What becomes of what the terminal sent: somebody keeps it, or it goes on. */
export type PiKey = { consume: true } | undefined;

/** Completes words in pi's editor. */
export interface PiCompleter {
  triggerCharacters?: string[];
  getSuggestions(
    lines: readonly string[],
    row: number,
    col: number,
    options: { signal: AbortSignal; force?: boolean },
  ): Promise<Suggestions | null>;
  applyCompletion(lines: string[], row: number, col: number, item: object, prefix: string): object;
  shouldTriggerFileCompletion?(lines: string[], row: number, col: number): boolean;
}

export interface PiTui {
  readonly terminal: { readonly columns: number; readonly rows: number; write(text: string): void };
  /** Hands on what the terminal sent, as pi does. */
  handleTerminalInput(data: string): void;
  requestRender(): void;
  /** Has all components forget what they drew. */
  invalidate(): void;
}

export interface PiTheme {
  readonly name?: string;
  /** Not in pi 0.87. */
  readonly appearance?: "dark" | "light";
  getFgAnsi(color: string): string;
  getBgAnsi(color: string): string;
}

export interface PiKeybindings {
  matches(data: string, action: string): boolean;
  getResolvedBindings(): object;
}

export interface PiOverlay {
  setHidden(hidden: boolean): void;
}

export interface PiFooterData {
  getGitBranch(): string | null;
  getExtensionStatuses(): ReadonlyMap<string, string>;
}

/** What pi tells the renderers of a tool. */
export interface PiRendererContext {
  args: AgentValue;
  /** What the renderer returned before, in the same place. */
  lastComponent?: PiComponent | undefined;
  invalidate(): void;
}

interface PiDialogOptions {
  signal?: AbortSignal;
}

type PiFactory = (tui: PiTui, theme: PiTheme, footer?: PiFooterData) => PiComponent;
