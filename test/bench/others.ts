import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { cordonVariant } from "./cordon.ts";
import { installedRivals } from "./installed-rivals.ts";
import { print, type Row, round, Times } from "./measure.ts";
import { workerThread } from "./rivals.ts";

/** Cordon beside other ways to run a hook, in turns: back to back, and with pauses as an agent calls. */
export async function others(folder: string, rounds = 60): Promise<boolean> {
  const ours = await cordonVariant("Cordon, one hook", join(folder, "one"), 1);
  const rivals = [await workerThread(), ...(await installedRivals(join(folder, "rivals")))];
  const rows: Row[] = [];
  for (const [ms, label] of [
    [0, "back to back"],
    [20, "every 20 ms"],
  ] as const) {
    const times = new Map([ours, ...rivals].map((variant) => [variant, new Times()]));
    for (let turn = -10; turn < rounds; turn++)
      for (const [variant, taken] of times) {
        if (ms > 0) await pause(ms);
        const started = performance.now();
        await variant.once();
        if (turn >= 0) taken.add((performance.now() - started) * 1000);
      }
    const mine = times.get(ours)?.median ?? Number.NaN;
    for (const rival of rivals) {
      const theirs = times.get(rival)?.median ?? Number.NaN;
      const beside = `${round(theirs)} µs: ${rival.name.replace(/^\([a-z]\) /, "")}`;
      rows.push({ what: `one hook, ${label}`, value: `${round(mine)} µs`, beside, ratio: mine / theirs });
    }
  }
  for (const variant of [ours, ...rivals]) await variant.close();
  return print("Beside other ways to run a hook (medians, in turns; what they contain differs)", rows);
}
