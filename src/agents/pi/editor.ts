import { attemptOr } from "../../base/attempt.ts";
import type { HookEditor } from "../../hook-screen.ts";
import { actionsOf, bindingsOf } from "./actions.ts";
import { openDialogs } from "./open-dialogs.ts";
import type { PiEditor, PiKeybindings, PiTui, PiUi } from "./pi-ui.ts";
import { suggestOf } from "./typing.ts";

/** Stands for the text of a border, to find out what colours it. */
const SAMPLE = "─";

/** Shows a hook's editor in the place of pi's, and pi's again when it has ended. */
export class PiEditors {
  readonly #ui: () => PiUi;
  #shown: HookEditor | undefined;

  constructor(ui: () => PiUi) {
    this.#ui = ui;
  }

  show(editor: HookEditor): void {
    const before = this.#shown;
    this.#shown = editor;
    void this.#put(editor, (tui, _theme, keybindings) => editorOf(editor, tui, keybindings)).then(() =>
      before?.close(),
    );
    void editor.ended.then(async () => {
      await this.#put(editor, undefined);
      if (this.#shown === editor) this.#shown = undefined;
    });
  }

  /** Not in the place of a dialog: nobody could answer that any more. Of several that waited, the last one counts. */
  async #put(editor: HookEditor, made: Parameters<PiUi["setEditorComponent"]>[0]): Promise<void> {
    await openDialogs.whenNone();
    // The session may be over by then, with its editor.
    if (this.#shown === editor) attemptOr(() => this.#ui().setEditorComponent(made), undefined);
  }
}

/** An editor of pi's which leaves the writing to a hook's. pi puts its functions into it. */
function editorOf(editor: HookEditor, tui: PiTui, keybindings: PiKeybindings): PiEditor {
  let colour: ((line: string) => string) | undefined = (line) => line;
  const bindings = bindingsOf(keybindings);
  const shown: PiEditor = {
    // Without a map, pi does not hand over what its keys do.
    actionHandlers: new Map(),
    getText: () => editor.text,
    setText: (text) => editor.setText(text),
    addToHistory: (text) => editor.addToHistory(text),
    setAutocompleteProvider(agents) {
      editor.suggest = suggestOf(agents);
    },
    insertTextAtCursor: (text) => editor.handleInput(`\u001b[200~${text}\u001b[201~`),
    get borderColor() {
      return colour;
    },
    set borderColor(given) {
      colour = given;
      const [begin = "", end = ""] = given ? given(SAMPLE).split(SAMPLE) : [];
      editor.setBorder([begin, end]);
    },
    handleInput(data) {
      if (shown.onExtensionShortcut?.(data)) return;
      editor.handleInput(data, actionsOf(keybindings, data));
    },
    render: (width) => editor.render({ width, rows: tui.terminal.rows, bindings }),
    invalidate: () => editor.invalidate(),
  };
  editor.onChange(() => {
    shown.onChange?.(editor.text);
    tui.requestRender();
  });
  editor.onAct((act) => {
    if ("submit" in act) shown.onSubmit?.(act.submit);
    else run(shown, act.action);
  });
  return shown;
}

/** Does what a key of pi's does. */
function run(shown: PiEditor, action: string): void {
  const special = {
    "app.interrupt": shown.onEscape,
    "app.exit": shown.onCtrlD,
    "app.clipboard.pasteImage": shown.onPasteImage,
  };
  const act = special[action as keyof typeof special] ?? shown.actionHandlers.get(action);
  act?.();
}
