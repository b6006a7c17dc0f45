import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { AnswerEvent } from "../../src/host/answer.ts";
import { eventually } from "../support/eventually.ts";
import { ask, REQUEST, startAnswering } from "./provider-facts.ts";

const typesOf = (events: AnswerEvent[]): string[] => events.map(({ type }) => type);
const endOf = (events: AnswerEvent[]) => events.at(-1) as Extract<AnswerEvent, { type: "done" | "error" }>;
const errorOf = (events: AnswerEvent[]): string => {
  const end = endOf(events);
  return end.type === "error" ? `${end.reason}: ${end.error.errorMessage}` : end.type;
};

test("an answer arrives in its order, with the request's model, and ends once", async () => {
  const { host, audit } = await startAnswering(
    `yield* said(JSON.stringify([model.id, context.messages[0].content, options.apiKey, options.signal.aborted]) + " and more");`,
  );
  const events = await ask(host);
  expect(typesOf(events)).toEqual([
    "start",
    "text_start",
    "text_delta",
    "text_delta",
    "text_delta",
    "text_end",
    "done",
  ]);
  const { type, reason, message } = endOf(events) as Extract<AnswerEvent, { type: "done" }>;
  expect({ type, reason, message }).toMatchObject({
    reason: "stop",
    message: {
      role: "assistant",
      provider: "my-llm",
      model: "m",
      stopReason: "stop",
      content: [{ type: "text", text: '["m","hello","key",false] and more' }],
      usage: { totalTokens: 3 },
    },
  });
  expect(events.filter(({ type }) => type === "text_delta").map((event) => "delta" in event && event.delta)).toEqual([
    '["m","hello","key",false] ',
    "and ",
    "more",
  ]);
  await eventually(() =>
    expect(audit).toContainEqual(
      expect.objectContaining({ event: "provider", value: "my-llm: stream", outcome: "ran" }),
    ),
  );
});

test("thinking, tool calls with large arguments, and what providers note in blocks", async () => {
  const { host } = await startAnswering(`
    const partial = message([], { responseId: "r1", rawStopReason: "tool_use", scratch: 1 });
    yield { type: "start", partial };
    partial.content.push({ type: "thinking", thinking: "", index: 7 });
    yield { type: "thinking_start", contentIndex: 0, partial };
    partial.content[0].thinking = "hm"; yield { type: "thinking_delta", contentIndex: 0, delta: "hm", partial };
    partial.content[0].thinkingSignature = "sig"; yield { type: "thinking_end", contentIndex: 0, content: "hm", partial };
    const args = { list: Array.from({ length: 20000 }, (_, n) => n) };
    partial.content.push({ type: "toolCall", id: "1", name: "write", arguments: {}, partialJson: "" });
    yield { type: "toolcall_start", contentIndex: 1, partial };
    yield { type: "toolcall_delta", contentIndex: 1, delta: "{", partial };
    partial.content[1].arguments = args;
    yield { type: "toolcall_end", contentIndex: 1, toolCall: partial.content[1], partial };
    yield { type: "done", reason: "toolUse", message: partial };`);
  const end = endOf(await ask(host));
  expect(end).toMatchObject({
    type: "done",
    reason: "toolUse",
    message: { responseId: "r1", rawStopReason: "tool_use" },
  });
  const [thinking, call] = (end as Extract<AnswerEvent, { type: "done" }>).message.content;
  expect(thinking).toEqual({ type: "thinking", thinking: "hm", thinkingSignature: "sig" });
  expect(call).toMatchObject({ type: "toolCall", id: "1", name: "write" });
  expect(call?.type === "toolCall" && (call.arguments.list as number[]).length).toBe(20_000);
});

