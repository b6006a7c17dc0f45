/**
 * A program that answers as a model, in OpenAI's streaming form, and runs pi beside it: both in one network namespace.
 * `node model-server.ts TURNS.json REQUESTS.jsonl PROGRAM ARGS...`. After the last turn it says `done`.
 */
import { spawn } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";

/** What the model says: a text, or calls of tools. `waitMs`: before it answers. */
export interface Turn {
  text?: string;
  calls?: readonly { name: string; args: object }[];
  waitMs?: number;
}

/** The port that pi's `models.json` names. The namespace has no other listener. */
export const MODEL_PORT = 8080;

function answer(response: ServerResponse, number: number, { text, calls = [] }: Turn): void {
  const send = (choice: object, more: object = {}): void => {
    const chunk = { id: `answer-${number}`, object: "chat.completion.chunk", created: 1, model: "mock" };
    response.write(`data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, ...choice }], ...more })}\n\n`);
  };
  response.writeHead(200, { "content-type": "text/event-stream" });
  const toolCalls = calls.map(({ name, args }, index) => ({
    index,
    id: `call_${number}_${index}`,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  send({ delta: { role: "assistant", ...(text === undefined ? {} : { content: text }) } });
  if (toolCalls.length > 0) send({ delta: { tool_calls: toolCalls } });
  const usage = { prompt_tokens: 1000 * (number + 1), completion_tokens: 10, total_tokens: 1000 * (number + 1) + 10 };
  send({ delta: {}, finish_reason: toolCalls.length > 0 ? "tool_calls" : "stop" }, { usage });
  response.end("data: [DONE]\n\n");
}

const sendEvent = (response: ServerResponse, event: { type: string; [member: string]: unknown }): void =>
  void response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);

/** The same in Anthropic's form. */
function answerAsAnthropic(response: ServerResponse, number: number, { text, calls = [] }: Turn): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const usage = { input_tokens: 1000 * (number + 1), output_tokens: 10 };
  const message = { id: `answer-${number}`, type: "message", role: "assistant", model: "mock", content: [], usage };
  sendEvent(response, { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null } });
  const blocks = [
    ...(text === undefined
      ? []
      : [
          [
            { type: "text", text: "" },
            { type: "text_delta", text },
          ],
        ]),
    ...calls.map(({ name, args }, at) => [
      { type: "tool_use", id: `call_${number}_${at}`, name, input: {} },
      { type: "input_json_delta", partial_json: JSON.stringify(args) },
    ]),
  ];
  for (const [index, [content_block, delta]] of blocks.entries()) {
    sendEvent(response, { type: "content_block_start", index, content_block });
    sendEvent(response, { type: "content_block_delta", index, delta });
    sendEvent(response, { type: "content_block_stop", index });
  }
  const stop_reason = calls.length > 0 ? "tool_use" : "end_turn";
  sendEvent(response, { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage });
  sendEvent(response, { type: "message_stop" });
  response.end();
}

/** What GitLab gives for a token of a person's. */
const DIRECT_ACCESS = { token: "direct", headers: { "x-gitlab-instance-id": "one" } };

function main([turnsFile = "", requestsFile = "", program = "", ...args]: string[]): void {
  const turns = JSON.parse(readFileSync(turnsFile, "utf8")) as Turn[];
  let number = 0;
  const server = createServer(async (request, response) => {
    const parts = await Array.fromAsync(request);
    const at = number++;
    const turn = turns[at] ?? { text: "done" };
    const { authorization } = request.headers;
    const body = JSON.parse(Buffer.concat(parts as Buffer[]).toString() || "null");
    appendFileSync(
      requestsFile,
      `${JSON.stringify({ path: request.url, authorization, headers: request.headers, body })}\n`,
    );
    const path = request.url ?? "";
    if (path.endsWith("/direct_access")) {
      number--;
      response.setHeader("content-type", "application/json").end(JSON.stringify(DIRECT_ACCESS));
      return;
    }
    const say = /\/v1\/messages(\?|$)/.test(path) ? answerAsAnthropic : answer;
    setTimeout(() => say(response, at, turn), turn.waitMs ?? 0);
  });
  server.listen(MODEL_PORT, "127.0.0.1", () => {
    const child = spawn(program, args, { stdio: "inherit" });
    child.on("exit", (code) => process.exit(code ?? 1));
    process.on("SIGTERM", () => child.kill());
  });
}

if (process.argv[1] === import.meta.filename) main(process.argv.slice(2));
