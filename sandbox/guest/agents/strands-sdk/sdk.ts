import type { ToolResultBlock, toBlocks } from "./blocks.ts";
import type {
  AfterInvocationEvent,
  AfterToolCallEvent,
  BeforeInvocationEvent,
  BeforeToolCallEvent,
  Interrupt,
  InterruptError,
} from "./events.ts";

/** Where the runtime finds the classes that a plugin's bundle has: `instanceof` in the plugin must hold. */
export const SDK = Symbol.for("cordon.strands");

export interface Sdk {
  readonly AfterInvocationEvent: typeof AfterInvocationEvent;
  readonly AfterToolCallEvent: typeof AfterToolCallEvent;
  readonly BeforeInvocationEvent: typeof BeforeInvocationEvent;
  readonly BeforeToolCallEvent: typeof BeforeToolCallEvent;
  readonly Interrupt: typeof Interrupt;
  readonly InterruptError: typeof InterruptError;
  readonly ToolResultBlock: typeof ToolResultBlock;
  readonly toBlocks: typeof toBlocks;
}