test("it goes through the hook's own net power, and streams while the server sends", async () => {
  let go: () => void = () => {};
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/event-stream").write("data: first\n\n");
    go = () => response.end("data: last\n\n");
  }).listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  onTestFinished(() => void server.close());
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const body = `
    const partial = message([]); yield { type: "start", partial };
    const response = await fetch("http://${place}/");
    await options.onResponse({ status: response.status, headers: {} });
    partial.content.push({ type: "text", text: "" }); yield { type: "text_start", contentIndex: 0, partial };
    for await (const delta of response.body!.pipeThrough(new TextDecoderStream() as any) as any) { partial.content[0].text += delta; yield { type: "text_delta", contentIndex: 0, delta, partial }; }
    yield { type: "text_end", contentIndex: 0, partial }; yield { type: "done", reason: "stop", message: partial };`;
  const { host } = await startAnswering(body, { powers: { net: { connect: [place] } } });
  const notes: unknown[] = [];
  const events = await ask(host, {
    onNote: (note, value) => void notes.push([note, value]),
    onEvent: (event) => event.type === "text_delta" && go(),
  });
  expect(events.flatMap((event) => ("delta" in event ? [event.delta] : [])).join("")).toBe(
    "data: first\n\ndata: last\n\n",
  );
  expect(notes).toEqual([["response", { status: 200, headers: {} }]]);
  // Without the place, there is an error and no answer.
  const without = await startAnswering(body);
  expect(errorOf(await ask(without.host))).toMatch(/error: .*net/);
});

test("the agent's other hooks see and change the payload", async () => {
  const { host } = await startAnswering(
    `const sent = await options.onPayload({ secret: "a" }); yield* said(JSON.stringify([sent, await options.onProviderStreamEvent({}) === undefined]));`,
  );
  const events = await ask(host, { onNote: (note) => (note === "payload" ? { secret: "gone" } : undefined) });
  expect(endOf(events)).toMatchObject({ message: { content: [{ text: '[{"secret":"gone"},true]' }] } });
});

/** Answers that are none: each ends with one error to the agent, and never hangs. */
test.each([
  ["throws at once", `throw new Error("no model today");`, /^error: no model today$/],
  [
    "throws in the middle",
    `const p = message([]); yield { type: "start", partial: p }; throw new Error("cut");`,
    /^error: cut$/,
  ],
  ["ends without an end", `yield { type: "start", partial: message([]) };`, /ended its answer without an end/],
  ["ends before it starts", `yield { type: "done", reason: "stop", message: message([]) };`, /before its start/],
  [
    "starts twice",
    `yield { type: "start", partial: message([]) }; yield { type: "start", partial: message([]) };`,
    /starts twice/,
  ],
  [
    "begins its second block first",
    `const p = message([{}, { type: "text", text: "" }]); yield { type: "start", partial: p }; yield { type: "text_start", contentIndex: 1, partial: p };`,
    /out of order/,
  ],
  [
    "goes on with a block that it did not begin",
    `const p = message([{ type: "text", text: "" }]); yield { type: "start", partial: p }; yield { type: "text_delta", contentIndex: 0, delta: "x", partial: p };`,
    /no open block/,
  ],
  [
    "goes on with a block as another kind",
    `const p = message([{ type: "text", text: "" }]); yield { type: "start", partial: p }; yield { type: "text_start", contentIndex: 0, partial: p }; yield { type: "thinking_delta", contentIndex: 0, delta: "x", partial: p };`,
    /no open block of its kind/,
  ],
  [
    "goes on with a block that it ended",
    `const p = message([{ type: "text", text: "" }]); yield { type: "start", partial: p }; yield { type: "text_start", contentIndex: 0, partial: p }; yield { type: "text_end", contentIndex: 0, partial: p }; yield { type: "text_delta", contentIndex: 0, delta: "x", partial: p };`,
    /no open block/,
  ],
  [
    "ends in the middle of a block",
    `const p = message([{ type: "text", text: "" }]); yield { type: "start", partial: p }; yield { type: "text_start", contentIndex: 0, partial: p }; yield { type: "done", reason: "stop", message: p };`,
    /middle of a block/,
  ],
  [
    "makes a text a tool call",
    `const p: any = message([{ type: "text", text: "" }]); yield { type: "start", partial: p }; yield { type: "text_start", contentIndex: 0, partial: p }; p.content[0] = { type: "toolCall", id: "1", name: "bash", arguments: {} }; yield { type: "text_end", contentIndex: 0, partial: p };`,
    /becomes another/,
  ],
  ["has an event that does not exist", `yield { type: "sing" };`, /no event sing/],
  [
    "has usage that is none",
    `const p = message([], { usage: { input: -1 } }); yield { type: "start", partial: p }; yield { type: "done", reason: "stop", message: p };`,
    /wrong shape/,
  ],
  [
    "has a block of no kind",
    `const p = message([{ type: "code" }]); yield { type: "start", partial: p }; yield { type: "done", reason: "stop", message: p };`,
    /wrong shape/,
  ],
  [
    "has arguments that are no object",
    `const p = message([{ type: "toolCall", id: "1", name: "bash", arguments: "rm" }]); yield { type: "start", partial: p }; yield { type: "done", reason: "toolUse", message: p };`,
    /wrong shape/,
  ],
  [
    "stops for a reason that is none",
    `const p = message([]); yield { type: "start", partial: p }; yield { type: "done", reason: "because", message: p };`,
    /wrong shape/,
  ],
  ["is no stream", `} , streamSimple() { return 5 as any;`, /no stream of events/],
  [
    "hides the iterator's end",
    `} , streamSimple() { return { [Symbol.asyncIterator]: () => ({ next: () => ({}) }) } as any;`,
    /no event undefined/,
  ],
])("an answer that %s is an error", async (_name, body, error) => {
  const { host } = await startAnswering(body);
  const events = await ask(host);
  expect(errorOf(events)).toMatch(error);
  expect(events.filter(({ type }) => type === "done" || type === "error")).toHaveLength(1);
});

