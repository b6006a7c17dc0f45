import { existsSync } from "node:fs";
import { HEADERS } from "../../base/daemon-wire.ts";
import { shellQuoted } from "../../base/shell-word.ts";
import { PROTOCOL } from "../../disk/daemon-places.ts";

/** What asks the daemon without a start of Node. The first that the system has is taken. */
const ASKERS = ["curl", "perl"] as const;
export type Asker = (typeof ASKERS)[number];

/** Programs of the system, each by its absolute path. */
export interface QuickTools {
  asker: { name: Asker; path: string };
  cat: string;
  ls: string;
}

/** Where a system keeps its own programs, which no project can put others before. */
const SYSTEM = ["/usr/bin", "/bin"];

/** What asks the daemon without a start of Node, if this system has all of it. */
export function quickTools(askers: readonly Asker[] = ASKERS): QuickTools | undefined {
  const asker = askers.flatMap((name) => programOf(name) ?? [])[0];
  const [cat, ls] = [programOf("cat"), programOf("ls")];
  return asker && cat && ls ? { asker, cat: cat.path, ls: ls.path } : undefined;
}

function programOf<Name extends string>(name: Name): { name: Name; path: string } | undefined {
  const path = SYSTEM.map((folder) => `${folder}/${name}`).find(existsSync);
  return path === undefined ? undefined : { name, path };
}

/**
 * A command of the shell that sends the event on its standard input to `$sock`, and writes what the daemon answers. It ends with
 * curl's codes: 0; 18, 52, 55 or 56 if the daemon ended before it answered whole; 28 if it did not answer in time; after any other
 * the daemon had no event, or refused it. `$1` to `$4` are the entry's arguments, and `$PWD` is in a header as it is.
 */
export const asking = ({ name, path }: QuickTools["asker"]): string =>
  name === "curl"
    ? `${path} -q -s -f --noproxy '*' --max-time $(($4 / 1000 - 1)) --unix-socket "$sock" -H 'Expect:' \\
        -H "${HEADERS.cwd}: $PWD" -H "${HEADERS.parent}: $PPID" -H "${HEADERS.wait}: $4" \\
        --data-binary @- "http://cordon${TARGET}"`
    : `${path} -f -MSocket -e ${shellQuoted(PERL)} $(($4 / 1000 - 1)) "$sock" "${TARGET}" "$PWD" "$PPID" "$4"`;

const TARGET = `/${PROTOCOL}/hook/$1/$2/$3`;

/** Without quotation marks of the shell. Perl's own exits are never 0, 18, 28, 52, 55 or 56, but by `errno`: so `die` ends with 2. */
const PERL = `
$SIG{__DIE__} = sub { exit 2 };
$SIG{ALRM} = sub { exit 28 };
$SIG{PIPE} = "IGNORE";
my ($seconds, $path, $target, $cwd, $parent, $wait) = @ARGV;
exit 3 if $target =~ /[^!-~]/;
alarm $seconds;
binmode STDIN;
binmode STDOUT;
undef $/;
my $event = <STDIN>;
my $daemon;
socket($daemon, PF_UNIX, SOCK_STREAM, 0) && connect($daemon, pack_sockaddr_un($path)) || exit 7;
my $rest = join("\\r\\n", "POST $target HTTP/1.1", "host: cordon", "connection: close", "content-length: " . length($event),
  "${HEADERS.cwd}: $cwd", "${HEADERS.parent}: $parent", "${HEADERS.wait}: $wait", "", $event);
while (length $rest) {
  my $sent = syswrite $daemon, $rest;
  last unless $sent;
  substr($rest, 0, $sent, "");
}
my $answer = "";
1 while sysread $daemon, $answer, 65536, length $answer;
my ($head, $body) = split /\\r\\n\\r\\n/, $answer, 2;
my ($status) = ($head || "") =~ m{^HTTP/1\\.1 (\\d{3}) };
exit 52 unless $status;
exit 22 if $status != 200;
my ($length) = $head =~ /\\r\\ncontent-length: (\\d+)/i;
exit 18 unless defined $length && length $body == $length;
print($body) && close(STDOUT) || exit 23;
`;
