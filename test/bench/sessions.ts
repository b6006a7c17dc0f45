import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { HookHost } from "../../dist/src/index.js";
import { childrenOf, sandboxesOf } from "../sandbox/proc.ts";
import { leastName, startLeast } from "./least.ts";
import { print, type Row, round, Times, type Variant } from "./measure.ts";
import { peakKb, proportionalKb } from "./processes.ts";
import { EVENT, HOOK, startBareIsolate, startIdle } from "./rivals.ts";

/** Starts a session with `count` hooks; with powers, each has a process of its own. `top`: what each does besides as it loads. */
async function start(folder: string, count: number, powers: boolean, top = ""): Promise<HookHost> {
  mkdirSync(join(folder, "work"), { recursive: true });
  const hooks = Array.from({ length: count }, (_, at) => {
    const path = join(folder, `gate-${at}.ts`);
    writeFileSync(path, `${top}\n${HOOK}\n// ${at}`);
    const capabilities = { events: { see: ["*"], block: true }, env: [`NAME_${at}`] };
    return { path, ...(powers ? { grant: { capabilities } } : {}) };
  });
  const host = await HookHost.start({
    cwd: join(folder, "work"),
    home: join(folder, "home"),
    discover: false,
    spare: false,
    hooks,
  });
  const verdict = await host.emitToolCall({ ...EVENT, input: { ...EVENT.input } });
  if (verdict) throw new Error(JSON.stringify(verdict));
  return host;
}

async function starts(folder: string): Promise<Row[]> {
  const [bare, bareTwenty, leastTwenty, twenty, powerful] = Array.from({ length: 5 }, () => new Times()) as [
    Times,
    Times,
    Times,
    Times,
    Times,
  ];
  const timed = async (times: Times, act: () => Promise<{ close(): Promise<void> }>, counts: boolean) => {
    const started = performance.now();
    const made = await act();
    if (counts) times.add((performance.now() - started) * 1000);
    await made.close();
  };
  // The first turn builds the hooks.
  for (let turn = 0; turn <= 6; turn++) {
    await timed(bare, () => startBareIsolate(join(folder, "bare")), turn > 0);
    await timed(bareTwenty, () => startBareIsolate(join(folder, "bare"), 20), turn > 0);
    await timed(leastTwenty, () => startLeast(join(folder, "least"), 20), turn > 0);
    await timed(twenty, () => start(join(folder, "twenty"), 20, false), turn > 0);
    await timed(powerful, () => start(join(folder, "powerful"), 20, true), turn > 0);
  }
  const ms = ({ median }: Times): string => `${round(median / 1000)} ms`;
  const row = (what: string, times: Times, goal?: number): Row => ({
    ...{ what, value: ms(times), beside: `${ms(bare)} cold start of (b)`, ratio: times.median / bare.median },
    ...(goal === undefined ? {} : { goal }),
  });
  return [
    row("start and first verdict, twenty hooks in one process", twenty, 2),
    {
      what: "the same, beside as many isolates with nothing of Cordon's in them",
      value: ms(twenty),
      beside: `${ms(bareTwenty)} cold start of (b) with twenty isolates`,
      ratio: twenty.median / bareTwenty.median,
    },
    row("that floor itself", bareTwenty),
    row(`${leastName(20)}, itself`, leastTwenty),
    row("the same, twenty hooks with powers in twenty processes", powerful),
  ];
}

/** What hooks use of Node and of packages as they load. */
const USES: readonly [what: string, top: string][] = [
  ["nothing", ""],
  ["process.env", "void process.env.HOME;"],
  ["join of node:path", 'import { join } from "node:path"; join("a", "b");'],
  ["fileURLToPath", 'import { fileURLToPath } from "node:url"; fileURLToPath(import.meta.url);'],
  ["Buffer", 'Buffer.from("a");'],
  ["new URL()", 'new URL("https://name.example/a?b");'],
  ["readFileSync, which is not called", 'import { readFileSync } from "node:fs"; void readFileSync.name;'],
  ["execSync, which is not called", 'import { execSync } from "node:child_process"; void execSync.name;'],
  ["TypeBox", 'import { Type } from "typebox"; Type.Object({ a: Type.String() });'],
];

