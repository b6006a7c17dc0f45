import { on, onToolCall } from "../support/session.ts";
import { cordonMcp, RawClient, workplace } from "./mcp-process.ts";

export const GATE = {
  source: onToolCall(`if (String(event.input.command).includes("rm -rf")) return { block: true, reason: "no" };`),
};
export const REDACT = {
  source: on(
    "tool_result",
    `return { content: event.content.map((one) => ({ ...one, text: String(one.text).replaceAll("hunter2", "***") })) };`,
  ),
  events: { rewriteResult: ["*"] },
};

/** A server without the SDK: `line` is each message it gets, parsed; it also logs each to standard error. */
export const hostile = (body: string): string[] => [
  process.execPath,
  "-e",
  `const say = (message) => process.stdout.write((typeof message === "string" ? message : JSON.stringify(message)) + "\\n");
   const text = (id, words) => ({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: words }] } });
   require("node:readline").createInterface({ input: process.stdin }).on("line", (raw) => {
     process.stderr.write("GOT " + raw + "\\n");
     const { id, method, params } = JSON.parse(raw);
     ${body}
   });`,
];
/** A server that runs nothing, and says what it would have run. */
export const ECHO = hostile(
  `if (method === "tools/call") say(text(id, "ran " + params.arguments.command)); else if (id) say(text(id, "other"));`,
);

/** A client of `cordon mcp` around this server. */
export function started(hooks: Parameters<typeof workplace>[0], server: readonly string[]): RawClient {
  const place = workplace(hooks);
  return new RawClient(cordonMcp(place, "--", ...server), place);
}

/** The line of a call. */
export const call = (id: unknown, command: string) =>
  JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "bash", arguments: { command } } });
