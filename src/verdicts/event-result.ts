import type {
  ExtensionEventResult,
  MessageEventResult,
  ParamsEventResult,
  SessionEventResult,
  ToolResultEventResult,
} from "../hook-api.ts";
import type { ToolCallOutcome } from "./tool-call.ts";

/** The combined result of an event, by its type. */
export type EventResult =
  | NonNullable<ToolCallOutcome>
  | ToolResultEventResult
  | SessionEventResult
  | MessageEventResult
  | ParamsEventResult
  | ExtensionEventResult;
