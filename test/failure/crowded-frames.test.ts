import { expect, test } from "vitest";
import { liars } from "../support/fake-sandbox.ts";
import { longestPause } from "../support/longest-pause.ts";
import { startSession } from "../support/session.ts";

const startLiar = liars();

/** The same measure as what is compared with it, however busy the machine is. */
function timeOf(act: () => unknown): number {
  const started = performance.now();
  act();
  return performance.now() - started;
}

const MANY = 2_700_000;

test.each([
  ["lists in lists", "[".repeat(1.4 * MANY) + "]".repeat(1.4 * MANY)],
  ["empty lists", `[${"[],".repeat(MANY)}0]`],
  ["empty objects", `[${"{},".repeat(MANY)}0]`],
])("a verdict of 8 MB of %s ends its process, and not the agent's turn", async (_name, result) => {
  const session = await startLiar({ at: "run", frames: [{ kind: "verdict", text: `0r$RUN:{"result":${result}}` }] });
  const pause = await longestPause(async () => expect(await session.call()).toMatchObject({ block: true }));
  // It was a second or two.
  expect(pause).toBeLessThan(timeOf(() => JSON.parse(result)) / 2);
  expect(session.errors.map(({ code }) => code)).toContain("PROTOCOL_VIOLATION");
});

test("what hooks without a right say about a large session is not held against all of its texts", async () => {
  const source = `export default (pi: any) => pi.on("session", () => ({ compaction: { summary: "x".repeat(30_000) } }));`;
  const one = { source, grant: { capabilities: { events: { see: ["*"] } } } };
  const { host, errors } = await startSession({ a: one, b: one, c: one, d: one });
  const entries = Array.from({ length: 150_000 }, (_, at) => ({ at, text: "a, b, c, d, e, f".repeat(10) }));
  const event = { type: "session", reason: "before_compact", entries } as unknown as Parameters<typeof host.emit>[0];
  const pause = await longestPause(() => host.emit(event));
  // It was two seconds.
  expect(pause).toBeLessThan(timeOf(() => JSON.stringify(entries)));
  expect(errors.map(({ code }) => code)).toEqual(["NOT_GRANTED", "NOT_GRANTED", "NOT_GRANTED", "NOT_GRANTED"]);
});
