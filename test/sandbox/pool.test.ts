import { readFileSync } from "node:fs";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { locateRuntime, type Runtime } from "../../src/runtime/locate.ts";
import { Pool } from "../../src/supervisor/pool.ts";
import { loneIsolate, toolCall } from "./lone-isolate.ts";
import { eventually, isAlive, sandboxesOf } from "./proc.ts";

const USUAL = { memoryMb: 64, jit: false };

let runtime: Runtime;
beforeAll(async () => {
  runtime = await locateRuntime({ home: "/nonexistent", workspaces: [] });
});

/** A pool and the pid of its first spare. */
async function openPool(options = {}): Promise<{ pool: Pool; spare: number }> {
  const pool = new Pool(runtime, options);
  onTestFinished(() => pool.close());
  await eventually("a spare", () => sandboxesOf().length === 1);
  return { pool, spare: sandboxesOf()[0] as number };
}

function supervised(pool: Pool, placement: string, options = USUAL) {
  const supervisor = pool.supervisor(placement, options);
  const { isolate } = loneIsolate('pi.on("tool_call", async () => undefined);');
  supervisor.add(isolate);
  return { supervisor, isolate };
}

test("twenty isolates share a process, and the next one has another, also after one has left", async () => {
  const { pool } = await openPool();
  const added = Array.from({ length: 21 }, () => supervised(pool, "a"));
  const [first, last] = [added[0], added[20]];
  expect(new Set(added.slice(0, 20).map(({ supervisor }) => supervisor)).size).toBe(1);
  expect(last?.supervisor).not.toBe(first?.supervisor);
  if (first) first.supervisor.remove(first.isolate);
  expect(supervised(pool, "a").supervisor).toBe(first?.supervisor);
});

test("a pool starts a warm spare, uses it for the first placement and starts the next one", async () => {
  const { pool, spare } = await openPool();
  const first = supervised(pool, "a");
  await first.supervisor.start();
  expect(first.supervisor.pid).toBe(spare);
  await eventually("another spare", () => sandboxesOf().length === 2);
  const next = sandboxesOf().find((pid) => pid !== spare);
  const second = supervised(pool, "b");
  await second.supervisor.start();
  expect(second.supervisor.pid).toBe(next);
});

const environmentOf = (pid: number | undefined): string[] =>
  readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").filter(Boolean).sort();

test.runIf(process.platform === "linux").each([
  [10, ["GLIBC_TUNABLES=glibc.malloc.hugetlb=1", "LIBC=glibc"]],
  [9, ["LIBC=glibc"]],
])(
  "the first process of a session with %i hooks asks for huge pages, or not, and the next does not",
  async (hooks, environment) => {
    const { pool, spare } = await openPool({ hooks });
    const [first, second] = ["a", "b"].map((placement) => supervised(pool, placement).supervisor);
    await first?.start();
    expect(first?.pid).toBe(spare);
    expect(environmentOf(spare)).toEqual(environment);
    await second?.start();
    expect(environmentOf(second?.pid)).toEqual(["LIBC=glibc"]);
  },
);

test("the next spare starts a second after the last process was taken, so that a start has the cores", async () => {
  const { pool } = await openPool();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  await supervised(pool, "a").supervisor.start();
  vi.advanceTimersByTime(600);
  await supervised(pool, "b").supervisor.start();
  vi.advanceTimersByTime(999);
  expect(sandboxesOf()).toHaveLength(2);
  vi.advanceTimersByTime(1);
  expect(sandboxesOf()).toHaveLength(3);
});

test("a spare that died is not used", async () => {
  const { pool, spare } = await openPool();
  process.kill(spare, "SIGKILL");
  await eventually("its end", () => !isAlive(spare));
  const { supervisor, isolate } = supervised(pool, "a");
  await supervisor.start();
  expect(supervisor.pid).not.toBe(spare);
  expect(await supervisor.dispatch([isolate], toolCall(), 10_000)).toEqual([{ verdict: {} }]);
});

test.each([
  { name: "the JIT", options: { memoryMb: 64, jit: true } },
  { name: "a larger heap", options: { memoryMb: 128, jit: false } },
])("a placement with $name gets no spare, since a spare has other limits", async ({ options }) => {
  const { pool, spare } = await openPool();
  const { supervisor } = supervised(pool, "a", options);
  await supervisor.start();
  expect(supervisor.pid).not.toBe(spare);
});

test("each placement has its own supervisor", async () => {
  const { pool } = await openPool();
  expect(pool.supervisor("a", USUAL)).toBe(pool.supervisor("a", USUAL));
  expect(pool.supervisor("a", USUAL)).not.toBe(pool.supervisor("b", USUAL));
});

test("a closed pool leaves no process, not even the spare", async () => {
  const { pool } = await openPool();
  await supervised(pool, "a").supervisor.start();
  const pids = sandboxesOf();
  expect(pids.length).toBeGreaterThan(0);
  await pool.close();
  await eventually("the end of all", () => sandboxesOf().length === 0);
});
