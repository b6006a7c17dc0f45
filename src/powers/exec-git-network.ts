/**
 * What git may do on the network, for an entry with `"gitNetwork": true`: the transports below, and nothing that a
 * repository's own configuration says about them. No credential helper runs: `ssh` takes the person's keys.
 */

/** Of git's transports, those that prove who answers. `ext::`, `file://`, `git://` and helpers stay refused. */
export const TRANSPORTS = "https:ssh";

/** The subcommands that an entry may name. Others start programs of submodules, or talk to other machines by the way. */
export const NETWORK_COMMANDS: ReadonlySet<string> = new Set(["clone", "fetch", "ls-remote", "pull", "push"]);

/** Stand above those of a git that stays on this machine. */
export const NETWORK_SETTINGS: readonly [key: string, value: string][] = [
  ["core.sshCommand", "ssh -oBatchMode=yes"],
  ["ssh.variant", "ssh"],
  ["push.recurseSubmodules", "no"],
  ["push.gpgSign", "false"],
];

/** Said of each remote. */
export const NETWORK_REMOTE = { promisor: "false" };

/**
 * Settings that lead a transport elsewhere, weaken it, make it write, or name what runs on the other machine: another place
 * for a URL, a proxy, no check of certificates, a file for cookies. Of some git takes the first value, so that none could
 * stand above them.
 */
const LEADS_ELSEWHERE =
  /^(http|url|bundle)\.|^remote\..*\.(vcs|proxy|proxyauthmethod|uploadpack|receivepack)$|^fetch\.bundleuri$/i;

/** The first such setting of the repository itself, if there is one. */
export const leadsElsewhere = (entries: readonly { scope: string; key: string }[]): string | undefined =>
  entries.find(({ scope, key }) => (scope === "local" || scope === "worktree") && LEADS_ELSEWHERE.test(key))?.key;

/** Told to a hook whose entry lacks the right. */
export const NO_NETWORK =
  'cordon: git reaches no other machine under this entry; "gitNetwork": true would allow https and ssh\n';
