/** What pi itself reads in `.pi` and in `.pi/agent`, as code, as orders or as settings. */
const OF_THE_AGENT = new Set(
  (
    "agent agents auth bin commands cordon extensions git hooks instructions keybindings mcp models models-store modes node_modules " +
    "npm packages plugins presets prompts rules sessions settings skills system themes tools trust workflows"
  ).split(" "),
);

/** A name that every file system takes for itself alone. */
const FOLDER = /^(?<before>(?:[^*?[\]]*\/)?)\.pi\/(?:agent\/)?(?<name>[a-z0-9][\w-]*(?:\.[\w-]+)*)\//i;

/**
 * The folder of an extension's own that a pattern names, below the agent's: `.pi/goals/` in `.pi/goals/**`. Who grants that
 * names the folder exactly, and what is in it is nothing that the agent loads. `before`: what leads to `.pi`.
 */
export function extensionFolder(pattern: string): { folder: string; before: string } | undefined {
  const found = FOLDER.exec(pattern);
  const { before = "", name = "" } = found?.groups ?? {};
  if (!found || OF_THE_AGENT.has(name.toLowerCase().replace(/\..*$/, ""))) return undefined;
  return { folder: found[0], before };
}
