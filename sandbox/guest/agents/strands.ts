/** The exports of `@strands-agents/sdk` that Strands plugins need for hooks. Agents and models are not offered. */
import * as blocks from "./strands-sdk/blocks.ts";
import { toBlocks } from "./strands-sdk/content.ts";
import * as events from "./strands-sdk/events.ts";
import { SDK } from "./strands-sdk/sdk.ts";

Object.defineProperty(globalThis, SDK, { value: { ...blocks, ...events, toBlocks }, configurable: true });

export { ImageBlock, JsonBlock, TextBlock, ToolResultBlock } from "./strands-sdk/blocks.ts";
export * from "./strands-sdk/events.ts";
