import { describe, expect, test } from "vitest";
import { opencode } from "../../src/agents/opencode/spoken.ts";

const read = (event: string, input: object, output?: object) =>
  opencode.read(JSON.stringify({ directory: "/w", input, output }), { event, cwd: "/", isGate: false });
const after = (output: object) =>
  read("tool.execute.after", { tool: "bash", sessionID: "s", callID: "c", args: { command: "ls" } }, output);
const text = (output: object) => {
  const { said } = after(output);
  return said.kind === "result" ? said.text : undefined;
};
const redacted = (output: object, given: string) =>
  JSON.parse(opencode.say(after(output), { kind: "result", text: given }).text).output;

test("hooks read what the model reads of a result", () => {
  expect(text({ title: "t", output: "KEY", metadata: { output: "KEY" } })).toBe("KEY");
});

test.each([["output"], ["stdout"], ["llmContent"]])(
  "a server's own field %s hides nothing of its contents from hooks",
  (name) => {
    expect(text({ content: [{ type: "text", text: "KEY" }], [name]: "fine" })).toContain("KEY");
  },
);

describe("what hooks took out of a result", () => {
  test("is nowhere in it", () => {
    const output = { title: "KEY", output: "a KEY", metadata: { output: "a KEY", exit: 0, diff: ["KEY"] } };
    expect(redacted(output, "a ***")).toEqual({
      title: "",
      output: "a ***",
      metadata: { output: "", exit: 0, diff: [""] },
    });
  });

  test("is nowhere in a server's", () => {
    const output = { content: [{ type: "text", text: "KEY" }], structuredContent: { key: "KEY" }, output: "KEY" };
    const all = JSON.stringify(redacted(output, JSON.stringify(output).replaceAll("KEY", "***")));
    expect(all).not.toContain("KEY");
    expect(all).toContain("***");
  });
});

test.each([
  ["session.created", { sessionID: "s", info: { id: "s" } }, undefined, { kind: "start" }],
  ["session.deleted", { info: { id: "s" } }, undefined, { kind: "end" }],
  ["dispose", { sessionID: "s" }, undefined, { kind: "end" }],
  ["session.idle", { sessionID: "s" }, undefined, { kind: "tell", event: { type: "agent_end" } }],
  ["chat.message", { sessionID: "s" }, { parts: [{ type: "file" }] }, { kind: "other" }],
  [
    "chat.message",
    { sessionID: "s" },
    {
      parts: [
        { type: "text", text: "a" },
        { type: "text", text: "b", synthetic: true },
      ],
    },
    { kind: "tell", event: { type: "input", text: "a" } },
  ],
])("%s is heard", (event, input, output, said) => {
  expect(read(event, input, output)).toMatchObject({ session: "s", cwd: "/w", said });
});

test.each([
  ["no session", { tool: "bash" }, { args: {} }],
  ["no tool", { sessionID: "s" }, { args: {} }],
  ["no input", { sessionID: "s", tool: "bash" }, {}],
  ["a list as its input", { sessionID: "s", tool: "bash" }, { args: [] }],
])("a call with %s is not judged", (_what, input, output) => {
  expect(() => read("tool.execute.before", input, output)).toThrow();
});
