import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { cordonVariant } from "./cordon.ts";
import { leastName, startLeast } from "./least.ts";
import { print, type Row, Times, type Variant } from "./measure.ts";
import { bareName, startBareIsolate } from "./rivals.ts";

/** An agent makes one call, then waits for its model: the cores sleep, and other programs use their caches. */
const EVERY_MS = 20;

const cordonName = (count: number): string => (count === 1 ? "one hook" : "ten hooks in one process");

/** Asks the variants in turns, with a pause before each call. */
async function asked(variants: readonly Variant[], rounds: number, pauseMs: number): Promise<Map<string, Times>> {
  const times = new Map(variants.map(({ name }) => [name, new Times()]));
  for (let round = -10; round < rounds; round++) {
    for (const { name, once } of variants) {
      if (pauseMs > 0) await pause(pauseMs);
      const started = performance.now();
      await once();
      if (round >= 0) times.get(name)?.add((performance.now() - started) * 1000);
    }
  }
  return times;
}

const PAUSES = [
  { label: "every 20 ms", pauseMs: EVERY_MS, goals: { 1: 1.6, 10: 1.5 } },
  { label: "back to back", pauseMs: 0, goals: { 1: 1.4, 10: 1.8 } },
] as const;
const COUNTS = [1, 10] as const;

/** Calls as an agent makes them: one at a time, with pauses, while nothing keeps cores awake. */
export async function sporadic(folder: string, rounds = 100, kinds = 3): Promise<boolean> {
  const all = new Map<string, number[]>();
  for (let kind = 0; kind < kinds; kind++) {
    const place = join(folder, `sporadic-${kind}`);
    const variants: Variant[] = [];
    for (const count of COUNTS) {
      variants.push(
        await startBareIsolate(join(place, `bare-${count}`), count),
        await startLeast(join(place, `least-${count}`), count),
        await cordonVariant(cordonName(count), join(place, `cordon-${count}`), count),
      );
    }
    for (const { label, pauseMs } of PAUSES) {
      const times = await asked(variants, pauseMs ? rounds : rounds * 10, pauseMs);
      for (const [name, one] of times) {
        const key = `${name}, ${label}`;
        all.set(key, [...(all.get(key) ?? []), one.median]);
      }
    }
    for (const variant of variants) await variant.close();
  }
  const median = (key: string): number => {
    const values = [...(all.get(key) ?? [])].sort((a, b) => a - b);
    return values[Math.floor(values.length / 2)] ?? Number.NaN;
  };
  const row = (what: string, beside: string, label: string): Row => {
    const [mine, floor] = [median(`${what}, ${label}`), median(`${beside}, ${label}`)];
    return {
      what: `${what}, ${label}`,
      value: `${mine.toFixed(0)} µs`,
      beside: `${floor.toFixed(0)} µs: ${beside}`,
      ratio: mine / floor,
    };
  };
  const rows = PAUSES.flatMap(({ label, goals }) =>
    COUNTS.flatMap((count) => [
      { ...row(cordonName(count), bareName(count), label), goal: goals[count] },
      row(cordonName(count), leastName(count), label),
      row(leastName(count), bareName(count), label),
    ]),
  );
  return print("As an agent calls: with pauses, and nothing keeps cores awake", rows);
}
