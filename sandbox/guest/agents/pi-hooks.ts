/** The exports of `@mariozechner/pi-coding-agent` that hooks import, besides types. */
import { host } from "../node/host.ts";

/** The agent's folder with the user's files. A hook needs a grant to read it. */
export const getAgentDir = (): string => `${host.machine.home}/.pi/agent`;

type ToolResult = { toolName: string };

const is =
  (name: string) =>
  (event: ToolResult): boolean =>
    event.toolName === name;

/** Only gives a tool its type. The tool is not registered. */
export const defineTool = (tool: unknown): unknown => tool;

/** Narrows a tool call event to one tool. */
export const isToolCallEventType = (tool: string, event: ToolResult): boolean => event.toolName === tool;

export const isBashToolResult = is("bash");
export const isReadToolResult = is("read");
export const isEditToolResult = is("edit");
export const isWriteToolResult = is("write");
export const isGrepToolResult = is("grep");
export const isFindToolResult = is("find");
export const isLsToolResult = is("ls");

/** Finds a model of the agent. `error` says why there is none. */
export function findModel(provider: string, id: string): { model: unknown; error: string | null } {
  try {
    return { model: host.sync("model.find", [String(provider), String(id)]), error: null };
  } catch (error) {
    return { model: null, error: (error as Error).message };
  }
}

interface Message {
  role: string;
  timestamp?: number;
  [field: string]: unknown;
}

interface BashExecution extends Message {
  command: string;
  output: string;
  exitCode: number | null;
  cancelled: boolean;
  truncated: boolean;
  fullOutputPath?: string;
}

const MODEL_ROLES = ["user", "assistant", "toolResult"];

/** Converts the messages of a session for a model: commands that the user ran become messages of the user. */
export const messageTransformer = (messages: readonly Message[]): Message[] =>
  messages.flatMap((message): Message[] => {
    if (MODEL_ROLES.includes(message.role)) return [message];
    if (message.role !== "bashExecution") return [];
    const content = [{ type: "text", text: inWords(message as BashExecution) }];
    return [{ role: "user", content, ...(message.timestamp === undefined ? {} : { timestamp: message.timestamp }) }];
  });

/** The same text as pi's. */
function inWords({ command, output, exitCode, cancelled, truncated, fullOutputPath }: BashExecution): string {
  const shown = output ? `\`\`\`\n${output}\n\`\`\`` : "(no output)";
  const failed = exitCode !== null && exitCode !== 0 ? `\n\nCommand exited with code ${exitCode}` : "";
  const end = cancelled ? "\n\n(command cancelled)" : failed;
  const rest = truncated && fullOutputPath ? `\n\n[Output truncated. Full output: ${fullOutputPath}]` : "";
  return `Ran \`${command}\`\n${shown}${end}${rest}`;
}
