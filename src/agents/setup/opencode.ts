import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { builtForHost } from "../../base/package-root.ts";
import { inHome } from "../../disk/home.ts";
import { opencodePlugins } from "./plugin-third-party.ts";
import type { Setup } from "./setup.ts";

const binFolder = (home: string): string => inHome(home, "bin");
const loaded = (home: string): string => join(binFolder(home), "opencode.mjs");

/** A plugin, which asks the daemon from opencode's own process. */
export const opencode: Setup = {
  name: "opencode",
  title: "opencode",
  program: "opencode",
  folder: ({ user, env }) => join(env.XDG_CONFIG_HOME ?? join(user, ".config"), "opencode"),
  plugin: {
    folder: binFolder,
    loaded,
    files: (home, node, start) => ({
      [loaded(home)]: readFileSync(builtForHost("opencode.mjs"), "utf8"),
      [join(binFolder(home), "paths.json")]: `${JSON.stringify({ home, node, start }, null, 2)}\n`,
    }),
    isOpenWithout: false,
    probe: (places) => ["--input-type=module", "-e", PROBE, pathToFileURL(pluginFile(places)).href],
  },
  user: (places, _command, home) => [
    { kind: "file", file: pluginFile(places), content: pluginText(loaded(home)), mode: 0o600 },
  ],
  thirdParty: (places) => opencodePlugins(opencode.folder(places), pluginFile(places)),
  left: ["opencode --pure starts without plugins: no call is judged there"],
};

const pluginFile: Setup["folder"] = (places) => join(opencode.folder(places), "plugins", "cordon.js");

/**
 * It is the same for every version of Cordon, and has nothing in it that could keep it from loading: opencode goes on without a
 * plugin that does not load.
 */
const pluginText = (
  module: string,
): string => `// Made by cordon install: asks Cordon's daemon about each call of a tool. Where Cordon is gone, no call runs.
const CORDON = ${JSON.stringify(pathToFileURL(module).href)};

export const Cordon = async ({ directory }) => {
  let hooks;
  const gate = (name) => async (...given) => {
    try {
      hooks ??= (await import(CORDON)).hooksFor(directory);
    } catch (error) {
      throw new Error(\`Cordon is not where it was installed (\${error.message}); run: cordon doctor\`);
    }
    await hooks[name](...given);
  };
  const note = (name) => (...given) => gate(name)(...given).catch(() => {});
  return {
    "tool.execute.before": gate("tool.execute.before"),
    "tool.execute.after": gate("tool.execute.after"),
    "chat.message": note("chat.message"),
    event: note("event"),
    dispose: note("dispose"),
  };
};
`;

/** Puts a call to a plugin that nobody can judge, as opencode would. */
const PROBE = `
const { Cordon } = await import(process.argv[1]);
const hooks = await Cordon({ directory: "/" });
try {
  await hooks["tool.execute.before"]({ tool: "", sessionID: "probe", callID: "probe" }, { args: {} });
} catch (error) {
  console.error(error.message);
  process.exitCode = 2;
}
`;
