/** `npm run bench`: every figure beside its floor or rival, in one run. Exits with 1 if a goal is missed. */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { sandboxesOf } from "../sandbox/proc.ts";
import { builds } from "./builds.ts";
import { commands } from "./commands.ts";
import { containment } from "./containment.ts";
import { cordonVariant, layRuntime, startHost } from "./cordon.ts";
import { dev } from "./dev.ts";
import { dialects } from "./dialects.ts";
import { embedded } from "./embedded.ts";
import { embedding } from "./embedding.ts";
import { extensions } from "./extensions.ts";
import { floods } from "./floods.ts";
import { leastName, startLeast } from "./least.ts";
import { market } from "./market.ts";
import { inTurns, print, type Row, round, Times } from "./measure.ts";
import { others } from "./others.ts";
import { piTurns } from "./pi-turns.ts";
import { powers } from "./powers.ts";
import { proportionalKb } from "./processes.ts";
import { bareName, EVENT, echoChild, secondRealm, startBareIsolate, workerThread } from "./rivals.ts";
import { sessions } from "./sessions.ts";
import { sporadic } from "./sporadic.ts";
import { texts } from "./texts.ts";

const folder = mkdtempSync(join(tmpdir(), "cordon-bench-"));
const ONE = "Cordon, one hook";
const TEN = "Cordon, ten hooks in one process";
const BARE_TEN = bareName(10);
const [LEAST, LEAST_TEN] = [leastName(1), leastName(10)];
const IN_PROCESS = "(d) the same hook, trusted, in this process";

/** Number of measured processes of each variant: the core that the scheduler chooses decides a third of the time. */
const INSTANCES = 6;

async function roundTrips(): Promise<boolean> {
  const times = new Map<string, Times>();
  // A sleeping core may take 20 to 40 µs to wake, depending on the scheduler: one loop of the lowest priority keeps
  // each awake for all variants alike.
  const spinners = Array.from({ length: availableParallelism() }, () =>
    spawn("nice", ["-n", "19", process.execPath, "-e", "for(;;);"], { stdio: "ignore" }),
  );
  for (let instance = 0; instance < INSTANCES; instance++) {
    const variants = [
      await echoChild(),
      await startBareIsolate(join(folder, "bare")),
      await startBareIsolate(join(folder, "bare"), 10),
      await startLeast(join(folder, "least"), 1),
      await startLeast(join(folder, "least-ten"), 10),
      await workerThread(),
      secondRealm(),
      await cordonVariant(IN_PROCESS, join(folder, "trusted"), 1, { trust: "full" }),
      await cordonVariant(ONE, join(folder, "one"), 1),
      await cordonVariant(TEN, join(folder, "ten"), 10),
    ];
    await inTurns(variants, 4, 250, times);
    await Promise.all(variants.map((variant) => variant.close()));
  }
  for (const spinner of spinners) spinner.kill("SIGKILL");
  const names = [...times.keys()];
  const of = (part: string): Times => times.get(names.find((name) => name.startsWith(part)) as string) as Times;
  const us = (part: string): string => `${round(of(part).median)} µs`;
  const beside = (part: string, goal?: number): Row => ({
    what: ONE,
    value: us(ONE),
    beside: `${us(part)} ${names.find((name) => name.startsWith(part))}`,
    ratio: of(ONE).median / of(part).median,
    ...(goal === undefined ? {} : { goal }),
  });
  const floor = (what: string, beside: string): Row => {
    const [mine, least] = [what, beside].map((name) => (times.get(name) as Times).median) as [number, number];
    return { what, value: `${round(mine)} µs`, beside: `${round(least)} µs ${beside}`, ratio: mine / least };
  };
  return print(`Round trip of one tool_call (median over ${INSTANCES} processes, back to back, no core asleep)`, [
    beside("(a)"),
    beside("(b) bare", 1.25),
    beside("(c)"),
    beside("(d)"),
    {
      what: IN_PROCESS,
      value: us(IN_PROCESS),
      beside: `${us("(e)")} ${names.find((name) => name.startsWith("(e)"))}`,
      ratio: of(IN_PROCESS).median / of("(e)").median,
    },
    { what: TEN, value: us(TEN), beside: `${us(ONE)} one hook`, ratio: of(TEN).median / of(ONE).median, goal: 2 },
    {
      what: TEN,
      value: us(TEN),
      beside: `${us(BARE_TEN)} ${BARE_TEN}, one write, nothing checked`,
      ratio: of(TEN).median / of(BARE_TEN).median,
    },
    {
      what: BARE_TEN,
      value: us(BARE_TEN),
      beside: `${us("(b) bare")} (b) with one`,
      ratio: of(BARE_TEN).median / of("(b) bare").median,
    },
    floor(ONE, LEAST),
    floor(LEAST, bareName(1)),
    floor(TEN, LEAST_TEN),
    floor(LEAST_TEN, BARE_TEN),
  ]);
}

