import { readIfThere } from "../../disk/atomic-file.ts";
import { settingsIn } from "./json-edits.ts";
import { isRecord, memberOf } from "./member-at.ts";
import type { Setup, ThirdParty, UserPlaces } from "./setup.ts";

/** Shown of an agent's settings. More are counted. */
const MAX_LISTED = 200;

const COMMAND = "a command, which runs with all your rights: Cordon contains modules";

/**
 * What an agent runs of others. Reads files, and runs nothing. Throws `BAD_GRANT` for settings that are no JSON: what they run is
 * not known.
 */
export function thirdPartyOf(setup: Setup, places: UserPlaces, own: string): ThirdParty[] {
  const found = setup.thirdParty?.(places) ?? commandsOf(setup, places, own);
  return found.slice(0, MAX_LISTED);
}

/** The commands of others in the lists that Cordon's own entries lie in, and all beside them. */
function commandsOf(setup: Setup, places: UserPlaces, own: string): ThirdParty[] {
  const changes = setup.user(places, () => "", "");
  return changes.flatMap((change) => {
    if (change.kind !== "entries") return [];
    const { file } = change;
    const settings = settingsIn(readIfThere(file) ?? "", file);
    const tops = new Set(change.entries.map(({ path }) => path[0] ?? ""));
    const commands = [...tops].flatMap((top) => commandsIn(memberOf(settings, top)));
    const enabled = memberOf(settings, "enabledPlugins");
    const plugins = Object.entries(isRecord(enabled) ? enabled : {}).flatMap(([name, on]) =>
      on === true ? [name] : [],
    );
    return [
      ...commands
        .filter((command) => !command.includes(own))
        .map((name): ThirdParty => ({ name, where: file, why: COMMAND })),
      ...plugins.map(
        (name): ThirdParty => ({ name: `plugin ${name}`, where: file, why: "a plugin: its hooks are commands" }),
      ),
    ];
  });
}

/** Deeper than any agent's settings. */
const MAX_DEPTH = 8;

function commandsIn(value: unknown, depth = 0): string[] {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    name === "command" && typeof one === "string" ? [one] : commandsIn(one, depth + 1),
  );
}
