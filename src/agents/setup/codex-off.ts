import { readIfThere } from "../../disk/atomic-file.ts";

/** Settings with which Codex runs no entries of a person's. Matched in each line that is no comment: TOML writes a key in many ways. */
const SWITCHES = [
  /^[^#\n]*?\b((?:codex_)?hooks)["']?\s*=\s*["']?false\b/m,
  /^[^#\n]*?\b(allow_managed_hooks_only)["']?\s*=\s*["']?true\b/m,
];

/** Why Codex runs none of Cordon's entries, which are the first in `hooks`, if one of these TOML files turns them off. */
export function codexOff(files: readonly string[], hooks: string): string | undefined {
  for (const file of files) {
    const text = readIfThere(file) ?? "";
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