async function starts(): Promise<boolean> {
  const bare = new Times();
  const cold = { beside: new Times(), installed: new Times() };
  const spare = new Times();
  const folders = { beside: join(folder, "cold"), installed: join(folder, "cold-installed") };
  layRuntime(folders.installed);
  for (const where of Object.values(folders)) await (await startHost(where, 1)).close();
  for (let turn = 0; turn < 10; turn++) {
    let started = performance.now();
    const rival = await startBareIsolate(join(folder, "bare"));
    bare.add((performance.now() - started) * 1000);
    await rival.close();
    for (const kind of ["beside", "installed"] as const) {
      started = performance.now();
      const host = await startHost(folders[kind], 1);
      await host.emitToolCall({ ...EVENT });
      cold[kind].add((performance.now() - started) * 1000);
      await host.close();
    }
    spare.add(await spareVerdict(join(folder, "spare")));
  }
  const ms = (times: Times): string => `${round(times.median / 1000, 1)} ms`;
  return print("First verdict (median of 10; the bundle is cached)", [
    ...[
      { what: "from nothing", times: cold.beside },
      { what: "the same, with the runtime in the home, beside an agent's own Node", times: cold.installed },
    ].map(({ what, times }) => ({
      what,
      value: ms(times),
      beside: `${ms(bare)} cold start of (b)`,
      ratio: times.median / bare.median,
      goal: 1.5,
    })),
    {
      what: "after a crash, with the spare",
      value: ms(spare),
      beside: `${ms(bare)} cold start of (b)`,
      ratio: spare.median / bare.median,
      goal: 0.2,
    },
  ]);
}

/** Time from the death of a hook's process to the next verdict, with a spare ready. In microseconds. */
async function spareVerdict(where: string): Promise<number> {
  const host = await startHost(where, 1);
  const [first] = sandboxesOf();
  await spareReady();
  const died = new Promise<void>((resolve) => void host.onState(() => resolve()));
  process.kill(first as number, "SIGKILL");
  await died;
  const started = performance.now();
  const verdict = await host.emitToolCall({ ...EVENT });
  const us = (performance.now() - started) * 1000;
  if (verdict) throw new Error(JSON.stringify(verdict));
  await host.close();
  return us;
}

/** Resolves when a host with one process has its spare, too, and both are at rest. */
async function spareReady(): Promise<void> {
  while (sandboxesOf().length < 2) await pause(50);
  await pause(500);
}

async function memory(): Promise<boolean> {
  const kb: number[] = [];
  for (const count of [1, 11]) {
    const host = await startHost(join(folder, `memory-${count}`), count);
    await spareReady();
    const [pid] = sandboxesOf();
    kb.push(proportionalKb(pid as number));
    await host.close();
  }
  const [one = 0, eleven = 0] = kb;
  return print("Memory (PSS, with a second process of the same program running)", [
    { what: "a sandbox process with one isolate", value: `${round(one / 1024, 1)} MB`, beside: "" },
    { what: "each further isolate", value: `${round((eleven - one) / 10 / 1024, 2)} MB`, beside: "" },
  ]);
}

/**
 * What a process pays for 4 KB that it never had, in microseconds: well below one on hardware, more than ten on some virtual
 * machines. There most of what an isolate costs is this, and Cordon's isolates have more memory than bare ones.
 */
function newMemory(): number {
  const [pages, bytes] = [8192, 4096];
  const memory = new Uint8Array(pages * bytes);
  const started = performance.now();
  for (let at = 0; at < memory.length; at += bytes) memory[at] = 1;
  return ((performance.now() - started) * 1000) / pages;
}

// Hosts do not keep a process alive, and some waits here have nothing else that does.
const alive = setInterval(() => {}, 1000);
try {
  const model = /model name\s*:\s*(.*)/.exec(readFileSync("/proc/cpuinfo", "utf8"))?.[1] ?? process.arch;
  console.log(`Node ${process.versions.node}, ${model}, ${newMemory().toFixed(1)} µs to touch 4 KB of new memory`);
  const results = [
    await roundTrips(),
    await sporadic(folder),
    await others(join(folder, "others")),
    await starts(),
    await memory(),
    await sessions(join(folder, "sessions")),
    await embedding(join(folder, "embedding")),
    await dialects(folder),
    await powers(folder),
    await texts(join(folder, "texts")),
    await builds(join(folder, "builds")),
    await extensions(folder),
    await embedded(folder),
    await commands(join(folder, "commands")),
    await dev(join(folder, "author")),
    await piTurns(folder),
    await containment(folder),
    floods(join(folder, "floods")),
    await market(folder),
  ];
  if (results.includes(false)) process.exitCode = 1;
} finally {
  clearInterval(alive);
  rmSync(folder, { recursive: true, force: true });
}
