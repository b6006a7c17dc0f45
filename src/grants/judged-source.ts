import { attemptOr } from "../base/attempt.ts";

/** Hosts whose repositories have a short form, as npm knows them. */
const HOSTS: ReadonlyMap<string, string> = new Map([
  ["github.com", "github"],
  ["gist.github.com", "gist"],
  ["gitlab.com", "gitlab"],
  ["bitbucket.org", "bitbucket"],
  ["git.sr.ht", "sourcehut"],
]);

/**
 * The source of a lock as a policy judges it: the same for all spellings of one package or repository. It has no version, tag, commit or
 * user. A repository has no `.git` at its end, and is `git:github:owner/name` at a host that npm knows. What is not plain is judged as
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
const SHORT_FORM = new RegExp(`^(${SHORT}):(?!//)(?:[^@/]*@)?(.*)$`);

/** A repository over ssh whose user has a colon. */
const OF_SSH = new RegExp(`^(?:(?:git\\+)?ssh://|(?!(?:${SHORT}):))[^/@:]*:[^/@]*@`, "i");

/**
 * Whether all who read a source read the same: a person, a policy, npm, git, and the server. A path with `..` or `//`, a query, a
 * backslash, and an `@` or `:` in the path, may lead elsewhere than it seems.
 */
export function isPlainSource(source: string): boolean {
  if (source.startsWith("path:")) return !/(^|[\\/])\.\.([\\/]|$)/.test(source.slice(5));
  if (!source.startsWith("git:")) return true;
  const address = source.slice(4).replace(/#.*/s, "");
  // `scheme://user@host:1/path`, `user@host:path` and `github:user@owner/name`: nothing else has an `@`.
  const parts = /^(?:[a-z][a-z+.-]*:(?:\/\/)?)?(?:[^/@]*@)?([^@]*)$/i.exec(address);
  // git takes what is before the first colon for the host, and ssh has no passwords there.
  if (!parts?.[1] || OF_SSH.test(address)) return false;
  const isOdd = /[?\\\s\p{Cc}]|%(?:2[ef]|5c|40|3[af]|25)/iu.test(address);
  // A drive of Windows is the one colon in a path.
  const hasColon = /:.*:|\/.*:/.test(parts[1].replace(/^\/[a-z]:\//i, "/"));
  return !isOdd && !hasColon && !/(^|[/:])\.{1,2}(\/|$)|\/\//.test(parts[1]);
}

/** Whether two sources that differ in case alone are one: packages have lower case, and these hosts do not tell cases apart. */
export const ignoresCase = (judged: string): boolean => /^(npm|git:[a-z]+):(?!\/\/)/.test(judged);

function repository(url: string): string {
  const plain = url.replace(/\/+$/, "").replace(/\.git$/, "");
  const [, , host = "", path = ""] =
    /^(?:https?|(?:git\+)?(?:https|ssh)|git):\/\/([^/@]*@)?(?:www\.)?([^/:]+)(?::(?:443|22)(?=\/))?(?:\/|:(?!\d+\/))(.*)$/i.exec(
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

function withoutUser(url: string): string {
  const parsed = attemptOr(() => new URL(url), undefined);
  if (!parsed) return url;
  parsed.username = "";
  parsed.password = "";
  return parsed.href;
}
