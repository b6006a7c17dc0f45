/** What hooks draw is made fit for a terminal by the agent's own process. */
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { DrawingTime } from "../../src/powers/drawing-time.ts";
import { Screens } from "../../src/powers/screens.ts";
import { longestPause } from "../support/longest-pause.ts";
import { startSession } from "../support/session.ts";

/** A line that takes long to look at: codes with something between that is not seen. */
const SLOW = "\u001b[31m\u200b".repeat(440);
const TERMINAL = { width: 200, rows: 60 };

test("components of one hook that draw without end leave the agent more than half of its time", async () => {
  let drawn = 0;
  const screens = new Screens({ id: "painter", name: "painter" }, async () => {
    drawn++;
    return { lines: Array.from({ length: 60 }, (_, at) => `${SLOW}${drawn}${at}`) };
  });
  const all = Array.from({ length: 8 }, (_, at) => screens.open(at + 1, false, false));
  for (const screen of all)
    screen.onChange(() => {
      screen.render(TERMINAL);
      screen.change("stale");
    });
  for (const screen of all) screen.render(TERMINAL);
  await delay(500);
  const before = performance.eventLoopUtilization();
  const counted = drawn;
  await delay(2000);
  const { utilization } = performance.eventLoopUtilization(before);
  screens.closeAll();
  // It was all of it: no timer of the agent's came any more.
  expect(utilization).toBeLessThan(0.6);
  expect(drawn - counted).toBeGreaterThan(8);
});

test("a message of hundreds of lines that its hook draws leaves the agent its turns", async () => {
  const source = `export default (pi: any) => pi.registerMessageRenderer("mine", () => ({
    render: () => Array.from({ length: 500 }, (_, at) => ${JSON.stringify(SLOW)} + at), invalidate() {} }));`;
  const session = await startSession({
    painter: { source, grant: { capabilities: { ui: ["draw"] }, limits: { cpuMs: 20_000 } } },
  });
  const render = () => session.host.drawings.render({ kind: "message", name: "mine", value: { content: "" } }, 200);
  expect(await render()).toHaveLength(501);
  const shares: number[] = [];
  for (let time = 0; time < 3; time++) {
    const started = performance.now();
    const pause = await longestPause(render);
    shares.push(pause / (performance.now() - started));
  }
  // Its longest pause was nearly all of it.
  expect(Math.min(...shares)).toBeLessThan(0.5);
});

test("after what took long, the next waits, and what is quick does not", async () => {
  const time = new DrawingTime();
  const busy = (ms: number) => (): number => {
    for (const end = performance.now() + ms; performance.now() < end; );
    return performance.now();
  };
  const [slow, next] = await Promise.all([time.take(busy(50)), time.take(performance.now.bind(performance))]);
  expect(next - slow).toBeGreaterThanOrEqual(99);
  const started = performance.now();
  for (let at = 0; at < 50; at++) await time.take(() => at);
  expect(performance.now() - started).toBeLessThan(1000);
  await expect(time.take(() => JSON.parse("{"))).rejects.toThrow(SyntaxError);
  expect(await time.take(() => "next")).toBe("next");
});
