/** What is used of a tool of Vercel's AI SDK (`ai` 6 and 7), whose own types are generic over its input and output. */
export interface AiTool {
  execute?: (input: never, options: never) => unknown;
  needsApproval?: unknown;
  toModelOutput?: (given: never) => unknown;
}

/** What `execute` gets beside the input. */
export interface AiToolOptions {
  toolCallId: string;
  messages?: readonly unknown[];
  abortSignal?: AbortSignal;
}

export type AiExecute = (input: unknown, options: AiToolOptions) => unknown;

/** What a tool gives to `toModelOutput`. */
export interface AiModelOutput {
  output: unknown;
}
