import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { builtForHost, PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { onToolCall, writeFiles } from "../support/session.ts";
import { print, type Row, round, Times } from "./measure.ts";

const SAVES = 10;
/** The goal, in ms, on a quiet machine. */
const GOAL_MS = 300;
/** Longer than a builder waits for another build, in ms. */
const THOUGHT_MS = 2500;

const CALL = { type: "tool_call", toolName: "bash", toolCallId: "1", input: { command: "ls" } };

/** Something that judges the call again whenever the hook is saved, and prints `said save N` or JSON with that reason. */
interface Watcher {
  /** Saves the hook. Resolves with the ms until its new verdict was printed. */
  save(): Promise<number>;
  end(): Promise<void>;
}

async function watcher(hook: string, args: readonly string[], more: NodeJS.ProcessEnv): Promise<Watcher> {
  let last = 0;
  const waiting = new Map<string, () => void>();
  const write = (): void => writeFileSync(hook, onToolCall(`return { block: true, reason: "save ${last}" };`));
  const verdict = () => new Promise<void>((resolve) => waiting.set(`save ${last}`, resolve));
  write();
  const child: ChildProcess = spawn(process.execPath, args, {
    env: { ...process.env, ...more },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const first = verdict();
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
    const [reason] = /save \d+/.exec(line) ?? [];
    if (reason !== undefined) waiting.get(reason)?.();
  });
  await first;
  return {
    async save() {
      last++;
      const said = verdict();
      const started = performance.now();
      write();
      await said;
      return performance.now() - started;
    },
    async end() {
      child.kill("SIGTERM");
      if (child.exitCode === null && child.signalCode === null) await new Promise((done) => child.on("close", done));
    },
  };
}

function cordonDev(folder: string): Promise<Watcher> {
  const [gate, events] = [join(folder, "gate.ts"), join(folder, "events.jsonl")];
  writeFiles(folder, { "events.jsonl": `${JSON.stringify(CALL)}\n` });
  const args = [CORDON, "dev", gate, "--events", events, "--json"];
  return watcher(gate, args, { CORDON_HOME: join(folder, "..", "dev-home") });
}

/** A test that shows the same event to the same hook. Its result has what the hook said. */
const TEST = `import hook from "./gate.ts";
test("gate", async ({ task }) => {
  let handler;
  hook({ on: (_type, one) => { handler = one; } });
  task.meta.said = (await handler(${JSON.stringify(CALL)}, { cwd: "/" })).reason;
});`;

const REPORTER = `export default class {
  onTestCaseResult(test) { console.log(test.result().state, test.meta().said); }
}`;

const run = promisify(execFile);
const CORDON = builtForHost("cli", "start.js");
const VITEST = fileURLToPath(new URL("vitest.mjs", import.meta.resolve("vitest/package.json")));
const FIRST_TESTS = 5;

/** From an empty folder to the green test of a new hook, once with npm's packages there; beside it, vitest with a test of one line. */
async function firstTest(folder: string): Promise<Row[]> {
  const times = { init: new Times(), test: new Times(), vitest: new Times() };
  const env = { ...process.env, CORDON_HOME: join(folder, "home") };
  const timed = async (name: keyof typeof times, cwd: string, file: string, ...args: string[]): Promise<void> => {
    const started = performance.now();
    await run(file, args, { cwd, env });
    times[name].add(performance.now() - started);
  };
  const plain = join(folder, "plain");
  writeFiles(plain, { "a.test.js": 'test("a", () => {});', "package.json": '{"type":"module"}' });
  for (let turn = 0; turn < FIRST_TESTS; turn++) {
    const guard = join(folder, "guard");
    rmSync(guard, { recursive: true, force: true });
    await timed("init", folder, process.execPath, CORDON, "init", "guard", "--dialect", "pi");
    mkdirSync(join(guard, "node_modules"));
    symlinkSync(PACKAGE_ROOT, join(guard, "node_modules", "cordon"));
    symlinkSync(join(PACKAGE_ROOT, "node_modules", "vitest"), join(guard, "node_modules", "vitest"));
    await timed("test", guard, process.execPath, VITEST, "run");
    await timed("vitest", plain, process.execPath, VITEST, "run", "--globals");
  }
  const [init, test, vitest] = [times.init.median, times.test.median, times.vitest.median];
  return [
    {
      what: "from nothing to the green test of a new hook, without npm install",
      value: `${round(init)} + ${round(test)} ms`,
      beside: `${round(vitest)} ms: vitest with an empty test`,
      ratio: (init + test) / vitest,
    },
  ];
}

function vitestWatch(folder: string): Promise<Watcher> {
  writeFiles(folder, { "gate.test.ts": TEST, "reporter.js": REPORTER, "package.json": '{"type":"module"}' });
  const reporter = join(folder, "reporter.js");
  const args = [VITEST, "--watch", "--globals", "--root", folder, "--reporter", reporter];
  return watcher(join(folder, "gate.ts"), args, { CI: undefined, NODE_ENV: undefined });
}

/** How long an author waits for `cordon dev` after a save, within a burst of them and after a while, and for vitest in turns. */
export async function dev(folder: string): Promise<boolean> {
  writeFiles(folder, { "dev/gate.ts": "", "vitest/gate.ts": "" });
  const both = { dev: await cordonDev(join(folder, "dev")), vitest: await vitestWatch(join(folder, "vitest")) };
  const row = async (what: string, wait: number): Promise<Row[]> => {
    const times = { dev: new Times(), vitest: new Times() };
    for (let at = 0; at < SAVES; at++)
      for (const name of ["dev", "vitest"] as const) {
        await delay(wait);
        times[name].add(await both[name].save());
      }
    const { median } = times.dev;
    const shown = { what: `dev: from save to verdict, ${what}`, value: `${round(median)} ms` };
    const rival = times.vitest.median;
    return [
      { ...shown, beside: `${GOAL_MS} ms`, ratio: median / GOAL_MS, goal: 1 },
      { ...shown, beside: `${round(rival)} ms: vitest --watch, to its test's result`, ratio: median / rival },
    ];
  };
  const first = await firstTest(join(folder, "first"));
  const rows = [...first, ...(await row("one save after another", 200)), ...(await row("after a while", THOUGHT_MS))];
  await both.dev.end();
  await both.vitest.end();
  return print("An author's wait", rows);
}
