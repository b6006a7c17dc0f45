/**
 * Signs in the source of a hook that it uses a power: patterns that match one after another. They are a hint for its author,
 * and only the grant decides. Each pattern looks a limited way ahead: a source could be written to take hours to search.
 */
const SIGNS: readonly [power: string, ...found: RegExp[]][] = [
  ["exec", /\bctx\.exec\s{0,20}\(|\bexec\s{0,20}\(\s{0,20}["'`]|["'](node:)?child_process["']/],
  ["fs", /["'](node:)?fs(\/promises)?["']/],
  ["sqlite", /["']node:sqlite["']/],
  ["net", /\bfetch\s{0,20}\(|["'](node:)?(https?|net|dns)(\/promises)?["']|\bnew\s{1,20}WebSocket\b/],
  ["env", /\bprocess\.env\b/],
  ["send", /\bpi\.send(Message|UserMessage)?\s{0,20}\(/],
  [
    "session",
    /\bevent\.(entries|messages|messagesToSummarize|messagesToKeep|previousSummary|toolResults|preparation)\b/,
  ],
  ["session", /\b(sessionManager|getSystemPrompt|getSessionName)\b/],
  ["agent", /\bpi\.(appendEntry|set[A-Z]\w{1,20}|get(ActiveTools|AllTools|Commands|Settings|ThinkingLevel))\s{0,20}\(/],
  ["agent", /\bctx\.(abort|compact|shutdown|reload|newSession|fork|navigateTree|switchSession|waitForIdle)\s{0,20}\(/],
  ["agents", /\bcreateAgentSession\s{0,20}\(/],
  ["calls", /\bexecuteTool\s{0,20}\(/],
  ["model", /\bresolveApiKey\b|\bcomplete\s{0,20}\(/],
  ["ui", /\bctx\.ui\b|\brequireApproval\b/],
  ["events.rewriteInput", /\b(event\.input|output\.args|toolUse\.input)(\.\w{1,100}|\[[^\]]{1,100}\])?\s{0,20}=[^=]/],
  [
    "events.rewriteInput",
    /\bbefore_tool_call\b/,
    /(\breturn\s{0,20}|=>\s{0,9}\(\s{0,9})\{([^}]{0,500}[,\s])?\s{0,20}params\s{0,9}[:,}]/,
  ],
  ["events.rewriteInput", /\bselectedTool\s{0,20}=[^=]/],
  ["events.rewriteResult", /["']tool_result_persist["']/, /\bmessage\b/],
  ["events.rewriteResult", /\btool_result\b/, /\breturn\s{0,20}\{\s{0,100}(content|details)/],
  ["events.rewriteResult", /\b(output|event)\.result(\.\w{1,100}){0,5}\s{0,20}=[^=]/],
  ["events.rewriteMessage", /\boutput\.message\s{0,20}\+?=[^=]/],
  [
    "events.rewriteParams",
    /\boutput\.(thinkLevel|reasoningLevel)\s{0,20}=[^=]|\bmetadata(\.\w{1,100}|\[[^\]]{1,100}\])\s{0,20}=[^=]/,
  ],
  ["bus", /\bpi\.events\b/],
  ["providers", /\bpi\.registerProvider\s{0,20}\(/],
  ["tools", /\b(pi|api)\.registerTool\s{0,20}\(/],
  ["commands", /\bpi\.register(Command|Shortcut)\s{0,20}\(/],
  ["events.compact", /\bcompactionEntry\b|\breturn\s{0,20}\{\s{0,100}compaction\b/],
  ["events.trustProject", /["']project_trust["']/],
  ["events.rewritePrompt", /["'](before_agent_start|before_prompt_build|resources_discover)["']/, /\breturn\s{0,20}\{/],
  ["events.rewriteContext", /["'](context|context_with_system|before_provider_request|message_end)["']/, /\breturn\b/],
  ["events.rewriteUserInput", /\baction\s{0,20}:\s{0,20}["'](transform|handled)["']|["']user_bash["']/],
];

/** The powers that a hook's own source seems to use. Takes time in proportion to the text. */
export function powersIn(text: string): string[] {
  const found = SIGNS.filter(([, ...patterns]) => follow(text, patterns));
  return [...new Set(found.map(([power]) => power))];
}

/** The first of the patterns by which {@link powersIn} finds this power, or its name. */
export const signOf = (power: string): RegExp =>
  SIGNS.find(([name]) => name === power)?.[1] ?? new RegExp(`\\b${power}\\b`);

/** True if the patterns match one after another. Each is searched once, after the first match of the one before. */
function follow(text: string, patterns: readonly RegExp[]): boolean {
  let rest = text;
  for (const pattern of patterns) {
    const match = pattern.exec(rest);
    if (!match) return false;
    rest = rest.slice(match.index + match[0].length);
  }
  return true;
}

/** True if a manifest asks for a power, or for a right of the `events` power. */
export function isAsked(asked: Record<string, unknown>, power: string): boolean {
  const [capability = "", right] = power.split(".");
  const found = Object.hasOwn(asked, capability) ? asked[capability] : undefined;
  return right === undefined ? found !== undefined : Object.hasOwn((found as object | undefined) ?? {}, right);
}
