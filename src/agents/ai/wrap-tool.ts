import { HookBlockedError } from "../../base/errors.ts";
import type { Call, ToolGates } from "../tool-gates.ts";
import { blockUnapproved } from "./approval.ts";
import { isChanged, ownOutput, shownError, shownOutput } from "./output.ts";
import { told } from "./told.ts";
import type { AiExecute, AiModelOutput, AiTool, AiToolOptions } from "./tool-api.ts";

/** A tool and the function that runs it, as they were when it was wrapped. */
export interface Wrapped {
  name: string;
  tool: AiTool;
  execute: NonNullable<AiTool["execute"]>;
}

/** A copy of a tool that hooks guard. `all`: the tools that a hook may choose instead. */
export function wrapTool(called: Wrapped, all: ReadonlyMap<string, Wrapped>, gates: ToolGates): AiTool {
  const { tool, execute } = called;
  const start = async (input: unknown, options: AiToolOptions) => {
    const call = await judge(called, all, gates, input, options).catch((error: unknown) => {
      throw error instanceof HookBlockedError ? told(error) : error;
    });
    const { tool: chosen, execute: run } = all.get(call.tool) as Wrapped;
    return {
      call,
      started: performance.now(),
      run: () => Reflect.apply(run, chosen, [call.input, options]) as unknown,
    };
  };
  const once: AiExecute = async (input, options) => {
    const { call, started, run } = await start(input, options);
    let output: unknown;
    try {
      const given = run();
      output = ownOutput(isParts(given) ? await last(given) : await given);
    } catch (error) {
      return shownError(gates, call, error, started);
    }
    return shownOutput(gates, call, output, started);
  };
  async function* stream(input: unknown, options: AiToolOptions): AsyncGenerator<unknown> {
    const { call, started, run } = await start(input, options);
    let output: unknown;
    let isOut = false;
    try {
      const given = run();
      // A hook may have chosen a tool that gives its result at once.
      for await (const part of isParts(given) ? given : [given]) {
        output = ownOutput(part);
        // A piece that no hook has seen would be out already when they withhold the result.
        isOut = !gates.hearsResults;
        if (isOut) yield output;
      }
    } catch (error) {
      yield await shownError(gates, call, error, started);
      return;
    }
    if (!isOut || gates.hearsResults) yield await shownOutput(gates, call, output, started);
  }
  const { toModelOutput } = tool;
  const guarded = {
    execute: isGenerator(execute) ? stream : once,
    ...(typeof toModelOutput === "function" ? { toModelOutput: modelOutput(tool, toModelOutput) } : {}),
  };
  // Properties of the tool's class stay.
  return Object.freeze(Object.assign(Object.create(Object.getPrototypeOf(tool)), tool, guarded));
}

async function judge(
  { name, tool }: Wrapped,
  all: ReadonlyMap<string, Wrapped>,
  gates: ToolGates,
  input: unknown,
  options: AiToolOptions,
): Promise<Call> {
  const { toolCallId, abortSignal } = options;
  const call = await gates.judge(name, toolCallId, input, {
    ...(abortSignal ? { signal: abortSignal } : {}),
    others: [...all.keys()],
  });
  const isSame = call.tool === name && (call.input === input || JSON.stringify(call.input) === JSON.stringify(input));
  if (!isSame) await blockUnapproved(all.get(call.tool)?.tool ?? tool, call.input, options);
  return call;
}

/** A result that hooks changed is a text, which the tool's own conversion does not know. */
const modelOutput = (tool: AiTool, convert: NonNullable<AiTool["toModelOutput"]>) => (given: AiModelOutput) =>
  isChanged(given.output) ? { type: "text", value: given.output } : Reflect.apply(convert, tool, [given]);

const isGenerator = (execute: unknown): boolean =>
  Object.prototype.toString.call(execute) === "[object AsyncGeneratorFunction]";

const isParts = (output: unknown): output is AsyncIterable<unknown> =>
  typeof Object(output)[Symbol.asyncIterator] === "function";

/** The result of a plain function that gives it piece by piece: the last piece, as for the SDK. */
async function last(parts: AsyncIterable<unknown>): Promise<unknown> {
  let result: unknown;
  for await (result of parts);
  return result;
}
