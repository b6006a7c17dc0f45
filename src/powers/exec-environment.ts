import { delimiter, isAbsolute } from "node:path";
import { isTrustedPath } from "../runtime/find-program.ts";

const KEPT =
  "HOME USER LOGNAME LANG LC_ALL LC_CTYPE TZ TMPDIR TEMP TMP USERPROFILE SystemRoot APPDATA LOCALAPPDATA XDG_CONFIG_HOME".split(
    " ",
  );

/**
 * The whole environment of a granted program, without a prototype: a key planted on `Object.prototype` would reach it
 * otherwise. No secret of the agent's, no workspace folder on PATH.
 *
 * @param given the variables of the session
 */
export function childEnvironment(
  given: NodeJS.ProcessEnv,
  workspaces: readonly string[],
  added: Record<string, string> = {},
): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = Object.create(null);
  for (const name of KEPT) if (Object.hasOwn(given, name)) env[name] = given[name];
  env.PATH = (given.PATH ?? "")
    .split(delimiter)
    .filter((entry) => isAbsolute(entry) && isTrustedPath(entry, workspaces))
    .join(delimiter);
  env.TERM = "dumb";
  return Object.assign(env, added);
}
