import { host } from "../../node/host.ts";

/** Returns the agent's model of this name; if the agent has no such model, the reason in `error`. */
export function findModel(provider: string, id: string): { model: unknown; error: string | null } {
  try {
    return { model: host.sync("model.find", [String(provider), String(id)]), error: null };
  } catch (error) {
    return { model: null, error: (error as Error).message };
  }
}
