import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { shownError } from "../../src/agents/ai/output.ts";
import { passResult as passToPi } from "../../src/agents/pi/tool-events.ts";
import { ToolGates } from "../../src/agents/tool-gates.ts";
import { passResult } from "../../src/host/pass-result.ts";
import { type AgentTool, wrapToolsWithHooks } from "../../src/host/wrap-tools.ts";
import { withCheckedResult } from "../../src/verdicts/result-shape.ts";
import { isSame } from "../../src/verdicts/same-json.ts";
import { on, sharedSession } from "../support/session.ts";

const CHANGES = { see: ["tool_result"], rewriteResult: ["*"], guardResult: ["*"] };
const EVENT = { type: "tool_result", toolName: "fetch", toolCallId: "1", input: {}, isError: false } as const;

const hook = (body: string) => ({ source: on("tool_result", body), grant: { capabilities: { events: CHANGES } } });
const session = {
  redactor: sharedSession({
    redactor: hook(`
      const text = (part: any) => part.type === "text" ? { ...part, text: part.text.replace(/sk-\\d+/g, "***") } : part;
      return { content: event.content.map(text) };`),
  }),
  emptier: sharedSession({ emptier: hook("return { details: null };") }),
  swapper: sharedSession({
    swapper: hook('return { content: event.content.map((part: any) => ({ ...part, uri: "file:///other" })) };'),
  }),
};
type Host = Parameters<typeof wrapToolsWithHooks>[1];
const run = (host: Host, execute: () => Promise<unknown>) => {
  const [tool] = wrapToolsWithHooks([{ name: "fetch", execute } as AgentTool], host);
  return tool?.execute("1", {} as never) as Promise<{ content: unknown[]; details?: unknown }>;
};

const LEAKS = new Error("the key is sk-111");
const SECRET = { type: "text", text: "the key is sk-111" };
const PARTS = {
  "a link to a resource": { type: "resource_link", uri: "file:///a", name: "a" },
  "a resource": { type: "resource", resource: { uri: "file:///a", text: "words" } },
  "a sound": { type: "audio", data: "aGk=", mimeType: "audio/wav" },
  "a part of a kind that comes later": { type: "table", rows: [[1, 2], []] },
};

describe.each(Object.entries(PARTS))("a result with %s", (_name, part) => {
  test("is changed by a hook that leaves that part as it came", async () => {
    const { content } = await run(session.redactor.host, async () => ({ content: [SECRET, part] }));
    expect(content).toEqual([expect.anything(), { type: "text", text: "the key is ***" }, part]);
  });

  test("is withheld if a hook that guards it makes another part of that kind", async () => {
    const event = { ...EVENT, content: [part] } as never;
    const { result } = await session.swapper.host.emitToolResult(event);
    expect(result?.content).toEqual([{ type: "text", text: expect.stringContaining("Result withheld") }]);
  });
});

test("a part of another kind is the tool's own if it is the same as JSON, in whatever order its members stand", () => {
  const reversed = (value: unknown): unknown =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value)
            .map(([name, one]) => [name, reversed(one)] as const)
            .reverse(),
        )
      : value;
  const value = fc.jsonValue({ maxDepth: 2, noUnicodeString: true });
  const part = fc.record({ type: fc.constantFrom("a", "b"), x: value, y: value });
  let passed = 0;
  fc.assert(
    fc.property(fc.array(part, { maxLength: 3 }), part, (own, other) => {
      const fits = (given: unknown): boolean => {
        const event = { ...EVENT, content: own };
        return "verdict" in withCheckedResult(event, { verdict: { result: { content: [given] } } });
      };
      for (const one of own) expect(fits(reversed(one))).toBe(true);
      expect(fits(other)).toBe(own.some((one) => isSame(one, other)));
      passed += own.length;
    }),
  );
  expect(passed).toBeGreaterThan(50);
});

test("details that a hook makes null are gone", async () => {
  const { host } = session.emptier;
  const output = { content: [SECRET], details: { raw: "SECRET" } };
  expect((await run(host, async () => output)).details).toBeNull();
  expect((await passResult(host, { ...EVENT, ...output } as never))?.details).toBeNull();
  // pi takes null for nothing said, and keeps the tool's own.
  expect(await passToPi(host, { ...EVENT, ...output } as never)).toHaveProperty("details", {});
});

test.each([
  ["a wrapped tool", (host: Host) => run(host, () => Promise.reject(LEAKS))],
  [
    "a tool of the AI SDK",
    (host: Host) => shownError(new ToolGates(host), { tool: "fetch", id: "1", input: {} }, LEAKS, performance.now()),
  ],
])("the error of %s whose text hooks changed does not carry the tool's own", async (_name, fails) => {
  const error = await fails(session.redactor.host).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(inspect(error, { showHidden: true, depth: null })).toContain("***");
  expect(inspect(error, { showHidden: true, depth: null })).not.toContain("sk-111");
});

const circle: { self?: object } = {};
circle.self = circle;
test.each([
  ["nothing", undefined, "it is no object with a content"],
  ["a text", "sk-111", "it is no object with a content"],
  ["no content", { details: {} }, "no list of parts"],
  ["a text without its text", { content: [{ type: "text", text: 5 }] }, "part 0 of the tool_result's content"],
  ["a BigInt", { content: [SECRET], details: { count: 5n } }, "BigInt"],
  ["a circle", { content: [SECRET], details: circle }, "circular"],
])("%s from a tool is withheld, with its name", async (_name, output, says) => {
  const tried = run(session.redactor.host, async () => output);
  await expect(tried).rejects.toThrow(/^Withheld by Cordon: no hook could check the result of fetch: /);
  await expect(tried).rejects.toThrow(says);
});
