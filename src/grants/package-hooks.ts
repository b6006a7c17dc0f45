import { posix } from "node:path";

/** The file in which a plugin of OpenClaw says what it is. Every plugin has one. */
export const PLUGIN_FILE = "openclaw.plugin.json";

/** Keywords of packages whose main file is a hook. */
export const HOOK_KEYWORDS: readonly unknown[] = ["cordon-hook", "pi-package"];

/** What a `package.json` may say of hooks, whatever it is. */
interface Says {
  cordon?: unknown;
  pi?: unknown;
  openclaw?: unknown;
  keywords?: unknown;
}

/**
 * The paths that a package names as its hooks: its `cordon` key does, else pi's, else OpenClaw's: the built plugins, where it has
 * them beside their sources.
 */
export function hooksNamed({ cordon, pi, openclaw }: Says): string[] {
  const own = listsOf(cordon).hooks;
  if (own) return textsIn(own);
  const { hooks, extensions } = listsOf(pi);
  const ofPi = [...textsIn(hooks), ...textsIn(extensions)];
  if (ofPi.length > 0) return [...new Set(ofPi)];
  const plugins = listsOf(openclaw);
  return textsIn(plugins.runtimeExtensions ?? plugins.extensions);
}

/**
 * Whether a file is a plugin of OpenClaw's: its package is OpenClaw's and nothing else, and names the file, or names none. A
 * function that it exports looks like a hook of pi's. Hooks in hidden folders are those of whoever works there.
 *
 * @param hasPluginFile the package has a {@link PLUGIN_FILE}
 * @param file relative to the package, with `/`
 */
export function isPlugin({ cordon, pi, openclaw, keywords }: Says, hasPluginFile: boolean, file: string): boolean {
  if ((openclaw === undefined && !hasPluginFile) || (cordon ?? pi) !== undefined || isMarked(keywords)) return false;
  if (file.split("/").some((part) => part.startsWith("."))) return false;
  const { runtimeExtensions, extensions } = listsOf(openclaw);
  const named = [...textsIn(runtimeExtensions), ...textsIn(extensions)].map((path) => posix.join(path, "."));
  return named.length === 0 || named.some((path) => file === path || file.startsWith(`${path}/`) || path === ".");
}

/** A package that names no hooks, and has one as its main file. */
export const isMarked = (keywords: unknown): boolean =>
  Array.isArray(keywords) && keywords.some((word) => HOOK_KEYWORDS.includes(word));

const listsOf = (key: unknown): Record<string, unknown> => Object(key);

const textsIn = (list: unknown): string[] => (Array.isArray(list) ? list.filter((one) => typeof one === "string") : []);
