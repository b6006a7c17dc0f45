import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { sampled } from "../support/length.ts";
import { drive, type Run } from "./drive.ts";
import { propose } from "./proposal.ts";
import type { Row } from "./row.ts";
import { AGENT_ROWS } from "./rows-agent.ts";
import { FILE_ROWS } from "./rows-files.ts";
import { NET_ROWS } from "./rows-net.ts";
import { PROGRAM_ROWS } from "./rows-programs.ts";
import { enter, pathsOf, serve, type World } from "./world.ts";

const ROWS: readonly Row[] = [...AGENT_ROWS, ...FILE_ROWS, ...PROGRAM_ROWS, ...NET_ROWS];
/** Each hook is traced by the command and run twice: all of them take minutes. */
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

for (const row of TRIED) {
  test(`${row.hook} works with the grant that trace proposes`, () =>
    inWorld(row, async (world, requests) => {
      const { capabilities, notes } = await propose(row, world);
      requests.length = 0;
      const run = await drive(row, world, requests, capabilities);
      try {
        const proposed = `with ${JSON.stringify(capabilities)}, notes ${JSON.stringify(notes)}`;
        await effectOf(row, run, proposed).toEqual(row.works);
        expect(run.state()).toBe("active");
      } finally {
        await run.close();
      }
      expect(run.errors).toEqual([]);
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
