import { host } from "../../node/host.ts";

/** Finds a model of the agent. `error` says why there is none. */
export function findModel(provider: string, id: string): { model: unknown; error: string | null } {
  try {
    return { model: host.sync("model.find", [String(provider), String(id)]), error: null };
  } catch (error) {
    return { model: null, error: (error as Error).message };
  }
}
