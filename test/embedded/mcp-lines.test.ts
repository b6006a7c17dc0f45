import { PassThrough } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { LineFlow } from "../../src/agents/mcp/flow.ts";
import { on } from "../support/session.ts";
import { call, GATE, REDACT, started } from "./mcp-hostile.ts";

/** What the line readers of Node, Python, Java and others take for the end of a line. */
const LINE_END = /[\n\r\v\f\u001c-\u001e\u0085\u2028\u2029]/;

/** A server that reads lines as Node's and Python's readers do, and tells what it got. */
const READER = [
  process.execPath,
  "-e",
  `let read = "";
   process.stdin.setEncoding("utf8").on("data", (more) => {
     const lines = (read + more).split(${LINE_END});
     read = lines.pop();
     for (const line of lines) {
       let message;
       try { message = JSON.parse(line); } catch { process.stderr.write("BROKEN " + JSON.stringify(line) + "\\n"); continue; }
       process.stderr.write("GOT " + JSON.stringify(message) + "\\n");
       if (message.id !== undefined) process.stdout.write(message.params?.say ?? JSON.stringify({ jsonrpc: "2.0", id: message.id, result: { content: [{ type: "text", text: "ran" }] } }) + "\\n");
     }
   });`,
];

test("a line end within a client's message makes no second message of it", async () => {
  const client = started({ gate: GATE }, READER);
  client.write(`{"jsonrpc":"2.0","method":"notifications/x","params":{"a":\r${call(1, "rm -rf a")}\r}}`);
  for (const end of ["\u0085", "\u2028", "\u2029"])
    client.write(`{"jsonrpc":"2.0","method":"notifications/x","params":{"a":"${end}b"}}`);
  client.write({ jsonrpc: "2.0", method: "notifications/x", params: { "\u2028": "\r\n" } });
  expect(await client.call(2, "ls\u2028ls")).toBe("ran");
  expect(client.stderr).not.toMatch(/BROKEN|GOT \{"jsonrpc":"2.0","id":1,/);
  expect(client.stderr.match(/GOT/g)).toHaveLength(6);
  expect(client.stderr).toContain('"command":"ls\u2028ls"');
});

test("a call that hooks rewrote is one line, too", async () => {
  const rewrite = {
    source: on("tool_call", "event.input.command = 'a\\u2028b\\u0085c';"),
    events: { rewriteInput: ["*"] },
  };
  const client = started({ rewrite }, READER);
  expect(await client.call(1, "ls")).toBe("ran");
  expect(client.stderr).not.toContain("BROKEN");
  expect(client.stderr).toContain("a\u2028b\u0085c");
});

test("a line end within a server's message makes no second message of it", async () => {
  const client = started({ redact: REDACT }, READER);
  const result = '{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"hunter2"}]}}';
  const say = `{"jsonrpc":"2.0","method":"notifications/x","params":{"a":\r${result}\r,"b":"\u2028\u2029\u0085"}}\n`;
  client.write({ jsonrpc: "2.0", id: 1, method: "ping", params: { say } });
  const line = await client.readLine();
  expect(JSON.parse(line ?? "")).toEqual(JSON.parse(say));
  expect(line).not.toMatch(LINE_END);
});

/** JSON of any value with any white space between its tokens, and any of these characters in its strings as they are. */
const anyJson = fc.letrec((tie) => ({
  space: fc.string({ unit: fc.constantFrom(" ", "\t", "\r"), maxLength: 2 }),
  text: fc
    .string({ unit: fc.constantFrom("a", "\\n", "\\\\", '\\"', "\u0085", "\u2028", "\u2029", "\\u2028"), maxLength: 6 })
    .map((text) => `"${text}"`),
  number: fc.constantFrom("0", "-1.50", "12345678901234567890", "1e400", "0.1000000000000000055"),
  list: fc.array(tie("value"), { maxLength: 3 }).map((all) => `[${all.join()}]`),
  object: fc
    .array(fc.tuple(tie("text"), tie("space"), tie("value")), { maxLength: 3 })
    .map((all) => `{${all.map((one) => `${one[0]}${one[1]}:${one[2]}`).join()}}`),
  value: fc
    .tuple(
      tie("space"),
      fc.oneof({ depthSize: "small" }, tie("text"), tie("number"), tie("list"), tie("object")),
      tie("space"),
    )
    .map((parts) => parts.join("")),
})).value as fc.Arbitrary<string>;

test("whatever JSON is written, it is one line to every reader, and the same to every parser", () => {
  /** Numbers as they are written. */
  const read = (text: string): unknown =>
    readJson(
      text.replaceAll(/("(?:\\.|[^"\\])*")|(-?\d[\d.e]*)/g, (all, _text, number) => (number ? `"#${number}"` : all)),
    );
  fc.assert(
    fc.property(anyJson, (text) => {
      const output = new PassThrough();
      new LineFlow(output, () => {}).write(text);
      const written = String(output.read());
      expect(written.at(-1)).toBe("\n");
      expect(written.slice(0, -1)).not.toMatch(LINE_END);
      expect(read(written)).toEqual(read(text));
    }),
    { numRuns: 1000 },
  );
});
