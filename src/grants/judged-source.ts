import { attemptOr } from "../base/attempt.ts";
import { withoutUser } from "../base/without-user.ts";

/** Hosts whose repositories have a short form, as npm knows them. */
const HOSTS: ReadonlyMap<string, string> = new Map([
  ["github.com", "github"],
  ["gist.github.com", "gist"],
  ["gitlab.com", "gitlab"],
  ["bitbucket.org", "bitbucket"],
  ["git.sr.ht", "sourcehut"],
]);

/**
 * The source of a lock as a policy judges it: the same for all spellings of one package or repository. It has no version, tag or commit,
 * and a user over ssh alone, where one may have other repositories than the next. A repository has no `.git` at its end, and is
 * `git:github:owner/name` at a host that npm knows. What is not plain is judged as
 * it stands.
 */
export function judgedSource(source: string): string {
  if (!isPlainSource(source)) return source;
  if (source.startsWith("npm:")) return /^npm:(@[^/]*\/)?[^@]*/.exec(source)?.[0] ?? source;
  if (source.startsWith("git:")) return `git:${repository(source.slice(4).replace(/#.*/s, ""))}`;
  return /^https?:/.test(source) ? withoutUser(source) : source;
}

const SHORT = [...HOSTS.values()].join("|");

/** `github:owner/name`, maybe with a user. */
const SHORT_FORM = new RegExp(`^(${SHORT}):(?!/)(?:[^@/]*@)?(.*)$`);
/** npm also reads it in other letters, and with slashes before the name. */
const LIKE_SHORT_FORM = new RegExp(`^(${SHORT}):`, "i");

/** A scheme without `//`: what follows is a path to git, and a host to others. */
const WITHOUT_HOST = /^(?:git\+)?(?:https?|ssh|git):(?!\/\/[^/])/i;

/** An address at one of the hosts, with its port and its path. */
const KNOWN_HOST = new RegExp(
  `^(?:[a-z+]+://)?([^/@]*@)?(?:www\\.)?(${[...HOSTS.keys()].join("|").replaceAll(".", "\\.")})(:\\d*(?=/))?[/:](.*)$`,
  "i",
);

/** An escape of what can stand there itself, or that divides an address. Others, as of a space, have no other way to be written. */
const NEEDLESS_ESCAPE = /%(?:[01][\da-f]|2[35def]|3[\daf]|[46][\da-f]|5[\dacf]|7[\daef])/i;

/** A name of npm's before the address: only `user@host.example:path` is an address with an `@` and no scheme. */
const NAMED = /^[^/:@]*@(?![^/:@]*\.[^/:@]*:)/;

/** A repository over ssh whose user has a colon. */
const OF_SSH = new RegExp(`^(?:(?:git\\+)?ssh://|(?!(?:${SHORT}):))[^/@:]*:[^/@]*@`, "i");

/**
 * Whether all who read a source read the same: a person, a policy, npm, git, and the server. A path with `..` or `//`, a query, a
 * backslash, and an `@` or `:` in the path, may lead elsewhere than it seems.
 */
