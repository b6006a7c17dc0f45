import type { GuestInit } from "../../../wire/messages.ts";
import { forHook, realm } from "../../core/primordials.ts";
import { notOffered, offeredPart } from "../../dialects/offered-part.ts";
import type { Tool } from "./events.ts";

type AddHook = (event: unknown, callback: unknown, options?: { order?: unknown }) => () => void;

/**
 * The agent as a plugin sees it: a plugin can add hooks and name tools. All other properties exist only in the agent's
 * own process.
 */
export function strandsAgent({ hook }: GuestInit, addHook: AddHook): object {
  const state = new Map<string, unknown>();
  const agent = forHook({
    id: hook,
    sessionId: hook,
    appState: ofHook({
      get: (key: string) => state.get(key),
      set: (key: string, value: unknown) => void state.set(key, value),
      delete: (key: string) => void state.delete(key),
      clear: () => state.clear(),
      getAll: () => forHook(Object.fromEntries(state)),
      // A hook may have any keys: as JSON they would become others.
      keys: () => Object.setPrototypeOf([...state.keys()], realm.arrays),
    }),
    // Any name gives a tool: the agent checks that the tool exists when it runs it.
    toolRegistry: ofHook({ get: toolNamed, resolve: toolNamed }),
    addHook,
  });
  return offeredPart(agent, (part) => {
    throw notOffered(`agent.${part}`, "it is in the agent's own process");
  });
}

const ofHook = <Members extends object>(members: Members): Readonly<Members> => Object.freeze(forHook(members));

export const toolNamed = (name: unknown): Tool => ofHook({ name: String(name) });
