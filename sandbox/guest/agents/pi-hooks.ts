/**
 * The exports of `@mariozechner/pi-coding-agent` that only compute or need no more than a hook's powers, and those of pi's hooks
 * of 0.27. What is an object of the agent's process is not offered.
 */
export {
  collectEntriesForBranchSummary,
  generateBranchSummary,
  prepareBranchEntries,
} from "@earendil-works/pi-coding-agent/dist/core/compaction/branch-summarization.js";
export {
  calculateContextTokens,
  compact,
  DEFAULT_COMPACTION_SETTINGS,
  estimateTokens,
  findCutPoint,
  findTurnStartIndex,
  generateSummary,
  generateSummaryWithUsage,
  getLastAssistantUsage,
  shouldCompact,
} from "@earendil-works/pi-coding-agent/dist/core/compaction/compaction.js";
export { createEventBus } from "@earendil-works/pi-coding-agent/dist/core/event-bus.js";
export {
  isBashToolResult,
  isEditToolResult,
  isFindToolResult,
  isGrepToolResult,
  isLsToolResult,
  isPowerShellToolResult,
  isReadToolResult,
  isToolCallEventType,
  isWriteToolResult,
} from "@earendil-works/pi-coding-agent/dist/core/extensions/types.js";
export {
  wrapRegisteredTool,
  wrapRegisteredTools,
} from "@earendil-works/pi-coding-agent/dist/core/extensions/wrapper.js";
export { convertToLlm } from "@earendil-works/pi-coding-agent/dist/core/messages.js";
export {
  resolveCliModel,
  resolveModelScopeWithDiagnostics,
} from "@earendil-works/pi-coding-agent/dist/core/model-resolver.js";
export {
  buildContextEntries,
  buildSessionContext,
  buildSessionProjection,
  CURRENT_SESSION_VERSION,
  getLatestCompactionEntry,
  migrateSessionEntries,
  parseSessionEntries,
  SessionManager,
  sessionEntryToContextMessages,
} from "@earendil-works/pi-coding-agent/dist/core/session-manager.js";
export { SettingsManager } from "@earendil-works/pi-coding-agent/dist/core/settings-manager.js";
export {
  formatSkillsForPrompt,
  loadSkills,
  loadSkillsFromDir,
} from "@earendil-works/pi-coding-agent/dist/core/skills.js";
export { createSyntheticSourceInfo } from "@earendil-works/pi-coding-agent/dist/core/source-info.js";
export {
  createBashTool,
  createBashToolDefinition,
  createLocalBashOperations,
} from "@earendil-works/pi-coding-agent/dist/core/tools/bash.js";
export { createEditTool, createEditToolDefinition } from "@earendil-works/pi-coding-agent/dist/core/tools/edit.js";
export {
  generateDiffString,
  generateUnifiedPatch,
} from "@earendil-works/pi-coding-agent/dist/core/tools/edit-diff.js";
export { createFindTool, createFindToolDefinition } from "@earendil-works/pi-coding-agent/dist/core/tools/find.js";
export { createGrepTool, createGrepToolDefinition } from "@earendil-works/pi-coding-agent/dist/core/tools/grep.js";
export { createCodingTools, createReadOnlyTools } from "@earendil-works/pi-coding-agent/dist/core/tools/index.js";
export { createLsTool, createLsToolDefinition } from "@earendil-works/pi-coding-agent/dist/core/tools/ls.js";
export {
  createLocalPowerShellOperations,
  createPowerShellTool,
  createPowerShellToolDefinition,
} from "@earendil-works/pi-coding-agent/dist/core/tools/powershell.js";
export { createReadTool, createReadToolDefinition } from "@earendil-works/pi-coding-agent/dist/core/tools/read.js";
export { createWriteTool, createWriteToolDefinition } from "@earendil-works/pi-coding-agent/dist/core/tools/write.js";
export {
  parseFrontmatter,
  stripFrontmatter,
} from "@earendil-works/pi-coding-agent/dist/utils/frontmatter.js";
export { detectSupportedImageMimeTypeFromFile } from "@earendil-works/pi-coding-agent/dist/utils/mime.js";
export { AgentSession } from "./pi/agent-session.ts";
export * from "./pi/components.ts";
export { CONFIG_DIR_NAME, getAgentDir, VERSION } from "./pi/config.ts";
export { serializeConversation } from "./pi/conversation.ts";
export { createAgentSession } from "./pi/create-agent-session.ts";
export { defineTool } from "./pi/define-tool.ts";
export { findModel } from "./pi/find-model.ts";
export { convertToPng, formatDimensionNote, resizeImage } from "./pi/images.ts";
export { messageTransformer } from "./pi/message-transformer.ts";
export { ModelRuntime } from "./pi/model-runtime.ts";
export { withFileMutationQueue } from "./pi/mutation-queue.ts";
export { getDocsPath, getExamplesPath, getPackageDir, getReadmePath } from "./pi/package-files.ts";
export { formatReadLineRange } from "./pi/read-line-range.ts";
export { createExtensionRuntime, DefaultResourceLoader } from "./pi/resource-loader.ts";
export { getPowerShellConfig, getShellConfig } from "./pi/shell.ts";
export {
  getLanguageFromPath,
  getMarkdownTheme,
  getSelectListTheme,
  getSettingsListTheme,
  highlightCode,
  initTheme,
  Theme,
} from "./pi/theme.ts";
export {
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_LINES,
  formatSize,
  truncateHead,
  truncateLine,
  truncateTail,
} from "./pi/truncate.ts";
