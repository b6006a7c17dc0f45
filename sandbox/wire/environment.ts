/** Variables of git that change how it looks for things or speaks, and neither what it runs nor where. */
export const PLAIN_GIT_VARIABLE =
  /^GIT_(NO_LAZY_FETCH|NO_REPLACE_OBJECTS|OPTIONAL_LOCKS|TERMINAL_PROMPT|(LITERAL|GLOB|NOGLOB)_PATHSPECS|FLUSH|MERGE_AUTOEDIT)$/;

/** Who wrote a commit, and when: a grant may name them. */
const AUTHOR = /^GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL|DATE)$/;

/** Where git keeps what is to be committed. A grant names the file, as one that is written. */
export const INDEX_VARIABLE = "GIT_INDEX_FILE";

/** The system ends a name at its first `=`. */
const decisive = (): RegExp =>
  /[=\p{Cc}]|^(LD_|DYLD_|NODE_|GIT_|PATH$|IFS$|ENV$|BASH_|PYTHON|PERL|RUBY|GCONV_PATH$|LOCPATH$|GLIBC_TUNABLES$|JAVA_TOOL_OPTIONS$|_JAVA_OPTIONS$|JDK_JAVA_OPTIONS$|TAR_OPTIONS$|MAKEFILES$|MAKEFLAGS$|NPM_CONFIG_)/iu;

/** A variable that makes a program load or run something else. No grant can name it, and no hook sets it for a program. */
export const isDecisiveVariable = (name: string): boolean =>
  decisive().test(name) && !PLAIN_GIT_VARIABLE.test(name) && !AUTHOR.test(name) && name !== INDEX_VARIABLE;

export const isAuthorVariable = (name: string): boolean => AUTHOR.test(name);
