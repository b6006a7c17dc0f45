import type { Palette } from "../../sandbox/wire/screens.ts";
import type { HookUIContext } from "../hook-api.ts";
import type { HookEditor, HookScreen, Terminal } from "../hook-screen.ts";
import type { RpcConnection } from "./connection.ts";

interface Open {
  readonly screen: HookScreen;
  /** The same, if it is an editor. */
  readonly editor: HookEditor | undefined;
  terminal: Terminal | undefined;
}

/** Hooks' components in an agent at the other end of a connection, by the numbers that it is told. */
export class RemoteScreens {
  readonly #connection: RpcConnection;
  readonly #open = new Map<number, Open>();
  #theme: Palette | undefined;
  #last = 0;

  constructor(connection: RpcConnection) {
    this.#connection = connection;
  }

  /** The name of the agent's theme, if it has one. */
  get theme(): string | undefined {
    return this.#theme?.name;
  }

  /** What a hook's `ui` needs for them. */
  get ui(): Pick<HookUIContext, "custom" | "mount" | "edit" | "theme"> {
    return {
      custom: (screen, options) => this.#show(screen, { where: "custom", ...options }),
      mount: (screen, options) => this.#show(screen, { ...options }),
      edit: (editor) => {
        const number = this.#show(editor, { where: "editor" }, editor);
        editor.onAct((act) => this.#connection.notify("screen/act", { screen: number, ...act }));
      },
      theme: () => this.#theme,
    };
  }

  /** Answers a request of the agent about them. `params` have been checked. */
  handle(method: string, params: Record<string, unknown>): { lines: string[] } | null {
    if (method === "setTheme") {
      this.#theme = params.theme as Palette;
      for (const { screen } of this.#open.values()) screen.invalidate();
      return null;
    }
    const open = this.#open.get(Number(params.screen));
    if (method === "drawScreen") return { lines: open ? draw(open, params) : [] };
    if (method === "screenInput") open?.screen.handleInput(String(params.data), params.actions as string[] | undefined);
    else if (method === "setEditorText") setText(open?.editor, params);
    else open?.screen.close();
    return null;
  }

  #show(screen: HookScreen, how: object, editor?: HookEditor): number {
    const number = ++this.#last;
    const open: Open = { screen, editor, terminal: undefined };
    this.#open.set(number, open);
    this.#connection.notify("screen/open", { screen: number, hook: screen.hook, ...how });
    screen.onChange(() => {
      if (!open.terminal || !this.#open.has(number)) return;
      const { hidden } = screen;
      const written = editor ? { text: editor.text } : {};
      const lines = screen.render(open.terminal);
      this.#connection.notify("screen/lines", { screen: number, hidden, lines, ...written });
    });
    void screen.ended.then(() => {
      this.#open.delete(number);
      this.#connection.notify("screen/ended", { screen: number });
    });
    return number;
  }
}

/** `sent`: the text that was sent before, for the editor's history. */
function setText(editor: HookEditor | undefined, { text, sent }: { text?: unknown; sent?: unknown }): void {
  if (typeof sent === "string") editor?.addToHistory(sent);
  editor?.setText(String(text));
}

/** Lines as they were drawn last for this terminal. Later ones follow in `screen/lines`. */
function draw(open: Open, { width, rows, footer, bindings }: { width?: number } & Partial<Terminal>): string[] {
  const more = { ...(rows ? { rows } : {}), ...(footer ? { footer } : {}), ...(bindings ? { bindings } : {}) };
  open.terminal = { width: Number(width), ...more };
  return open.screen.render(open.terminal);
}
