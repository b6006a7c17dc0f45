/** What Strands plugins import from `@strands-agents/sdk`: what hooks are made of. Agents and models stay where they are. */
import { ImageBlock, JsonBlock, TextBlock, ToolResultBlock, toBlocks } from "./strands-sdk/blocks.ts";
import {
  AfterInvocationEvent,
  AfterToolCallEvent,
  BeforeInvocationEvent,
  BeforeToolCallEvent,
  HookOrder,
  Interrupt,
  InterruptError,
} from "./strands-sdk/events.ts";
import { SDK } from "./strands-sdk/sdk.ts";

Object.defineProperty(globalThis, SDK, {
  value: {
    AfterInvocationEvent,
    AfterToolCallEvent,
    BeforeInvocationEvent,
    BeforeToolCallEvent,
    Interrupt,
    InterruptError,
    ToolResultBlock,
    toBlocks,
  },
  configurable: true,
});

export {
  AfterInvocationEvent,
  AfterToolCallEvent,
  BeforeInvocationEvent,
  BeforeToolCallEvent,
  HookOrder,
  ImageBlock,
  Interrupt,
  InterruptError,
  JsonBlock,
  TextBlock,
  ToolResultBlock,
};
