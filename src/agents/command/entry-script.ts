import { shellQuoted } from "../../base/shell-word.ts";
import { runFolder, socketPath } from "../../disk/daemon-places.ts";
import { BLOCKED_BY_JSON, PERMISSION, plainBlock } from "./json-block.ts";
import { asking, type QuickTools } from "./quick-tools.ts";

/** What the entry script names, each by its absolute real path. */
export interface EntryPaths {
  home: string;
  node: string;
  /** The shim's file. */
  shim: string;
  /** Cordon's start file, which runs the daemon. */
  start: string;
  /** By which the daemon is asked without a start of Node. */
  quick?: QuickTools | undefined;
}

/** Variables by which a program is made to run other code, or to end otherwise: Node's, Perl's, and the loader's. */
const DANGEROUS =
  "NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_REPL_EXTERNAL_MODULE NODE_V8_COVERAGE NODE_DEBUG NODE_DEBUG_NATIVE " +
  "NODE_CHANNEL_FD NODE_UNIQUE_ID NODE_COMPILE_CACHE NODE_PENDING_DEPRECATION NODE_REDIRECT_WARNINGS NODE_ICU_DATA " +
  "NODE_PRESERVE_SYMLINKS NODE_PRESERVE_SYMLINKS_MAIN NODE_NO_WARNINGS NODE_SKIP_PLATFORM_CHECK NODE_USE_ENV_PROXY " +
  "NODE_USE_SYSTEM_CA NODE_TEST_CONTEXT LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH LD_DEBUG LD_TRACE_LOADED_OBJECTS DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH " +
  "OPENSSL_CONF SSL_CERT_FILE BASH_ENV ENV PERL5OPT PERL5LIB PERLLIB PERL5DB PERL5DB_THREADED PERL5SHELL PERLIO PERLIO_DEBUG " +
  "PERL_DEBUG_MSTATS PERL_DESTRUCT_LEVEL PERL_DL_NONLAZY PERL_ENCODING PERL_HASH_SEED PERL_HASH_SEED_DEBUG PERL_MEM_LOG " +
  "PERL_PERTURB_KEYS PERL_SIGNALS PERL_UNICODE PERL_USE_UNSAFE_INC";

/** Commands of the shell that the script uses, and that a function in bash's environment would replace. */
const USED = ["[", "cd", "echo", "printf"];

/**
 * The script that every entry in an agent's settings runs: `hook AGENT gate|note EVENT MS`. Where curl or Perl is there, it asks
 * the daemon by that, which takes a third of the time that Node takes to start; the shim does what is left: it starts a daemon,
 * sends the variables of a session, and says what is wrong. Every ending but 0 and 2 becomes the agent's block. Node's own options in
 * the environment could end it otherwise, so they are taken out.
 */
export function entryScript({ home, node, shim, start, quick }: EntryPaths): string {
  return `#!/bin/sh
# Made by cordon install: asks Cordon's daemon about one event of an agent. Usage: hook AGENT gate|note EVENT MS
unset ${DANGEROUS}
unset -f ${USED.map(shellQuoted).join(" ")}
refuse() {
  [ "$2" = note ] && exit 0
  case "$1 $3" in
    ${jsonBlocks()}
  esac
  echo "$failed" >&2
  exit 2
}
failed=${shellQuoted("Cordon's hook command failed; run: cordon doctor")}
shim() { ${[node, shim, home, start].map(shellQuoted).join(" ")} "$1" "$2" "$3" "$PPID" "$4"; }
${quick ? quickly(runFolder(home), socketPath(home), quick) : 'out=$(shim "$@")\n'}code=$?
case $code in
  0|2) [ -z "$out" ] || printf '%s\\n' "$out"; exit $code ;;
esac
refuse "$@"
`;
}

/** The blocks of agents that read nothing but a command's output. */
function jsonBlocks(): string {
  const others: [pattern: string, agent: string, event: string][] = [
    ...BLOCKED_BY_JSON.map((agent): [string, string, string] => [`"${agent} "*`, agent, ""]),
    [`*" ${PERMISSION}"`, "", PERMISSION],
  ];
  const block = (agent: string, event: string): string => {
    // The reason stands in the script once.
    const [before, after] = plainBlock(agent, event, "\0").text.split("\\u0000");
    return `printf '%s' ${shellQuoted(before ?? "")}; printf '%s' "$failed"; printf '%s\\n' ${shellQuoted(after ?? "")}; exit 0`;
  };
  return others.map(([pattern, agent, event]) => `${pattern}) ${block(agent, event)} ;;`).join("\n    ");
}

/**
 * Asks without Node, if the socket is the person's own in a folder of theirs alone, and the folder's name is one that a header can
 * have. Endings by which the daemon may have had the event are failures; after all others the shim is asked.
 */
const quickly = (folder: string, socket: string, { asker, cat, ls }: QuickTools): string => `run=${shellQuoted(folder)}
sock=${shellQuoted(socket)}
nl='
'
event=$(${cat}; echo .)
event=\${event%.}
own() { [ -O "$1" ] && [ ! -L "$1" ]; }
cd -P . >/dev/null 2>&1
asked=7
case $PWD in
  *[!A-Za-z0-9/._-]*) ;;
  *) if [ -d "$run" ] && own "$run" && [ -S "$sock" ] && own "$sock" && [ "$4" -ge 3000 ]; then
    case $(${ls} -ld "$run" 2>/dev/null) in
      drwx------*) answer=$(printf '%s' "$event" | ${asking(asker)} 2>/dev/null)
      asked=$? ;;
    esac
  fi ;;
esac
case $asked in
  0) case $answer in
      *"$nl.") answer=\${answer%"$nl."} ;;
      *) answer= ;;
    esac
    code=\${answer%%"$nl"*}
    out=\${answer#"$code"}
    out=\${out#"$nl"}
    note=\${code#[02] }
    case $code in
      0|"0 "*) [ "$note" = "$code" ] || printf '%s\\n' "$note" >&2; [ -z "$out" ] || printf '%s\\n' "$out"; exit 0 ;;
      2|"2 "*) printf '%s\\n' "$out" >&2; exit 2 ;;
    esac
    failed=${shellQuoted("Cordon's daemon answered nonsense; run: cordon doctor")}
    refuse "$@" ;;
  28) failed=${shellQuoted("Cordon did not answer in time; run: cordon doctor")}; refuse "$@" ;;
  18|52|55|56) failed=${shellQuoted("Cordon's daemon ended before it answered; run: cordon doctor")}; refuse "$@" ;;
esac
out=$(printf '%s' "$event" | shim "$@")
`;

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
