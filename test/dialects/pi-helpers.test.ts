import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as keys from "@earendil-works/pi-tui/dist/keys.js";
import * as widths from "@earendil-works/pi-tui/dist/utils.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { needsTime } from "../support/needs.ts";
import { onToolCall, startSession, temporaryFolder } from "../support/session.ts";
import { PI_VERSION } from "./pi-members.ts";

/** What an expression with the helpers of pi's packages is in a hook. */
async function inHook(expression: string): Promise<unknown> {
  const { call } = await startSession({
    gate: onToolCall(
      `return { block: true, reason: JSON.stringify(await (async () => ${expression})()) };`,
      `import * as tui from "@earendil-works/pi-tui"; import * as ai from "@earendil-works/pi-ai";
       import * as agent from "@earendil-works/pi-coding-agent";`,
    ),
  });
  const verdict = await call();
  return verdict && "reason" in verdict ? JSON.parse(verdict.reason) : undefined;
}

const TEXTS = ["plain", "\u001b[31mred\u001b[0m and 日本語", "👩‍👩‍👧 family", "a\tb", "long ".repeat(10)];

test("widths and wrapping are those of pi's own library", async () => {
  const given = JSON.stringify(TEXTS);
  expect(
    await inHook(
      `${given}.map((text) => [tui.visibleWidth(text), tui.truncateToWidth(text, 9), tui.wrapTextWithAnsi(text, 7)])`,
    ),
  ).toEqual(
    TEXTS.map((text) => [widths.visibleWidth(text), widths.truncateToWidth(text, 9), widths.wrapTextWithAnsi(text, 7)]),
  );
});

test("a conversation is told to a model in pi's form, and long results are shortened", async () => {
  const messages = [
    { role: "user", content: "look" },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm" },
        { type: "text", text: "I look." },
        { type: "toolCall", name: "read", arguments: { path: "a.txt", limit: 2 } },
      ],
    },
    { role: "toolResult", content: [{ type: "text", text: "x".repeat(2001) }] },
    { role: "toolResult", content: [{ type: "text", text: "y".repeat(2000) }] },
    { role: "system", content: "never" },
  ];
  // A hook's reason is cut at two thousand characters.
  const shorter = `.replaceAll("x".repeat(1000), "X").replaceAll("y".repeat(1000), "Y")`;
  expect(await inHook(`agent.serializeConversation(${JSON.stringify(messages)})${shorter}`)).toBe(
    [
      "[User]: look",
      "[Assistant]: I look.",
      '[Assistant tool calls]: read(path="a.txt", limit=2)',
      "[Tool result]: XX\n\n[... 1 more characters truncated]",
      "[Tool result]: YY",
    ].join("\n\n"),
  );
});

test("keys are read as by pi's own library", async () => {
  const pressed = ["\u001b[A", "\r", "\u001b", "\u0003", "a", "\u001b[27;5;13~", "\u001b[97;5u"];
  const names = ["up", "enter", "escape", "ctrl+c", "a", "ctrl+enter", "ctrl+a"] as const;
  const matched = pressed.map((data) => names.map((name) => keys.matchesKey(data, name)));
  expect(
    await inHook(
      `${JSON.stringify(pressed)}.map((data) => ${JSON.stringify(names)}.map((name) => tui.matchesKey(data, name)))`,
    ),
  ).toEqual(matched);
  expect(await inHook("[tui.Key.ctrlAlt('p'), tui.Key.up]")).toEqual([keys.Key.ctrlAlt("p"), keys.Key.up]);
});

test("components that make lines of text", async () => {
  const lines = await inHook(`[...new tui.Text("hello world", 1, 0).render(9), ...new tui.Spacer(1).render(9)]`);
  expect((lines as string[]).map((line) => line.trim())).toEqual(["hello", "world", ""]);
});

test("types and ids", async () => {
  expect(await inHook("ai.Type.Object({ a: ai.Type.String() }).required")).toEqual(["a"]);
  const ids = (await inHook("[ai.uuidv7(), ai.uuidv7()]")) as string[];
  expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(ids[0]).not.toBe(ids[1]);
});

test("messages for a model", async () => {
  const messages = [
    { role: "user", content: "u" },
    { role: "custom", content: "c", timestamp: 1 },
    { role: "bashExecution", command: "ls", output: "", exitCode: 0, excludeFromContext: true },
    { role: "compactionSummary", summary: "s", timestamp: 2 },
    { role: "unknown" },
  ];
  expect(await inHook(`agent.convertToLlm(${JSON.stringify(messages)})`)).toEqual([
    { role: "user", content: "u" },
    { role: "user", content: [{ type: "text", text: "c" }], timestamp: 1 },
    { role: "user", content: [{ type: "text", text: expect.stringContaining("s") }], timestamp: 2 },
  ]);
});

