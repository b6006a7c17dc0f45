import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Duplex, Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { Alarm, untilNext } from "../../sandbox/process/alarm.ts";
import { ToHost } from "../../sandbox/wire/messages.ts";
import { locateRuntime } from "../../src/runtime/locate.ts";
import { launch } from "../../src/supervisor/launch.ts";
import { SandboxProcess } from "../../src/supervisor/process.ts";
import { Supervisor } from "../../src/supervisor/supervisor.ts";
import { needs } from "../support/needs.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";
import { loneIsolate, toolCall } from "./lone-isolate.ts";
import { ticksOf } from "./proc.ts";

const runtime = await locateRuntime({ home: "/nonexistent", workspaces: [] });

/** Runs a program with `arrives` of a pipe on descriptor 0, into which a shell writes. Returns what it prints. */
function withPipe(writer: string, body: string, flags: readonly string[], runs = '"$@"'): unknown {
  const folder = temporaryFolder();
  const arrivals = fileURLToPath(new URL("../../sandbox/process/arrivals.ts", import.meta.url));
  writeFiles(folder, {
    "main.mjs": `
      import { readSync } from "node:fs";
      const { arrivals } = await import(${JSON.stringify(arrivals)});
      const arrives = arrivals(0);
      const taken = (act) => { const from = performance.now(); const value = act(); return [value, Math.round(performance.now() - from)]; };
      console.log(JSON.stringify(${body}));`,
  });
  const program = [runtime.node, "--no-warnings", ...flags, join(folder, "main.mjs")];
  const { stdout, stderr } = spawnSync("/bin/sh", ["-c", `(${writer}) | { ${runs}; }`, "sh", ...program], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

const MAY = ["--permission", "--allow-ffi", "--allow-fs-read=*"];
const onLinux = needs(process.platform !== "linux" && "Linux");

test("a wait ends when something arrives, or when its time is up", onLinux, () => {
  const [early, late] = withPipe(
    "sleep 2; echo x",
    "[taken(() => arrives(50)), taken(() => arrives(60_000))]",
    MAY,
  ) as [[boolean, number], [boolean, number]];
  expect([early[0], late[0]]).toEqual([false, true]);
  expect(early[1]).toBeGreaterThanOrEqual(49);
  expect(late[1]).toBeLessThan(60_000);
});

test("what is there or has ended is said at once, and a read waits by itself", onLinux, () => {
  expect(withPipe("echo x; sleep 1", "[arrives(60_000), arrives(60_000)]", MAY)).toEqual([true, true]);
  expect(withPipe("true", "[arrives(60_000), readSync(0, new Uint8Array(9))]", MAY)).toEqual([true, 0]);
  expect(withPipe("sleep 1; echo x", "[arrives(-1), readSync(0, new Uint8Array(9))]", MAY)).toEqual([true, 2]);
});

test("a process that was stopped meanwhile takes nothing for an arrival", onLinux, () => {
  const stopped = 'exec 3<&0; "$@" <&3 & pid=$!; sleep 0.7; kill -STOP $pid; sleep 0.2; kill -CONT $pid; wait $pid';
  const answer = withPipe(
    "sleep 3; echo x",
    "taken(() => !arrives(60_000) || taken(() => readSync(0, new Uint8Array(9)))[1] < 1000)",
    MAY,
    stopped,
  );
  expect(answer).toEqual([true, expect.any(Number)]);
});

test("a process that may not call the kernel leaves its waits to the event loop", () => {
  expect(withPipe("true", "[arrives === undefined]", [])).toEqual([true]);
});

/** In one the process waits by itself, in the other Node's event loop does. */
const ways = [
  { way: "without the event loop", ffi: runtime.ffi },
  { way: "in the event loop", ffi: false },
] as const;

function supervised(ffi: boolean) {
  const process = new SandboxProcess({ ...runtime, ffi }, { memoryMb: 64, jit: false });
  /** Kinds of the frames that came. */
  const frames: number[] = [];
  const listen = process.listen.bind(process);
  process.listen = ({ frame, exit }) =>
    listen({
      exit,
      frame: (kind, number, text) => {
        frames.push(kind);
        frame(kind, number, text);
      },
    });
  const supervisor = new Supervisor(() => process);
  onTestFinished(() => supervisor.close());
  const load = async (body: string) => {
    const { isolate, heard } = loneIsolate(body);
    supervisor.add(isolate);
    await supervisor.start();
    const ask = async () => {
      const [outcome] = await supervisor.dispatch([isolate], toolCall(), 10_000);
      return outcome && "verdict" in outcome ? JSON.parse(JSON.stringify(outcome.verdict)) : outcome;
    };
    return { ask, heard, isolate };
  };
  return { frames, load, process, supervisor };
}

const blocked = (reason: string) =>
  expect.objectContaining({ result: expect.objectContaining({ block: true, reason }) });

test.for(ways)("timers go on $way, while nothing arrives and while much does", async ({ ffi }) => {
  const { load } = supervised(ffi);
  const ticks = `let count = 0; setInterval(() => { count++; }, 5);`;
  const waits = await load(`pi.on("tool_call", async () => {
    const order = [];
    await Promise.all([40, 5, 20].map((ms) => new Promise((done) => setTimeout(() => done(order.push(ms)), ms))));
    return { block: true, reason: order.join() };
  });`);
  const counts = await load(`${ticks} pi.on("tool_call", () => ({ block: true, reason: String(count > 0) }));`);
  expect(await waits.ask()).toEqual(blocked("5,20,40"));
  expect(await counts.ask()).toEqual(blocked("true"));
  // Events without a pause do not keep a timer from its turn.
  const both = await Promise.all([waits.ask(), ...Array.from({ length: 200 }, () => counts.ask())]);
  expect(both[0]).toEqual(blocked("5,20,40"));
});

test.for(ways)("a timer rings $way after the last verdict, when the host has nothing more to say", async ({ ffi }) => {
  const { load } = supervised(ffi);
  const { ask, heard } = await load(`
    let left = 3;
    const again = () => { if (left-- > 0) setTimeout(again, 5); else throw new Error("rang"); };
    pi.on("tool_call", () => { again(); });`);
  await ask();
  await expect.poll(() => heard.errors).toEqual(["rang"]);
});

test("an alarm rings at the time that was set last, and not once it is cleared", async () => {
  const rung: string[] = [];
  const alarm = (name: string) => new Alarm(() => rung.push(name));
  const [near, middle, far] = [alarm("near"), alarm("middle"), alarm("far")];
  expect(untilNext()).toBe(-1);
  near.set(20_000);
  middle.set(60_000);
  far.set(120_000);
  expect(untilNext()).toBeLessThanOrEqual(20_000);
  near.clear();
  expect(untilNext()).toBeGreaterThan(20_000);
  expect(untilNext()).toBeLessThanOrEqual(60_000);
  far.set(1);
  middle.set(50);
  near.set(5);
  near.clear();
  await expect.poll(() => rung).toEqual(["far", "middle"]);
  expect(untilNext()).toBe(-1);
});

test.for(ways)("a timer whose isolate is gone, or that was cleared, wakes nobody $way", onLinux, async ({ ffi }) => {
  const { frames, load, process, supervisor } = supervised(ffi);
  const cleared = await load(`
    clearTimeout(setTimeout(() => { throw new Error("cleared"); }, 30));
    pi.on("tool_call", () => ({ block: true, reason: "here" }));`);
  // Nothing comes between this and its end, which a slow machine could take longer for.
  const gone = await load(`setTimeout(() => { throw new Error("late"); }, 400);`);
  supervisor.remove(gone.isolate);
  await delay(600);
  const before = ticksOf(process.pid as number);
  await delay(500);
  // A wait for a timer that never comes would take the whole time of a core.
  expect(ticksOf(process.pid as number) - before).toBeLessThan(25);
  expect(await cleared.ask()).toEqual(blocked("here"));
  expect([...gone.heard.errors, ...cleared.heard.errors]).toEqual([]);
  expect(frames).not.toContain(ToHost.fault);
});

/** Times of the next timer, as a hook gives them that changed what they are computed with. */
const TIMES = [
  "NaN",
  "-1",
  "-0",
  "1e300",
  "Infinity",
  "-Infinity",
  "1e-9",
  "0.5",
  "2 ** 31",
  "'5'",
  "'none'",
  "null",
  "undefined",
];

test.for(ways.flatMap((way) => TIMES.map((time) => ({ ...way, time }))))(
  "no time that a hook gives for its next timer ends the process that waits $way: $time",
  async ({ ffi, time }) => {
    const { load, process } = supervised(ffi);
    const honest = await load(`pi.on("tool_call", () => ({ block: true, reason: "here" }));`);
    await load(`Math.max = () => ${time}; setInterval(() => {}, 20);`);
    await delay(30);
    expect(await honest.ask()).toEqual(blocked("here"));
    expect(process.alive).toBe(true);
  },
);

test.for(ways)("a process that waits $way ends with what it reads", async ({ ffi }) => {
  const child = launch({ ...runtime, ffi }, { memoryMb: 64, jit: false });
  await once(child.stdio[4] as Readable, "data");
  (child.stdio[3] as Duplex).destroy();
  // Its walls forbid a call of libuv's on the way out, so that its exit code says nothing.
  await once(child, "exit");
});
