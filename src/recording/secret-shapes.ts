import { setImmediate as turn } from "node:timers/promises";

/** A credential that has its kind in front. That stays, so that a hook which looks for such texts still finds one. */
const KINDS = /\b(sk-|gh[pousr]_|github_pat_|xox[a-z]-|npm_|AKIA)[-_A-Za-z0-9]{10,}/g;

/** What is called a secret. Only its value is one. */
const NAMED =
  /((?:api[_-]?key|access[_-]?key|token|passw(?:or)?d|passphrase|secret|credential)s?["']?\s*[=:]\s*["']?)([^\s"'&;,]{4,})/gi;
const BEARER = /(\b(?:Bearer|Basic)\s+)([-._~+/A-Za-z0-9]{8,}=*)/g;
const IN_ADDRESS = /(:\/\/[^/\s:@"']{1,200}:)([^/\s@"']{1,200})(?=@)/g;
const KEYS = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;

/** Field names whose whole text is a secret, such as headers of a request to a provider. */
const SECRET_FIELD =
  /^(?:authorization|proxy-authorization|cookie|set-cookie)$|api[-_]?key|token|secret|passw(?:or)?d|credential/i;

export const isSecretField = (name: string): boolean => SECRET_FIELD.test(name);

/** Whether a number of this name is a secret. Others say how many, or how long. */
export const isSecretNumber = (name: string): boolean =>
  /(?:api[-_]?key|secret|passw(?:or)?d|passphrase|credential)$/i.test(name);

/** Whether the texts of a list of this name are secrets. Tokens are also the words of a text. */
export const isSecretList = (name: string): boolean => isSecretField(name) && !/tokens$/i.test(name);

/** Replaces the secrets of a text that show by their shape. `mask`: makes the stand-in for one. */
export function maskShapes(text: string, mask: (secret: string) => string): string {
  const value = (_match: string, before: string, secret: string): string => before + mask(secret);
  return text
    .replace(KEYS, (key) => mask(key))
    .replace(IN_ADDRESS, value)
    .replace(BEARER, value)
    .replace(KINDS, (whole, kind: string) => kind + mask(whole))
    .replace(NAMED, value);
}

const RULES = "@secretlint/secretlint-rule-";
/**
 * secretlint reads a text in pieces: its time grows with the square of what it finds in one. Each piece has the end of the one before
 * again, longer than anything it finds.
 */
const PIECE = 64 * 1024;
const AGAIN = 16 * 1024;

/** The secrets of the kinds that secretlint knows: those of many services have a form of their own. It loads at first use. */
export async function knownSecrets(text: string): Promise<string[]> {
  const [{ lintSource }, { creator: rule }, { secretLintProfiler }] = await Promise.all([
    import("@secretlint/core"),
    import("@secretlint/secretlint-rule-preset-recommend"),
    import("@secretlint/profiler"),
  ]);
  // It would keep some sixty marks of each text for as long as the process runs.
  secretLintProfiler.setEnabled(false);
  // The password of an address is found by its shape, and the rest of the address is no secret.
  const rules = [{ id: `${RULES}basicauth`, disabled: true }];
  const options = {
    config: { rules: [{ id: `${RULES}preset-recommend`, rule, rules }] },
    noPhysicFilePath: true,
  };
  const found: string[] = [];
  for (let from = 0; from === 0 || from + AGAIN < text.length; from += PIECE - AGAIN) {
    if (from > 0) await turn();
    const content = text.slice(from, from + PIECE);
    const source = { filePath: "recording.txt", ext: ".txt", contentType: "text" as const, content };
    const { messages } = await lintSource({ source, options });
    for (const { range } of messages) found.push(content.slice(...range));
  }
  return found;
}
