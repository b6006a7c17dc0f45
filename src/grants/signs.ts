import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What in a hook's text speaks for a power. A hint for its author: the grant alone decides. */
const SIGNS: readonly [power: string, pattern: RegExp][] = [
  ["exec", /\bctx\.exec\s*\(|\bexec\s*\(\s*["'`]|["'](node:)?child_process["']/],
  ["fs", /["'](node:)?fs(\/promises)?["']/],
  ["net", /\bfetch\s*\(|["'](node:)?https?["']/],
  ["env", /\bprocess\.env\b/],
  ["send", /\bpi\.send\s*\(/],
  ["session", /\bevent\.(entries|messages|messagesToSummarize|messagesToKeep|previousSummary|toolResults)\b/],
  ["model", /\bresolveApiKey\b|\bcomplete\s*\(/],
  ["ui", /\bctx\.ui\b/],
  ["events.rewriteInput", /\b(event\.input|output\.args|toolUse\.input)(\.\w+|\[[^\]]+\])?\s*=[^=]/],
  ["events.rewriteInput", /\bbefore_tool_call\b[\s\S]*\breturn\s*\{[^}]*\bparams\b|\bselectedTool\s*=[^=]/],
  ["events.rewriteResult", /\btool_result\b[\s\S]*\breturn\s*\{\s*(content|details)/],
  ["events.rewriteResult", /\b(output|event)\.result(\.\w+)*\s*=[^=]/],
  ["events.rewriteMessage", /\boutput\.message\s*\+?=[^=]/],
  ["events.rewriteParams", /\boutput\.(thinkLevel|reasoningLevel)\s*=[^=]|\bmetadata(\.\w+|\[[^\]]+\])\s*=[^=]/],
  ["events.compact", /\bcompactionEntry\b/],
];

/** The powers that a hook's own source seems to use. */
export function powersIn(root: string, files: readonly string[]): string[] {
  const text = files
    .filter((file) => !file.includes("node_modules/"))
    .map((file) => readFileSync(join(root, file), "utf8"))
    .join("\n");
  return [...new Set(SIGNS.filter(([, pattern]) => pattern.test(text)).map(([power]) => power))];
}

/** A manifest asks for a power, or for a right of the `events` power. */
export function isAsked(asked: Record<string, unknown>, power: string): boolean {
  const [capability = "", right] = power.split(".");
  const found = Object.hasOwn(asked, capability) ? asked[capability] : undefined;
  return right === undefined ? found !== undefined : Object.hasOwn((found as object | undefined) ?? {}, right);
}