export function isPlainSource(source: string): boolean {
  if (source.startsWith("path:")) return !/(^|[\\/])\.\.([\\/]|$)/.test(source.slice(5));
  if (source.startsWith("npm:")) return true;
  if (!source.startsWith("git:")) return isPlainUrl(source);
  const address = source.slice(4).replace(/#.*/s, "");
  // `scheme://user@host:1/path`, `user@host:path` and `github:user@owner/name`: nothing else has an `@`.
  const parts = /^(?:[a-z][a-z+.-]*:(?:\/\/)?)?(?:[^/@]*@)?([^@]*)$/i.exec(address);
  // git takes what is before the first colon for the host, and ssh has no passwords there.
  if (!parts?.[1] || OF_SSH.test(address) || NAMED.test(address) || WITHOUT_HOST.test(address)) return false;
  if (LIKE_SHORT_FORM.test(address) && !SHORT_FORM.test(address)) return false;
  // A host in other scripts, and one with a dot at its end, is read as another.
  const isOdd = /[?\\\s\p{Cc}]|^[a-z+]+:\/\/(?:[^/]*[^!-~/]|[^/]*\.(?::\d*)?(?:\/|$))/iu.test(address);
  // A drive of Windows is the one colon in a path.
  const hasColon = /:.*:|\/.*:/.test(parts[1].replace(/^\/[a-z]:\//i, "/"));
  const isEscaped = NEEDLESS_ESCAPE.test(address.replace(/^([a-z+]+:\/\/)[^/@]*@/i, "$1"));
  return !isOdd && !isEscaped && !hasColon && !/(^|[/:])\.{1,2}(\/|$)|\/\//.test(parts[1]) && isPlainlyHosted(address);
}

/** The URL of a tarball, which `URL` alone would read in other spellings, too. A dot at the end of a host is another name of it. */
function isPlainUrl(text: string): boolean {
  const url = /^https?:\/\/[^/]/.test(text) ? attemptOr(() => new URL(text), undefined) : undefined;
  return url !== undefined && !url.hostname.endsWith(".");
}

/**
 * At a host that npm knows, an address names a repository and nothing beside it: a port, and what follows the name, npm leaves out of
 * one address, and takes for part of another. Only groups of GitLab have folders of their own.
 */
function isPlainlyHosted(address: string): boolean {
  const [, short, shortPath = ""] = SHORT_FORM.exec(address) ?? [];
  const [, , name = "", port = "", path = ""] = KNOWN_HOST.exec(address) ?? [];
  const host = short ?? HOSTS.get(name.toLowerCase());
  if (host === undefined) return true;
  const parts = (short === undefined ? path : shortPath).replace(/\/$/, "").split("/");
  // npm takes the name out of an escape, and http for another place.
  if (address.includes("%") || /^git\+http:|^http:/i.test(address)) return false;
  if (!/^(:(443|22))?$/.test(port) || parts.includes("") || parts.includes("-")) return false;
  if (host === "gist") return parts.length <= 2;
  return parts.length === 2 || (host === "gitlab" && parts.length > 2 && !parts.includes("archive.tar.gz"));
}

/** Whether two sources that differ in case alone are one: packages have lower case, and these hosts do not tell cases apart. */
export const ignoresCase = (judged: string): boolean => /^(npm|git:[a-z]+):(?!\/\/)/.test(judged);

function repository(url: string): string {
  const plain = url.replace(/\/+$/, "").replace(/\.git$/, "");
  // As npm reads it.
  if (/^[^/:@]+\/[^/:@]+$/.test(plain)) return `github:${plain}`;
  const [, host = "", path = ""] =
    /^(?:(?:https?|(?:git\+)?(?:https|ssh)|git):\/\/(?:[^/@]*@)?|[^/@:]*@)(?:www\.)?([^/:]+)(?::(?:443|22)(?=\/))?(?:\/|:(?!\d+\/))(.*)$/i.exec(
      plain,
    ) ?? [];
  const short = HOSTS.get(host.toLowerCase());
  if (short !== undefined) return ofHost(short, path);
  if (/^git\+https?:/i.test(plain)) return `git+${withoutUser(plain.slice(4))}`;
  const [, known = "", rest = ""] = SHORT_FORM.exec(plain) ?? [];
  if (rest !== "") return ofHost(known, rest);
  return plain.replace(/^([a-z]+:)[^@/]*@/, "$1").replace(/^[a-z+]+:\/\/[^/]*/i, (start) => start.toLowerCase());
}

/** A gist is fetched by its id alone, whoever is said to have it. */
const ofHost = (host: string, path: string): string =>
  `${host}:${host === "gist" ? path.slice(path.lastIndexOf("/") + 1) : path}`;