async function uses(folder: string): Promise<Row[]> {
  const times = USES.map(() => new Times());
  for (let turn = 0; turn <= 7; turn++)
    for (const [at, [, top]] of USES.entries()) {
      const started = performance.now();
      const host = await start(join(folder, `uses-${at}`), 10, false, top);
      if (turn > 0) times[at]?.add((performance.now() - started) * 1000);
      await host.close();
    }
  const [nothing, ...others] = times.map(({ median }) => median / 1000) as [number, ...number[]];
  return others.map((ms, at) => ({
    what: `ten hooks with ${USES[at + 1]?.[0]}: start and first verdict`,
    value: `${round(ms)} ms`,
    beside: `${round(nothing)} ms ten hooks without it`,
    ratio: ms / nothing,
  }));
}

async function sizes(folder: string): Promise<Row[]> {
  const bareMb = await memoryOfEach(() => startBareIsolate(join(folder, "bare-size")));
  const leastMb = await memoryOfEach(() => startLeast(join(folder, "least-size"), 1, "collects"));
  const idleMb = await memoryOfEach(startIdle);
  const rows: Row[] = [];
  for (const [count, powers, goalMb] of [
    [1, false],
    [20, false],
    [100, false],
    [20, true, 200],
  ] as const) {
    const host = await start(join(folder, `size-${count}-${powers}`), count, powers);
    await pause(500);
    const sandboxes = sandboxesOf();
    const mbOf = (kbOf: (pid: number) => number | undefined): number =>
      sandboxes.reduce((sum, pid) => sum + (kbOf(pid) ?? 0), 0) / 1024;
    const [mb, peak] = [mbOf(proportionalKb), mbOf(peakKb)];
    await host.close();
    const processes = sandboxes.length === 1 ? "1 process" : `${sandboxes.length} processes`;
    rows.push({
      what: `memory after an event (PSS), ${count} ${count === 1 ? "hook" : "hooks"}${powers ? " with powers" : ""}`,
      value: `${round(mb)} MB, ${processes}; with what they share counted for each, ${round(peak)} MB at the most`,
      beside: `${round(bareMb * sandboxes.length)} MB: as many of (b)`,
      ratio: goalMb === undefined ? mb / (bareMb * sandboxes.length) : mb / goalMb,
      ...(goalMb === undefined ? {} : { goal: 1 }),
    });
  }
  const floor = (what: string, mb: number): Row => ({
    what,
    value: `${round(mb * 20)} MB`,
    beside: `${round(bareMb * 20)} MB: twenty of (b)`,
    ratio: mb / bareMb,
  });
  rows.push(
    floor(`twenty of ${leastName(1)}, which collect what their start left`, leastMb),
    floor("twenty Nodes with the flags of a sandbox, which do so and have nothing in them", idleMb),
  );
  return rows;
}

/** Memory of one of twenty such children, in MB: they share what processes of one program share. */
async function memoryOfEach(start: () => Promise<Pick<Variant, "close">>): Promise<number> {
  const children: Pick<Variant, "close">[] = [];
  for (let count = 0; count < 20; count++) children.push(await start());
  await pause(300);
  const kb = childrenOf(process.pid)
    .map(({ pid }) => pid)
    .reduce((sum, pid) => sum + proportionalKb(pid), 0);
  for (const child of children) await child.close();
  return kb / 1024 / children.length;
}

/** Sessions with many hooks: how long until the first verdict, and how much memory. */
export async function sessions(folder: string): Promise<boolean> {
  const done = print("Sessions with many hooks (bundles cached)", await starts(folder));
  print("What hooks use as they load (bundles cached)", await uses(folder));
  return print("Memory of all sandbox processes (twenty with powers: ratio to 200 MB)", await sizes(folder)) && done;
}
