import { join } from "node:path";
import { pluginFolder } from "./plugin-folder.ts";
import type { Setup, UserPlaces } from "./setup.ts";

const ID = "openclaw-cordon";

/** A path of OpenClaw's variables may begin with `~`. */
const given = (path: string | undefined, user: string): string | undefined => path?.replace(/^~(?=\/|$)/, user);

const settingsPath = ({ user, env }: UserPlaces): string =>
  given(env.OPENCLAW_CONFIG_PATH, user) ?? join(openclaw.folder({ user, env }), "openclaw.json");

/**
 * OpenClaw from 2026.9.6 on. Its plugin is loaded from Cordon's home: a path in `plugins.load.paths` goes before every other plugin
 * of that name, such as one in a folder where agents work.
 */
export const openclaw: Setup = {
  name: "openclaw",
  title: "OpenClaw",
  program: "openclaw",
  since: { version: "2026.9.6", lacks: "policies of plugins as they are now" },
  plugin: true,
  folder: ({ user, env }) =>
    given(env.OPENCLAW_STATE_DIR, user) ?? join(given(env.OPENCLAW_HOME, user) ?? user, ".openclaw"),
  user: (places, _command, home) => [
    {
      kind: "entries",
      file: settingsPath(places),
      entries: [
        { path: ["plugins", "load", "paths"], value: pluginFolder(home) },
        { path: ["plugins", "entries", ID, "enabled"], value: true, isValue: true },
        // Prompts and the end of a turn, which hooks hear of.
        { path: ["plugins", "entries", ID, "hooks", "allowConversationAccess"], value: true, isValue: true },
        // A list of the plugins that may load. Without one, all may.
        { path: ["plugins", "allow"], value: ID, onlyBeside: true },
      ],
    },
  ],
  fault(settings) {
    const { enabled, deny } = (settings.plugins ?? {}) as { enabled?: unknown; deny?: unknown };
    if (enabled === false) return '"plugins.enabled" is false, so no plugin is loaded';
    return Array.isArray(deny) && deny.includes(ID) ? `"plugins.deny" has ${ID}` : undefined;
  },
  left: ["restart OpenClaw's gateway if it runs: openclaw gateway restart"],
};
