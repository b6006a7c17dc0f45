import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { onToolCall } from "../support/session.ts";
import { call, GATE, hostile, REDACT, started } from "./mcp-hostile.ts";
import { cordonMcp, resultText, workplace } from "./mcp-process.ts";

describe("what a server does", () => {
  // biome-ignore format: a table
  const ANSWERS: [what: string, body: string, read: string][] = [
    ["answers under the id as a text, which some clients take for the number", `say(text("1", "hunter2")); say(text(1, "mine"));`, "mine"],
    ["answers under an id that nobody asked", `say(text(77, "hunter2")); say(text(1, "mine"));`, "mine"],
    ["answers twice", `say(text(1, "mine")); say(text(1, "hunter2"));`, "mine"],
    ["answers in a batch", `say([text(1, "hunter2"), { jsonrpc: "2.0", method: "notifications/message", params: {} }]);`, "***"],
    ["writes an id twice", `say(JSON.stringify(text(1, "hunter2")).replace('"id":1', '"id":5,"id":1'));`, "***"],
    ["answers with an error", `say({ jsonrpc: "2.0", id: 1, error: { code: 1, message: "hunter2", data: "hunter2" } });`, "***\n***"],
    ["hides a text in an error", `say({ jsonrpc: "2.0", id: 1, error: { code: "hunter2", message: "a", why: "hunter2" } });`, 'a\n{"why":"***","code":"***"}'],
    ["answers with content that is no list", `say({ jsonrpc: "2.0", id: 1, result: { content: { type: "text", text: "hunter2" } } });`, "***"],
    ["hides a text in a part of a kind that nobody knows", `say({ jsonrpc: "2.0", id: 1, result: { content: [{ type: "new", words: "hunter2" }] } });`, '{"type":"new","words":"***"}'],
    ["hides a text in a member that a text does not have", `say({ jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: "a", words: "hunter2" }] } });`, '{"type":"text","text":"a","words":"***"}'],
    ["hides a text in a member that a result does not have", `say({ jsonrpc: "2.0", id: 1, result: { content: [], words: "hunter2" } });`, ""],
    ["hides a text in an image", `say({ jsonrpc: "2.0", id: 1, result: { content: [{ type: "image", data: "AA", mimeType: "image/png", text: "hunter2" }] } });`, '{"type":"image","data":"AA","mimeType":"image/png","text":"***"}'],
    ["hides a text beside its parts", `say({ jsonrpc: "2.0", id: 1, result: { content: [], _meta: { a: "hunter2" } } });`, ""],
    ["hides a text beside a text", `say({ jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: "a", _meta: { a: "hunter2" } }] } });`, "a"],
    ["hides a text in the annotations of a text", `say({ jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: "a", annotations: { audience: ["user", "hunter2"] } }] } });`, "a"],
    ["hides a text in an annotation that nobody knows", `say({ jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: "a", annotations: { priority: 1, title: "hunter2" } }] } });`, "a"],
    ["hides a text where it says whether it failed", `say({ jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: "a" }], isError: "hunter2" } });`, "a"],
    ["answers with structured content alone", `say({ jsonrpc: "2.0", id: 1, result: { content: [], structuredContent: { a: "hunter2" } } });`, ""],
    ["writes lines that are no messages", `say("starting"); say("{"); say("[1]"); say('"x"'); say(text(1, "mine"));`, "mine"],
    ["asks with an id of Cordon's", `say({ jsonrpc: "2.0", id: "cordon:1", method: "ping" }); say(text(1, "mine"));`, "mine"],
    ["writes a second result in other letters", `say({ ...text(1, "mine"), Result: { content: [{ type: "text", text: "hunter2" }] } }); say(text(1, "mine"));`, "mine"],
    ["writes a second id in other letters", `say({ ...text(77, "hunter2"), ID: 1 }); say([{ ...text(77, "hunter2"), Id: 1 }]); say(text(1, "mine"));`, "mine"],
    ["makes a request that is an answer, too", `say({ jsonrpc: "2.0", id: 1, method: "ping", result: { content: [{ type: "text", text: "hunter2" }] } }); say(text(1, "mine"));`, "mine"],
  ];

  test("none of these answers gets a result past a hook", async () => {
    const bodies = ANSWERS.map(([, body]) => `() => { ${body} }`).join();
    const server = hostile(`
      if (method === "tools/call") [${bodies}][Number(params.arguments.command)]();
      else say(text(id, "last"));`);
    const client = started({ redact: REDACT }, server);
    for (const [at, [what, , read]] of ANSWERS.entries()) {
      client.write(call(1, String(at)));
      const all = [await client.read()];
      // What hooks judge takes longer than what only passes.
      while (all.at(-1)?.id !== 1) all.push(await client.read());
      expect(resultText(all.at(-1)).replace(/^\[Changed by hook .*\]\n?/, ""), what).toBe(read);
      client.write({ jsonrpc: "2.0", id: `end ${at}`, method: "resources/list" });
      while (all.at(-1)?.id !== `end ${at}`) all.push(await client.read());
      expect(JSON.stringify(all), what).not.toMatch(/hunter2|cordon:1/);
      expect(
        all.filter((one) => one?.id === 1),
        what,
      ).toHaveLength(1);
    }
  });

  test("what is no text of a server's stays with a result that hooks change", async () => {
    const annotations = { audience: ["user"], priority: 0.5, lastModified: "2026-01-12T15:00:58Z" };
    const content = JSON.stringify([
      { type: "text", text: "a", annotations },
      { type: "text", text: "hunter2" },
    ]);
    const client = started(
      { redact: REDACT },
      hostile(`say({ jsonrpc: "2.0", id, result: { content: ${content} } });`),
    );
    client.write(call(1, "ls"));
    expect(await client.answerTo(1)).toMatchObject({
      result: { content: [{}, { type: "text", text: "a", annotations }, { type: "text", text: "***" }] },
    });
  });

  test("what two parsers could read in two ways is passed on in one", async () => {
    const twice = `say(JSON.stringify(text(id, "ran")).replace('"text":"ran"', '"text":"hunter2","text":"ran"'));`;
    const client = started({ redact: REDACT }, hostile(twice));
    client.write(call(1, "ls"));
    const line = await client.readLine();
    expect(line).toContain("ran");
    expect(line).not.toContain("hunter2");
    client.write({ jsonrpc: "2.0", id: 2, method: "resources/list" });
    expect(await client.readLine()).toBe(
      '{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"ran"}]}}',
    );
  });

  test("an answer to a call that hooks still judge is dropped", async () => {
    const slow = { source: onToolCall("await new Promise((done) => setTimeout(done, 400));") };
    const guess = hostile(`if (method === "notifications/go") say(text(1, "early")); else say(text(id, "judged"));`);
    const client = started({ slow }, guess);
    client.write(call(1, "ls"));
    client.write({ jsonrpc: "2.0", method: "notifications/go" });
    expect(resultText(await client.answerTo(1))).toBe("judged");
    expect(client.stderr).toContain("which nobody asked it");
  });

  test("the result of a task is judged as that of its call, and that of no known call is withheld", async () => {
    const tasks = hostile(`
      if (method === "tools/call") say({ jsonrpc: "2.0", id, result: { task: { taskId: "t1", status: "working" } } });
      else say(text(id, "hunter2"));`);
    const client = started({ redact: REDACT }, tasks);
    client.write(call(1, "ls"));
    expect(await client.answerTo(1)).toBeDefined();
    client.write({ jsonrpc: "2.0", id: 2, method: "tasks/result", params: { taskId: "t1" } });
    expect(resultText(await client.answerTo(2))).toContain("***");
    client.write({ jsonrpc: "2.0", id: 3, method: "tasks/result", params: { taskId: "t2" } });
    expect(resultText(await client.answerTo(3))).toMatch(/^Withheld by Cordon/);
  });

  test("a flood that the client does not read stops the server, and not the proxy", async () => {
    const flood = hostile(`
      const line = JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { data: "x".repeat(1e5) } });
      let sent = 0;
      (function more() { while (process.stdout.write(line + "\\n")) sent++; process.stderr.write("SENT " + sent + "\\n"); process.stdout.once("drain", more); })();`);
    const place = workplace({ gate: GATE });
    const [command = "", ...args] = cordonMcp(place, "--", ...flood);
    const proxy = spawn(command, args, { env: place.env, cwd: place.folder, stdio: ["pipe", "pipe", "ignore"] });
    onTestFinished(() => void proxy.kill("SIGKILL"));
    proxy.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`);
    await new Promise((done) => setTimeout(done, 3000));
    const kb = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${proxy.pid}/status`, "utf8"))?.[1]);
    expect(kb).toBeLessThan(300_000);
  });

  test("a message over the limit ends the session, and whoever waits is told", async () => {
    const huge = hostile(
      `const part = Buffer.alloc(1 << 20, 120); for (let at = 0; at < 40; at++) process.stdout.write(part);`,
    );
    const client = started({ gate: GATE }, huge);
    expect(await client.call(1, "ls")).toMatch(/^error: the MCP server sent a message of more than 33554432 bytes/);
    expect(await client.end()).toBe(1);
  });

  test("a server that dies during a call: the client is told, and the proxy ends with 1", async () => {
    const client = started({ gate: GATE }, hostile(`if (method === "tools/call") process.exit(3);`));
    expect(await client.call(1, "ls")).toBe("error: the MCP server ended (exit code 3)");
    expect(await client.end()).toBe(1);
  });

  test("a server that closes its output and lives on: the client is told", async () => {
    const client = started({ gate: GATE }, hostile(`require("node:fs").closeSync(1); setInterval(() => {}, 1000);`));
    expect(await client.call(1, "ls")).toBe("error: the MCP server closed its output");
    expect(await client.end()).toBe(1);
  });

  test("a server that cannot be started is named, to the client too", async () => {
    const client = started({}, ["/nowhere/server"]);
    const why = "the MCP server did not start: no program /nowhere/server";
    expect(await client.call(1, "ls")).toBe(`error: ${why}`);
    expect(await client.end()).toBe(1);
    expect(client.stderr.trim()).toBe(`cordon: ${why}`);
  });

  test("when the client goes, so does a server that does not want to", async () => {
    const stays = hostile(
      `process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); say(text(id, String(process.pid)));`,
    );
    const client = started({ gate: GATE }, stays);
    const pid = Number(await client.call(1, "ls"));
    expect(await client.end()).toBe(0);
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });
});
