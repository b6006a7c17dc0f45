/**
 * The dangers as patterns, for text that is not a valid bash script: zsh or PowerShell, a quote without an end, syntax
 * that the parser does not know. In such text, the ends of quotes are not certain, so quoted text is checked, too. This
 * can block a harmless command, but it does not lose a disk. The time of each pattern is proportional to the length of
 * the text.
 */
const PATTERNS: readonly [RegExp, string][] = [
  [
    /\brm\s+(-\S+\s+){0,8}["']?(\/|~|\$\{?HOME\}?|\.{1,2})\/?\*?["']?(?![^\s;&|)"'`])/,
    "rm of the root, home or working folder",
  ],
  [/\brm\s+(-\S+\s+){0,8}\*(?![^\s;&|)])/, "rm of everything"],
  [/\bfind\s+\/\s[^\n;|]{0,300}-delete\b/, "find / -delete"],
  [/\bdd\b[^\n;|]{0,300}\bof=["']?\/dev\/(?!null|zero|std|fd|tty)/, "dd onto a device"],
  [/\b(mkfs(\.\w+)?|fdisk)\b[^\n;|]{0,300}\s["']?\/dev\/\w/, "formatting a device"],
  [/\bchmod\s+(-\S+\s+){0,8}["']?0?777\b/, "chmod 777"],
  [
    /\bchmod\s+(-\S+\s+){0,8}["']?0?000["']?\s+["']?\/(bin|boot|etc|home|lib|root|sbin|usr|var)?\b/,
    "chmod 000 of a system folder",
  ],
  [/\bchown\s+(-\S+\s+){0,8}(\S+\s+)?["']?\/["']?(?![^\s;&|)])/, "chown of the root folder"],
  [/>\s*["']?\/etc\/(passwd|shadow|sudoers)/, "overwrites a system file"],
  [
    /\b(curl|wget)\b[^\n;]{0,500}\|\s*(sudo\s+)?["']?(\/\S{0,100}\/)?((ba|z|da|k|fi)?sh|python[\d.]*|perl|ruby|node)\b(?!\s+-[cme])/,
    "runs a download",
  ],
  [/\b(nc|ncat|netcat)\b[^\n;|]{0,300}\s-\w{0,8}e\b/, "a shell on a network connection"],
  [/(?:^|[\s;&])([^\s;&|(){}]{1,50})\s{0,9}\(\s*\)\s*\{\s*\1\s*\|\s*\1/, "a fork bomb"],
  [/\bgit\b[^\n;|]{0,300}\scommit\b[^\n;|]{0,500}--no-verify\b/, "git commit without its hooks"],
  [/\bdocker\s+system\s+prune\b[^\n;|]{0,300}--volumes\b/, "docker system prune with volumes"],
];

export function textualDanger(text: string): string | undefined {
  const joined = text.replaceAll("\\\n", "");
  return PATTERNS.find(([pattern]) => pattern.test(joined))?.[1];
}
