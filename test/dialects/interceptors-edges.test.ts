import { describe, expect, test } from "vitest";
import { startSession } from "../support/session.ts";
import { ALL, REGISTRY } from "./interceptors-agent.ts";

const grant = { capabilities: { events: { see: ["*"], ...ALL } } };
const image = { type: "image" as const, data: "AAAA", mimeType: "image/png" };
const after = (body: string) =>
  `${REGISTRY}registry.add({ id: "x", name: "tool.after", handler: (_input, output) => { ${body} } });`;
async function result(source: string, content: unknown[], details?: unknown) {
  const session = await startSession({ hook: { source, grant } });
  const event = { type: "tool_result", toolName: "bash", toolCallId: "1", input: {}, isError: false } as const;
  const came = await session.host.emit({ ...event, content, details } as never);
  return { came, codes: session.errors.map(({ code }) => code), state: session.host.hooks[0]?.state };
}

test("a priority that was requested before a registration is not kept", async () => {
  const source = `${REGISTRY}
let armed = false;
const get = () => {
  if (armed) queueMicrotask(() => registry.add({ id: "late", name: "tool.before", handler: (_input, output) => { output.block = true; } }));
  armed = false;
  return /^read$/;
};
registry.add(Object.defineProperty({ id: "x", name: "tool.before", handler: () => {} }, "toolMatcher", { get }) as never);
armed = true;`;
  const session = await startSession({ hook: { source, grant } });
  await session.call();
  expect(await session.call()).toMatchObject({ block: true });
});

describe("text that a handler removes from a result stays removed", () => {
  test.each([
    ["all content", "output.result.content = [];", [{ type: "text", text: "secret" }], []],
    ["the text alone", "output.result.content.shift();", [{ type: "text", text: "secret" }, image], [image]],
  ])("%s", async (_what, body, content, left) => {
    expect((await result(after(body), content)).came).toEqual({ content: left });
  });
});

describe("details that a handler removes from a result stay removed", () => {
  test.each(["delete output.result.details;", "output.result = { content: output.result.content };"])(
    "%s",
    async (body) => {
      const { came } = await result(after(body), [{ type: "text", text: "x" }], { secret: 1 });
      expect(came).toEqual({ details: {} });
    },
  );
});

test("more than 100 handlers that throw are 100 errors, not a broken protocol", async () => {
  const source = `${REGISTRY}for (let at = 0; at < 150; at++)
  registry.add({ id: "x" + at, name: "tool.after", handler: () => { throw new Error("no"); } });`;
  const { codes, state } = await result(source, []);
  expect([new Set(codes), state]).toEqual([new Set(["HOOK_THREW"]), "active"]);
});

test("a neighbour that failed to load and is failure: open does not keep a gate in the same process from judging", async () => {
  const gate = `export default { id: "x", name: "tool.before", handler: (_input, output) => { output.block = true; } };`;
  const open = { capabilities: { events: { see: ["*"], block: true } }, failure: "open" as const };
  const session = await startSession({
    gate: { source: gate, grant: open },
    broken: { source: `throw new Error("would not load");`, grant: open },
  });
  expect(await session.call()).toEqual({ block: true, reason: "Blocked by interceptor", hook: "gate" });
});

test("a registry that a handler resets and initializes again is used", async () => {
  const source = `import { initializeGlobalInterceptors, resetGlobalInterceptors } from "cordon/interceptors";
initializeGlobalInterceptors().add({ id: "x", name: "tool.before", handler: (_input, output) => {
  if (output.args.command !== "reset") return;
  resetGlobalInterceptors();
  initializeGlobalInterceptors();
} });`;
  const session = await startSession({ hook: source });
  await session.call("reset");
  expect(await session.call("rm -rf /")).toMatchObject({ block: true });
});

test("different changes of content and output are an error, since a secret may remain in one of them", async () => {
  const { came, codes } = await result(
    after('output.result = { ...output.result, output: "clean", content: [{ type: "text", text: "secret, noted" }] };'),
    [{ type: "text", text: "secret" }],
  );
  expect([came, codes]).toEqual([undefined, ["BAD_RESULT"]]);
});

test("a handler that is a method finds its registration in this", async () => {
  const source = `${REGISTRY}
class Gate { id = "gate"; name = "tool.before"; word = "evil";
  handler(_input, output) { output.block = String(output.args.command).includes(this.word); } }
registry.add(new Gate());`;
  const session = await startSession({ hook: { source, grant } });
  expect(await session.call("evil")).toMatchObject({ block: true });
  expect(await session.call("good")).toBeUndefined();
});

test("registrations without a priority have their grant's", async () => {
  const adds = (word: string) => `${REGISTRY}registry.add({ id: "x", name: "tool.before",
    handler: (_input, output) => { output.args.command += " ${word}"; } });`;
  const session = await startSession({
    first: { source: adds("late"), grant },
    second: { source: adds("early"), grant: { ...grant, priority: 5 } },
  });
  expect(await session.call("say")).toEqual({ input: { command: "say early late" } });
});
