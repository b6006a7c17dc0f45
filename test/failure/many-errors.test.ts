import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { PiMessages } from "../../src/agents/pi/messages.ts";
import type { PiLink } from "../../src/agents/pi/pi-link.ts";
import { liars } from "../support/fake-sandbox.ts";
import { on, startSession } from "../support/session.ts";

const startLiar = liars();

/** What pi shows of it: its screen keeps each notice, and draws all of them. */
function notices() {
  const told: string[] = [];
  const ui = { notify: (text: string) => told.push(text) };
  const link = { hasBegun: true, context: { hasUI: true, mode: "tui", ui } } as unknown as PiLink;
  return { told, messages: new PiMessages(link) };
}

test.each([
  ["throws", `setTimeout(() => { throw new Error("oh"); }, 0);`],
  ["leaves rejected promises", `Promise.reject(new Error("oh"));`],
])("a hook whose timer %s without end fills no screen", async (_what, fails) => {
  const session = await startSession({
    fails: on("turn_start", `setInterval(() => { for (let at = 0; at < 20; at++) { ${fails} } }, 20);`),
  });
  const { told, messages } = notices();
  session.host.onError(messages.error);
  await session.host.emit({ type: "turn_start", turnIndex: 0, timestamp: 0 });
  await delay(3000);
  expect(told.length).toBeGreaterThan(20);
  // It was hundreds in a second, for as long as the session lasted.
  expect(told.length).toBeLessThan(70);
  expect(told.filter((text) => text.includes("no more is told"))).toHaveLength(1);
  expect(session.host.hooks[0]?.state).toBe("active");
});

test("nor does a process that a hook took over, by warnings", async () => {
  const text = JSON.stringify({ t: "log", level: "warn", text: "Cordon: look here" });
  const session = await startLiar({ at: "run", frames: [{ kind: "message", text, times: 1000 }] });
  expect(await session.call()).toBeUndefined();
  expect(session.log.length).toBe(60);
  expect(session.errors).toMatchObject([{ code: "RATE_LIMITED" }]);
});

test("nor does a hook whose hundred handlers fail in each event", async () => {
  const handlers = `for (let at = 0; at < 100; at++) pi.on("turn_start", () => { throw new Error("oh " + at); });`;
  const { host } = await startSession({ fails: `export default (pi: any) => { ${handlers} };` });
  const { told, messages } = notices();
  host.onError(messages.error);
  for (let turnIndex = 0; turnIndex < 3; turnIndex++) await host.emit({ type: "turn_start", turnIndex, timestamp: 0 });
  expect(told).toHaveLength(61);
  expect(told.at(-1)).toContain("no more is told");
});
