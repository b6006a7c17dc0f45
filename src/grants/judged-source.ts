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
 * user. A repository has no `.git` at its end, and is `git:github:owner/name` at a host that npm knows.
 */
export function judgedSource(source: string): string {
  if (source.startsWith("npm:")) return /^npm:(@[^/]*\/)?[^@]*/.exec(source)?.[0] ?? source;
  if (source.startsWith("git:")) return `git:${repository(source.slice(4).replace(/#.*/s, ""))}`;
  return /^https?:/.test(source) ? withoutUser(source) : source;
}

/** Whether two sources that differ in case alone are one: packages have lower case, and these hosts do not tell cases apart. */
export const ignoresCase = (judged: string): boolean => /^(npm|git:[a-z]+):(?!\/\/)/.test(judged);

function repository(url: string): string {
  const plain = url.replace(/\/+$/, "").replace(/\.git$/, "");
  const [, , host = "", path = ""] = /^[a-z+]+:\/\/([^/@]*@)?(?:www\.)?([^/:]+)(?::\d+)?[/:]+(.*)$/i.exec(plain) ?? [];
  const short = HOSTS.get(host.toLowerCase());
  if (short !== undefined) return `${short}:${path}`;
  if (/^git\+https?:/i.test(plain)) return `git+${withoutUser(plain.slice(4))}`;
  return plain.replace(/^([a-z]+:)[^@/]*@/, "$1").replace(/^[a-z+]+:\/\/[^/]*/i, (start) => start.toLowerCase());
}

function withoutUser(url: string): string {
  const parsed = attemptOr(() => new URL(url), undefined);
  if (!parsed) return url;
  parsed.username = "";
  parsed.password = "";
  return parsed.href;
}
