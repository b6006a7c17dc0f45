import type { Dispatch } from "../../core/dispatch.ts";
import type { GuestEnvironment } from "../../core/environment.ts";
import { forHook, ignoreRejection, own } from "../../core/primordials.ts";
import { factoryOf, keybindings, overlayIn } from "./components.ts";
import { EditorSide } from "./editor-side.ts";
import { type Screen, screensOf } from "./screens.ts";
import { agentsProvider } from "./suggestions.ts";
import { themeOf } from "./theme.ts";

interface Shown {
  readonly screen: Screen;
  readonly factory: unknown;
}

const shown = new WeakMap<GuestEnvironment, Shown>();

/** `ctx.ui.setEditorComponent`: shows an editor in the place of the agent's, or gives the agent's back. */
export function setEditor(dispatch: Dispatch, given: unknown): void {
  const { environment } = dispatch;
  shown.get(environment)?.screen.end();
  shown.delete(environment);
  if (given === undefined) return;
  const factory = factoryOf(given, "ctx.ui.setEditorComponent");
  const make = (screen: Screen): unknown => factory(screen.tui, editorTheme(themeOf(dispatch)), keybindings(screen));
  const overlay = overlayIn(dispatch);
  const provider = agentsProvider(environment, () => ({ editor: screen.number, dispatch: 0 }));
  const screen = screensOf(environment).open({ make, hasFocus: true, overlay, editor: new EditorSide(provider) });
  shown.set(environment, { screen, factory: given });
  ignoreRejection(environment.remote.call("ui.edit", dispatch.id, [screen.number]));
}

/** `ctx.ui.getEditorComponent`: the function that makes the editor which this bundle shows. */
export const editorFactory = (environment: GuestEnvironment): unknown => shown.get(environment)?.factory;

/** pi's colours of an editor and its list. */
const COLOURS = {
  description: "muted",
  scrollInfo: "muted",
  noMatch: "muted",
  selectedPrefix: "accent",
  selectedText: "accent",
};

function editorTheme(theme: object): object {
  const fg = own(theme, "fg") as (colour: string, text: string) => string;
  const inColour = (colour: string) => (text: unknown) => fg(colour, String(text));
  const selectList = Object.fromEntries(Object.entries(COLOURS).map(([name, colour]) => [name, inColour(colour)]));
  return forHook({ borderColor: inColour("borderMuted"), selectList: forHook(selectList) });
}
