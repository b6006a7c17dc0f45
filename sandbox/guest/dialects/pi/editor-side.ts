import { type Edit, type EditorAct, MAX_EDITED } from "../../../wire/screens.ts";
import { checkLength } from "../../core/limits.ts";
import { apply } from "../../core/primordials.ts";

/** pi's names of the actions of its own that an editor may find bound to a key. */
const OF_THE_AGENT = "app.";

/** What an editor draws, and what it holds and wants besides. */
interface Edited {
  readonly lines: readonly string[];
  readonly text: string;
  readonly acts: readonly EditorAct[];
}

export type Editor = Record<string, unknown>;

/** What an editor of pi's shares with the agent: its text, and what keys that the editor leaves to the agent do. */
export class EditorSide {
  readonly #provider: object;
  #acts: EditorAct[] = [];

  /** `provider`: pi's, of what the agent suggests. */
  constructor(provider: object) {
    this.#provider = provider;
  }

  /** Connects a new editor, as pi does. */
  connect(editor: Editor): void {
    editor.onSubmit = (text: unknown) => {
      this.#acts.push({ submit: checkLength(String(text), MAX_EDITED, "the text of an editor") });
    };
    editor.onChange = () => {};
    call(editor, "setAutocompleteProvider", [this.#provider]);
    if (!actionsOf(editor)) return;
    editor.onEscape ??= this.#action("app.interrupt");
    editor.onCtrlD ??= this.#action("app.exit");
    editor.onPasteImage ??= this.#action("app.clipboard.pasteImage");
    // The agent has looked for its shortcuts before.
    editor.onExtensionShortcut ??= () => false;
  }

  /** The agent did this to it. */
  apply(editor: Editor, { text, history = [], border }: Edit): void {
    for (const sent of history) call(editor, "addToHistory", [sent]);
    if (text !== undefined) call(editor, "setText", [text]);
    if (border && "borderColor" in editor) {
      const [begin, end] = border;
      editor.borderColor = (line: unknown) => `${begin}${String(line)}${end}`;
    }
  }

  /** The actions of the agent's that are bound to the key which is pressed next. */
  bind(editor: Editor, actions: readonly string[]): void {
    const handlers = actionsOf(editor);
    if (!handlers) return;
    call(handlers, "clear", []);
    for (const name of actions) if (name.startsWith(OF_THE_AGENT)) call(handlers, "set", [name, this.#action(name)]);
  }

  /** What it holds now, and what it wants since it was asked last. */
  edited(editor: Editor, lines: readonly string[]): Edited {
    const acts = this.#acts;
    this.#acts = [];
    const text = call(editor, "getText", []);
    if (typeof text !== "string") throw new TypeError("an editor must have getText(), which returns its text");
    return { lines, text: checkLength(text, MAX_EDITED, "the text of an editor"), acts };
  }

  #action(action: string): () => void {
    return () => {
      this.#acts.push({ action });
    };
  }
}

/** The map of a `CustomEditor` from actions of the agent's to functions. */
function actionsOf(editor: Editor): Editor | undefined {
  const { actionHandlers } = editor;
  return typeof actionHandlers === "object" && actionHandlers !== null ? (actionHandlers as Editor) : undefined;
}

function call(holder: Editor, name: string, args: unknown[]): unknown {
  const method = holder[name];
  return typeof method === "function" ? apply(method, holder, args) : undefined;
}
