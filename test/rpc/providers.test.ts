import { join } from "node:path";
import { expect, test } from "vitest";
import { MESSAGES, MODEL } from "../powers/provider-facts.ts";
import { RpcAgent, startCordon } from "../support/command.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

const EXTENSION = `${MESSAGES}
export default (pi: any) => {
  pi.registerProvider("my-llm", {
    baseUrl: "https://api.example.com", api: "mine", models: [${JSON.stringify(MODEL)}],
    async *streamSimple(model: any, context: any, options: any): AsyncGenerator<any> {
      if (context.wait) { yield { type: "start", partial: message() }; await sleep(60_000); }
      yield* said((await options.onPayload({ a: 1 })).a + " " + context.messages[0].content);
    },
    oauth: { name: "Mine", login: async (callbacks: any) => ({ access: await callbacks.onPrompt({ message: "Code?" }) }),
      refreshToken: async ({ access }: any) => ({ access: access + "+" }), getApiKey: ({ access }: any) => access },
  });
  pi.registerProvider("theirs", { baseUrl: "https://api.example.com" });
  pi.registerVirtualModel({ provider: "mine", id: "auto", name: "Auto", route: ({ reason }: any) => ({ model: { provider: "acme", id: reason }, thinkingLevel: "off" }) });
};`;

const PROVIDERS = [
  { name: "my-llm", streams: true },
  { name: "my-llm", login: true },
  { name: "mine", routes: true },
  { name: "theirs", url: "https://api.example.com" },
];

test("an agent in any language has hooks answer, sign in and choose models", async () => {
  const folder = temporaryFolder();
  const hook = join(folder, "mine.ts");
  const grants = { version: 1, hooks: { [hook]: { capabilities: { providers: PROVIDERS } } } };
  writeFiles(folder, { "mine.ts": EXTENSION, "grants.json": JSON.stringify(grants) });
  const flags = ["serve", "--no-discover", "--hook", hook, "--grants", join(folder, "grants.json")];
  const rpc = new RpcAgent(startCordon(flags, { cwd: folder, home: join(folder, "home") }));
  const asked: unknown[] = [];
  rpc.answer = ({ method, params }) => {
    asked.push([method, params]);
    return method === "provider/note" ? { a: 2 } : "code";
  };
  const { result } = await rpc.request("initialize", { protocolVersion: 1, agent: { providers: ["theirs"] } });
  expect(result).toMatchObject({
    offers: {
      providers: [{ hook, name: "my-llm", config: { streams: true, login: { name: "Mine" } } }],
      virtualModels: [{ hook, provider: "mine", id: "auto" }],
    },
  });
  const request = {
    name: "my-llm",
    model: { provider: "my-llm", id: "m" },
    context: { messages: [{ content: "hi" }] },
  };
  expect(await rpc.request("answer", request, "one")).toMatchObject({ result: null });
  const events = rpc.received.filter(({ method }) => method === "provider/event").map(({ params }) => params);
  expect(events.map((one) => (one as { event: { type: string } }).event.type)).toEqual([
    "start",
    "text_start",
    "text_delta",
    "text_delta",
    "text_end",
    "done",
  ]);
  expect(events[2]).toEqual({ id: "one", event: { type: "text_delta", contentIndex: 0, delta: "2 " } });
  expect(events.at(-1)).toMatchObject({ event: { message: { model: "m", content: [{ text: "2 hi" }] } } });
  expect(asked).toEqual([["provider/note", { id: "one", note: "payload", value: { a: 1 } }]]);

  const route = { provider: "mine", id: "auto", request: { reason: "user", messages: [] } };
  expect(await rpc.request("route", route)).toMatchObject({ result: { model: { provider: "acme", id: "user" } } });
  const credentials = { access: "code" };
  expect(await rpc.request("signIn", { name: "my-llm" }, "in")).toMatchObject({
    result: { credentials, apiKey: "code" },
  });
  expect(asked.at(-1)).toEqual(["provider/login", { id: "in", step: "prompt", value: { message: "[mine.ts] Code?" } }]);
  expect(await rpc.request("renew", { name: "my-llm", credentials })).toMatchObject({ result: { apiKey: "code+" } });

  const waiting = rpc.request("answer", { ...request, context: { ...request.context, wait: true } }, "two");
  await expect.poll(() => rpc.received.some(({ params }) => (params as { id?: unknown })?.id === "two")).toBe(true);
  rpc.write(`${JSON.stringify({ jsonrpc: "2.0", method: "cancel", params: { id: "two" } })}\n`);
  await waiting;
  expect(rpc.received.filter(({ method }) => method === "provider/event").at(-1)).toMatchObject({
    params: { id: "two", event: { type: "error", reason: "aborted" } },
  });
  expect(await rpc.request("answer", { ...request, name: "none" })).toMatchObject({
    error: { data: { code: "NOT_GRANTED" } },
  });
  await rpc.request("shutdown", {});
});
