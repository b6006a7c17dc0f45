/** Names that a hook chooses from in what it asks of the agent. */

/** Reads of the session of the agent. The first ones hold texts of the conversation. */
export const SESSION_TEXTS = [
  "branch",
  "entries",
  "entry",
  "leafEntry",
  "tree",
  "contextEntries",
  "projection",
  "systemPrompt",
  "systemPromptOptions",
] as const;
export const SESSION_FACTS = ["leafId", "header", "label", "sessionName", "sessionId", "sessionDir"] as const;
export type SessionRead = (typeof SESSION_TEXTS | typeof SESSION_FACTS)[number];

/** Reads of the agent itself. `packageDir`: the folder of its own files, which need a grant of `fs` besides. */
export const AGENT_READS = [
  "activeTools",
  "allTools",
  "commands",
  "models",
  "packageDir",
  "settings",
  "thinkingLevel",
] as const;
export type AgentRead = (typeof AGENT_READS)[number];

/** What a hook can ask the agent to do. */
export const AGENT_ACTS = [
  "appendEntry",
  "setSessionName",
  "setLabel",
  "setActiveTools",
  "setModel",
  "setThinkingLevel",
  "abort",
  "compact",
  "shutdown",
  "reload",
  "waitForIdle",
  "newSession",
  "fork",
  "navigateTree",
  "switchSession",
] as const;
export type AgentAct = (typeof AGENT_ACTS)[number];

/** What a hook can show without a dialog. */
export const SHOWN = [
  "status",
  "widget",
  "title",
  "workingMessage",
  "workingVisible",
  "workingIndicator",
  "thinkingLabel",
  "editorText",
  "paste",
  "toolsExpanded",
  "notification",
  "bell",
  "tabColor",
  "theme",
] as const;
export type Shown = (typeof SHOWN)[number];

/** Where a component can be shown for as long as its hook wants. */
export const MOUNTS = ["widget", "footer", "header"] as const;
export type Mount = (typeof MOUNTS)[number];

/** Where an overlay begins. */
export const ANCHORS = [
  "center",
  "top-left",
  "top-right",
  "bottom-left",
  "bottom-right",
  "top-center",
  "bottom-center",
  "left-center",
  "right-center",
] as const;
