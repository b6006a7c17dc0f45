import { expect, test } from "vitest";
import { on, onToolCall, startSession } from "../support/session.ts";
import { clearing } from "./clearing.ts";
import { GroupWatch } from "./processes.ts";

const grant = { limits: { cpuMs: 200 } };
const elsewhere = {
  source: on("session", "return { cancel: true };"),
  grant: { capabilities: { events: { see: ["session"], block: true, cancel: true }, send: {} } },
};

/** What a hook does after its verdict. The verdict stands. The next call is blocked or judged, never passed unjudged. */
const afterwards = [
  { name: "loops in a timer", body: "setTimeout(() => { for (;;) {} }, 20);" },
  {
    name: "loops in a promise's callback",
    body: "new Promise((done) => setTimeout(done, 20)).then(() => { for (;;) {} });",
  },
  {
    name: "burns the core with timers",
    body: "const burn = () => { const end = Date.now() + 50; while (Date.now() < end); setTimeout(burn, 0); }; setTimeout(burn, 20);",
  },
  {
    name: "fills the memory in a timer",
    body: "setTimeout(() => { const map = new Map(); for (let at = 0; ; at++) map.set(at, { at }); }, 20);",
  },
];

for (const { name, body } of afterwards) {
  test(`a hook that ${name} after its verdict is ended without any further event`, {
    timeout: 120_000,
  }, async () => {
    const groups = new GroupWatch();
    const source = onToolCall(
      `if (event.input.command === "go") { ${body} return; } return { block: true, reason: "judged" };`,
    );
    const session = await startSession({ elsewhere, bad: { source, grant } });
    expect(await session.call("go")).toBeUndefined();
    await expect
      .poll(() => session.errors, { timeout: 90_000, interval: 100 })
      .toContainEqual(expect.objectContaining({ event: "crash" }));
    expect(["CPU_EXCEEDED", "OUT_OF_MEMORY"]).toContain(session.errors[0]?.code);
    expect(await session.call("ls")).toEqual({ block: true, hook: "bad", reason: "judged" });
    expect(await session.host.emit(clearing())).toEqual({ cancel: true });
    await session.host.close();
    expect(await groups.left()).toEqual([]);
  });
}

test("a call during a loop that began after a verdict is blocked", async () => {
  const source = onToolCall(
    'if (event.input.command === "go") setTimeout(() => { for (;;) {} }, 1); else return { block: true, reason: "judged" };',
  );
  const session = await startSession({ bad: { source, grant } });
  expect(await session.call("go")).toBeUndefined();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await session.call("ls")).toMatchObject({
    block: true,
    hook: "bad",
    reason: expect.stringMatching(/CPU_EXCEEDED|judged/),
  });
  expect(await session.call("ls")).toEqual({ block: true, hook: "bad", reason: "judged" });
});

test("an unhandled rejection after a verdict is reported, and the hook keeps running", async () => {
  const source = onToolCall(
    'if (event.input.command === "go") setTimeout(() => { Promise.reject(new Error("late")); }, 1); else return { block: true, reason: "judged" };',
  );
  const session = await startSession({ bad: { source, grant } });
  expect(await session.call("go")).toBeUndefined();
  await expect.poll(() => session.errors.map(({ code }) => code)).toEqual(["HOOK_THREW"]);
  expect(await session.call("ls")).toEqual({ block: true, hook: "bad", reason: "judged" });
});

test("an error in a timer after a verdict is reported with its message", async () => {
  const session = await startSession({ bad: onToolCall('setTimeout(() => { throw new Error("late"); }, 1);') });
  expect(await session.call()).toBeUndefined();
  await expect.poll(() => session.errors.map(({ error, code }) => `${code} ${error}`)).toEqual(["HOOK_THREW late"]);
});

test("a verdict in an entry that ends in an unhandled rejection does not count", async () => {
  const session = await startSession({ bad: onToolCall('Promise.reject(new Error("x")); return undefined;') });
  expect(await session.call()).toMatchObject({
    block: true,
    hook: "bad",
    reason: expect.stringContaining("HOOK_THREW"),
  });
});
