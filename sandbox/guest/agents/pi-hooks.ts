/** The exports of `@mariozechner/pi-coding-agent` that hooks import, besides types. */
import { host } from "../node/host.ts";

export { serializeConversation } from "./pi-conversation.ts";
export {
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_LINES,
  formatSize,
  truncateHead,
  truncateTail,
} from "./pi-truncate.ts";

/** The version of pi whose extension API this one follows. */
export const VERSION = "1.5.2";

export const CONFIG_DIR_NAME = ".pi";

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

const mutations = new Map<string, Promise<unknown>>();

/** Runs changes of one file one after the other. Those of different files run side by side. */
export function withFileMutationQueue<T>(path: string, change: () => Promise<T>): Promise<T> {
  const before = mutations.get(path) ?? Promise.resolve();
  const done = before.then(change);
  const settled = done.catch(() => {});
  mutations.set(path, settled);
  void settled.then(() => {
    if (mutations.get(path) === settled) mutations.delete(path);
  });
  return done;
}

/** Messages of a session in the form for a model: like {@link messageTransformer}, for those of later versions of pi. */
export const convertToLlm = (messages: readonly Message[]): Message[] =>
  messages.flatMap((message): Message[] => {
    const { role, timestamp, content, summary } = message;
    const asUser = (parts: unknown): Message[] => [{ role: "user", content: parts, timestamp }];
    const text = (words: string): unknown => [{ type: "text", text: words }];
    if (role === "system") return [message];
    if (role === "bashExecution" && message.excludeFromContext) return [];
    if (role === "custom") return asUser(typeof content === "string" ? text(content) : content);
    if (role === "branchSummary")
      return asUser(text(`Summary of a branch that was left:\n<summary>\n${summary}\n</summary>`));
    if (role === "compactionSummary")
      return asUser(text(`Summary of what came before:\n<summary>\n${summary}\n</summary>`));
    return messageTransformer([message]);
  });
