import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { IDLE_MS } from "../../src/bundle/build.ts";
import { LONG } from "../support/length.ts";
import { onToolCall, startSession, type TestSession } from "../support/session.ts";
import { GroupWatch, openDescriptors, sandboxes } from "./processes.ts";

const KILLS = LONG ? 1000 : 60;
const CALLS = 20 * KILLS;
const CALLS_PER_KILL = CALLS / KILLS;
/** Calls in flight in each session. */
const IN_FLIGHT = 4;

/** mulberry32: the seed repeats a run, as far as the machine allows. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Blocks odd numbers, half of the time after an await. */
const gate = onToolCall(`
  const { number } = event.input;
  if (number % 4 > 1) await new Promise((done) => setTimeout(done, number % 3));
  return number % 2 === 1 ? { block: true, reason: "odd " + number } : undefined;`);

/** The outcomes of one session's calls. */
interface Tally {
  passed: number;
  refused: number;
  failed: number;
  wrong: string[];
}

const restarts = new WeakMap<TestSession, Promise<void>>();

/** Reloads a hook that crashed too often, or waits briefly for one that is being restarted. */
async function recover(session: TestSession): Promise<void> {
  const state = () => session.host.hooks[0]?.state;
  if (state() === "stopped" || state() === "failed") {
    const restart = restarts.get(session) ?? session.host.reload("gate").finally(() => restarts.delete(session));
    restarts.set(session, restart);
    await restart;
  }
  for (let waited = 0; waited < 100 && state() !== "active"; waited++) await pause(2);
}

async function judge(session: TestSession, number: number, tally: Tally): Promise<void> {
  const verdict = await session.call({ number });
  if (verdict === undefined) {
    tally.passed++;
    if (number % 2 === 1) tally.wrong.push(`${number} passed`);
    return;
  }
  if (!("block" in verdict)) {
    tally.wrong.push(`${number} was rewritten`);
    return;
  }
  const own = verdict.reason.startsWith("odd ");
  if (own && verdict.reason !== `odd ${number}`) tally.wrong.push(`${number} got "${verdict.reason}"`);
  if (own) tally.refused++;
  else tally.failed++;
  if (!own) await recover(session);
}

test(`each of ${CALLS} calls during ${KILLS} kills gets one verdict, and none passes unless its hook passed it`, {
  timeout: 600_000,
}, async () => {
  const seed = Number(process.env.CORDON_SEED) || Date.now() & 0x7fffffff;
  console.log(`CORDON_SEED=${seed}`);
  const random = seeded(seed);
  const groups = new GroupWatch();
  await (await startSession({ gate })).host.close();
  // The process that built the hook ends by itself.
  await delay(IDLE_MS + 500);
  const descriptors = openDescriptors();

  const sessions = await Promise.all([0, 1, 2, 3].map(() => startSession({ gate })));
  const tally: Tally = { passed: 0, refused: 0, failed: 0, wrong: [] };
  let asked = 0;
  let answered = 0;
  let kills = 0;
  const worker = async (session: TestSession): Promise<void> => {
    while (asked < CALLS) {
      // No faster than the kills, or most calls would end before them.
      if (asked > (kills + 2) * CALLS_PER_KILL) {
        await pause(1);
        continue;
      }
      asked++;
      await judge(session, asked, tally);
      answered++;
    }
  };
  const killer = async (): Promise<void> => {
    while (kills < KILLS) {
      await pause(random() * 8);
      if (answered < (kills - 2) * CALLS_PER_KILL) continue;
      const pids = sandboxes();
      const victim = pids[Math.floor(random() * pids.length)];
      if (victim === undefined) continue;
      process.kill(victim, "SIGKILL");
      kills++;
    }
  };
  await Promise.all([
    killer(),
    ...sessions.flatMap((session) => Array.from({ length: IN_FLIGHT }, () => worker(session))),
  ]);

  expect(tally.wrong).toEqual([]);
  expect(answered).toBe(CALLS);
  expect(kills).toBe(KILLS);
  expect(tally.passed + tally.refused + tally.failed).toBe(CALLS);
  console.log(tally);
  // The kills hit some calls, and other calls were judged.
  expect(tally.failed).toBeGreaterThan(KILLS / 10);
  expect(tally.passed).toBeGreaterThan(KILLS);
  expect(tally.refused).toBeGreaterThan(KILLS);
  // After all kills, each hook judges again.
  for (const session of sessions) {
    await recover(session);
    expect(await session.call({ number: 1 })).toEqual({ block: true, hook: "gate", reason: "odd 1" });
    expect(await session.call({ number: 2 })).toBeUndefined();
  }
  await Promise.all(sessions.map(({ host }) => host.close()));
  expect(await groups.left()).toEqual([]);
  await delay(IDLE_MS + 500);
  expect(openDescriptors()).toBe(descriptors);
});
