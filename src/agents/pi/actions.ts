import type { PiKeybindings } from "./pi-api.ts";

/** The names of pi's actions that the person bound to this key. */
export const actionsOf = (keybindings: PiKeybindings, data: string): string[] =>
  Object.keys(keybindings.getResolvedBindings()).filter((name) => keybindings.matches(data, name));
