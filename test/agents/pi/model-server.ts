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
    setTimeout(() => answer(response, at, turn), turn.waitMs ?? 0);
  });
  server.listen(MODEL_PORT, "127.0.0.1", () => {
    const child = spawn(program, args, { stdio: "inherit" });
    child.on("exit", (code) => process.exit(code ?? 1));
    process.on("SIGTERM", () => child.kill());
  });
}

if (process.argv[1] === import.meta.filename) main(process.argv.slice(2));
