/** Cordon's library: see `HookHost`. */
export type { AuditLine } from "./audit.ts";
export type { ConsentAnswer, ConsentHandler, ConsentQuestion } from "./consent.ts";
export { CordonError, ERROR_CODES, type ErrorCode, HookBlockedError } from "./errors.ts";
export type { Blocked, ToolCallOutcome } from "./events/tool-call.ts";
export type { HookEvent, HookUIContext } from "./hooks.ts";
export { type EventResult, HookHost, type HookInfo } from "./host.ts";
export type { HookHostOptions, HookOption, LogLine } from "./options.ts";
export type { HookError } from "./reporter.ts";
export { type AgentTool, wrapToolsWithHooks } from "./wrap-tools.ts";
