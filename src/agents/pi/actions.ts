import type { PiKeybindings } from "./pi-ui.ts";

/** The names of pi's actions that the person bound to this key. */
export const actionsOf = (keybindings: PiKeybindings, data: string): string[] =>
  Object.keys(keybindings.getResolvedBindings()).filter((name) => keybindings.matches(data, name));
