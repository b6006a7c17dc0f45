/** The components of pi's own that show what they are given. Those that need the agent's session are not offered. */
export { ArminComponent } from "@earendil-works/pi-coding-agent/dist/modes/interactive/components/armin.js";
export { AssistantMessageComponent } from "@earendil-works/pi-coding-agent/dist/modes/interactive/components/assistant-message.js";
export { BashExecutionComponent } from "@earendil-works/pi-coding-agent/dist/modes/interactive/components/bash-execution.js";
export { BorderedLoader } from "@earendil-works/pi-coding-agent/dist/modes/interactive/components/bordered-loader.js";
export { BranchSummaryMessageComponent } from "@earendil-works/pi-coding-agent/dist/modes/interactive/components/branch-summary-message.js";
export { CompactionSummaryMessageComponent } from "@earendil-works/pi-coding-agent/dist/modes/interactive/components/compaction-summary-message.js";
export { CustomEditor } from "@earendil-works/pi-coding-agent/dist/modes/interactive/components/custom-editor.js";
export { CustomMessageComponent } from "@earendil-works/pi-coding-agent/dist/modes/interactive/components/custom-message.js";
export { renderDiff } from "@earendil-works/pi-coding-agent/dist/modes/interactive/components/diff.js";
export { DynamicBorder } from "@earendil-works/pi-coding-agent/dist/modes/interactive/components/dynamic-border.js";
export { ExtensionInputComponent } from "@earendil-works/pi-coding-agent/dist/modes/interactive/components/extension-input.js";
export { ExtensionSelectorComponent } from "@earendil-works/pi-coding-agent/dist/modes/interactive/components/extension-selector.js";
export {
  keyHint,
  keyText,
  rawKeyHint,
} from "@earendil-works/pi-coding-agent/dist/modes/interactive/components/keybinding-hints.js";
export { ShowImagesSelectorComponent } from "@earendil-works/pi-coding-agent/dist/modes/interactive/components/show-images-selector.js";
export { SkillInvocationMessageComponent } from "@earendil-works/pi-coding-agent/dist/modes/interactive/components/skill-invocation-message.js";
export { ThemeSelectorComponent } from "@earendil-works/pi-coding-agent/dist/modes/interactive/components/theme-selector.js";
export { ThinkingSelectorComponent } from "@earendil-works/pi-coding-agent/dist/modes/interactive/components/thinking-selector.js";
export { UserMessageComponent } from "@earendil-works/pi-coding-agent/dist/modes/interactive/components/user-message.js";
export { UserMessageSelectorComponent } from "@earendil-works/pi-coding-agent/dist/modes/interactive/components/user-message-selector.js";
export { truncateToVisualLines } from "@earendil-works/pi-coding-agent/dist/modes/interactive/components/visual-truncate.js";
