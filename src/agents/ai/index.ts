/** `cordon/ai`: hooks around the tools of Vercel's AI SDK. */
export { type AgentCallbacks, agentCallbacks } from "./callbacks.ts";
export { type WithCordonOptions, withCordon } from "./with-cordon.ts";
