import { getKeybindings, TUI_KEYBINDINGS } from "@earendil-works/pi-tui/dist/keybindings.js";

/** The names that actions had before pi-tui 0.58: `selectUp` for `tui.select.up`, and the last word of the others. */
const ACTIONS = new Map(
  Object.keys(TUI_KEYBINDINGS).map((id): [string, string] => {
    const [, group, action = ""] = id.split(".");
    return [group === "select" ? `select${action[0]?.toUpperCase()}${action.slice(1)}` : action, id];
  }),
);

interface Keybindings {
  matches(data: string, action: string): boolean;
  getKeys(action: string): string[];
}

/** The keys of editors and lists, by the old names of the actions, or the new. */
export function getEditorKeybindings(): Keybindings {
  const now: Keybindings = getKeybindings();
  const named = (action: string): string => ACTIONS.get(action) ?? action;
  return {
    matches: (data, action) => now.matches(data, named(action)),
    getKeys: (action) => now.getKeys(named(action)),
  };
}
