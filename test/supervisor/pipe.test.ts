import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Duplex } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { encodeFrame, FrameReader, longestOf } from "../../sandbox/wire/frame.ts";
import { type ChildSocket, Pipe } from "../../src/supervisor/pipe.ts";
import { needs } from "../support/needs.ts";
import { temporaryFolder } from "../support/session.ts";

type Frame = [kind: number, number: number, text: string];

/** What of a socket the platform gives. */
const SOCKETS: readonly [string, (made: ChildSocket) => ChildSocket][] = [
  ["of this platform", (made) => made],
  ["without descriptors, as on Windows", withoutDescriptor],
  ["that only streams", onlyStream],
];

function withoutDescriptor(made: ChildSocket): ChildSocket {
  if (made._handle) Object.defineProperty(made._handle, "fd", { value: -1 });
  return made;
}

function onlyStream(made: ChildSocket): ChildSocket {
  const stream = new Duplex({
    read: () => void made.resume(),
    write: (bytes, _encoding, done) => void made.write(bytes, () => done()),
  });
  made.on("data", (bytes) => stream.push(bytes) || made.pause()).on("error", () => {});
  return Object.assign(stream, { unref: () => made.unref() }) as unknown as ChildSocket;
}

/** A shell with pipes on its descriptors 3 and 4. */
function shell(script: string): { child: ChildProcess; input: ChildSocket; output: ChildSocket } {
  const child = spawn("/bin/sh", ["-c", script], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [, , , input, output] = child.stdio as unknown as ChildSocket[];
  return { child, input: input as ChildSocket, output: output as ChildSocket };
}

/** A pipe to a shell's script, another from it, and the frames that came. */
function piped(script: string, wrapped: (made: ChildSocket) => ChildSocket = (made) => made) {
  const { child, input, output } = shell(script);
  const got: Frame[] = [];
  const reader = new FrameReader((...frame) => got.push(frame));
  const to = new Pipe(wrapped(input));
  const from = new Pipe(wrapped(output), (bytes, length) => reader.push(bytes, length));
  onTestFinished(() => {
    to.destroy();
    from.destroy();
  });
  return { child, to, from, got };
}

/** The bytes of a text in parts of one length: some end in the middle of a character. */
const partsOf = (text: string): Buffer[] => {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / 4999) }, (_, at) => bytes.subarray(at * 4999, (at + 1) * 4999));
};

const SLOW = "sleep 0.3; exec cat <&3 >&4";

describe.each(SOCKETS)("a socket %s", { ...needs(process.platform === "win32" && "a shell") }, (_what, wrapped) => {
  test("carries frames of every size in order, at once and when the process reads late", async () => {
    const { to, got } = piped(SLOW, wrapped);
    // More than the kernel keeps, in frames that it could take whole.
    // The longest that is written without the stream.
    const short = "✓".repeat(Math.floor((64 * 1024 - longestOf("")) / 3));
    const frames = [
      ...Array.from({ length: 60 }, (_, at) => "é".repeat(9000 + at)),
      ...["", "x", "drei ✓", "é".repeat(100_000), "x".repeat(2_000_000), ""],
      ...Array.from({ length: 300 }, (_, at) => `${at}`.repeat(1 + (at % 7) * 1000)),
    ].map((text, at): Frame => [1 + (at % 9), at * 1000, text]);
    for (const [at, [kind, number, text]] of frames.entries())
      to.send(kind, number, at % 5 === 0 ? partsOf(text) : text);
    expect(to.waiting).toBeGreaterThan(3_000_000);
    await expect.poll(() => got.length).toBe(frames.length);
    // A difference of this length would take minutes to be shown.
    expect(JSON.stringify(got) === JSON.stringify(frames)).toBe(true);
    expect(to.waiting).toBe(0);
    for (const text of ["later", short, `${short}✓`]) {
      to.send(7, 8, text);
      await expect.poll(() => got.at(-1)?.[2] === text).toBe(true);
    }
  });

  test("refuses what is too long, and goes on", async () => {
    const { to, got } = piped(SLOW, wrapped);
    const long = "x".repeat(100_001);
    for (const text of [long, partsOf(long)]) expect(() => to.send(1, 1, text, 100_000)).toThrow("over the limit");
    const last = "x".repeat(100_000);
    for (const text of [last, partsOf(last)]) to.send(1, 2, text, 100_000);
    await expect
      .poll(() => got.map(([, number, text]) => [number, text.length]))
      .toEqual([
        [2, 1e5],
        [2, 1e5],
      ]);
  });

  test("loses nothing while it is paused, and hears nothing then", async () => {
    const { to, from, got } = piped("exec cat <&3 >&4", wrapped);
    to.send(1, 1, "before");
    await expect.poll(() => got).toEqual([[1, 1, "before"]]);
    from.pause();
    expect(from.isPaused).toBe(true);
    to.send(1, 2, "meanwhile");
    await delay(100);
    expect(got).toHaveLength(1);
    from.resume();
    to.send(1, 3, "after");
    await expect
      .poll(() => got.slice(1))
      .toEqual([
        [1, 2, "meanwhile"],
        [1, 3, "after"],
      ]);
  });

  test.each([
    ["closes them", "sleep 0.1; exec 3<&- 4>&-; exec sleep 60"],
    ["is gone", "exit 0"],
  ])("is silent when its process %s, and when it is closed", async (_what, script) => {
    const { child, to, from } = piped(script, wrapped);
    const sends = (): void => {
      for (const text of ["", "x".repeat(1_000_000), ""]) for (const pipe of [to, from]) pipe.send(1, 1, text);
    };
    sends();
    await (script.startsWith("exit") ? once(child, "exit") : delay(200));
    sends();
    await delay(20);
    to.destroy();
    from.destroy();
    sends();
    await delay(20);
  });

  test("may be closed while its process ends", async () => {
    const { child, to, from } = piped("exit 0", wrapped);
    child.on("exit", () => {
      to.destroy();
      from.destroy();
    });
    await once(child, "exit");
    await delay(20);
  });

  test("refuses a text that is too long", () => {
    const { to } = piped("exec cat <&3 >&4", wrapped);
    expect(() => to.send(1, 1, "x".repeat(100_001), 100_000)).toThrow(RangeError);
  });
});

