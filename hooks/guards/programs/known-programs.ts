import { FOREIGN, UNKNOWN } from "../shell/marks.ts";
import { baseName, resolvePath } from "../shell/paths.ts";
import { skipsHooks } from "./dangerous-git.ts";
import * as dangers from "./dangers.ts";
import { interprets, ofProgram, SHELL, shellTextsOf, sources } from "./interpreters.ts";
import { find, foundBy, gitAliases, texts, words, xargs } from "./launchers.ts";
import { has, sortOptions } from "./options.ts";
import { echoed, passesOn, printed, saves, writesAnything } from "./output.ts";
import type { Program, Rule } from "./program.ts";

type Row = [names: string | RegExp, Program];
const danger = (names: string | RegExp, rule: Rule<"danger">): Row => [names, { danger: rule }];
const starts = (names: string | RegExp, rule: Rule<"starts">): Row => [names, { starts: rule }];
const writes = (names: string | RegExp, rule: Rule<"writes">): Row => [names, { writes: rule }];
const leaves = (names: string | RegExp, rule: Rule<"leaves">): Row => [names, { leaves: rule }];

/**
 * All that the guard knows about programs, by name. A program may have several rows. Options are listed as for
 * `sortOptions`. A row has a pattern if there are too many names to list, or if nobody would hide them behind stars.
 */
const PROGRAMS: readonly Row[] = [
  // Programs that destroy files, disks or accounts, or open a machine to others.
  danger("rm grm srm rimraf unlink", dangers.removes),
  danger("mv gmv", dangers.moves),
  danger("rsync", dangers.mirrors),
  danger("cp gcp install ginstall ln scp", dangers.copies),
  danger("shred", dangers.shreds),
  danger("tee truncate sponge vipw ed ex vi vim nano emacs patch chattr", dangers.changes),
  danger("sed gsed perl ruby awk gawk", dangers.edits),
  danger("curl", dangers.downloads("o output A b d e F H m T u U w x X")),
  danger("wget", dangers.downloads("O o P output-document")),
  danger("dd gdd dcfldd ddrescue", dangers.dumps),
  danger("fdisk cfdisk sfdisk gdisk sgdisk cgdisk parted wipefs blkdiscard pvcreate", dangers.formats),
  danger("mke2fs mkswap mkdosfs mkntfs newfs mkfs mkfs.ext4", dangers.formats),
  danger(/^mkfs\.|^newfs_/, dangers.formats),
  danger("diskutil", dangers.erases),
  danger("cryptsetup", dangers.encrypts),
  danger("chmod gchmod", dangers.chmod),
  danger("chown chgrp gchown", dangers.chown),
  danger("nc ncat netcat", dangers.netcat),
  danger("socat", dangers.socat),
  danger("docker podman nerdctl", dangers.prunes),
  danger("git", skipsHooks),
  starts("git", gitAliases),
  danger("sh bash zsh dash ksh ash fish csh tcsh", dangers.connects),

  // Programs that run the program in their operands.
  starts("sudo", words("u g h p C D R r t T U user group host prompt close-from chdir chroot role type other-user")),
  starts("doas", words("u C")),
  starts("pkexec", words("user")),
  starts("env", words("u C unset chdir")),
  starts("nice", words("n adjustment")),
  starts("ionice", words("c n p P u class classdata")),
  starts("cpulimit", words("l p e")),
  starts("timeout gtimeout", words("k s kill-after signal", 1)),
  starts("time gtime", words("f o format output")),
  starts("exec", words("a")),
  starts("stdbuf", words("i o e input output error")),
  starts("strace", words("a b e E I o O p P s S u X trace output")),
  starts("ltrace", words("a A e l n o p s u")),
  starts("unshare", words("S G R w")),
  starts("nsenter", words("t S G")),
  starts("flock", words("w E timeout", 1)),
  starts("caffeinate", words("t w")),
  starts("proxychains proxychains4", words("f")),
  starts("systemd-run", words("p u property unit")),
  starts("xvfb-run", words("n s e f")),
  starts("parallel", words("j P S I jobs")),
  starts("screen", words("S c e h p s t T")),
  starts("gosu su-exec chrt taskset repeat chroot", words("", 1)),
  starts("setpriv nohup builtin noglob nocorrect setsid unbuffer chronic busybox toybox", words()),
  starts("fakeroot firejail torsocks tsocks rlwrap arch entr", words()),
  // With `-v`, it prints the path of a program.
  starts("command", (it, reads) => (it.args.some((arg) => /^-\w*[vV]/.test(arg)) ? [] : words()(it, reads))),
  starts("xargs", xargs),
  starts("find", find),
  writes("find", ({ args }) => foundBy(args).join("\n")),
  starts(/^gfind$/, find),

  // Programs that pass a text to a shell, now or later.
  starts("eval", texts("", "", 0)),
  starts("watch", texts("n interval", "", 0)),
  starts("ssh", texts("b c D E e F I i J L l m O o p Q R S W w B", "", 1)),
  starts("su", texts("c s g command shell group", "c command")),
  starts("runuser", texts("c u s g command shell group", "c command")),
  starts("sg", texts("c", "c", 1)),
  starts("script", texts("c command", "c command")),
  starts("flock", texts("c w E command", "c command")),
  starts("env", texts("S u C split-string unset chdir", "S split-string")),
  starts("parallel", texts("j P S I jobs", "", 0)),
  starts("nu", texts("c commands", "c commands")),
  starts(/^tmux$/, ({ args }) => args.flatMap((arg) => (/\s/.test(arg) ? { code: arg } : []))),
  starts(/^trap$/, ({ args }) => [{ code: sortOptions(args).operands[0] ?? "" }]),
  starts(/^alias$/, ({ args }) => args.map((arg) => ({ code: arg.slice(arg.indexOf("=") + 1) }))),

  // Programs that read a program.
  starts(/^(r?bash|sh|zsh|r?ksh\d*|[dm]?ash|mksh|fish|t?csh|yash|pwsh|powershell)$/, interprets(SHELL)),
  starts(/^(python[\d.]*w?|pypy[\d.]*)$/, interprets({ code: "c", valued: "WX", module: "m" })),
  starts(/^perl[\d.]*$/, interprets({ code: "eE", attached: "MmIiFCDx" })),
  starts(/^j?ruby[\d.]*$/, interprets({ code: "e", valued: "rIEC", attached: "iFxKT" })),
  starts(/^(node|nodejs|bun|deno)$/, interprets({ code: "ep", valued: "rC" })),
  starts(/^php[\d.]*$/, interprets({ code: "rBER", valued: "cd" })),
  starts(/^(lua[\d.]*|luajit|osascript|rscript|r|groovy|elixir|julia)$/, interprets({ code: "eE", valued: "l" })),
  starts(/^(tclsh[\d.]*|expect)$/, interprets({ code: "c" })),
  starts(/^(source|\.)$/, sources),
  // One of awk's arguments is a program. The others contain no calls.
  starts(/^[gmn]?awk$/, ({ args }) => args.flatMap(shellTextsOf)),
  starts(/^(at|batch)$/, ({ stdin }) => ofProgram(stdin, true, [])),

  // The output of programs, and the files that they write.
  writes("echo", echoed),
  writes("printf", printed),
  writes("pwd", ({ folder }) => folder || "."),
  writes("realpath readlink", ({ args, folder }) => resolvePath(lastOf(args), folder)),
  writes("dirname", ({ args, folder }) => resolvePath(`${lastOf(args)}/..`, folder)),
  writes("basename", ({ args }) => baseName(lastOf(args))),
  writes("true : cd set exit", () => ""),
  writes("curl wget wget2 fetch http https xh aria2c lynx w3m links elinks ftp tftp", () => FOREIGN),
  writes("nc ncat netcat socat telnet dig host nslookup drill", () => FOREIGN),
  // The output differs from the input, so nobody can judge what a shell would do with it.
  writes("base64 base32 basenc gbase64", ({ args }) => (has(sortOptions(args), "dD", "decode") ? FOREIGN : undefined)),
  writes("openssl", ({ args }) => (args.some((arg) => arg === "-d" || arg === "-decode") ? FOREIGN : undefined)),
  writes("xxd", ({ args }) => (has(sortOptions(args), "r", "revert") ? FOREIGN : undefined)),
  // Text in the command itself that is reversed or translated is an attempt to hide it.
  writes("rev tr", ({ stdin }) => (stdin !== undefined && stdin !== UNKNOWN ? FOREIGN : undefined)),
  writes("uudecode rot13 ascii85 unhex", () => FOREIGN),
  writes("cat head tail sort uniq less more pv sponge column dos2unix tac bat", passesOn(0)),
  writes("grep egrep fgrep", passesOn(1)),
  writes("tee", ({ stdin }) => stdin ?? UNKNOWN),
  leaves("tee", ({ args, stdin }) => sortOptions(args).operands.map((file) => [file, stdin ?? UNKNOWN])),
  leaves("curl", saves("o A b c C d e F H K m T u U w x X output", "o", /^(O$|remote-name)/)),
  leaves("wget aria2c", saves("O o P U t T output-document out", "O")),
];