test("changes of one file run one after the other, also after one that fails", async () => {
  const order = await inHook(`{ const said = [];
    const step = (name, ms, fails) => agent.withFileMutationQueue("/f", async () => {
      said.push(name + " begins"); await new Promise((done) => setTimeout(done, ms)); said.push(name + " ends");
      if (fails) throw new Error("no"); });
    await Promise.allSettled([step("a", 30, true), step("b", 1)]); return said; }`);
  expect(order).toEqual(["a begins", "a ends", "b begins", "b ends"]);
});

const ROWS: [content: string, limits: object, head: object, tail: object][] = [
  ["a\nb\nc\n", { maxLines: 2 }, { content: "a\nb", truncatedBy: "lines" }, { content: "b\nc", truncatedBy: "lines" }],
  ["aaaa\nb", { maxBytes: 3 }, { content: "", firstLineExceedsLimit: true }, { content: "b", truncatedBy: "bytes" }],
  ["ééé", { maxBytes: 3 }, { content: "", firstLineExceedsLimit: true }, { content: "é", lastLinePartial: true }],
  ["", {}, { content: "", truncated: false }, { content: "", truncated: false }],
];

test.each(ROWS)("the first and the last lines of %j within %j", async (content, limits, head, tail) => {
  const given = `${JSON.stringify(content)}, ${JSON.stringify(limits)}`;
  expect(await inHook(`[agent.truncateHead(${given}), agent.truncateTail(${given})]`)).toMatchObject([head, tail]);
});

/** A module of pi's own package, at the version whose API hooks have. */
async function realModule(path: string) {
  const folder = temporaryFolder();
  const name = "@earendil-works/pi-coding-agent";
  execFileSync("npm", ["pack", `${name}@${PI_VERSION}`, "--silent", "--pack-destination", folder], { cwd: folder });
  execFileSync("tar", ["xzf", `earendil-works-pi-coding-agent-${PI_VERSION}.tgz`], { cwd: folder });
  symlinkSync(join(PACKAGE_ROOT, "node_modules"), join(folder, "package", "node_modules"));
  return import(pathToFileURL(join(folder, "package/dist", path)).href);
}

test("a conversation is written for a summary as by pi of that version", needsTime(), async () => {
  const real = await realModule("core/compaction/utils.js");
  const messages = [
    { role: "user", content: [{ type: "text", text: "u" }] },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm" },
        { type: "text", text: "a" },
        { type: "toolCall", id: "1", name: "read", arguments: { path: "x", limit: 2 } },
      ],
    },
    { role: "toolResult", toolCallId: "1", content: [{ type: "text", text: "y".repeat(3000) }] },
  ];
  expect(await inHook(`agent.serializeConversation(${JSON.stringify(messages)}).slice(0, 1500)`)).toBe(
    real.serializeConversation(messages).slice(0, 1500),
  );
  expect(await inHook(`agent.serializeConversation(${JSON.stringify(messages)}).length`)).toBe(
    real.serializeConversation(messages).length,
  );
});

test("lines are cut as by pi itself", needsTime(), async () => {
  const real = await realModule("core/tools/truncate.js");
  const text = fc
    .array(fc.constantFrom("a", "é", "日", "👩", "\n", "word "), { maxLength: 40 })
    .map((parts) => parts.join(""));
  const limits = fc.record({ maxLines: fc.integer({ min: 1, max: 6 }), maxBytes: fc.integer({ min: 1, max: 30 }) });
  const samples = fc.sample(fc.tuple(text, limits), 300);
  const expected = samples.map(([content, given]) =>
    JSON.stringify([
      real.truncateHead(content, given),
      real.truncateTail(content, given),
      real.truncateLine(content, given.maxLines),
    ]),
  );
  const wrong = `${JSON.stringify(samples)}.filter(([text, limits], at) =>
    JSON.stringify([agent.truncateHead(text, limits), agent.truncateTail(text, limits), agent.truncateLine(text, limits.maxLines)]) !== ${JSON.stringify(expected)}[at])`;
  expect(await inHook(wrong)).toEqual([]);
});

test("an agent's providers of models are none here, as of an API that nobody registered", async () => {
  const found = `[ai.getApiProvider("openai-responses") ?? null, ai.getApiProviders()]`;
  expect(await inHook(found)).toEqual([null, []]);
});
