/** The file in which a plugin of OpenClaw says what it is. OpenClaw wants one of each. */
export const PLUGIN_FILE = "openclaw.plugin.json";

/** Keywords of packages whose main file is a hook. */
export const HOOK_KEYWORDS: readonly unknown[] = ["cordon-hook", "pi-package"];

/** What a `package.json` may say of hooks, whatever it is. */
interface Says {
  cordon?: unknown;
  pi?: unknown;
  openclaw?: unknown;
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
 * Whether a package is OpenClaw's and nothing else: a function that it exports looks like a hook of pi's.
 *
 * @param hasPluginFile it has a {@link PLUGIN_FILE}
 */
export const isOfOpenClaw = ({ cordon, pi, openclaw }: Says, hasPluginFile: boolean): boolean =>
  (openclaw !== undefined || hasPluginFile) && (cordon ?? pi) === undefined;

const listsOf = (key: unknown): Record<string, unknown> => Object(key);

const textsIn = (list: unknown): string[] => (Array.isArray(list) ? list.filter((one) => typeof one === "string") : []);
