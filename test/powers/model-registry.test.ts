import { expect, test } from "vitest";
import { on, startSession } from "../support/session.ts";

const MODEL = { provider: "google", id: "gemini", api: "test", cost: { input: 1 } };
const OTHER = { ...MODEL, provider: "other" };

/** What a hook finds that asks a provider's models: it prints it as JSON. */
const ASKS = on(
  "turn_start",
  `const registry = ctx.modelRegistry;
   const provider = registry.getProvider("google");
   const seen = [];
   const stream = provider.streamSimple(provider.getModels()[0], { messages: [] }, {});
   for await (const one of stream) seen.push([one.type, one.reason, (one.message ?? one.error).stopReason]);
   for await (const one of stream) seen.push(one.type);
   const message = await stream.result();
   const plain = [stream, message, message.content, provider].every((one) => [Object.prototype, Array.prototype].includes(Object.getPrototypeOf(one)));
   console.log(JSON.stringify({
     provider: [provider.id, provider.name, provider.getModels().length, registry.getProvider("nobody") === undefined],
     seen, plain, text: message.content[0]?.text, error: message.errorMessage,
     ofProviders: [
       await registry.refresh().then(({ aborted, errors }) => [aborted, [...errors]]), registry.getRegisteredProviderIds(),
       registry.getRegisteredProviderConfig("google") ?? null, registry.getRegisteredNativeProvider("google") ?? null,
       registry.getProviderAuthStatus("google"),
     ],
     whole: (await registry.stream(provider.getModels()[0], { messages: [] }).result()).stopReason,
   }));`,
);

async function asked(complete: () => unknown, capabilities: object = { model: ["google"] }) {
  const agent = { read: { models: () => [MODEL, MODEL, OTHER] }, act: {} };
  const model = { complete, findModel: () => MODEL };
  const grant = { capabilities: { events: { see: ["turn_start"] }, agent: ["models"], ...capabilities } };
  const { host, log } = await startSession(
    { asker: { source: ASKS, grant: grant as never } },
    { agent: agent as never, model: model as never },
  );
  await host.emit({ type: "turn_start", turnIndex: 0, timestamp: 0 });
  return JSON.parse(log.find(({ text }) => text.startsWith("{"))?.text ?? "null");
}

test("a provider streams a model's answer in one event, and names its models", async () => {
  const answer = { role: "assistant", content: [{ type: "text", text: "hello" }], stopReason: "stop" };
  expect(await asked(() => answer)).toEqual({
    provider: ["google", "google", 2, true],
    seen: [["done", "stop", "stop"]],
    plain: true,
    ofProviders: [[false, []], [], null, null, { configured: true }],
    text: "hello",
    whole: "stop",
  });
});

test.each([
  [
    "one that fails",
    () => ({ role: "assistant", content: [], stopReason: "error", errorMessage: "over quota" }),
    "over quota",
  ],
  ["one that throws", () => Promise.reject(new Error("no network")), "no network"],
])("the answer of %s is an event of an error", async (_name, complete, says) => {
  expect(await asked(complete)).toMatchObject({
    seen: [["error", "error", "error"]],
    plain: true,
    error: expect.stringContaining(says),
    whole: "error",
  });
});

test("without the power, the stream says so", async () => {
  const said = await asked(() => expect.unreachable(), {});
  expect(said).toMatchObject({ seen: [["error", "error", "error"]], error: expect.stringContaining("not granted") });
});
