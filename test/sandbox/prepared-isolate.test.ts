import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { locateRuntime } from "../../src/runtime/locate.ts";
import { SandboxProcess } from "../../src/supervisor/process.ts";
import { Supervisor } from "../../src/supervisor/supervisor.ts";
import { loneIsolate, toolCall } from "./lone-isolate.ts";

const runtime = await locateRuntime({ home: "/nonexistent", workspaces: [] });

/** Keeps this many MB, in a heap of that many. */
const keeping = (keptMb: number, memoryMb: number) =>
  loneIsolate(
    `const kept = [];
    pi.on("tool_call", () => {
      for (let at = 0; at < ${keptMb}; at++) kept.push(new Array(131072).fill(at));
      globalThis.left = (globalThis.left ?? 0) + 1;
      return { block: true, reason: String(globalThis.left) };
    });`,
    { memoryMb },
  ).isolate;

interface Given {
  times: number;
  kept: number;
  heaps: readonly number[];
}

/** Loads hooks with these heaps, one after another, into a process that prepared an isolate `times` times. */
async function loaded({ times, kept, heaps }: Given) {
  const process = new SandboxProcess(runtime, { memoryMb: 64, jit: false });
  await process.ready;
  for (let at = 0; at < times; at++) process.prepare(64);
  const supervisor = new Supervisor(() => process);
  onTestFinished(() => supervisor.close());
  const isolates = heaps.map((memoryMb) => keeping(kept, memoryMb));
  const outcomes: string[] = [];
  for (const isolate of isolates) {
    supervisor.add(isolate);
    await supervisor.start();
    const [outcome] = await supervisor.dispatch([isolate], toolCall(), 10_000);
    outcomes.push(outcome && "verdict" in outcome ? JSON.stringify(outcome.verdict) : "failure");
  }
  return { outcomes, pid: process.pid };
}

function residentMb(pid: number | undefined): number {
  const [, kb] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kb) / 1024;
}

const BLOCK = expect.stringContaining('"reason":"1"');

// biome-ignore format: a table
test.each([
  { claim: "no second hook shares it",                             times: 1, kept: 40, heaps: [64, 64],  outcomes: [BLOCK, BLOCK] },
  { claim: "a hook with a smaller heap does not get its heap",     times: 1, kept: 40, heaps: [16],      outcomes: ["failure"] },
  { claim: "a hook with a larger heap does not have its limit",    times: 1, kept: 96, heaps: [128],     outcomes: [BLOCK] },
  { claim: "that limit ends a hook with the usual heap",           times: 1, kept: 96, heaps: [64],      outcomes: ["failure"] },
  { claim: "without one, each hook gets its own",                  times: 0, kept: 40, heaps: [64, 64],  outcomes: [BLOCK, BLOCK] },
])("an isolate was prepared: $claim", async ({ outcomes, ...given }) => {
  expect((await loaded(given)).outcomes).toEqual(outcomes);
});

test("an isolate is prepared once, however often it is asked for", async () => {
  const [once, often] = [
    await loaded({ times: 1, kept: 0, heaps: [16] }),
    await loaded({ times: 100, kept: 0, heaps: [16] }),
  ];
  // Each isolate takes more than 1 MB.
  expect(residentMb(often.pid) - residentMb(once.pid)).toBeLessThan(30);
});
