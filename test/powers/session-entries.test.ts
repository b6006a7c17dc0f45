import { expect, test } from "vitest";
import type { HookEvent } from "../../src/hook-api.ts";
import { on, startSession } from "../support/session.ts";

const READ = { capabilities: { session: ["entries" as const] } };

/** A session event with this history. */
const started = (entries: unknown[]): HookEvent =>
  ({
    type: "session",
    reason: "start",
    entries,
    sessionFile: null,
    previousSessionFile: null,
    targetTurnIndex: undefined,
  }) as unknown as HookEvent;

const history = (count: number, size: number) =>
  Array.from({ length: count }, (_, at) => ({ type: "message", at, text: "x".repeat(size) }));

async function tell(body: string, entries: unknown[], grant: typeof READ | undefined) {
  const source = on("session", `console.log(JSON.stringify(await (async () => {\n${body}\n})()));`);
  const session = await startSession({ reader: { source, grant } });
  await session.host.emit(started(entries));
  return { ...session, told: session.log.map(({ text }) => JSON.parse(text)) };
}

test("a granted hook reads the entries, and they are listed among the event's fields", async () => {
  const { told, errors } = await tell(
    'return [Object.keys(event).includes("entries"), event.entries.length, event.entries[1].at, event.entries === event.entries];',
    history(3, 1),
    READ,
  );
  expect(told).toEqual([[true, 3, 1, true]]);
  expect(errors).toEqual([]);
});

test("without the grant the entries are not enumerable, and reading them is NOT_GRANTED with the remedy", async () => {
  const { told } = await tell(
    'const keys = Object.keys(event); const copy = JSON.stringify(event).includes("secret"); try { return [keys.includes("entries"), copy, event.entries]; } catch (error: any) { return [keys.includes("entries"), copy, error.code, error.message]; }',
    [{ text: "secret" }],
    undefined,
  );
  expect(told).toEqual([
    [false, false, "NOT_GRANTED", expect.stringMatching(/reader.*session.*cordon grant \S+reader\.ts session/)],
  ]);
});

test("without the grant no entry reaches the sandbox, and an uncaught read is reported", async () => {
  const { errors } = await tell("return event.entries;", history(2, 1), undefined);
  expect(errors.map(({ code, event }) => [code, event])).toEqual([["NOT_GRANTED", "session"]]);
  expect(errors[0]?.wanted).toEqual({ capability: "session", grant: ["entries"] });
});

test("a history of several megabytes is fetched when it is first read", async () => {
  const entries = history(5000, 1000);
  const { told, errors } = await tell("return [event.entries.length, event.entries.at(-1).at];", entries, READ);
  expect(told).toEqual([[5000, 4999]]);
  expect(errors).toEqual([]);
});

test("a history over the frame limit is a clear error to the hook, whose process survives", async () => {
  const entries = history(10_000, 1000);
  const { told, errors, host } = await tell(
    "try { return event.entries.length; } catch (error: any) { return error.message; }",
    entries,
    READ,
  );
  expect(told).toEqual([expect.stringMatching(/over the limit|too large/)]);
  expect(errors).toEqual([]);
  expect(host.hooks[0]?.state).toBe("active");
});

test("a hook that does not read a history over the frame limit still hears the event", async () => {
  const { told, errors } = await tell("return event.reason;", history(10_000, 1000), READ);
  expect(told).toEqual(["start"]);
  expect(errors).toEqual([]);
});

test("entries can be read after an await, while the event is handled", async () => {
  const { told } = await tell(
    "await new Promise((done) => setTimeout(done, 50)); return event.entries.length;",
    history(2, 1),
    READ,
  );
  expect(told).toEqual([2]);
});

test("entries cannot be read after their event ended", async () => {
  const keeps = `let kept: any;\nexport default function (pi: any) {
  pi.on("session", async (event: any) => { kept = event; });
  pi.on("agent_start", async () => { try { console.log(String(kept.entries.length)); } catch (error: any) { console.log(error.message); } });
}\n`;
  const { host, log } = await startSession({ reader: { source: keeps, grant: READ } });
  await host.emit(started(history(2, 1)));
  await host.emit({ type: "agent_start" } as HookEvent);
  expect(log.map(({ text }) => text)).toEqual([expect.stringContaining("while the event is handled")]);
});
