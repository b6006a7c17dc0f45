import { HookBlockedError, messageOf } from "../../base/errors.ts";
import type { HookHost } from "../../host/host.ts";
import type { PassedResult } from "../../host/pass-result.ts";
import { readThrown } from "../../host/thrown.ts";
import { type Call, ToolGates, type ToolNameOptions, textOf } from "../tool-gates.ts";
import {
  type Handler,
  type ModelCallRequest,
  type ToolCallRequest,
  type ToolMessageFields,
  type ToolReply,
  toolMessage,
} from "./langchain-api.ts";
import { shownContent } from "./replies.ts";
import { copyOf } from "./reply-copy.ts";
import { RunEvents } from "./run-events.ts";

/** Middleware for the list of `createAgent`. */
export interface CordonMiddleware {
  readonly name: string;
  wrapToolCall<Request extends ToolCallRequest, Result>(
    request: Request,
    handler: Handler<Request, Result>,
  ): Promise<Result>;
  wrapModelCall<Request extends ModelCallRequest, Result>(
    request: Request,
    handler: Handler<Request, Result>,
  ): Promise<Result>;
}

/**
 * Hooks around the tools of LangChain's `createAgent({ middleware: [cordon(host)] })`. It has to be the last of the list: what
 * a later one changes is not judged. A block is a `ToolMessage` with status `error`, `Blocked by hook <id>: <reason>`.
 */
export function cordon(host: HookHost, names: ToolNameOptions = {}): CordonMiddleware {
  const gates = new ToolGates(host, names);
  const events = new RunEvents(host);
  return {
    name: "Cordon",
    async wrapToolCall<Request extends ToolCallRequest, Result>(request: Request, handler: Handler<Request, Result>) {
      const { toolCall, runtime } = request;
      const { name, args, id = "" } = toolCall;
      let call: Call;
      try {
        call = await gates.judge(name, id, args, runtime.signal ? { signal: runtime.signal } : {});
      } catch (error) {
        if (!(error instanceof HookBlockedError)) throw error;
        return reply<Result>({ content: error.message, tool_call_id: id, name, status: "error" });
      }
      const judged = { ...request, toolCall: { ...toolCall, args: call.input } };
      return shown(gates, call, () => handler(judged));
    },
    async wrapModelCall<Request extends ModelCallRequest, Result>(request: Request, handler: Handler<Request, Result>) {
      await events.before(request.messages);
      const answer = await handler(request);
      await events.after(request.messages, answer);
      return answer;
    },
  };
}

/** Runs a tool and shows hooks what it gave. */
async function shown<Result>(gates: ToolGates, call: Call, run: () => Result | Promise<Result>): Promise<Result> {
  const started = performance.now();
  let result: Result;
  try {
    result = await run();
  } catch (error) {
    // An interrupt asks a person, and the call is made again.
    if (Object(error).is_bubble_up === true || !gates.hearsResults) throw error;
    const thrown = readThrown(error);
    const content = [{ type: "text" as const, text: thrown.text }];
    const passed = await gates.show(call, { content, isError: true }, started);
    if (!passed) throw thrown.error;
    return changed(call, passed);
  }
  if (!gates.hearsResults) return result;
  const { copy, passed } = await seen(gates, call, result, started);
  return passed ? changed(call, passed) : copy;
}

/** Shows hooks a copy, which is what the agent gets: the tool may still have what it gave, and could change it. */
async function seen<Result>(
  gates: ToolGates,
  call: Call,
  result: Result,
  started: number,
): Promise<{ copy: Result; passed: PassedResult | undefined }> {
  try {
    const copy = copyOf(result);
    const content = shownContent(copy as ToolReply);
    const { status } = Object(copy) as ToolReply;
    return { copy, passed: await gates.show(call, { content, isError: status === "error" }, started) };
  } catch (error) {
    const text = `Withheld by Cordon: no hook could check this result: ${messageOf(error)}`;
    return { copy: result, passed: { content: [{ type: "text", text }], isError: true } };
  }
}

const changed = <Result>({ tool, id }: Call, passed: PassedResult): Promise<Result> =>
  reply({ content: textOf(passed), tool_call_id: id, name: tool, status: passed.isError ? "error" : "success" });

const reply = <Result>(fields: ToolMessageFields): Promise<Result> => toolMessage(fields) as Promise<Result>;
