import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startFacts } from "../guest/facts.ts";
import { LONG } from "../support/length.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";
import { contentOf } from "./folder-content.ts";
import { SECRET } from "./fs-attack.ts";

/** Another program, which replaces something by a link and restores it, as fast as it can, until it is killed. */
const SWAPPER = `
const { renameSync, symlinkSync, unlinkSync, writeFileSync } = require("node:fs");
const [how, place, target, aside] = process.argv.slice(1);
const again = {
  // A file and a link in turns: the name is never without either.
  file: () => {
    symlinkSync(target, aside);
    renameSync(aside, place);
    writeFileSync(aside, "plain");
    renameSync(aside, place);
  },
  folder: () => {
    renameSync(place, aside);
    symlinkSync(target, place);
    unlinkSync(place);
    renameSync(aside, place);
  },
}[how];
process.stdout.write("on");
for (;;)
  try {
    again();
  } catch (error) {
    // What a hook did in between.
    if (!["ENOENT", "EEXIST", "ENOTEMPTY", "EISDIR", "ENOTDIR"].includes(error.code)) throw error;
    if (how === "folder") try { renameSync(aside, place); } catch {}
  }
`;

/** Starts the program, and returns a function that ends it. */
async function startSwapper(how: "file" | "folder", place: string, target: string, aside: string) {
  const swapper = spawn(process.execPath, ["-e", SWAPPER, how, place, target, aside], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const end = async () => {
    if (swapper.exitCode !== null || swapper.signalCode !== null) return;
    process.kill(swapper.pid as number, "SIGKILL");
    await once(swapper, "exit");
  };
  onTestFinished(end);
  await once(swapper.stdout, "data");
  return end;
}

const SWAPS: { name: string; how: "file" | "folder"; place: string; target: string }[] = [
  { name: "the file itself", how: "file", place: "work/a/b/note.txt", target: "outside/b/note.txt" },
  { name: "its folder", how: "folder", place: "work/a/b", target: "outside/b" },
  { name: "the folder above that", how: "folder", place: "work/a", target: "outside" },
];

/** A folder where the hook works, and beside it a folder with the same layout that is not granted. */
function makeWorld(): string {
  const world = temporaryFolder();
  mkdirSync(join(world, "aside"));
  writeFiles(world, { "work/a/b/note.txt": "plain", "outside/b/note.txt": SECRET, "outside/b/other.txt": SECRET });
  return world;
}

/** Calls a function some thousand times in the hook, and counts the results and the codes of errors. */
const counting = (times: number, call: string) => `
  const fs: any = await import("node:fs");
  const path = "a/b/note.txt";
  const counts: Record<string, number> = {};
  for (let at = 0; at < ${times}; at++) {
    let came: string;
    try {
      came = String(${call});
    } catch (error: any) {
      came = error.code ?? error.message;
    }
    counts[came] = (counts[came] ?? 0) + 1;
  }
  return counts;`;

const start = (world: string, facts: Record<string, string>) =>
  startFacts(facts, {
    cwd: join(world, "work"),
    hookTimeout: 120_000,
    grant: {
      capabilities: {
        events: { see: ["*"], block: true },
        fs: { read: ["$CWD/**"], write: ["$CWD/**"], watch: ["$CWD/**"] },
      },
      limits: { cpuMs: 60_000 },
    },
  });

const TIMES = LONG ? 1000 : 300;
const WRITE_TIMES = TIMES / 2;

/** Calls that read; each could reveal a secret, or its existence. */
const READS: { name: string; call: string; granted: string; shows: (came: string) => boolean }[] = [
  { name: "reading", call: 'fs.readFileSync(path, "utf8")', granted: "plain", shows: (came) => came.includes(SECRET) },
  {
    name: "copying",
    call: 'fs.copyFileSync(path, "copy") ?? fs.readFileSync("copy", "utf8")',
    granted: "plain",
    shows: (came) => came.includes(SECRET),
  },
  {
    name: "listing",
    call: 'fs.readdirSync("a/b").join()',
    granted: "note.txt",
    shows: (came) => came.includes("other"),
  },
  { name: "looking at", call: "fs.statSync(path).size", granted: "5", shows: (came) => came === String(SECRET.length) },
];

for (const { name, how, place, target } of SWAPS)
  test.each(READS)(`$name a file while ${name} is swapped for a link never shows a file outside`, async (read) => {
    const world = makeWorld();
    const { ask } = await start(world, { race: counting(TIMES, read.call) });
    await startSwapper(how, join(world, place), join(world, target), join(world, "aside", "it"));
    const came = new Set<string>();
    const isSwapped = !(read.name === "listing" && how === "file");
    // A race that one side never wins shows nothing: it is run until it was one.
    for (let runs = 0; runs < MOST_RUNS && !(came.has(read.granted) && (came.size > 1 || !isSwapped)); runs++) {
      const counts = (await ask("race")) as Record<string, number>;
      expect(Object.values(counts).reduce((sum, count) => sum + count)).toBe(TIMES);
      for (const one of Object.keys(counts)) came.add(one);
    }
    expect([...came].filter(read.shows)).toEqual([]);
    expect([...came].filter((one) => !/^[A-Z_]+$/.test(one))).toEqual([read.granted]);
    if (isSwapped) expect(came.size).toBeGreaterThan(1);
  });

const MOST_RUNS = 50;

const WRITES: { name: string; call: string }[] = [
  { name: "writing", call: 'fs.writeFileSync(path, "hook " + at)' },
  { name: "appending", call: 'fs.appendFileSync(path, "hook " + at)' },
  { name: "making new files", call: 'fs.writeFileSync("a/b/new-" + at, "hook", { flag: "wx" })' },
  { name: "making folders", call: '(fs.mkdirSync("a/b/new-" + at + "/deep", { recursive: true }), undefined)' },
  { name: "copying onto", call: 'fs.copyFileSync("plain", path)' },
  { name: "moving in", call: 'fs.copyFileSync("plain", "moving") ?? fs.renameSync("moving", "a/b/moved-" + at)' },
  {
    name: "removing a tree",
    call: '(fs.mkdirSync("a/b/t/u", { recursive: true }), fs.writeFileSync("a/b/t/u/note.txt", "x"), fs.rmSync("a/b", { recursive: true }))',
  },
  { name: "removing", call: 'fs.rmSync("a/b/other.txt", { force: true })' },
];

for (const { name, how, place, target } of SWAPS)
  test.each(WRITES)(`$name while ${name} is swapped for a link never lands outside`, async ({ call }) => {
    const world = makeWorld();
    writeFiles(world, { "work/plain": "plain" });
    const { ask } = await start(world, { race: counting(WRITE_TIMES, call) });
    const before = contentOf(join(world, "outside"));
    const end = await startSwapper(how, join(world, place), join(world, target), join(world, "aside", "it"));
    // A race that the hook never wins shows nothing: it is run until it was one.
    let won = 0;
    for (let runs = 0; runs < MOST_RUNS && won === 0; runs++)
      won += ((await ask("race")) as Record<string, number>).undefined ?? 0;
    await end();
    expect(contentOf(join(world, "outside"))).toEqual(before);
    expect(won).toBeGreaterThan(0);
    expect(Object.keys(contentOf(world)).filter((path) => path.includes(".cordon-"))).toEqual([]);
  });

test("in the same race, a plain check of the real path before the read fails", async () => {
  const world = makeWorld();
  const path = join(world, "work/a/b/note.txt");
  await startSwapper("file", path, join(world, "outside/b/note.txt"), join(world, "aside", "it"));
  let leaks = 0;
  for (const end = Date.now() + 30_000; leaks === 0 && Date.now() < end; ) {
    try {
      if (realpathSync(path).startsWith(join(world, "work")) && readFileSync(path, "utf8") === SECRET) leaks++;
    } catch {
      // The real path was resolved at the wrong moment.
    }
  }
  expect(leaks).toBe(1);
});
