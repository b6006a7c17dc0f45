/**
 * A repository can name programs in its own configuration, and git runs them at the plainest commands. These settings
 * stand above it and name none.
 */
export const SETTINGS: readonly [key: string, value: string][] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.pager", "cat"],
  ["core.editor", "false"],
  ["sequence.editor", "false"],
  ["core.askPass", ""],
  ["core.sshCommand", "false"],
  ["core.gitProxy", ""],
  ["core.alternateRefsCommand", "false"],
  ["credential.helper", ""],
  ["gpg.program", "false"],
  ["gpg.x509.program", "false"],
  ["gpg.ssh.program", "false"],
  ["gpg.ssh.defaultKeyCommand", "false"],
  ["log.showSignature", "false"],
  ["commit.gpgSign", "false"],
  // Its text would be in the message, whatever file it is.
  ["commit.template", "/dev/null"],
  ["tag.gpgSign", "false"],
  ["interactive.diffFilter", "cat"],
  // With threads, it reads from an index where its entries are, and not one after the other.
  ["index.threads", "false"],
  ["submodule.recurse", "false"],
  ["status.submoduleSummary", "false"],
  ["diff.submodule", "short"],
  ["diff.ignoreSubmodules", "all"],
  ["fetch.recurseSubmodules", "false"],
  // Else it goes on in the background when the command has ended.
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
];

const TOOL = { cmd: "false", path: "false" };

/** What a repository can say under a name of its own choosing, and what is said instead for each such name. */
export const NAMED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  filter: { clean: "", smudge: "", process: "", required: "false" },
  diff: { command: "", textconv: "" },
  merge: { driver: "false" },
  remote: { uploadpack: "false", receivepack: "false", vcs: "", proxy: "", promisor: "false" },
  trailer: { command: "", cmd: "" },
  // If it were not ignored, git would start another git in there, which none of this reaches.
  submodule: { update: "none", ignore: "all" },
  guitool: { cmd: "false" },
  difftool: TOOL,
  mergetool: TOOL,
  browser: TOOL,
  man: TOOL,
  tar: { command: "false" },
  credential: { helper: "" },
  hook: { command: "false", enabled: "false" },
};
