/**
 * A model of the tests' own, in the words of one provider: `node model-servers.ts PROTOCOL TURNS REQUESTS PROGRAM ARGS...`
 * answers each request that offers tools with the next turn, writes the requests down, and ends with the program.
 */
import { spawn } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";

export const MODEL_PORT = 8791;

/** What the model says: calls of tools, or a text. */
export interface Turn {
  calls?: { name: string; args: object }[];
  text?: string;
}

export type Protocol = keyof typeof PROTOCOLS;

interface Said {
  url: string;
  // biome-ignore lint/suspicious/noExplicitAny: requests of several providers
  body: any;
}

const json = (response: ServerResponse, value: object): void => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
};

/** Answers as events of a stream: a name, if the provider has names, and data. */
function stream(response: ServerResponse, events: readonly [name: string | undefined, data: object][]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const [name, data] of events)
    response.write(`${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`);
  response.end();
}

const typed = (type: string, fields: object): [string, object] => [type, { type, ...fields }];
let made = 0;

const PROTOCOLS = {
  anthropic({ url, body }: Said, response: ServerResponse, turn: () => Turn) {
    if (!url.startsWith("/v1/messages") || url.includes("count_tokens")) return json(response, { input_tokens: 5 });
    const { calls, text = "" } = body.tools?.length ? turn() : { text: "a title" };
    const content = calls
      ? calls.map(({ name, args }) => ({ type: "tool_use", id: `toolu_${++made}`, name, input: args }))
      : [{ type: "text", text }];
    const stop_reason = calls ? "tool_use" : "end_turn";
    const usage = { input_tokens: 5, output_tokens: 5 };
    const message = { id: `msg_${++made}`, type: "message", role: "assistant", model: body.model };
    if (!body.stream) return json(response, { ...message, content, stop_reason, usage });
    stream(response, [
      typed("message_start", { message: { ...message, content: [], stop_reason: null, stop_sequence: null, usage } }),
      ...content.flatMap((block, index): [string, object][] => [
        typed("content_block_start", {
          index,
          content_block: "input" in block ? { ...block, input: {} } : { ...block, text: "" },
        }),
        typed("content_block_delta", {
          index,
          delta:
            "input" in block
              ? { type: "input_json_delta", partial_json: JSON.stringify(block.input) }
              : { type: "text_delta", text: block.text },
        }),
        typed("content_block_stop", { index }),
      ]),
      typed("message_delta", { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } }),
      typed("message_stop", {}),
    ]);
  },

  responses({ url }: Said, response: ServerResponse, turn: () => Turn) {
    if (!url.endsWith("/responses")) {
      response.writeHead(404);
      response.end("{}");
      return;
    }
    const { calls = [], text } = turn();
    const id = `r${++made}`;
    const item = (fields: object) => typed("response.output_item.done", { item: fields });
    stream(response, [
      typed("response.created", { response: { id } }),
      ...calls.map(({ name, args }) =>
        item({ type: "function_call", call_id: `c${++made}`, name, arguments: JSON.stringify(args) }),
      ),
      ...(text === undefined
        ? []
        : [item({ type: "message", role: "assistant", id, content: [{ type: "output_text", text }] })]),
      typed("response.completed", {
        response: { id, usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } },
      }),
    ]);
  },

  completions({ body }: Said, response: ServerResponse, turn: () => Turn) {
    const { calls, text = "" } = body.tools?.length ? turn() : { text: "a title" };
    const tool_calls = calls?.map(({ name, args }, index) => ({
      index,
      id: `call_${++made}`,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    }));
    const message = { role: "assistant", content: tool_calls ? null : text, ...(tool_calls ? { tool_calls } : {}) };
    const finish_reason = tool_calls ? "tool_calls" : "stop";
    const base = { id: `chat_${++made}`, created: 1, model: body.model };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    if (!body.stream)
      return json(response, {
        ...base,
        object: "chat.completion",
        choices: [{ index: 0, message, finish_reason }],
        usage,
      });
    response.writeHead(200, { "content-type": "text/event-stream" });
    const chunk = (choices: object[], more: object = {}) =>
      response.write(`data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", choices, ...more })}\n\n`);
    chunk([{ index: 0, delta: message, finish_reason: null }]);
    chunk([{ index: 0, delta: {}, finish_reason }]);
    chunk([], { usage });
    response.end("data: [DONE]\n\n");
  },

  gemini({ url, body }: Said, response: ServerResponse, turn: () => Turn) {
    if (url.includes("countTokens")) return json(response, { totalTokens: 5 });
    const { calls, text = "" } = body.tools?.length ? turn() : { text: "{}" };
    const parts = calls ? calls.map(({ name, args }) => ({ functionCall: { name, args } })) : [{ text }];
    const answer = {
      candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    };
    if (url.includes("streamGenerateContent")) stream(response, [[undefined, answer]]);
    else json(response, answer);
  },
};

if (import.meta.main) {
  const [protocol, turns = "", requests = "", program = "", ...args] = process.argv.slice(2);
  const left: Turn[] = JSON.parse(readFileSync(turns, "utf8"));
  const answer = PROTOCOLS[protocol as Protocol];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += part;
    const said = { url: request.url ?? "", body: text.startsWith("{") ? JSON.parse(text) : {} };
    appendFileSync(requests, `${JSON.stringify(said)}\n`);
    answer(said, response, () => left.shift() ?? { text: "done" });
  });
  server.listen(MODEL_PORT, "127.0.0.1", () => {
    const child = spawn(program, args, { stdio: [process.stdin.isTTY ? "inherit" : "ignore", "inherit", "inherit"] });
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => child.kill(signal));
    // Its terminal is gone.
    process.on("SIGHUP", () => child.kill("SIGKILL"));
    child.on("close", (code) => process.exit(code ?? 1));
  });
}
