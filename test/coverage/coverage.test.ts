import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import type { Capabilities } from "../../src/grants/schema.ts";
import { LONG, sampled } from "../support/length.ts";
import { drive, type Run } from "./drive.ts";
import { propose } from "./proposal.ts";
import type { Row } from "./row.ts";
import { AGENT_ROWS } from "./rows-agent.ts";
import { FILE_ROWS } from "./rows-files.ts";
import { NET_ROWS } from "./rows-net.ts";
import { PROGRAM_ROWS } from "./rows-programs.ts";
import { type Width, widthOf } from "./width.ts";
import { enter, pathsOf, serve, type World } from "./world.ts";

const ROWS: readonly Row[] = [...AGENT_ROWS, ...FILE_ROWS, ...PROGRAM_ROWS, ...NET_ROWS];
/** Each hook is traced by the command and run three times: all of them take minutes. */
const TRIED = sampled(ROWS, 8);
const base = realpathSync(mkdtempSync(join(tmpdir(), "cordon-coverage-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));
afterEach(() => {
  vi.unstubAllEnvs();
});

async function inWorld<T>(row: Row, act: (world: World, requests: string[]) => Promise<T>): Promise<T> {
  const { port, requests, close } = await serve(row);
  const world = pathsOf(base, row, port);
  enter(row, world);
  try {
    return await act(world, requests);
  } finally {
    await close();
  }
}

/** What a hook does later, in a timer or beside its events, may take its time. */
const PATIENCE = { timeout: 10_000, interval: 20 };
const effectOf = (row: Row, run: Run, message?: string) => expect.poll(() => row.effect(run), { ...PATIENCE, message });

/** What `cordon trace` proposed for a hook, as far as it was tried here. */
interface Measured extends Width {
  hook: string;
  works: boolean;
  rounds: number;
}
const measured: Measured[] = [];

async function withGrant(row: Row, world: World, requests: string[], granted: Capabilities, said: string) {
  requests.length = 0;
  const run = await drive(row, world, requests, granted);
  try {
    await effectOf(row, run, said).toEqual(row.works);
    expect(run.state()).toBe("active");
  } finally {
    await run.close();
  }
  expect(run.errors).toEqual([]);
}

for (const row of TRIED) {
  test(`${row.hook} works with the grant that trace proposes, and with the least`, () =>
    inWorld(row, async (world, requests) => {
      const { capabilities, rounds, notes } = await propose(row, world);
      const least = typeof row.least === "function" ? row.least(world) : row.least;
      const one = { hook: row.hook, works: false, rounds, ...widthOf(capabilities, least) };
      measured.push(one);
      const said = (grant: Capabilities) => `with ${JSON.stringify(grant)}`;
      await withGrant(row, world, requests, least, said(least));
      await withGrant(row, world, requests, capabilities, `${said(capabilities)}, notes ${JSON.stringify(notes)}`);
      one.works = true;
    }));

  test(`${row.hook} ${row.powerless ? "works" : "does nothing"} without a grant`, () =>
    inWorld(row, async (world, requests) => {
      const run = await drive(row, world, requests);
      try {
        if (row.powerless) await effectOf(row, run).toEqual(row.works);
        else if (!row.unreported) await expect.poll(() => isRefused(run), PATIENCE).toBe(true);
        if (!row.powerless) expect(row.effect(run)).not.toEqual(row.works);
      } finally {
        await run.close();
      }
    }));
}

/** Reports a refusal, or does not even load without the files that it reads first. */
const isRefused = (run: Run): boolean =>
  run.state() === "failed" ||
  run.errors.some(({ code }) => code === "NOT_GRANTED") ||
  run.log.some((text) => text.includes("(NOT_GRANTED)"));

test("there are 40 hooks, each with a row", () => {
  const files = readdirSync(join(import.meta.dirname, "hooks")).map((name) => name.replace(/\.ts$/, ""));
  expect(ROWS.map(({ hook }) => hook).sort()).toEqual(files.sort());
  expect(files).toHaveLength(40);
});

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);

/** As measured, and as `docs/testing.md` has it: a change may only make it better. */
test.runIf(LONG)("trace proposes enough for all of them, in few rounds, and no wider than it did", () => {
  const total = (part: keyof Width): number => sum(measured.map((one) => one[part].length));
  const wide = measured.filter(({ wider, more }) => wider.length + more.length > 0);
  const said = JSON.stringify(wide.map(({ hook, wider, more }) => ({ hook, wider, more })));
  expect(measured.filter(({ works }) => works)).toHaveLength(40);
  expect(sum(measured.map(({ rounds }) => rounds))).toBeLessThanOrEqual(49);
  expect(total("missing")).toBe(0);
  expect(total("wider"), said).toBeLessThanOrEqual(7);
  expect(total("more"), said).toBeLessThanOrEqual(24);
});

/** How many of a hundred community hooks use something: counted on 139 of them. */
const USAGE: Record<string, { percent: number; uses: RegExp }> = {
  path: { percent: 65, uses: /from "(node:)?path"/ },
  fs: { percent: 60, uses: /from "(node:)?fs"/ },
  os: { percent: 42, uses: /from "(node:)?os"/ },
  child_process: { percent: 27, uses: /from "(node:)?child_process"/ },
  "fs/promises": { percent: 21, uses: /from "(node:)?fs\/promises"/ },
  crypto: { percent: 17, uses: /from "(node:)?crypto"/ },
  url: { percent: 15, uses: /from "(node:)?url"/ },
  env: { percent: 37, uses: /process\.env/ },
  timers: { percent: 30, uses: /\bset(Timeout|Interval)\(|AbortSignal\.timeout/ },
  console: { percent: 31, uses: /\bconsole\./ },
  fetch: { percent: 9, uses: /\bfetch\(/ },
  "no built-in": { percent: 27, uses: /^(?![\s\S]*from "node:)/ },
};

test.each(Object.entries(USAGE))("about as many of them use %s as of the community's", (_name, { percent, uses }) => {
  const sources = ROWS.map(({ hook }) => readFileSync(join(import.meta.dirname, "hooks", `${hook}.ts`), "utf8"));
  const share = (sources.filter((source) => uses.test(source)).length / sources.length) * 100;
  expect(Math.abs(share - percent)).toBeLessThanOrEqual(10);
});
