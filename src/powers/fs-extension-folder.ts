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
 * One that `mkdtemp` makes beside a project's sessions, of which pi reads the files there alone: words that say whose it is, and six
 * characters of chance.
 */
const MADE =
  /^(?<before>(?:[^*?[\]]*\/)?)\.pi\/agent\/sessions\/[^*?[\]/]+\/(?<made>(?=[\w-]*[a-z]{3})[\w-]+[._-]\?{6})\//i;

/**
 * The folder of an extension's own that a pattern names, below the agent's: `.pi/goals/` in `.pi/goals/**`. Who grants that
 * names the folder exactly, and what is in it is nothing that the agent loads. `before`: what leads to `.pi`.
 */
export function extensionFolder(pattern: string): { folder: string; before: string } | undefined {
  const made = MADE.exec(pattern);
  if (made) return { folder: made[0], before: made.groups?.before ?? "" };
  const found = FOLDER.exec(pattern);
  const { before = "", name = "" } = found?.groups ?? {};
  if (!found || OF_THE_AGENT.has(name.toLowerCase().replace(/\..*$/, ""))) return undefined;
  return { folder: found[0], before };
}

/** A character of chance. No ending has six of them, so that no file that pi reads is taken for a folder that was made. */
const OF_CHANCE = /[a-z0-9]/i;

/** Whether a path lies in such a folder, or is one that was made. */
export function isInFolder(path: string, folder: string): boolean {
  const whole = folder.includes("?") ? `${path}/` : path;
  return (
    whole.length >= folder.length &&
    folder.split("").every((char, at) => (char === "?" ? OF_CHANCE.test(whole[at] as string) : char === whole[at]))
  );
}
