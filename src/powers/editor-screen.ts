import type { Drawing, Edit, EditorAct, KeyPress } from "../../sandbox/wire/screens.ts";
import type { HookEditor, Suggest } from "../hook-screen.ts";
import type { DrawingTime } from "./drawing-time.ts";
import { isControlC, LeaveKeys } from "./leave-keys.ts";
import { Screen } from "./screen.ts";
import { isShown } from "./shown-text.ts";

/** What an editor's isolate says when it is drawn. */
export interface Edited {
  readonly lines: readonly string[];
  readonly text?: string;
  readonly acts?: readonly EditorAct[];
}

/** Asks the person whether a text that they may not have seen is to be sent. */
export type AskToSend = (text: string, signal: AbortSignal) => Promise<boolean>;

/** Two Escapes within this time, in ms, leave an editor: one alone has a meaning in many. */
const LEAVE_MS = 500;
/** pi's names of its actions for Ctrl+C, and of those that send what the editor holds. */
const CLEAR = "app.clear";
const SENDS = /^app\.message\./;
const SUBMIT = "tui.input.submit";
const ENTER = /^[\r\n]$/;
const PASTE = new RegExp(`^${"\u001b"}\\[200~([\\s\\S]*)${"\u001b"}\\[201~$`);
const MAX_PASTES = 50;

/**
 * An editor of a hook. The hook may write into it what it likes, so nothing is sent but at a key of the person's, and only
 * what stood there to be read before that key, or what the person agrees to.
 */
export class EditorScreen extends Screen implements HookEditor {
  readonly #drawEditor: (drawing: Drawing) => Promise<Edited>;
  readonly #ask: AskToSend;
  readonly #over = new AbortController();
  readonly #acts = new Set<(act: EditorAct) => void>();
  suggest: Suggest | undefined;
  #text = "";
  #edit: Edit = {};
  #pasted: string[] = [];

  constructor(options: {
    hook: { id: string; name: string };
    draw: (drawing: Drawing) => Promise<Edited>;
    ask: AskToSend;
    time?: DrawingTime;
  }) {
    const { hook, time } = options;
    super({ hook, time, hasFocus: true, says: "reads what you type", leave: new LeaveKeys(LEAVE_MS) });
    this.#drawEditor = options.draw;
    this.#ask = options.ask;
    void this.ended.then(() => this.#over.abort());
  }

  get text(): string {
    return this.#text;
  }

  setText(text: string): void {
    this.#text = text;
    this.#edit = { ...this.#edit, text };
    this.forgetKeys();
    this.refresh();
  }

  addToHistory(text: string): void {
    this.#edit = { ...this.#edit, history: [...(this.#edit.history ?? []), text] };
  }

  setBorder(border: NonNullable<Edit["border"]>): void {
    this.#edit = { ...this.#edit, border };
    this.refresh();
  }

  onAct(listener: (act: EditorAct) => void): () => void {
    this.#acts.add(listener);
    return () => this.#acts.delete(listener);
  }

  /** Ctrl+C is never the hook's. */
  override handleInput(data: string, actions?: KeyPress["actions"]): void {
    if (isControlC(data)) {
      this.#tell({ action: CLEAR });
      return;
    }
    const pasted = PASTE.exec(data)?.[1];
    if (pasted !== undefined) this.#pasted = [...this.#pasted.slice(1 - MAX_PASTES), pasted];
    super.handleInput(data, actions);
  }

  /** The key that sends waits until the person can see what the keys before it have written. */
  protected override ready(keys: readonly KeyPress[], isSeen: boolean): number {
    const at = keys.findIndex(sends);
    return at > 0 ? at : at < 0 ? keys.length : isSeen ? 1 : 0;
  }

  protected override async draw(drawing: Drawing): Promise<readonly string[]> {
    const seen = this.seen;
    const edit = this.#edit;
    this.#edit = {};
    const asked = Object.keys(edit).length > 0 ? { ...drawing, edit } : drawing;
    const { lines, text, acts = [] } = await this.#drawEditor(asked);
    // The agent may have replaced it meanwhile.
    if (text !== undefined && this.#edit.text === undefined) this.#text = text;
    for (const act of acts) if (isMeant(act, drawing.keys ?? [])) await this.#act(act, seen);
    return lines;
  }

  /** `seen`: what was drawn before the keys that led to this act. */
  async #act(act: EditorAct, seen: readonly string[]): Promise<void> {
    const sent = "submit" in act ? act.submit : SENDS.test(act.action) ? this.#text : undefined;
    if (sent !== undefined && sent.trim() !== "" && !isShown(sent, seen, this.#pasted)) {
      const agrees = await this.#ask(sent, this.#over.signal).catch(() => false);
      if (!agrees) {
        this.setText(sent);
        return;
      }
    }
    if (sent !== undefined) this.#pasted = [];
    this.#tell(act);
  }

  #tell(act: EditorAct): void {
    for (const listener of this.#acts) listener(act);
  }
}

const sends = ({ data, actions }: KeyPress): boolean =>
  ENTER.test(data) || actions?.some((action) => action === SUBMIT || SENDS.test(action)) === true;

/** Whether the person pressed a key that means this. */
const isMeant = (act: EditorAct, keys: readonly KeyPress[]): boolean =>
  "submit" in act ? keys.some(sends) : keys.some(({ actions }) => actions?.includes(act.action));
