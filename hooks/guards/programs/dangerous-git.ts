import type { Rule } from "./program.ts";

/** Options before git's command that have the next argument as their value. */
const GLOBAL_VALUED =
  /^(-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--super-prefix|--config-env|--attr-source)$/;
/**
 * Options of the commands below that have the next argument as their value. A commit message may look like any option.
 */
const VALUED =
  /^(-\w*[mFCcto]|--(message|file|reuse-message|reedit-message|fixup|squash|template|author|date|trailer|cleanup|push-option|repo|receive-pack|exec|strategy|strategy-option|onto|into-name|pathspec-from-file))$/;
/** The commands that run hooks. -n means --no-verify only for `commit`. */
const HOOKED = /^(commit|push|merge|rebase|am|pull|cherry-pick|revert)$/;
const NO_HOOKS = /^core\.hookspath(=|$)/i;

/** Finds git commands that skip the hooks of a project. */
export const skipsHooks: Rule<"danger"> = ({ args, environment }) => {
  let at = 0;
  let configured = false;
  for (; at < args.length && (args[at] ?? "").startsWith("-"); at++) {
    const arg = args[at] ?? "";
    const value = arg.startsWith("--config-env=") ? arg.slice(13) : (args[at + 1] ?? "");
    if ((arg === "-c" || arg.startsWith("--config-env")) && NO_HOOKS.test(value)) configured = true;
    if (/^-c./.test(arg) && NO_HOOKS.test(arg.slice(2))) configured = true;
    if (GLOBAL_VALUED.test(arg)) at++;
  }
  const action = args[at] ?? "";
  const rest = args.slice(at + 1);
  if (action === "config") return switchesOff(rest) ? "git hooks switched off" : undefined;
  if (!HOOKED.test(action)) return undefined;
  if (configured || environment.some((it) => /^GIT_CONFIG.*=.*core\.hookspath/is.test(it)))
    return `git ${action} without its hooks (core.hooksPath)`;
  if (environment.some((it) => /^(HUSKY=0|HUSKY_SKIP_HOOKS=.)/.test(it)))
    return `git ${action} without its hooks (HUSKY)`;
  return hasNoVerify(action, rest) ? `git ${action} without its hooks (--no-verify)` : undefined;
};

function hasNoVerify(action: string, args: readonly string[]): boolean {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") return false;
    // git accepts a prefix of a long name, if it is unique.
    if (/^--no-veri(fy?)?$/.test(arg)) return true;
    // The letters after an option with a value are its value.
    if (action === "commit" && /^-[aeiopqsvz]*n/.test(arg)) return true;
    if (VALUED.test(arg)) at++;
  }
  return false;
}

/** `git config core.hooksPath /dev/null`. Any other folder is allowed: projects share their hooks that way. */
function switchesOff(args: readonly string[]): boolean {
  const at = args.findIndex((arg) => NO_HOOKS.test(arg));
  return at >= 0 && at + 1 < args.length && /^(\/dev\/null|)$/.test(args[at + 1] ?? "");
}
