import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { cordonVariant } from "./cordon.ts";
import { print, Times, type Variant } from "./measure.ts";
import { startBareIsolate } from "./rivals.ts";

/** An agent makes one call, then waits for its model: the cores sleep, and other programs use their caches. */
const EVERY_MS = 20;

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

/** Calls as an agent makes them: one at a time, with pauses, while nothing keeps cores awake. */
export async function sporadic(folder: string, rounds = 100, kinds = 3): Promise<boolean> {
  const all = new Map<string, number[]>();
  for (let kind = 0; kind < kinds; kind++) {
    const place = join(folder, `sporadic-${kind}`);
    const variants = [
      await startBareIsolate(join(place, "bare")),
      await cordonVariant("one hook", join(place, "one"), 1),
      await startBareIsolate(join(place, "bare-ten"), 10),
      await cordonVariant("ten hooks in one process", join(place, "ten"), 10),
    ];
    for (const [pauseMs, label] of [
      [EVERY_MS, "every 20 ms"],
      [0, "back to back"],
    ] as const) {
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
  const [bare, one, bareTen, ten] = [...new Set([...all.keys()].map((key) => key.replace(/, [^,]*$/, "")))] as [
    string,
    string,
    string,
    string,
  ];
  const rows = (
    [
      [one, bare, "every 20 ms", 1.6],
      [ten, bareTen, "every 20 ms", 1.5],
      [one, bare, "back to back", 1.4],
      [ten, bareTen, "back to back", 1.8],
    ] as const
  ).map(([what, beside, label, goal]) => {
    const [mine, floor] = [median(`${what}, ${label}`), median(`${beside}, ${label}`)];
    return {
      what: `${what}, ${label}`,
      value: `${mine.toFixed(0)} µs`,
      beside: `${floor.toFixed(0)} µs: ${beside}`,
      ratio: mine / floor,
      goal,
    };
  });
  return print("As an agent calls: with pauses, and nothing keeps cores awake", rows);
}
