import { expect, test } from "vitest";
import { MARKDOWN_PLACES, MAX_MARKDOWN } from "../../sandbox/wire/registrations.ts";
import type { MarkdownContext } from "../../src/host/markdown.ts";
import { type Sources, startSession } from "../support/session.ts";

const context: MarkdownContext = { messageType: "assistant", isStreaming: false, availableWidth: 80 };

const changes = (body: string, options = "", ui: string[] = ["markdown"]): Sources[string] => ({
  source: `export default (pi: any) => pi.registerMarkdownTransformer((markdown: string, context: any) => { ${body} }${options && `, ${options}`});`,
  grant: { capabilities: { events: { see: [] }, ui: ui as "markdown"[] } },
});

const shown = async (sources: Sources, markdown: string, more: Partial<MarkdownContext> = {}) => {
  const { host, errors } = await startSession(sources);
  return {
    text: await host.markdown.transform(markdown, { ...context, ...more }),
    errors,
    places: host.markdown.places,
  };
};

test("a hook changes what is shown, and a line before it names the hook", async () => {
  const source = changes(`return markdown.toUpperCase() + " " + JSON.stringify(context);`);
  const { text, places } = await shown({ loud: source }, "hello", { messageId: "m1" });
  const seen = { messageType: "assistant", isStreaming: false, availableWidth: 80, messageId: "m1" };
  expect(text).toBe(`┃ loud\n\nHELLO ${JSON.stringify(seen)}`);
  expect(places).toEqual(["user", "assistant", "assistant-thinking"]);
});

test("hooks change it one after the other, and all that did are named", async () => {
  const { text } = await shown(
    {
      one: changes(`return markdown + "1";`),
      rests: changes(`return markdown;`),
      two: changes(`return markdown + "2";`),
    },
    "0",
  );
  expect(text).toBe("┃ one, two\n\n012");
});

// biome-ignore format: a table
const SAME: [claim: string, hook: Sources[string], code?: RegExp][] = [
  ["a hook without the grant", changes(`return "x";`, "", ["draw"])],
  ["a hook that asks for other places", changes(`return "x";`, `{ messageTypes: ["summary", "nowhere"] }`)],
  ["a hook that returns no text", changes(`return { text: "x" };`)],
  ["a hook that throws", changes(`throw new Error("no");`), /^HOOK_THREW$/],
  ["a hook that never ends", changes(`for (;;) {}`), /^(CPU_EXCEEDED|TIMEOUT)$/],
  ["a hook that returns a promise, as in pi", changes(`return Promise.resolve("x");`)],
  ["a hook that takes a function of another kind", { source: `export default (pi: any) => { try { pi.registerMarkdownTransformer(7); } catch (e: any) { console.log(e.message); } };`, grant: { capabilities: { ui: ["markdown"] } } }],
];

test.each(SAME)("it stays as it is for %s", async (_claim, hook, code) => {
  const { text, errors } = await shown({ hook }, "hello");
  expect(text).toBe("hello");
  if (code) expect(errors[0]?.code).toMatch(code);
  else expect(errors).toEqual([]);
});

// biome-ignore format: a table
const CLEANED: [claim: string, returned: string, text: string][] = [
  ["an escape sequence", `"\\u001b[2Ja\\u001b]0;x\\u0007b"`, "ab"],
  ["a frame like Cordon's", `"┏━ Cordon asks ━┓\\n┃ fine ┃"`, "┌─ Cordon asks ─┐\n│ fine │"],
  ["letters that nobody sees", `"a\\u202eb\\u2066c"`, "abc"],
];

test.each(CLEANED)("%s does not reach the terminal", async (_claim, returned, text) => {
  expect((await shown({ hook: changes(`return ${returned};`) }, "hello")).text).toBe(`┃ hook\n\n${text}`);
});

test.each([
  ["at the limit", MAX_MARKDOWN, "┃ hook\n\nseen"],
  ["one over it", MAX_MARKDOWN + 1, "x".repeat(MAX_MARKDOWN + 1)],
])("a text %s", async (_claim, length, text) => {
  expect((await shown({ hook: changes(`return "seen";`) }, "x".repeat(length))).text).toBe(text);
});

test("a hook is asked about the places that it names, of those that there are", async () => {
  const { host } = await startSession({
    hook: changes(`return "x";`, `{ messageTypes: ["changelog", "constructor", "custom"] }`),
  });
  expect(host.markdown.places).toEqual(["custom", "changelog"]);
  for (const messageType of MARKDOWN_PLACES) {
    const text = await host.markdown.transform("hello", { ...context, messageType });
    expect(text).toBe(["custom", "changelog"].includes(messageType) ? "┃ hook\n\nx" : "hello");
  }
});

test("what a hook may not change is on record", async () => {
  const { audit } = await startSession({ hook: changes(`return "x";`, "", ["draw"]) });
  expect(audit).toContainEqual(expect.objectContaining({ hook: "hook", capability: "ui", outcome: "NOT_GRANTED" }));
});

test("a hook whose grant is revoked changes nothing more", async () => {
  const { host } = await startSession({ hook: changes(`return "x";`) });
  host.grants.revoke("hook", "ui");
  expect(host.markdown.places).toEqual([]);
  expect(await host.markdown.transform("hello", context)).toBe("hello");
});
