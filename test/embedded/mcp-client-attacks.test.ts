import { describe, expect, test } from "vitest";
import { onToolCall } from "../support/session.ts";
import { call, ECHO, GATE, hostile, REDACT, started } from "./mcp-hostile.ts";
import { resultText } from "./mcp-process.ts";

describe("what a client writes", () => {
  // biome-ignore format: a table
  const LINES: [what: string, line: string, answer: RegExp][] = [
    ["a batch", `[${call(1, "rm -rf a")},${call(2, "ls")}]`, /batches are not supported/],
    ["a duplicate command", call(1, "ls").replace('"command":"ls"', '"command":"ls","command":"rm -rf a"'), /stands twice/],
    ["a duplicate method", call(1, "rm -rf a").replace('"method":', '"method":"ping","method":'), /stands twice/],
    ["a duplicate key with an escape", call(1, "ls").replace('"command":"ls"', '"command":"ls","c\\u006fmmand":"rm -rf a"'), /stands twice/],
    ["a number that parsing changes", call(1, "ls").replace('"ls"', "12345678901234567890"), /would be judged as another one/],
    ["a call without an id", call(undefined, "rm -rf a"), /needs an id/],
    ["a call with null as id", call(null, "rm -rf a"), /an id must be/],
    ["a call that is an answer, too", call(1, "rm -rf a").replace('"method"', '"result":{},"method"'), /and nothing else/],
    ["a call with a list as params", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["bash"]}', /and nothing else/],
    ["a call that names no tool", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', /names no tool/],
    ["a call with a list as arguments", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bash","arguments":["rm -rf a"]}}', /is no object/],
    ["a key named __proto__", call(1, "ls").replace('"command":"ls"', '"command":"ls","__proto__":{"x":1}'), /__proto__/],
    ["a method beside one in another case", call(1, "rm -rf a").replace('"method":', '"method":"ping","Method":'), /"Method" is another name/],
    ["params beside others in another case", call(1, "ls").replace('"params":', '"PARAMS":{"name":"bash","arguments":{"command":"rm -rf a"}},"params":'), /another name/],
    ["arguments in another case", call(1, "rm -rf a").replace('"arguments":', '"argumentſ":'), /another name/],
    ["a name in another case", call(1, "rm -rf a").replace('"name":', '"name":"echo","NAME":'), /another name/],
    ["two arguments that differ in case", call(1, "ls").replace('"command":"ls"', '"command":"ls","Command":"rm -rf a"'), /another name/],
    ["no JSON", "{rm -rf a", /not JSON/],
  ];

  test("none of these lines reaches the server, and the session goes on", async () => {
    const client = started({ gate: GATE }, ECHO);
    for (const [what, line, answer] of LINES) {
      client.write(line);
      expect(resultText(await client.read()), what).toMatch(answer);
    }
    expect(await client.call("after", "ls")).toBe("ran ls");
    expect(client.stderr.match(/GOT/g)).toHaveLength(1);
    expect(client.stderr).not.toContain("rm -rf");
  });

  test("a second request with the id of one under way is refused", async () => {
    const client = started(
      { slow: { source: onToolCall("await new Promise((done) => setTimeout(done, 300));") } },
      ECHO,
    );
    client.write(call(1, "ls"));
    client.write({ jsonrpc: "2.0", id: 1, method: "resources/list" });
    expect(resultText(await client.read())).toMatch(/not answered yet/);
    expect(resultText(await client.read())).toBe("ran ls");
  });

  test("a message at the limit is judged, and one over it is refused", async () => {
    const client = started({ gate: GATE }, ECHO);
    const most = 32 * 1024 * 1024;
    const padded = (length: number): string => {
      const line = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "resources/list", params: { pad: "" } });
      return line.replace('""', `"${"x".repeat(length - line.length)}"`);
    };
    client.write(padded(most + 1));
    expect(resultText(await client.read())).toMatch(/more than 33554432 bytes/);
    client.write(padded(most));
    expect(resultText(await client.read())).toBe("other");
  });

  test("a call that is cancelled while hooks judge it never reaches the server", async () => {
    const slow = onToolCall("await new Promise((done) => setTimeout(done, 500));");
    const client = started({ slow: { source: slow } }, ECHO);
    // From now on the hook is there, and each call takes as long.
    expect(await client.call("first", "one")).toBe("ran one");
    client.write(call("cancelled", "two"));
    client.write({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "cancelled" } });
    expect(await client.call("third", "three")).toBe("ran three");
    expect(await client.call("fourth", "four")).toBe("ran four");
    expect(client.stderr).not.toContain("cancelled");
  });

  test("the late result of a cancelled call does not answer another request with the same id", async () => {
    const server = hostile(
      `if (method === "tools/call") setTimeout(() => say(text(id, "hunter2")), 500); else if (id) say(text(id, "other"));`,
    );
    const client = started({ redact: REDACT }, server);
    client.write(call(5, "ls"));
    await expect.poll(() => client.stderr).toContain('GOT {"jsonrpc":"2.0","id":5');
    client.write({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5 } });
    client.write({ jsonrpc: "2.0", id: 5, method: "ping" });
    expect(JSON.stringify(await client.answerTo(5))).toMatch(/was cancelled, whose answer may still come/);
    await new Promise((done) => setTimeout(done, 800));
    client.write({ jsonrpc: "2.0", id: 6, method: "ping" });
    // Nothing came in between.
    expect(resultText(await client.read())).toBe("other");
  });
});

test.each([
  ["registers its handler", "pi.on('tool_call', () => ({ block: true, reason: 'no' }));"],
  ["gets its rules", "rules = true;"],
])("a client that never says that it is initialized passes no guard that %s as a session begins", async (_how, act) => {
  const source = `let rules = false; export default (pi: any) => {
    pi.on("session", () => { ${act} });
    pi.on("tool_call", () => rules ? { block: true, reason: "no" } : undefined);
  };`;
  const client = started({ guard: { source } }, ECHO);
  expect(await client.call("first", "rm -rf /")).not.toContain("ran rm");
  expect(client.stderr).not.toContain("GOT");
});
