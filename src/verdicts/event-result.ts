import type { MessageEventResult, ParamsEventResult, SessionEventResult, ToolResultEventResult } from "../hook-api.ts";
import type { ToolCallOutcome } from "./tool-call.ts";

/** What an event comes to, by its type. */
export type EventResult =
  | NonNullable<ToolCallOutcome>
  | ToolResultEventResult
  | SessionEventResult
  | MessageEventResult
  | ParamsEventResult;
