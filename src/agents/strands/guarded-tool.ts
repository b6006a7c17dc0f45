import { isNativeError, isProxy } from "node:util/types";
import { readJson } from "../../../sandbox/wire/read-json.ts";
import { attemptOr } from "../../base/attempt.ts";
import { messageOf } from "../../base/errors.ts";
import type { TextContent } from "../../hook-api.ts";
import type { PassedResult } from "../../host/pass-result.ts";
import { readThrown } from "../../host/thrown.ts";
import { type Call, type ToolGates, textOf } from "../tool-gates.ts";
import type { ResultBlock, StrandsSdk, StrandsTool, ToolContext, ToolRegistry, ToolStream } from "./strands-api.ts";

/** What a guarded tool works with. `registry`: the agent's own tools, as they are. */
export interface Guard {
  sdk: StrandsSdk;
  gates: ToolGates;
  registry: ToolRegistry;
}

/** Stands for a tool of the agent: all of it is the tool's own, but for `stream`, which hooks guard. */
export function guardedTool(tool: StrandsTool, guard: Guard): StrandsTool {
  const stream = (context: ToolContext): ToolStream => guardedStream(tool, context, guard);
  // The tool itself may be frozen, and then a proxy of it could not give another `stream`.
  return new Proxy<StrandsTool>(Object.create(Object.getPrototypeOf(tool)), {
    get: (_shadow, name) => {
      if (name === "stream") return stream;
      const value: unknown = Reflect.get(tool, name);
      return typeof value === "function" ? value.bind(tool) : value;
    },
    has: (_shadow, name) => Reflect.has(tool, name),
    set: (_shadow, name, value) => Reflect.set(tool, name, value),
  });
}

/** Throws a block: the SDK tells the model the message of what a tool throws. */
async function* guardedStream(tool: StrandsTool, context: ToolContext, guard: Guard): ToolStream {
  const { gates, registry, sdk } = guard;
  const { toolUse, cancelSignal } = context;
  const call = await gates.judge(toolUse.name, toolUse.toolUseId, toolUse.input, {
    ...(cancelSignal ? { signal: cancelSignal } : {}),
    others: registry.list().map(({ name }) => name),
  });
  const chosen = call.tool === toolUse.name ? tool : registry.get(call.tool);
  if (!chosen) throw new Error(`the tool ${call.tool}, which a hook chose, is gone`);
  const started = performance.now();
  const running = chosen.stream({ ...context, toolUse: { ...toolUse, name: call.tool, input: call.input } });
  let result: ResultBlock | undefined;
  try {
    let next = await running.next();
    while (!next.done) {
      // A piece that no hook has seen would be out already when they withhold the result.
      if (!gates.hearsResults) yield next.value;
      next = await running.next();
    }
    result = next.value;
  } catch (error) {
    // An interrupt asks a person, and the call is made again.
    if (isInterrupt(error)) throw error;
    // The tool may still have what it threw, and could change what that says.
    const thrown = readThrown(error);
    const content = [{ type: "text" as const, text: thrown.text }];
    const passed = await gates.show(call, { content, isError: true }, started);
    if (!passed) throw thrown.error;
    return changed(sdk, call, passed);
  } finally {
    await running.return(undefined);
  }
  return result && gates.hearsResults ? shownResult(guard, call, result, started) : result;
}

/**
 * The SDK does not export the class of its interrupts. What only looks like one is an error to it, whose message no hook has seen: so none
 * has a message, nor can it become something else.
 */
function isInterrupt(error: unknown): boolean {
  if (!isNativeError(error) || isProxy(error) || !Array.isArray(Object(error).interrupts)) return false;
  return attemptOr(() => {
    Object.defineProperty(error, "message", { value: "an interrupt" });
    return Object.isFrozen(Object.freeze(error));
  }, false);
}

async function shownResult(
  { sdk, gates }: Guard,
  call: Call,
  result: ResultBlock,
  started: number,
): Promise<ResultBlock> {
  let copy: ResultBlock;
  let content: TextContent[];
  try {
    // The tool has the block it returned, and could change it after hooks have seen it.
    copy = sdk.ToolResultBlock.fromJSON(readJson(JSON.stringify(result)));
    content = copy.content.map((block) => ({ type: "text", text: textIn(block) }));
  } catch (error) {
    throw new Error(`Withheld by Cordon: no hook could check this result: ${messageOf(error)}`);
  }
  if (result.error) copy.error = result.error;
  const passed = await gates.show(call, { content, isError: copy.status === "error" }, started);
  return passed ? changed(sdk, call, passed) : copy;
}

const changed = ({ TextBlock, ToolResultBlock }: StrandsSdk, { id }: Call, passed: PassedResult): ResultBlock =>
  new ToolResultBlock({
    toolUseId: id,
    status: passed.isError ? "error" : "success",
    content: [new TextBlock(textOf(passed))],
  });

/** What hooks see of one part of a result: its text, or its JSON. */
function textIn(block: object): string {
  const { text, json } = block as { text?: unknown; json?: unknown };
  if (typeof text === "string") return text;
  return JSON.stringify(json === undefined ? block : json);
}
