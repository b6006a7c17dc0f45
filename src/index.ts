/** Cordon's library: see `HookHost`. */
export type { AuditLine } from "./audit/audit.ts";
export { CordonError, ERROR_CODES, type ErrorCode, HookBlockedError } from "./base/errors.ts";
export type { HookEvent, HookUIContext } from "./hook-api.ts";
export type { CustomOptions, HookScreen, MountOptions, Terminal } from "./hook-screen.ts";
export type { Subject } from "./host/drawings.ts";
export { HookHost } from "./host/host.ts";
export { offeredTools } from "./host/offered-tools.ts";
export type { CommandOutcome, OfferedCommand, OfferedFlag, OfferedTool, ToolOutcome } from "./host/offers.ts";
export { type AgentTool, wrapToolsWithHooks } from "./host/wrap-tools.ts";
export type { AgentServices, CustomMessage, SendOptions } from "./powers/lent-session.ts";
export type { ConsentAnswer, ConsentHandler, ConsentQuestion } from "./session/consent.ts";
export type { HookInfo } from "./session/hook-info.ts";
export type { LogLine } from "./session/log-line.ts";
export type { HookHostOptions, HookOption } from "./session/options.ts";
export type { HookError } from "./session/reporter.ts";
export type { Blocked } from "./verdicts/blocked.ts";
export type { EventResult } from "./verdicts/event-result.ts";
export type { ToolCallOutcome } from "./verdicts/tool-call.ts";
