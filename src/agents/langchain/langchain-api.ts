/** What is used of LangChain's `createAgent` (`langchain` 1.5), whose own types are generic over the agent's state. */
export interface ToolCallRequest {
  toolCall: { name: string; args: unknown; id?: string };
  runtime: { signal?: AbortSignal };
}

export interface ModelCallRequest {
  messages: readonly unknown[];
}

export type Handler<Request, Result> = (request: Request) => Result | Promise<Result>;

/** A `ToolMessage`, or a `Command` that a tool returned. */
export interface ToolReply {
  content?: unknown;
  status?: string;
  update?: unknown;
  /** Nodes that come next, each by its name, or with what it is handed. */
  goto?: unknown;
  /** The answer to a question that waits. */
  resume?: unknown;
}

export interface ToolMessageFields {
  content: string;
  tool_call_id: string;
  name: string;
  status: "success" | "error";
}

const CORE: string = "@langchain/core/messages";

/** Makes a message of the LangChain that is installed. Rejects where Cordon cannot find it. */
export async function toolMessage(fields: ToolMessageFields): Promise<unknown> {
  const { ToolMessage } = await import(CORE);
  return new ToolMessage(fields);
}
