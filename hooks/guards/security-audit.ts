import { guard } from "./guard.ts";

/** A longer path is blocked without a check: no system accepts it. */
const MAX_PATH = 32_768;

/** Folders whose whole content is secret, whatever the name of a file in them. */
const SECRET_FOLDERS: readonly [RegExp, string][] = [
  [/\/\.aws(\/|$)/, "cloud credentials"],
  [/\/\.(gnupg|password-store)(\/|$)/, "keys and passwords"],
  [/\/\.claude\/credentials(\/|$)/, "Claude Code credentials"],
  [/\/\.(openclaw|clawdbot)\/credentials(\/|$)/, "agent credentials"],
];

/** The files that the page lists, by the end of their path. A group at the end matches the suffix of a backup. */
const SECRET_FILES: readonly [RegExp, string][] = [
  [/(^|[^a-z0-9])id_(rsa|dsa|ecdsa|ed25519)([^a-z0-9][^/]*)?$/, "an SSH key"],
  [/\/\.boto$|\/\.kube\/config$/, "cloud credentials"],
  [/(^|[^a-z0-9])(credentials|service[-_]account([-_.][^/]*)?)\.json$/, "cloud credentials"],
  [/(^|[/._-])kubeconfig([._-][^/]*)?$/, "cloud credentials"],
  [/\/etc\/((master\.)?passwd|g?shadow|sudoers)[-~]?$|\/etc\/sudoers\.d(\/|$)/, "a system file of accounts"],
  [/\/\.env(rc$|[.~_-][^/]*$|\/|$)/, "an environment file"],
  [/\.(pem|key|p12|pfx)([.~][^/]*)?$/, "a certificate or key"],
  [/\/\.claude\/\.credentials\.json$/, "Claude Code credentials"],
  [/\/auth-profiles\.json$/, "agent credentials"],
  [/\/\.codex\/auth\.json$/, "Codex credentials"],
  [/\/github-copilot\.token\.json$/, "a Copilot token"],
  [/\/\.(qwen|minimax)\/oauth_creds\.json$/, "OAuth credentials"],
  [/\/whatsapp\/default\/creds\.json$/, "a WhatsApp session"],
  [/\/\.(profile|bashrc|zshrc|zprofile|bash_profile)([.~_-][^/]*)?$/, "a shell profile, which may hold keys"],
  [/\/\.config\/fish\/config\.fish$/, "a shell profile, which may hold keys"],
];

/** Source code about a secret is not the secret. */
const SOURCE = /\.(ts|tsx|js|jsx|mjs|cjs|go|py|rs|rb|java|kt|md|mdx)$/;
/** The names that source code may have. The name of a key is blocked with any suffix. */
const NAMED_IN_SOURCE = /(^|[/._-])(kubeconfig|service[-_]account)/;

/**
 * Says why an agent must not read or write a file. Returns undefined if it may. The patterns and exceptions are those
 * of Clawdbot's page on interceptors. They match names of files and folders, not parts of any text, so
 * `app.keymap.json` is not a key. Patterns match the path in lower case, after `.` and `..` are resolved. Exceptions
 * match the letters as written.
 */
export function sensitivePath(path: string): string | undefined {
  if (path.includes("\0")) return "a path with a NUL character";
  if (path.length > MAX_PATH) return "a path longer than any system accepts";
  const plain = normalised(path);
  const name = plain.toLowerCase();
  const secretFolder = firstMatch(SECRET_FOLDERS, name);
  const secretFile = firstMatch(SECRET_FILES, SOURCE.test(name) && NAMED_IN_SOURCE.test(name) ? "" : name);
  const secret = secretFolder ?? secretFile;
  if (!secret || isExcepted(plain, secretFolder?.at ?? plain.lastIndexOf("/"), secretFolder !== undefined))
    return undefined;
  return secret.reason;
}

function firstMatch(patterns: readonly [RegExp, string][], name: string): { reason: string; at: number } | undefined {
  for (const [pattern, reason] of patterns) {
    const match = pattern.exec(name);
    if (match) return { reason, at: match.index };
  }
  return undefined;
}

/** An excepted folder counts if it contains the secret one. An excepted file name counts if no folder is secret. */
function isExcepted(path: string, at: number, inSecretFolder: boolean): boolean {
  if (/\/(node_modules|test|fixtures)\//.test(path.slice(0, at + 1))) return true;
  return !inSecretFolder && /(\.test\.[^/]*|\/package-lock\.json)$/.test(path);
}

/** The path without `.`, `..` and links to "/". A relative path is resolved from the root folder. */
function normalised(path: string): string {
  const kept: string[] = [];
  const text = withoutScheme(path.normalize("NFKC").trim())
    // Some file systems ignore these characters in names.
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/^@/, "");
  for (const part of text.replaceAll("\\", "/").split("/")) {
    if (part === "..") kept.pop();
    else {
      // Windows ignores dots and spaces at the end of a name. Text after a colon names a stream of the file.
      const name = part.replace(/(?<=[^.:])(:[^/]*|[. ]+)$/, "");
      if (name !== "" && name !== ".") kept.push(name);
    }
  }
  return `/${kept.join("/")}`.replace(/^\/proc\/[^/]+\/(root|cwd)(?=\/)/, "");
}

/** The path of a `file:` URL, decoded. */
function withoutScheme(path: string): string {
  if (!/^file:/i.test(path)) return path;
  const text = path.slice(5).replace(/[?#].*$/s, "");
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** `builtin:security-audit` of Clawdbot's page: blocks access to sensitive files. */
export const securityAudit = guard("builtin:security-audit", 99, /^(read|write|edit)$/, (args) => {
  // pi's tools name it `path`, Claude Code's name it `file_path`, and OpenClaw accepts both.
  for (const value of [args.path, args.file_path, args.filePath]) {
    const reason = typeof value === "string" ? sensitivePath(value) : undefined;
    if (reason !== undefined) return `Sensitive path: ${reason}`;
  }
  return undefined;
});
