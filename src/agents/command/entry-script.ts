import { PERMISSION, plainBlock } from "./json-block.ts";

/** What the entry script names, each by its absolute real path. */
export interface EntryPaths {
  home: string;
  node: string;
  /** The shim's file. */
  shim: string;
  /** Cordon's start file, which runs the daemon. */
  start: string;
}

/** Variables by which a program is made to run other code, or to end otherwise: Node's, and the loader's. */
const DANGEROUS =
  "NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_REPL_EXTERNAL_MODULE NODE_V8_COVERAGE NODE_DEBUG NODE_DEBUG_NATIVE " +
  "NODE_CHANNEL_FD NODE_UNIQUE_ID NODE_COMPILE_CACHE NODE_PENDING_DEPRECATION NODE_REDIRECT_WARNINGS NODE_ICU_DATA " +
  "NODE_PRESERVE_SYMLINKS NODE_PRESERVE_SYMLINKS_MAIN NODE_NO_WARNINGS NODE_SKIP_PLATFORM_CHECK NODE_USE_ENV_PROXY " +
  "NODE_USE_SYSTEM_CA NODE_TEST_CONTEXT LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH " +
  "OPENSSL_CONF SSL_CERT_FILE BASH_ENV ENV";

export const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * The script that every entry in an agent's settings runs: `hook AGENT gate|note EVENT MS`. It runs the shim, and turns every
 * ending of it but 0 and 2 into the agent's block. Node's own options in the environment could end it otherwise, so they are
 * taken out.
 */
export function entryScript({ home, node, shim, start }: EntryPaths): string {
  const failed = "Cordon's hook command failed; run: cordon doctor";
  const others: [pattern: string, agent: string, event: string][] = [
    ['"cline "*', "cline", ""],
    ['"antigravity "*', "antigravity", ""],
    [`*" ${PERMISSION}"`, "", PERMISSION],
  ];
  const json = others.map(
    ([pattern, agent, event]) =>
      `${pattern}) printf '%s\\n' ${shellQuoted(plainBlock(agent, event, failed).text)}; exit 0 ;;`,
  );
  return `#!/bin/sh
# Made by cordon install: asks Cordon's daemon about one event of an agent. Usage: hook AGENT gate|note EVENT MS
unset ${DANGEROUS}
out=$(${[node, shim, home, start].map(shellQuoted).join(" ")} "$1" "$2" "$3" "$PPID" "$4")
code=$?
case $code in
  0|2) [ -z "$out" ] || printf '%s\\n' "$out"; exit $code ;;
esac
[ "$2" = note ] && exit 0
case "$1 $3" in
  ${json.join("\n  ")}
esac
echo ${shellQuoted(failed)} >&2
exit 2
`;
}

/**
 * The command of an entry. It is the same for every version of Cordon, since agents ask their person again about one that has
 * changed. Without the script, it blocks.
 */
export function entryCommand(
  script: string,
  agent: string,
  kind: "gate" | "note",
  event: string,
  waitMs: number,
): string {
  const run = [shellQuoted(script), agent, kind, event, waitMs].join(" ");
  const gone = "Cordon is not where it was installed; run: cordon doctor";
  if (kind === "note") return `${run} || true`;
  const { exit, text } = plainBlock(agent, event, gone);
  const block = exit === 0 ? `printf '%s' ${shellQuoted(text)}` : `{ echo ${shellQuoted(gone)} >&2; exit 2; }`;
  return `${run} || case $? in 2) exit 2;; *) ${block};; esac`;
}
