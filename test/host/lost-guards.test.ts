import { expect, test } from "vitest";
import type { HookEvent, ToolCallEvent, ToolResultEvent } from "../../src/hook-api.ts";
import { sandboxesOf } from "../sandbox/proc.ts";
import { startSession, type TestSession } from "../support/session.ts";

const START: HookEvent = {
  type: "session",
  reason: "start",
  entries: [],
  sessionFile: null,
  previousSessionFile: null,
};

/** Kills the processes of all hooks, as the system may at any time. */
function killAll(): void {
  for (const pid of sandboxesOf(process.pid)) process.kill(pid, "SIGKILL");
}

/** A guard that registers its handler once it knows the session. `first`: what its session handler does before. */
const guard = (event: string, body: string, first = ""): string =>
  `export default (pi: any) => { pi.on("session", async () => { ${first} pi.on("${event}", (event: any) => { ${body} }); }); };`;
const GATE = 'if (event.input.command === "x") return { block: true, reason: "no x" };';
const SLOW = "await new Promise((done) => setTimeout(done, 300));";
const REDACT = 'return { content: [{ type: "text", text: event.content[0].text.replace("SECRET", "***") }] };';

const judged = { block: true, reason: "no x" };
/** Until the hooks that were killed run again. */
const settled = (session: TestSession) =>
  expect.poll(() => session.host.hooks.every(({ state }) => state === "active"), { timeout: 10_000 }).toBe(true);

test("a guard whose process dies while it hears of the session guards when it is back", async () => {
  const session = await startSession({ gate: guard("tool_call", GATE, SLOW) });
  const telling = session.host.emit(START);
  await new Promise((done) => setTimeout(done, 100));
  killAll();
  await telling;
  await settled(session);
  expect(await session.call("x")).toMatchObject(judged);
  expect(await session.call("y")).toBeUndefined();
});

test("calls that come together after a restart wait until the guard is there", async () => {
  const session = await startSession({ gate: guard("tool_call", GATE, SLOW) });
  await session.host.emit(START);
  await session.host.reload("gate");
  const verdicts = await Promise.all(["x", "x", "y", "x"].map((command) => session.call(command)));
  expect(verdicts.map((verdict) => (verdict && "reason" in verdict ? verdict.reason : "passed"))).toEqual([
    "no x",
    "no x",
    "passed",
    "no x",
  ]);
});

const result = (text: string): ToolResultEvent =>
  ({
    type: "tool_result",
    toolName: "read",
    toolCallId: "1",
    input: {},
    content: [{ type: "text", text }],
    details: {},
    isError: false,
  }) as ToolResultEvent;
const GUARDS = { capabilities: { events: { see: ["*"], guardResult: ["*"], rewriteResult: ["*"] } } };

test.each([
  [
    "its process died",
    async (session: TestSession) => {
      killAll();
      await settled(session);
    },
  ],
  ["it was reloaded", (session: TestSession) => session.host.reload("redact")],
])("a guard of results guards again after %s", async (_what, lose) => {
  const session = await startSession({ redact: { source: guard("tool_result", REDACT), grant: GUARDS } });
  await session.host.emit(START);
  const shown = async () => JSON.stringify((await session.host.emitToolResult(result("SECRET"))).result);
  expect(await shown()).toContain("***");
  await lose(session);
  const all: string[] = [];
  await expect.poll(async () => all.push(...(await Promise.all([shown(), shown()]))) && all.at(-1)).toContain("***");
  expect(all.filter((one) => one.includes("SECRET"))).toEqual([]);
});

test("a result is withheld where the guard does not register itself again", async () => {
  const once = `const fs = require("node:fs"); if (fs.existsSync("told")) return; fs.writeFileSync("told", "");`;
  const grant = { capabilities: { ...GUARDS.capabilities, fs: { read: ["$CWD/told"], write: ["$CWD/told"] } } };
  const session = await startSession({ redact: { source: guard("tool_result", REDACT, once), grant } });
  await session.host.emit(START);
  expect(JSON.stringify(await session.host.emitToolResult(result("SECRET")))).toContain("***");
  await session.host.reload("redact");
  const { result: withheld } = await session.host.emitToolResult(result("SECRET"));
  expect(JSON.stringify(withheld)).toContain("it guarded results before, but now it has no handler for them");
});

const CALL = { type: "tool_call", toolName: "bash", toolCallId: "1", input: { command: "x" } } as const;
class Call {
  get type() {
    return CALL.type;
  }
  get toolName() {
    return CALL.toolName;
  }
  get toolCallId() {
    return CALL.toolCallId;
  }
  get input() {
    return CALL.input;
  }
}
class Result {
  readonly #given = result("SECRET");
  get type() {
    return this.#given.type;
  }
  get toolName() {
    return this.#given.toolName;
  }
  get toolCallId() {
    return this.#given.toolCallId;
  }
  get input() {
    return this.#given.input;
  }
  get content() {
    return this.#given.content;
  }
  get isError() {
    return this.#given.isError;
  }
}
const hidden = <Event extends object>(event: Event): Event =>
  Object.defineProperty({ ...event }, "type", { enumerable: false });

const FORMS: readonly [form: string, call: () => unknown, result: () => unknown][] = [
  ["of a class with getters", () => new Call(), () => new Result()],
  ["that inherits all it has", () => Object.create(CALL), () => Object.create(result("SECRET"))],
  ["whose type is not enumerable", () => hidden(CALL), () => hidden(result("SECRET"))],
  [
    "with a toJSON of its own",
    () => ({ ...CALL, toJSON: () => ({}) }),
    () => ({ ...result("SECRET"), toJSON: () => ({}) }),
  ],
  [
    "whose toJSON is inherited",
    () => Object.assign(Object.create({ toJSON: () => ({}) }), CALL),
    () => Object.assign(Object.create({ toJSON: () => ({}) }), result("SECRET")),
  ],
  ["that is a proxy", () => new Proxy(CALL, {}), () => new Proxy(result("SECRET"), {})],
];
test.each(FORMS)("an event %s is judged like any other", async (_form, call, resultOf) => {
  const session = await startSession({
    gate: `export default (pi: any) => pi.on("tool_call", (event: any) => { ${GATE} });`,
    redact: {
      source: `export default (pi: any) => pi.on("tool_result", (event: any) => { ${REDACT} });`,
      grant: GUARDS,
    },
  });
  expect(await session.host.emitToolCall(call() as ToolCallEvent)).toMatchObject(judged);
  expect(await session.host.emit(call() as ToolCallEvent)).toMatchObject(judged);
  expect(JSON.stringify(await session.host.emitToolResult(resultOf() as ToolResultEvent))).toContain("***");
});

const thrower = (name: string): object =>
  Object.defineProperty({ ...CALL }, name, {
    enumerable: true,
    get() {
      throw new Error("no");
    },
  });
test.each<[what: string, event: unknown, options?: unknown]>([
  ["no event", undefined],
  ["null", null],
  ["a getter that throws", thrower("input")],
  ["a type that throws", thrower("type")],
  ["a type that is no text", { ...CALL, type: Object.create(null) }],
  ["a signal that is a plain object", CALL, { signal: {} }],
  [
    "a proxy that throws",
    new Proxy(
      {},
      {
        get() {
          throw new Error("no");
        },
        ownKeys() {
          throw new Error("no");
        },
      },
    ),
  ],
])("emitToolCall never rejects, and blocks: %s", async (_what, event, options) => {
  const session = await startSession({ gate: `export default (pi: any) => pi.on("tool_call", () => {});` });
  expect(await session.host.emitToolCall(event as ToolCallEvent, options as never)).toMatchObject({ block: true });
});
