import { join } from "node:path";
import { expect, test } from "vitest";
import { onToolCall, startSession } from "../support/session.ts";

const logged = async (body: string) => {
  const session = await startSession({ talker: onToolCall(body) });
  await session.call();
  return session;
};

test("a console line goes to the host's log with the hook's id and the position in its TypeScript", async () => {
  const { log, folder } = await logged('interface Only { types: 1 }\n    console.log("hello", 1, { a: [2] });');
  expect(log).toEqual([{ level: "info", hook: "talker", text: "hello 1 { a: [ 2 ] }", at: expect.any(String) }]);
  expect(log[0]?.at).toMatch(new RegExp(`^${join(folder, "hooks", "talker.ts")}:5:\\d+$`));
});

test.each([
  ["console.debug", "debug"],
  ["console.log", "info"],
  ["console.info", "info"],
  ["console.warn", "warn"],
  ["console.error", "error"],
])("%s is the level %s", async (method, level) => {
  const { log } = await logged(`${method}("x");`);
  expect(log).toMatchObject([{ level, hook: "talker", text: "x" }]);
});

test("formats, errors, counts and failed assertions read as in Node", async () => {
  const { log } = await logged(`console.log("%s is %d, %j", "a", 1, { b: 2 });
    console.log(new Error("trouble"));
    console.assert(1 > 2, "numbers");
    console.assert(2 > 1, "unseen");
    console.count(); console.count();`);
  const texts = log.map(({ text }) => text);
  expect(texts[0]).toBe('a is 1, {"b":2}');
  expect(texts[1]).toContain("Error: trouble");
  expect(texts.slice(2)).toEqual(["Assertion failed: numbers", "default: 1", "default: 2"]);
});

test("lines over the limit of a log are dropped, the drop is reported, and the verdict still arrives", async () => {
  const session = await startSession({
    talker: onToolCall(
      'for (let at = 0; at < 2000; at++) console.log("line " + at);\n    return { block: true, reason: "done" };',
    ),
  });
  expect(await session.call()).toMatchObject({ reason: "done" });
  const lines = session.log.filter(({ text }) => text.startsWith("line "));
  expect(lines.length).toBeGreaterThanOrEqual(100);
  expect(lines.length).toBeLessThanOrEqual(1000);
  await new Promise((resolve) => setTimeout(resolve, 1100));
  await session.call();
  expect(session.log.some(({ level, text }) => level === "warn" && /\d+ lines dropped/.test(text))).toBe(true);
});

test("escape sequences in a line do not reach the log, and long ones are cut", async () => {
  const { log } = await logged('console.log("\\u001b[31mred\\u001b[0m\\u202e"); console.log("x".repeat(100_000));');
  expect(log[0]?.text).toBe("red");
  expect(log[1]?.text.length).toBeLessThanOrEqual(8000);
  expect(log[1]?.text.endsWith("…")).toBe(true);
});

test("a value whose getter throws cannot make console throw at the host", async () => {
  const { log, call } = await logged(
    'try { console.log({ get a() { throw new Error("no"); } }); } catch {}\n    console.log("after");',
  );
  expect(log.at(-1)?.text).toBe("after");
  expect(await call()).toBeUndefined();
});

test("an error in a timer's callback is reported to the host and stops nothing", async () => {
  const session = await startSession({
    talker: onToolCall(
      'setTimeout(() => { throw new Error("in a timer"); }, 1);\n    await new Promise((done) => setTimeout(done, 50));\n    return { block: true, reason: "alive" };',
    ),
  });
  expect(await session.call()).toMatchObject({ reason: "alive" });
  expect(session.errors).toContainEqual(expect.objectContaining({ error: "in a timer" }));
});