const onPosix = needs(process.platform === "win32" && "descriptors");

test("what waits for one process is not what is sent to another", onPosix, async () => {
  const [slow, quick] = [piped(SLOW), piped("exec cat <&3 >&4")];
  const frames = Array.from({ length: 100 }, (_, at): Frame => [1, at, `${at} `.repeat(5000)]);
  for (const [kind, number, text] of frames) {
    slow.to.send(kind, number, text);
    quick.to.send(kind, number, "other".repeat(3000));
  }
  await expect.poll(() => slow.got.length + quick.got.length).toBe(200);
  expect(JSON.stringify(slow.got) === JSON.stringify(frames)).toBe(true);
  expect(quick.got.every(([, , text]) => text === "other".repeat(3000))).toBe(true);
});

test("any frames arrive as they were sent", onPosix, async () => {
  const { to, got } = piped("exec cat <&3 >&4");
  const lengths = fc.oneof(fc.nat(100), fc.nat(30_000), fc.nat(200_000));
  const frame = fc.tuple(fc.nat(255), fc.nat(0xffffffff), fc.constantFrom("a", "é", "✓", "😀"), lengths);
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { maxLength: 20 }), async (given) => {
      const frames = given.map(([kind, number, one, length]): Frame => [kind, number, one.repeat(length)]);
      got.length = 0;
      for (const one of frames) to.send(...one);
      await expect.poll(() => got.length, { interval: 1 }).toBe(frames.length);
      expect(JSON.stringify(got) === JSON.stringify(frames)).toBe(true);
    }),
    { numRuns: 30 },
  );
});

test("a closed pipe writes into no file that got its descriptor", onPosix, async () => {
  const { child, input } = shell("exec cat <&3 >&4");
  const descriptor = input._handle?.fd as number;
  expect(descriptor).toBeGreaterThan(2);
  const pipe = new Pipe(input, () => {});
  expect(input._handle).toBeNull();
  pipe.destroy();
  await delay(20);
  const file = join(temporaryFolder(), "file");
  const opened: number[] = [];
  do opened.push(openSync(file, "a"));
  while (!opened.includes(descriptor));
  pipe.send(1, 1, "a secret of the session");
  await delay(20);
  for (const one of opened) closeSync(one);
  expect(readFileSync(file, "utf8")).toBe("");
  child.kill("SIGKILL");
});

test("pipes keep no program running", onPosix, () => {
  const program = join(temporaryFolder(), "program.mjs");
  const pipe = JSON.stringify(new URL("../../src/supervisor/pipe.ts", import.meta.url).href);
  writeFileSync(
    program,
    `import { spawn } from "node:child_process";
    const { Pipe } = await import(${pipe});
    const child = spawn("sleep", ["60"], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    child.unref();
    new Pipe(child.stdio[3]);
    new Pipe(child.stdio[4], () => {});
    console.log(child.pid);`,
  );
  const { status, signal, stdout } = spawnSync(process.execPath, [program], { encoding: "utf8", timeout: 20_000 });
  process.kill(Number(stdout), "SIGKILL");
  expect({ status, signal }).toEqual({ status: 0, signal: null });
});

test("what waits for a process is counted until it was written", onPosix, async () => {
  const { child, to, got } = piped("sleep 60");
  const frame = encodeFrame(1, 1, "x".repeat(60_000));
  for (let at = 0; at < 100; at++) to.send(1, 1, "x".repeat(60_000));
  // The kernel keeps less than a megabyte.
  expect(to.waiting).toBeGreaterThan(99 * frame.length - 1_000_000);
  expect(got).toEqual([]);
  child.kill("SIGKILL");
});

test("a frame that comes byte by byte is one frame, and the next one too", () => {
  const got: Frame[] = [];
  const reader = new FrameReader((...frame) => got.push(frame));
  const text = "é".repeat(50_000);
  const bytes = Buffer.concat([encodeFrame(1, 2, text), encodeFrame(3, 4, "next")]);
  for (const byte of bytes) reader.push(Buffer.from([byte]));
  expect(got).toEqual([
    [1, 2, text],
    [3, 4, "next"],
  ]);
});
