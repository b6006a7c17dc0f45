import type { PiKeybindings } from "./pi-ui.ts";

/** The keys of each of pi's actions. */
export const bindingsOf = (keybindings: PiKeybindings): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(keybindings.getResolvedBindings()).map(([action, keys]) => [action, [keys].flat().map(String)]),
  );

/** The names of pi's actions that the person bound to this key. */
export const actionsOf = (keybindings: PiKeybindings, data: string): string[] =>
  Object.keys(keybindings.getResolvedBindings()).filter((name) => keybindings.matches(data, name));
