/**
 * The exports of `@earendil-works/pi-agent-core` by which a hook runs an agent of its own code: the loop, and what it hands about.
 * Models answer by the power `model`; the tools are the hook's own functions.
 */
export { Agent } from "@earendil-works/pi-agent-core/dist/agent.js";
export {
  agentLoop,
  agentLoopContinue,
  runAgentLoop,
  runAgentLoopContinue,
} from "@earendil-works/pi-agent-core/dist/agent-loop.js";
export * from "@earendil-works/pi-agent-core/dist/harness/messages.js";
export * from "@earendil-works/pi-agent-core/dist/harness/types.js";
export { uuidv7 } from "@earendil-works/pi-ai/dist/utils/uuid.js";
export { setDefaultStreamFn } from "./pi/default-stream.ts";
export {
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_LINES,
  formatSize,
  truncateHead,
  truncateLine,
  truncateTail,
} from "./pi/truncate.ts";