const lastOf = (args: readonly string[]): string => args[args.length - 1] ?? "";

const BY_NAME = new Map<string, Program[]>();
for (const [names, program] of PROGRAMS)
  if (typeof names === "string")
    for (const name of names.split(" ")) BY_NAME.set(name, [...(BY_NAME.get(name) ?? []), program]);

const BY_PATTERN = PROGRAMS.flatMap(([names, program]) => (typeof names === "string" ? [] : { names, program }));

const namesThatMatter = ([names, it]: Row): string[] =>
  typeof names === "string" && (it.danger || it.starts) ? names.split(" ") : [];

/** The names of programs with rules, to be matched against a program name with stars. */
export const NAMES: ReadonlySet<string> = new Set([...PROGRAMS.flatMap(namesThatMatter), "python", "python3", "node"]);

type Known = ReturnType<typeof asOne>;

/** Only for names in the table, since there is no limit to others. */
const remembered = new Map<string, Known>();

/** Merges the rows of a program. */
export function programCalled(name: string): Known {
  const before = remembered.get(name);
  if (before) return before;
  const listed = BY_NAME.get(name) ?? [];
  const known = asOne([...listed, ...BY_PATTERN.flatMap((it) => (it.names.test(name) ? it.program : []))]);
  if (listed.length > 0) remembered.set(name, known);
  return known;
}

function asOne(rows: readonly Program[]) {
  const isKnown = (found: string | undefined): boolean => found !== undefined;
  return {
    danger: (command) => rows.map((row) => row.danger?.(command)).find(isKnown),
    starts: (command, reads) => rows.flatMap((row) => row.starts?.(command, reads) ?? []),
    writes: (command, reads) =>
      rows.map((row) => row.writes?.(command, reads)).find(isKnown) ?? writesAnything(command, reads),
    leaves: (command) => rows.flatMap((row) => row.leaves?.(command) ?? []),
  } satisfies Required<Program>;
}
