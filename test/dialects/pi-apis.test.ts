import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { startFacts } from "../guest/facts.ts";
import { ask, granted, MODEL } from "../powers/provider-facts.ts";
import { startSession } from "../support/session.ts";

/** A server of models, and what it was asked. */
async function models(events: Record<string, string[]>) {
  const asked: { url: string; key: unknown }[] = [];
  const server = createServer((request, response) => {
    const { authorization, "x-api-key": key } = request.headers;
    const url = request.url?.replace(/\?.*/, "") ?? "";
    asked.push({ url, key: authorization ?? key });
    response.setHeader("content-type", "text/event-stream");
    for (const event of events[url] ?? []) response.write(event);
    response.end();
  }).listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  onTestFinished(() => void server.close());
  return { asked, place: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const chunk = (delta: object, more: object = {}): string =>
  `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, ...more }] })}\n\n`;
const event = (one: { type: string }): string => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`;
const item = {
  type: "message",
  id: "i",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "hello there", annotations: [] }],
};

/** What each server says for the same answer. */
const APIS: [name: string, api: string, path: string, events: string[]][] = [
  [
    "streamSimpleOpenAICompletions",
    "openai-completions",
    "/chat/completions",
    [
      chunk({ role: "assistant", content: "hello " }),
      chunk({ content: "there" }),
      chunk({}, { finish_reason: "stop" }),
      "data: [DONE]\n\n",
    ],
  ],
  [
    "streamSimpleAnthropic",
    "anthropic-messages",
    "/v1/messages",
    [
      event({ type: "message_start", message: { id: "1", usage: { input_tokens: 1, output_tokens: 1 } } } as never),
      event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } } as never),
      event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hello there" } } as never),
      event({ type: "content_block_stop", index: 0 } as never),
      event({
        type: "message_delta",
        delta: { stop_reason: "end_turn" },
        usage: { input_tokens: 1, output_tokens: 2 },
      } as never),
      event({ type: "message_stop" }),
    ],
  ],
  [
    "streamSimpleOpenAIResponses",
    "openai-responses",
    "/responses",
    [
      event({ type: "response.created", response: { id: "r" } } as never),
      event({
        type: "response.output_item.added",
        output_index: 0,
        item: { ...item, content: [], status: "in_progress" },
      } as never),
      event({
        type: "response.content_part.added",
        output_index: 0,
        content_index: 0,
        item_id: "i",
        part: { type: "output_text", text: "", annotations: [] },
      } as never),
      event({
        type: "response.output_text.delta",
        output_index: 0,
        content_index: 0,
        item_id: "i",
        delta: "hello there",
      } as never),
      event({ type: "response.output_item.done", output_index: 0, item } as never),
      event({
        type: "response.completed",
        response: {
          id: "r",
          status: "completed",
          output: [item],
          usage: {
            input_tokens: 1,
            output_tokens: 2,
            total_tokens: 3,
            input_tokens_details: { cached_tokens: 0 },
            output_tokens_details: { reasoning_tokens: 0 },
          },
        },
      } as never),
    ],
  ],
];

test.each(APIS)(
  "%s asks a server over the hook's fetch, and its stream is an answer",
  async (name, api, path, events) => {
    const { asked, place } = await models({ [path]: events });
    const source = `import { ${name} } from "@earendil-works/pi-ai/compat";
    export default (pi: any) => {
      pi.on("tool_call", () => {});
      pi.registerProvider("my-llm", { baseUrl: "https://api.example.com", api: "mine", models: [${JSON.stringify(MODEL)}],
        streamSimple: (model: any, context: any, options: any) => ${name}({ ...${JSON.stringify(MODEL)}, ...model, api: "${api}", baseUrl: "http://${place}" }, context, options) });
    };`;
    const grant = granted([{ name: "my-llm", streams: true }], { net: { connect: [place] } });
    const { host } = await startSession({ llm: { source, grant } });
    const answer = await ask(host);
    expect(answer.at(-1)).toMatchObject({
      type: "done",
      message: { content: [{ type: "text", text: "hello there" }] },
    });
    expect(asked).toEqual([{ url: path, key: expect.stringMatching(/^(Bearer )?key$/) }]);
  },
);

test("arguments of a tool's call are read while they arrive, and as a whole", async () => {
  const { ask: fact } = await startFacts({
    whole: `const { ToolCallArgumentsStream } = await import("@earendil-works/pi-ai");
      const s = new ToolCallArgumentsStream(); const parts = ['{"a":[1,', '2],"b":"x', 'y"}'].map((part) => JSON.stringify(s.append(part)));
      return [parts, s.finish(), new ToolCallArgumentsStream().finish()];`,
    broken: `const { ToolCallArgumentsStream } = await import("@earendil-works/pi-ai");
      const s = new ToolCallArgumentsStream(); s.append('{"a":1,,'); const { argumentsError, ...rest } = s.finish() as any; return [rest, typeof argumentsError];`,
  });
  expect(await fact("whole")).toEqual([
    ['{"a":[1]}', '{"a":[1,2],"b":"x"}', '{"a":[1,2],"b":"xy"}'],
    { arguments: { a: [1, 2], b: "xy" } },
    { arguments: {} },
  ]);
  expect(await fact("broken")).toEqual([{ arguments: expect.anything() }, "string"]);
});
