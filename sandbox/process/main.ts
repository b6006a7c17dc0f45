/**
 * The sandbox process: creates isolates, carries text between them and the host, and knows nothing of hooks or events.
 * Started by `src/supervisor/launch.ts` with paths as arguments: of the addon, the guest runtime and the hook's realm, of the
 * code caches of both, and of lazy code.
 */

import { closeSync, openSync, readFileSync, readSync, writeSync } from "node:fs";
import { encodeFrame, encodeInto, FrameReader, longestOf } from "../wire/frame.ts";
import {
  type Fault,
  FRAME_HEADER_BYTES,
  type GuestError,
  type LoadIsolate,
  MAX_FRAME_TO_SANDBOX_BYTES,
  ToHost,
  ToSandbox,
} from "../wire/messages.ts";
import { readJson } from "../wire/read-json.ts";
import { untilNext } from "./alarm.ts";
import { type Arrives, arrivals } from "./arrivals.ts";
import { confine } from "./confine.ts";
import { derive } from "./derive.ts";
import { Digest } from "./digest.ts";
import { guestCode } from "./guest-code.ts";
import { type Addon, dispatchOf, GuestIsolate, PreparedIsolate } from "./isolate.ts";
import { lazyCode } from "./lazy-code.ts";
import { progress } from "./progress.ts";
import { LONG_TEXT, longTextPassed } from "./rubbish.ts";

/** Host to sandbox. */
const INPUT = 3;
/** Sandbox to host, written blocking, so that a flood stops its own sender; answers to synchronous calls come back on it. */
const OUTPUT = 4;
/** A file that the host keeps open. */
const PROGRESS = 6;
/** Notes which isolate is being entered, where the host can read it after this process died. */
const enter =
  process.argv.at(-1) === "progress"
    ? progress(PROGRESS, (bytes) => writeSync(PROGRESS, bytes, 0, bytes.length, 0))
    : undefined;

/** For what is rarely needed. */
const { getBuiltinModule } = process;
/** Node's `crypto`, loaded when a hook first needs it: it would take a seventh of a start. */
const crypto = () => getBuiltinModule("node:crypto");

const addonModule: { exports: { ivm?: Addon } } = { exports: {} };
process.dlopen(addonModule, process.argv[2] as string);
const addon = (addonModule.exports.ivm ?? addonModule.exports) as Addon;
const text = (at: number): string => readFileSync(process.argv[at] as string, "utf8");
const cache = (at: number): Buffer => readFileSync(process.argv[at] as string);
const code = guestCode(addon, { runtime: text(3), realm: text(4) }, { runtime: cache(5), realm: cache(6) });
const readLazyCode = lazyCode(addon, process.argv.slice(7), { openSync, readFileSync, closeSync });

interface Run {
  readonly id: number;
  /** The text of a verdict that lets its event pass, and asks the next isolate. */
  readonly pass: string;
  readonly isolates: number[];
  readonly text: string;
  at: number;
}

const isolates = new Map<number, GuestIsolate>();
const runs = new Map<number, Run>();
/** For the next bundle, if it has the usual heap. */
let prepared: PreparedIsolate | undefined;

/**
 * Frames to be written. Verdicts of a run of several isolates are collected and written together, since each write wakes the
 * host. All other frames are written at once, after them.
 */
const outbox = Buffer.allocUnsafe(64 * 1024);
let filled = 0;
let collecting = false;
/** The last isolate that let the event of a run pass, and that run: until anything else is sent, one frame tells of them all. */
let passed: number | undefined;
let passedRun = 0;
/** Most bytes of its frame. */
const PASSED_BYTES = FRAME_HEADER_BYTES + String(0xffffffff).length;

function write(bytes: Buffer, length: number): void {
  for (let sent = 0; sent < length; ) sent += writeSync(OUTPUT, bytes, sent, length - sent);
}

function tellPassed(): void {
  if (passed === undefined) return;
  const isolate = passed;
  passed = undefined;
  if (filled + PASSED_BYTES > outbox.length) flush();
  filled = encodeInto(outbox, filled, ToHost.passed, isolate, String(passedRun));
}

function flush(): void {
  tellPassed();
  const length = filled;
  filled = 0;
  if (length > 0) write(outbox, length);
}

function send(kind: number, number: number, text: string): void {
  tellPassed();
  const most = longestOf(text);
  if (filled + most > outbox.length) flush();
  if (most > outbox.length) {
    const frame = encodeFrame(kind, number, text);
    write(frame, frame.length);
    return;
  }
  filled = encodeInto(outbox, filled, kind, number, text);
  if (!collecting || kind !== ToHost.verdict) flush();
}

/** The answer to the synchronous call that is under way, once it is whole. */
const answered: string[] = [];
const answers = new FrameReader((_kind, _isolate, text) => {
  if (text.length > LONG_TEXT) longTextPassed(text.length);
  answered.push(text);
});
/** Not that of other frames: a call is made while one of those is read. */
const answerInput = Buffer.allocUnsafe(64 * 1024);

/** Asks the host and blocks until it has answered. Nothing else of this process runs meanwhile. */
function ask(isolate: number, text: string): string {
  send(ToHost.sync, isolate, text);
  while (answered.length === 0) {
    const length = readSync(OUTPUT, answerInput);
    if (length === 0) process.exit(0);
    answers.push(answerInput, length);
  }
  return answered.pop() as string;
}

