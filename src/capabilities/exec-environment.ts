import { delimiter, isAbsolute } from "node:path";
import { isTrustedPlace } from "../runtime/find-program.ts";

const KEPT = [
  "HOME",
  "USER",
  "LOGNAME",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "TZ",
  "TMPDIR",
  "TEMP",
  "TMP",
  "USERPROFILE",
  "SystemRoot",
  "APPDATA",
  "LOCALAPPDATA",
  "XDG_CONFIG_HOME",
];

/** Settings that keep a repository's own configuration from running programs at a plain git command. */
const GIT_SETTINGS: Record<string, string> = {
  "core.fsmonitor": "false",
  "core.hooksPath": "/dev/null",
  "core.pager": "cat",
  "core.askPass": "",
  "core.sshCommand": "false",
  "diff.external": "",
  "commit.gpgSign": "false",
  "tag.gpgSign": "false",
  "protocol.allow": "never",
  "submodule.recurse": "false",
};

/**
 * The whole environment of a granted program, without a prototype: a key planted on `Object.prototype` would reach it
 * otherwise. No secret of the agent's, no workspace folder on PATH.
 */
export function childEnvironment(workspaces: readonly string[], added: Record<string, string> = {}): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = Object.create(null);
  for (const name of KEPT) if (process.env[name] !== undefined) env[name] = process.env[name];
  env.PATH = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((entry) => isAbsolute(entry) && isTrustedPlace(entry, workspaces))
    .join(delimiter);
  env.TERM = "dumb";
  env.GIT_TERMINAL_PROMPT = "0";
  env.GIT_OPTIONAL_LOCKS = "0";
  const settings = Object.entries(GIT_SETTINGS);
  env.GIT_CONFIG_COUNT = String(settings.length);
  for (const [index, [key, value]] of settings.entries()) {
    env[`GIT_CONFIG_KEY_${index}`] = key;
    env[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return Object.assign(env, added);
}
