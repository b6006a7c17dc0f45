/**
 * Every member of the extension API of pi 1.5.2, by the type in its package (`dist/core/extensions/types.d.ts`), and what it
 * is in a sandbox. A new version of pi shows here what is new.
 */
export const PI_VERSION = "1.5.2";

/** `works`; `left out`: does nothing, and says so; `impossible`: throws, and says why. */
export type Status = "works" | "left out" | "impossible";

const all = (status: Status, names: string): [string, Status][] => names.split(" ").map((name) => [name, status]);

export const MEMBERS: Readonly<Record<string, ReadonlyMap<string, Status>>> = {
  ExtensionAPI: new Map([
    ...all(
      "works",
      "on registerTool registerCommand registerShortcut registerFlag getFlag sendMessage sendUserMessage appendEntry setSessionName getSessionName setLabel exec getActiveTools getAllTools getSettings setActiveTools getCommands setModel getThinkingLevel setThinkingLevel getMcpServers events registerMessageRenderer registerEntryRenderer registerToolRenderer registerProvider unregisterProvider registerMarkdownTransformer registerVirtualModel unregisterVirtualModel",
    ),
    ...all("left out", "registerMcpServer unregisterMcpServer"),
  ]),
  ExtensionContext: new Map(
    all(
      "works",
      "ui mode hasUI cwd sessionManager modelRegistry model scopedModels thinkingLevel isIdle isProjectTrusted signal abort hasPendingMessages shutdown getContextUsage compact getSystemPrompt",
    ),
  ),
  ExtensionUIContext: new Map([
    ...all(
      "works",
      "select confirm input notify setStatus setWorkingMessage setWorkingVisible setWorkingIndicator setHiddenThinkingLabel setWidget setTitle pasteToEditor setEditorText getEditorText editor getEditorComponent theme getAllThemes getTheme setTheme getToolsExpanded setToolsExpanded custom setFooter setHeader onTerminalInput addAutocompleteProvider setEditorComponent",
    ),
  ]),
  ExtensionCommandContext: new Map(
    all("works", "getSystemPromptOptions waitForIdle newSession fork navigateTree switchSession reload"),
  ),
  ExtensionToolContext: new Map(all("works", "tools executeTool")),
};

/** Where a member is found in a hook. */
export const PLACES: Readonly<Record<string, string>> = {
  ExtensionAPI: "pi",
  ExtensionContext: "ctx",
  ExtensionUIContext: "ctx.ui",
  ExtensionCommandContext: "ctx",
  ExtensionToolContext: "ctx",
};

/** Events that are Cordon's `session`, by pi's own names. */
export const SESSION_EVENTS: readonly string[] = [
  "session_start",
  "session_shutdown",
  "session_before_switch",
  "session_before_fork",
  "session_before_compact",
  "session_compact",
];

/** The members that pi's types declare, by interface, and the events that `on` takes. */
export function declared(types: string): { members: Record<string, string[]>; events: string[] } {
  const code = types.replace(/\/\*.*?\*\//gs, "");
  const members = Object.keys(MEMBERS).map((name): [string, string[]] => {
    const [, body = ""] = new RegExp(`export interface ${name}\\b[^{]*\\{(.*?)\\n\\}`, "s").exec(code) ?? [];
    const names = [...body.matchAll(/^ {4}(?:readonly )?(\w+)\??\s*[(<:]/gm)].map((match) => match[1] as string);
    return [name, [...new Set(names)]];
  });
  const events = [...code.matchAll(/\bon\(event: "(\w+)"/g)].map((match) => match[1] as string);
  return { members: Object.fromEntries(members), events: [...new Set(events)] };
}
