import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { HookHost } from "../../dist/src/index.js";
import { type Attack, sourceOf } from "../failure/attack.ts";
import { bombs, loops } from "../failure/attacks.ts";
import { sandboxesOf } from "../sandbox/proc.ts";
import { print, type Row, round } from "./measure.ts";
import { peakKb } from "./processes.ts";
import { EVENT, HOOK } from "./rivals.ts";

/** Limits during the attack. The verdict must follow within this time: the limit plus 250 ms on an idle machine. */
const CPU_MS = 500;
const TIMEOUT_MS = 1000;
const SLACK_MS = 250;
const MAX_LATE_MS = 10;
const MAX_PEAK_MB = 256;

const RESOLUTION_MS = 2;
type LoopDelay = ReturnType<typeof monitorEventLoopDelay>;

/** p99 in ms, minus the resolution. */
const lateness = (delay: LoopDelay): number => delay.percentile(99) / 1e6 - RESOLUTION_MS;

interface Contained {
  name: string;
  blocked: boolean;
  ms: number;
  lateMs: number;
  peakMb: number;
  /** Number of verdicts of a hook in another process during the attack, and the slowest of them. */
  elsewhere: number;
  slowestMs: number;
}

/** Attacks one host with one failure while a hook in another process judges without pause. */
async function attack(folder: string, failure: Attack, whole: LoopDelay): Promise<Contained> {
  mkdirSync(join(folder, "work"), { recursive: true });
  for (const [name, source] of [
    ["hostile", sourceOf([failure])],
    ["honest", HOOK.replaceAll("(pi)", "(pi: any)").replaceAll("(event, ctx)", "(event: any)")],
  ] as const) {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, "hook.ts"), source);
  }
  const options = {
    cwd: join(folder, "work"),
    home: join(folder, "home"),
    discover: false,
    hookTimeout: TIMEOUT_MS,
    log: () => {},
  };
  const grant = { limits: { cpuMs: CPU_MS } };
  const hostile = await HookHost.start({
    ...options,
    hooks: [{ path: join(folder, "hostile", "hook.ts"), id: "hostile", grant }],
  });
  const honest = await HookHost.start({
    ...options,
    hooks: [{ path: join(folder, "honest", "hook.ts"), id: "honest" }],
  });
  let peak = 0;
  const watching = setInterval(() => {
    for (const pid of sandboxesOf()) peak = Math.max(peak, peakKb(pid) ?? 0);
  }, 20);
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  whole.enable();
  let over = false;
  let elsewhere = 0;
  let slowestMs = 0;
  const others = (async () => {
    while (!over) {
      const started = performance.now();
      if (await honest.emitToolCall({ ...EVENT })) throw new Error("the honest hook did not pass");
      slowestMs = Math.max(slowestMs, performance.now() - started);
      elsewhere++;
      await new Promise((done) => setTimeout(done, 2));
    }
  })();
  const started = performance.now();
  const verdict = await hostile.emitToolCall({ ...EVENT });
  const ms = performance.now() - started;
  over = true;
  await others;
  delay.disable();
  whole.disable();
  clearInterval(watching);
  await Promise.all([hostile.close(), honest.close()]);
  const left = sandboxesOf().length;
  if (left > 0) throw new Error(`${failure.name}: ${left} processes are left`);
  return {
    name: failure.name,
    blocked: verdict !== undefined && "block" in verdict,
    ms,
    lateMs: lateness(delay),
    peakMb: peak / 1024,
    elsewhere,
    slowestMs,
  };
}

/** Every failure of the table as a tool call: time to the verdict, the host's event loop, the sandbox's memory. */
export async function containment(folder: string): Promise<boolean> {
  const results: Contained[] = [];
  const whole = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  for (const [index, failure] of [...loops, ...bombs].entries()) {
    if (failure.stages && !failure.stages.includes("tool_call")) continue;
    results.push(await attack(join(folder, `attack-${index}`), failure, whole));
  }
  const late = results.filter(({ ms, name }) => ms > limitOf(name) + SLACK_MS);
  const worst = (pick: (one: Contained) => number): Contained => results.reduce((a, b) => (pick(a) >= pick(b) ? a : b));
  const slow = worst((one) => one.ms - limitOf(one.name));
  const loop = worst((one) => one.lateMs);
  const memory = worst((one) => one.peakMb);
  const other = worst((one) => one.slowestMs);
  for (const { name, ms } of late) console.log(`late: ${name} took ${round(ms)} ms`);
  for (const { name, blocked } of results) if (!blocked && !harmless(name)) console.log(`not blocked: ${name}`);
  const rows: Row[] = [
    {
      what: `verdict after its limit, worst of ${results.length} (${slow.name})`,
      value: `${round(Math.max(0, slow.ms - limitOf(slow.name)))} ms`,
      beside: `${SLACK_MS} ms`,
      ratio: (slow.ms - limitOf(slow.name)) / SLACK_MS,
      goal: 1,
    },
    {
      what: `host's event loop late, p99 over all attacks (worst single one ${round(loop.lateMs, 1)} ms: ${loop.name})`,
      value: `${round(lateness(whole), 1)} ms`,
      beside: `${MAX_LATE_MS} ms`,
      ratio: lateness(whole) / MAX_LATE_MS,
      goal: 1,
    },
    {
      what: `peak memory of a sandbox process, worst (${memory.name})`,
      value: `${round(memory.peakMb)} MB`,
      beside: `${MAX_PEAK_MB} MB`,
      ratio: memory.peakMb / MAX_PEAK_MB,
      goal: 1,
    },
    {
      what: `a hook elsewhere meanwhile, slowest answer (${other.name})`,
      value: `${round(other.slowestMs, 1)} ms`,
      beside: `${results.reduce((sum, one) => sum + one.elsewhere, 0)} answers`,
    },
  ];
  return print(`Containment (limits: ${CPU_MS} ms of CPU, ${TIMEOUT_MS} ms of waiting)`, rows);
}

/** The time that an attack may use: waiting, or computing. A failure within its limits may also pass. */
const limitOf = (name: string): number => (/never|interval/.test(name) ? TIMEOUT_MS : CPU_MS);
const harmless = (name: string): boolean => /sort|Array\(1e8\)|buffer|WebAssembly|prepareStackTrace/.test(name);
