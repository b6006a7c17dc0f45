import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { builtForHost } from "../../base/package-root.ts";
import { inHome } from "../../disk/home.ts";
import { openclawPlugins } from "./plugin-third-party.ts";
import type { Plugin, Setup, UserPlaces } from "./setup.ts";

const ID = "openclaw-cordon";

/** A path of OpenClaw's variables may begin with `~`. */
const given = (path: string | undefined, user: string): string | undefined => path?.replace(/^~(?=\/|$)/, user);

const settingsPath = ({ user, env }: UserPlaces): string =>
  given(env.OPENCLAW_CONFIG_PATH, user) ?? join(openclaw.folder({ user, env }), "openclaw.json");

const FILES = ["package.json", "openclaw.plugin.json", join("dist", "index.js")];

/** Loads the plugin as OpenClaw does, and has its policy judge a call without a name. */
const PROBE = `
  const { default: plugin } = await import(process.argv[1]);
  const registerTrustedToolPolicy = async (policy) =>
    console.log(JSON.stringify(await policy.evaluate({ toolName: "", params: {} }, {})) ?? "");
  plugin.register({ registerTrustedToolPolicy, registerAgentToolResultMiddleware() {}, on() {} });
`;

const plugin: Plugin = {
  folder: (home) => inHome(home, ID),
  loaded: (home) => join(plugin.folder(home), "dist", "index.js"),
  files(home, node, start) {
    const at = (name: string): string => join(plugin.folder(home), name);
    const copies = FILES.map((name) => [at(name), readFileSync(builtForHost(ID, name), "utf8")]);
    const places = `${JSON.stringify({ home, node, start }, null, 2)}\n`;
    return { ...Object.fromEntries(copies), [at("cordon.json")]: places };
  },
  isOpenWithout: true,
  probe: (_places, home) => ["--input-type=module", "-e", PROBE, pathToFileURL(plugin.loaded(home)).href],
};

/**
 * OpenClaw from 2026.9.6 on. Its plugin is loaded from Cordon's home: a path in `plugins.load.paths` goes before every other plugin
 * of that name, such as one in a folder where agents work.
 */
export const openclaw: Setup = {
  name: "openclaw",
  title: "OpenClaw",
  program: "openclaw",
  since: { version: "2026.9.6", lacks: "policies of plugins as they are now" },
  plugin,
  folder: ({ user, env }) =>
    given(env.OPENCLAW_STATE_DIR, user) ?? join(given(env.OPENCLAW_HOME, user) ?? user, ".openclaw"),
  user: (places, _command, home) => [
    {
      kind: "entries",
      file: settingsPath(places),
      entries: [
        { path: ["plugins", "load", "paths"], value: plugin.folder(home) },
        { path: ["plugins", "entries", ID, "enabled"], value: true, isValue: true },
        // Prompts and the end of a turn, which hooks hear of.
        { path: ["plugins", "entries", ID, "hooks", "allowConversationAccess"], value: true, isValue: true },
        // A list of the plugins that may load. Without one, all may.
        { path: ["plugins", "allow"], value: ID, onlyBeside: true },
      ],
    },
  ],
  thirdParty: (places) => openclawPlugins(settingsPath(places), ID),
  fault(settings) {
    const { enabled, deny } = (settings.plugins ?? {}) as { enabled?: unknown; deny?: unknown };
    if (enabled === false) return '"plugins.enabled" is false, so no plugin is loaded';
    return Array.isArray(deny) && deny.includes(ID) ? `"plugins.deny" has ${ID}` : undefined;
  },
  left: ["restart OpenClaw's gateway if it runs: openclaw gateway restart"],
};
