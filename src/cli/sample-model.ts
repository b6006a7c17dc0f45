import { join } from "node:path";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { readIfThere } from "../disk/atomic-file.ts";
import { defaultAgentDir } from "../host/discover.ts";

const SAMPLE = { provider: "anthropic", id: "sample" };

/** The model that pi begins with for the person here: what a hook does with the session's model is then seen of theirs. */
export function personsModel(): { provider: string; id: string } {
  try {
    const { defaultProvider, defaultModel } = readJson(readIfThere(join(defaultAgentDir(), "settings.json")) ?? "{}");
    if (typeof defaultProvider === "string" && typeof defaultModel === "string")
      return { provider: defaultProvider, id: defaultModel };
  } catch {
    // pi itself goes on without settings that are no JSON.
  }
  return SAMPLE;
}