function load(number: number, text: string): void {
  const end = text.indexOf("\n");
  const request: LoadIsolate = readJson(text.slice(0, end));
  const fits = prepared?.memoryMb === request.memoryMb ? prepared : undefined;
  if (fits) prepared = undefined;
  const fresh = fits ?? new PreparedIsolate(addon, request.memoryMb, code);
  const digest = new Digest();
  const isolate = new GuestIsolate(addon, fresh, request, {
    // Alone, it is known.
    enter: enter ? () => void (isolates.size > 1 && enter(number)) : () => {},
    message: (text) => send(ToHost.message, number, text),
    ask: (text) => ask(number, text),
    lazyCode: readLazyCode,
    random: (bytes) => crypto().randomBytes(bytes).toString("hex"),
    derive: (text) => derive(crypto(), text, digest),
    settled: (verdicts) => settle(number, verdicts),
    priority: (text) => send(ToHost.priority, number, text),
    fault: (fault, dispatch, thrown) => fail(number, fault, dispatch, thrown),
  });
  isolates.set(number, isolate);
  isolate.start(text.slice(end + 1));
}

/** An entry into the isolate returned: its verdicts are sent now. */
function settle(number: number, verdicts: readonly string[] | undefined): void {
  if (!verdicts) return;
  for (const verdict of verdicts) {
    const run = runs.get(dispatchOf(verdict));
    send(ToHost.verdict, number, verdict);
    if (run?.isolates[run.at] === number) advance(run, verdict[0] === "1");
  }
}

function fail(number: number, fault: Fault, dispatch: number, thrown?: GuestError): void {
  send(ToHost.fault, number, `${fault}:${dispatch}${thrown ? `\n${JSON.stringify(thrown)}` : ""}`);
  const run = runs.get(dispatch);
  if (run?.isolates[run.at] === number) advance(run, false);
}

/** Takes a run to its next isolate, and on. */
function advance(run: Run, stop: boolean): void {
  run.at = stop ? run.isolates.length : run.at + 1;
  step(run);
}

/** Enters one isolate of a run after the other, each after the one before has returned, until one has not answered yet. */
function step(run: Run): void {
  for (;;) {
    const { at } = run;
    const number = run.isolates[at];
    if (number === undefined) {
      runs.delete(run.id);
      collecting = false;
      flush();
      return;
    }
    const isolate = isolates.get(number);
    if (!isolate) {
      // It was dropped before its turn came: the host knows.
      run.at++;
      continue;
    }
    // Without a note of who was entered last, each verdict is sent before the next entry.
    collecting = enter !== undefined;
    const verdicts = isolate.deliver(run.text);
    // Mostly it lets the event pass, and nothing else happened. One frame will tell so of several.
    if (collecting && run.at === at && verdicts?.length === 1 && verdicts[0] === run.pass) {
      if (passedRun !== run.id) tellPassed();
      passed = number;
      passedRun = run.id;
      run.at++;
      continue;
    }
    settle(number, verdicts);
    if (run.at !== at) return;
    // This isolate has not answered yet: the verdicts of the others need not wait for it.
    collecting = false;
    flush();
    return;
  }
}

function receive(kind: number, number: number, text: string): void {
  if (text.length > LONG_TEXT) longTextPassed(text.length);
  switch (kind) {
    case ToSandbox.run: {
      const end = text.indexOf("\n");
      const members = text.slice(0, end).split(",").map(Number);
      const run = { id: number, pass: `0p${number}:`, isolates: members, text: text.slice(end + 1), at: 0 };
      runs.set(number, run);
      step(run);
      break;
    }
    case ToSandbox.text:
      settle(number, isolates.get(number)?.deliver(text));
      break;
    case ToSandbox.load:
      load(number, text);
      break;
    case ToSandbox.drop:
      isolates.get(number)?.dispose();
      isolates.delete(number);
      for (const run of [...runs.values()]) if (run.isolates[run.at] === number) advance(run, false);
      send(ToHost.dropped, number, "");
      break;
    case ToSandbox.measure:
      send(ToHost.measured, number, String(isolates.get(number)?.size ?? 0));
      break;
    case ToSandbox.prepare:
      prepared ??= new PreparedIsolate(addon, number, code);
      break;
    case ToSandbox.ping:
      send(ToHost.pong, number, "");
      break;
  }
}

const reader = new FrameReader(receive, MAX_FRAME_TO_SANDBOX_BYTES);
/** One buffer for all reads: what the reader keeps of it, it copies. */
const input = Buffer.allocUnsafe(64 * 1024);
const ended = (): never => process.exit(0);

/** Reads what the host has sent, and waits for it without the event loop. That turns in between, for timers and for the addon. */
function listen(arrives: Arrives): void {
  if (arrives(untilNext())) {
    const length = readSync(INPUT, input);
    if (length === 0) ended();
    reader.push(input, length);
  }
  setImmediate(listen, arrives);
}

/** The event loop reads what the host sends. */
function stream(): void {
  const { Socket } = getBuiltinModule("node:net");
  const onread = {
    buffer: input,
    callback: (bytes: number): boolean => {
      reader.push(input, bytes);
      return true;
    },
  };
  const socket = new Socket({ fd: INPUT, readable: true, writable: false, onread });
  socket.on("close", ended);
  socket.on("error", ended);
}

/** Faster than a turn of the event loop, and it spares the load of Node's sockets, a tenth of a start. */
const arrives = arrivals(INPUT);
if (!arrives) stream();
// After one turn of the event loop: its descriptors are registered by then, so nothing has to be opened any more.
setImmediate(() => {
  send(ToHost.ready, 0, confine().join(","));
  if (arrives) listen(arrives);
});
