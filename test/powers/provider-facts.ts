import type { AnswerEvent } from "../../src/host/answer.ts";
import type { HookHost } from "../../src/host/host.ts";
import type { AnswerOptions } from "../../src/host/providers.ts";
import { type Sources, startSession } from "../support/session.ts";

/** In scope of a hook's `streamSimple`: makes messages and events of pi's. */
export const MESSAGES = `
const usage = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };
const message = (content: any[] = [], more: any = {}): any => ({ role: "assistant", content, api: "mine", provider: "my-llm", model: "m", usage, stopReason: "stop", timestamp: 1, ...more });
const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms));
/** Says a text, word by word. */
async function* said(text: string): AsyncGenerator<any> {
  const partial = message([]);
  yield { type: "start", partial };
  partial.content.push({ type: "text", text: "" });
  yield { type: "text_start", contentIndex: 0, partial };
  for (const delta of text.split(/(?<= )/)) { partial.content[0].text += delta; yield { type: "text_delta", contentIndex: 0, delta, partial }; }
  yield { type: "text_end", contentIndex: 0, content: text, partial };
  yield { type: "done", reason: "stop", message: partial };
}
const raw = (method: string, ...args: any[]): Promise<any> => (globalThis as any)[Symbol.for("cordon.host")].call(method, args);
`;

export const MODEL = {
  id: "m",
  name: "M",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1000,
  maxTokens: 100,
};

/** A hook that answers for `my-llm`: the body of `streamSimple(model, context, options)`, which is an async generator. */
const answering = (body: string, more = ""): string => `${MESSAGES}
export default (pi: any) => {
  pi.registerProvider("my-llm", {
    baseUrl: "https://api.example.com", api: "mine", models: [${JSON.stringify(MODEL)}],
    async *streamSimple(model: any, context: any, options: any): AsyncGenerator<any> { ${body} },
    ${more}
  });
  pi.on("tool_call", () => {});
};`;

type Powers = NonNullable<NonNullable<Exclude<Sources[string], string>["grant"]>["capabilities"]>;

export const granted = (providers: Powers["providers"], more: Powers = {}) => ({
  capabilities: { events: { see: ["tool_call"], block: true }, ...(providers ? { providers } : {}), ...more },
});

export const REQUEST = {
  model: { provider: "my-llm", id: "m", api: "mine" },
  context: { messages: [{ role: "user", content: "hello" }] },
  options: { apiKey: "key" },
};

/** The events of one answer. */
export async function ask(host: HookHost, options: Partial<AnswerOptions> = {}, request = REQUEST) {
  const events: AnswerEvent[] = [];
  await host.providers.stream("my-llm", request, {
    ...options,
    onEvent(event) {
      // The partial message grows.
      events.push(structuredClone(event));
      options.onEvent?.(event);
    },
  });
  return events;
}

/** A session with one hook that answers so. */
export async function startAnswering(body: string, more: { powers?: Powers; members?: string } = {}) {
  const grant = granted(
    [
      { name: "my-llm", streams: true },
      { name: "my-llm", login: true },
    ],
    more.powers,
  );
  return startSession({ llm: { source: answering(body, more.members), grant } });
}
