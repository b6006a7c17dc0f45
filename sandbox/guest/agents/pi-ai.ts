/**
 * The exports of `@mariozechner/pi-ai` that only compute, and those that ask a model of the agent's. Providers, with their keys, stay
 * with the agent: a store in memory is the hook's own, and begins empty.
 */
export { InMemoryCredentialStore } from "@earendil-works/pi-ai/dist/auth/credential-store.js";
export {
  calculateCost,
  clampThinkingLevel,
  getSupportedThinkingLevels,
  hasApi,
  modelsAreEqual,
} from "@earendil-works/pi-ai/dist/models.js";
export { InMemoryModelsStore } from "@earendil-works/pi-ai/dist/models-store.js";
export {
  fauxAssistantMessage,
  fauxText,
  fauxThinking,
  fauxToolCall,
} from "@earendil-works/pi-ai/dist/providers/faux.js";
export {
  AssistantMessageFrameEncoder,
  reduceAssistantMessageFrames,
} from "@earendil-works/pi-ai/dist/utils/assistant-message-frame.js";
export {
  appendAssistantMessageDiagnostic,
  createAssistantMessageDiagnostic,
  extractDiagnosticError,
  formatThrownValue,
} from "@earendil-works/pi-ai/dist/utils/diagnostics.js";
export {
  AssistantMessageEventStream,
  createAssistantMessageEventStream,
  EventStream,
} from "@earendil-works/pi-ai/dist/utils/event-stream.js";
export { parseJsonWithRepair, parseStreamingJson, repairJson } from "@earendil-works/pi-ai/dist/utils/json-parse.js";
export {
  getOverflowPatterns,
  isContextOverflow,
  isRecoverableLength,
} from "@earendil-works/pi-ai/dist/utils/overflow.js";
export {
  DEFAULT_MAX_AGENT_RETRY_DELAY_MS,
  isRetryableAssistantError,
  retryAssistantCall,
  retryDelayMs,
} from "@earendil-works/pi-ai/dist/utils/retry.js";
export {
  contentText,
  getSystemMessageText,
  renderSystemMessageUpdate,
} from "@earendil-works/pi-ai/dist/utils/text.js";
export * from "@earendil-works/pi-ai/dist/utils/transcript.js";
export { StringEnum } from "@earendil-works/pi-ai/dist/utils/typebox-helpers.js";
export { uuidv7 } from "@earendil-works/pi-ai/dist/utils/uuid.js";
export { validateToolArguments, validateToolCall } from "@earendil-works/pi-ai/dist/utils/validation.js";
export { Type } from "typebox";
export { getApiProvider, getApiProviders } from "./pi/api-providers.ts";
export { complete, complete as completeSimple, stream, stream as streamSimple } from "./pi/complete.ts";
export { getModel, getModels, getProviders } from "./pi/models.ts";
export { ToolCallArgumentsStream } from "./pi/tool-call-arguments.ts";
