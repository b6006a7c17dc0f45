import type { GuestInit } from "../../../wire/messages.ts";
import { offeredPart } from "../../dialects/offered-part.ts";
import type { Tool } from "./events.ts";

type AddHook = (event: unknown, callback: unknown, options?: { order?: unknown }) => () => void;

/**
 * The agent as a plugin sees it: a plugin can add hooks and name tools. All other properties exist only in the agent's
 * own process.
 */
export function strandsAgent({ hook }: GuestInit, addHook: AddHook): object {
  const state = new Map<string, unknown>();
  const agent = {
    id: hook,
    sessionId: hook,
    appState: Object.freeze({
      get: (key: string) => state.get(key),
      set: (key: string, value: unknown) => void state.set(key, value),
      delete: (key: string) => void state.delete(key),
      clear: () => state.clear(),
      getAll: () => Object.fromEntries(state),
      keys: () => [...state.keys()],
    }),
    // Any name gives a tool: the agent checks that the tool exists when it runs it.
    toolRegistry: Object.freeze({ get: toolNamed, resolve: toolNamed }),
    addHook,
  };
  return offeredPart(agent, "agent", "it is in the agent's own process");
}

export const toolNamed = (name: unknown): Tool => Object.freeze({ name: String(name) });