test("an answer ends once: what comes after its end reaches nobody", async () => {
  const { host, log } = await startAnswering(
    `yield* said("all"); try { yield* said("more"); yield { type: "error", reason: "error", error: message() }; } finally { console.log("WENT ON"); }`,
  );
  const events = await ask(host);
  expect(typesOf(events).filter((type) => type === "start" || type === "done")).toEqual(["start", "done"]);
  await eventually(() => expect(log.map(({ text }) => text)).toContain("WENT ON"));
  expect(typesOf(events).at(-1)).toBe("done");
});

test("nobody takes parts that no request asked for", async () => {
  const { host, log } = await startAnswering(`yield* said("x");`, {
    members: `}); setTimeout(() => raw("providers.answer", '[{"type":"start"}]').catch((e) => console.log("REFUSED " + e.message)), 0); void ({`,
  });
  await eventually(() => expect(log.map(({ text }) => text).join()).toContain("REFUSED nobody waits"));
  expect(endOf(await ask(host)).type).toBe("done");
});

test("an answer without an end is aborted by the agent, and its code with it", async () => {
  const { host } = await startAnswering(`
    const partial = message([]); yield { type: "start", partial };
    partial.content.push({ type: "text", text: "" }); yield { type: "text_start", contentIndex: 0, partial };
    options.signal.addEventListener("abort", () => console.log("TOLD"));
    for (;;) { await sleep(5); yield { type: "text_delta", contentIndex: 0, delta: "x", partial }; }`);
  const stop = new AbortController();
  let deltas = 0;
  const events = await ask(host, {
    signal: stop.signal,
    onEvent: (event) => event.type === "text_delta" && ++deltas === 5 && stop.abort(),
  });
  expect(errorOf(events)).toBe("aborted: Request was aborted");
  expect(events.filter(({ type }) => type === "text_delta")).toHaveLength(5);
  // It answers again.
  const again = new AbortController();
  const other = await ask(host, { signal: again.signal, onEvent: () => again.abort() });
  expect(errorOf(other)).toMatch(/aborted/);
});

test("a request that was aborted before never reaches the hook", async () => {
  const { host, log } = await startAnswering(`console.log("ASKED"); yield* said("x");`);
  expect(errorOf(await ask(host, { signal: AbortSignal.abort() }))).toMatch(/aborted/);
  expect(log.map(({ text }) => text)).not.toContain("ASKED");
});

test("1 GB of deltas: the answer ends at its limit, and the host goes on", async () => {
  const { host, call } = await startAnswering(`
    const partial = message([]); yield { type: "start", partial };
    partial.content.push({ type: "text", text: "" }); yield { type: "text_start", contentIndex: 0, partial };
    const delta = "x".repeat(400_000);
    for (let at = 0; at < 2500; at++) yield { type: "text_delta", contentIndex: 0, delta, partial };`);
  let most = 0;
  const events = await ask(host, {
    onEvent: (event) => {
      if ("delta" in event) most += event.delta.length;
    },
  });
  expect(errorOf(events)).toMatch(/more than 16000000 characters/);
  expect(most).toBeLessThanOrEqual(16_000_000);
  expect(await call()).toBeUndefined();
});

