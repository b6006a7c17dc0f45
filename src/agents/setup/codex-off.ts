import { readIfThere } from "../../disk/atomic-file.ts";

/** Settings with which Codex runs no entries of a person's, wherever they stand. */
const SWITCHES = [/\b((?:codex_)?hooks)["']?\s*=\s*false\b/, /\b(allow_managed_hooks_only)["']?\s*=\s*true\b/];

/** Strings of TOML, also some that do not end, and comments. */
const STRINGS = /"""(?:\\[\s\S]|[^\\])*?(?:"{3,5}|$)|'''[\s\S]*?(?:'{3,5}|$)|"(?:\\.|[^"\\\n])*"?|'[^'\n]*'?|#[^\n]*/g;
const AFTER_KEY = /[ \t]*[=.\]]/y;
const ESCAPES = /\\(?:u([\da-fA-F]{4})|U([\da-fA-F]{8})|x([\da-fA-F]{2}))/g;

/** TOML without comments, and without strings but for names of keys, which are as they are read. */
const bare = (toml: string): string =>
  toml.replace(STRINGS, (token: string, at: number) => {
    if (token.startsWith("#")) return "";
    AFTER_KEY.lastIndex = at + token.length;
    if (!AFTER_KEY.test(toml)) return '""';
    if (token.startsWith("'")) return token;
    return token.replace(ESCAPES, (all, ...[four, eight, two]: string[]) => {
      const code = Number.parseInt(four ?? eight ?? two ?? "", 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : all;
    });
  });

/** Why Codex runs none of Cordon's entries, which are the first in `hooks`, if one of these TOML files turns them off. */
export function codexOff(files: readonly string[], hooks: string): string | undefined {
  for (const file of files) {
    const text = bare(readIfThere(file) ?? "");
    const key = SWITCHES.map((one) => one.exec(text)?.[1]).find((one) => one !== undefined);
    if (key !== undefined) return `${file}: "${key}" turns its hooks off, so Codex runs none; change it first`;
    const state = text.split(/^(?=\s*\[)/m).find((table) => isFirstOff(table, hooks));
    if (state !== undefined) return `${file}: Cordon's entry is not enabled in /hooks; enable it there first`;
  }
  return undefined;
}

/** Codex keeps what a person said in `/hooks` of each entry: `[hooks.state."FILE:EVENT:GROUP:HANDLER"]`. */
function isFirstOff(table: string, hooks: string): boolean {
  const [head = ""] = table.trimStart().split("\n");
  if (!/^\[\s*hooks\.state\b/.test(head) || !head.includes(hooks) || !/:pre_?tool_?use:0:0\b/i.test(head)) return false;
  return /^\s*enabled\s*=\s*false\b/m.test(table);
}