test("the hook's death is an error of the answer, and it answers again after its restart", async () => {
  const { host } = await startAnswering(
    `if (context.messages[0].content === "die") { yield { type: "start", partial: message([]) }; const all: any[] = []; for (;;) all.push(new Array(1e6).fill(1)); } yield* said("alive");`,
  );
  const request = { ...REQUEST, context: { messages: [{ role: "user", content: "die" }] } };
  expect(errorOf(await ask(host, {}, request))).toMatch(/error: hook llm cannot run its provider my-llm: .*memory/);
  await eventually(() => expect(host.providers.all).toHaveLength(1));
  expect(endOf(await ask(host)).type).toBe("done");
});

test("it ends when its hook's provider ends in the middle", async () => {
  const { host } = await startAnswering(
    `yield { type: "start", partial: message([]) }; await raw("providers.unregister", "my-llm"); await sleep(60_000);`,
  );
  expect(errorOf(await ask(host))).toMatch(/has the provider my-llm no more/);
  await expect(ask(host)).rejects.toThrow(/no hook has the provider my-llm/);
});

test("controls of a terminal are taken out of texts, and arguments stay what they are", async () => {
  const { host } = await startAnswering(`
    const text = "\\u001b]52;c;aGk=\\u0007red\\u009b31m\\nok\\tgo";
    const p: any = message([]); yield { type: "start", partial: p };
    p.content.push({ type: "text", text }); yield { type: "text_start", contentIndex: 0, partial: p }; yield { type: "text_delta", contentIndex: 0, delta: text, partial: p }; yield { type: "text_end", contentIndex: 0, partial: p };
    p.content.push({ type: "toolCall", id: "1", name: "bash", arguments: { command: "\\u001b" } });
    yield { type: "done", reason: "toolUse", message: p };`);
  const events = await ask(host);
  expect(JSON.stringify(events.filter(({ type }) => type.startsWith("text")))).not.toMatch(/\\u001b|\\u0007|\\u009b/);
  expect(endOf(events)).toMatchObject({
    message: { content: [{ text: "]52;c;aGk=red31m\nok\tgo" }, { arguments: { command: "\u001b" } }] },
  });
});

test("a request that is larger than a frame is an error of the answer", async () => {
  const { host } = await startAnswering(`yield* said("x");`);
  const content = "x".repeat(9_000_000);
  const events = await ask(host, {}, { ...REQUEST, context: { messages: [{ role: "user", content }] } });
  expect(errorOf(events)).toMatch(/too large/);
});

test("several answers at once stay apart", async () => {
  const { host } = await startAnswering(
    `await sleep(Math.random() * 20); yield* said("to " + context.messages[0].content);`,
  );
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      ask(host, {}, { ...REQUEST, context: { messages: [{ role: "user", content: `${n}` }] } }),
    ),
  );
  expect(answers.map((events) => endOf(events))).toEqual(
    answers.map((_, n) =>
      expect.objectContaining({ message: expect.objectContaining({ content: [{ type: "text", text: `to ${n}` }] }) }),
    ),
  );
});

const cyclic: Record<string, unknown> = {};
cyclic.again = cyclic;
test.each<[what: string, options: object]>([
  ["is cyclic", { ...REQUEST.options, cyclic }],
  ["has a BigInt", { ...REQUEST.options, big: 1n }],
])("a request that %s is refused, and the agent goes on", async (_what, options) => {
  const { host } = await startAnswering("yield* [];");
  const request = { ...REQUEST, options } as unknown as typeof REQUEST;
  await expect(ask(host, {}, request)).rejects.toThrow(TypeError);
});

test("what the agent throws at an event is its own error", async () => {
  const { host } = await startAnswering("await new Promise(() => {});");
  const failing = ask(host, {
    onEvent() {
      throw new Error("the agent's own");
    },
    signal: AbortSignal.timeout(100),
  });
  await expect(failing).rejects.toThrow("the agent's own");
});
