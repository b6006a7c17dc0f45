import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { ToHost } from "../../sandbox/wire/messages.ts";
import type { Runtime } from "../../src/runtime/locate.ts";
import { scriptedUi, startSession, type TestSession, writeFiles } from "./session.ts";

/** A frame to send. `$RUN` in its text is the id of the run that is being answered. */
export interface Forged {
  kind: keyof typeof ToHost | number;
  text: string;
  /** The isolate's number by default. */
  number?: number;
  /** How many times it is sent. */
  times?: number;
  /** How many times the text is repeated, for long texts. */
  repeat?: number;
  /** A length to write instead of the frame's own. */
  length?: number;
}

/** The frames of a sandbox process that a hook has taken over, and when it sends them. */
interface Forgery {
  /** When a run arrives (its honest verdict follows) of anything but the start of a session, or a bundle is to be loaded. */
  at: "run" | "load";
  frames: readonly Forged[];
}

/** The differences of a fake from the real process. */
interface Behaviour {
  /** False: it never becomes ready. */
  ready?: boolean;
  /** Its delay before the answer to a run; it answers loads and pings at once. */
  answerMs?: number;
  /** It starts a program of its own. */
  child?: boolean;
  forgery?: Forgery;
}

/**
 * A program that speaks the frame protocol like `sandbox/process/main.ts`. It reports every hook as loaded, and writes lists to
 * a folder: the kinds of its received frames, its pid and its child's.
 */
const program = (folder: string, behaviour: Behaviour): string => `
const { appendFileSync, createReadStream, writeSync } = require("node:fs");
const TO_HOST = ${JSON.stringify(ToHost)};
const { ready = true, answerMs = 0, child = false, forgery = { frames: [] } } = ${JSON.stringify(behaviour)};
// A process can make no file longer than a block, and liars share one.
const note = (file, text) => forgery.at || appendFileSync(${JSON.stringify(folder)} + "/" + file, text);
function frameOf(kind, number, text, length) {
  const body = Buffer.from(text);
  const frame = Buffer.alloc(9 + body.length);
  frame.writeUInt32LE(length ?? body.length + 5, 0);
  frame[4] = typeof kind === "string" ? TO_HOST[kind] : kind;
  frame.writeUInt32LE(number, 5);
  body.copy(frame, 9);
  return frame;
}
function write(bytes) {
  for (let sent = 0; sent < bytes.length; ) sent += writeSync(4, bytes, sent);
}
const send = (...parts) => write(frameOf(...parts));
function forge(isolate, run) {
  const frames = [];
  for (const { kind, text, number = isolate, times = 1, repeat = 1, length } of forgery.frames) {
    const said = text.replaceAll("$RUN", run).repeat(repeat);
    for (let at = 0; at < times; at++) {
      // What fits goes out together: an answer must not come between two frames that are wrong only beside each other.
      frames.push(frameOf(kind, number, said, length));
      if (frames.length >= 100 || said.length > 10_000) write(Buffer.concat(frames.splice(0)));
    }
  }
  write(Buffer.concat(frames));
}
function answer(isolate, run, text) {
  if (forgery.at === "run" && !text.includes('"reason":"start"')) forge(isolate, run);
  send("verdict", isolate, "0p" + run + ":");
}
const later = (act) => (answerMs > 0 ? setTimeout(act, answerMs) : act());
function receive(kind, number, text) {
  note("frames.txt", kind);
  if (kind === "L") {
    if (forgery.at === "load") forge(number, 1);
    send("message", number, JSON.stringify({ t: "loaded", events: { tool_call: 1, tool_result: 1, session: 1, turn_start: 1 } }));
  } else if (kind === "R") {
    const isolates = text.slice(0, text.indexOf("\\n")).split(",").map(Number);
    later(() => isolates.forEach((isolate) => answer(isolate, number, text)));
  } else if (kind === "T" && text[0] === "E") {
    later(() => answer(number, Number(text.slice(1, text.indexOf(":"))), text));
  } else if (kind === "P") send("pong", number, "");
}
note("pids.txt", process.pid + "\\n");
if (child) note("pids.txt", require("node:child_process").spawn("/bin/sleep", ["600"], { stdio: "ignore" }).pid + "\\n");
let data = Buffer.alloc(0);
createReadStream("", { fd: 3 }).on("data", (chunk) => {
  data = Buffer.concat([data, chunk]);
  while (data.length >= 4 && data.length >= 4 + data.readUInt32LE(0)) {
    const end = 4 + data.readUInt32LE(0);
    const frame = data.subarray(0, end);
    data = data.subarray(end);
    receive(String.fromCharCode(frame[4]), frame.readUInt32LE(5), frame.toString("utf8", 9));
  }
}).on("close", () => process.exit(0));
if (ready) send("ready", 0, "");
`;

export interface FakeSandbox {
  runtime: Runtime;
  /** Kinds of the received frames, as letters of the protocol: `L` load, `R` run, `P` ping. */
  frames(): string[];
  /** The pids that it recorded: its own and its child's. */
  pids(): number[];
}

/** A fake that replaces Node in a runtime. It runs with the JIT's options, since it is a plain Node script. */
export function fakeSandbox(folder: string, behaviour: Behaviour): FakeSandbox {
  const file = join(folder, "fake-node");
  writeFileSync(file, `#!${process.execPath}\n${program(folder, behaviour)}`, { mode: 0o755 });
  const noted = (name: string): string => {
    const path = join(folder, name);
    return existsSync(path) ? readFileSync(path, "utf8").trim() : "";
  };
  return {
    runtime: { node: file, addon: "/dev/null", major: 26, ffi: false, ownSnapshot: false, origin: "a test" },
    frames: () => [...noted("frames.txt")],
    pids: () => noted("pids.txt").split("\n").filter(Boolean).map(Number),
  };
}

/** A runtime folder whose Node runs `liar.cjs` beside it instead of the sandbox, and builds hooks as usual. */
function layRuntime(home: string): void {
  const platform = `${process.platform}-${process.arch}`;
  const liar = join(home, "liar.cjs");
  const node = join(home, "runtime", "node", "bin", "node");
  const quoted = (path: string) => `'${path}'`;
  writeFiles(home, {
    [`runtime/isolated-vm/prebuilds/${platform}/fake.abi147.glibc.node`]: "",
    [`runtime/isolated-vm/prebuilds/${platform}/fake.abi147.musl.node`]: "",
    "runtime/node/bin/node": `#!/bin/sh
for arg in "$@"; do case "$arg" in */process.cjs) exec ${quoted(process.execPath)} --jitless --max-semi-space-size=1 ${quoted(liar)} process.cjs;; esac; done
exec ${quoted(process.execPath)} "$@"
`,
  });
  chmodSync(node, 0o755);
}

/**
 * Starts sessions, one for each test, whose sandbox processes are real processes that tell a lie. Their hook has every power
 * over events. It is built once for all tests of a file.
 */
export function liars(): (forgery: Forgery) => Promise<TestSession> {
  let folder: string;
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "cordon-liars-")));
    layRuntime(join(folder, "home"));
    writeFiles(folder, { "liar.ts": "export default () => {};" });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const events = {
    see: ["*"],
    block: true,
    cancel: true,
    compact: true,
    guardResult: ["*"],
    rewriteResult: ["*"],
    rewriteInput: ["*"],
  };
  const grant = { capabilities: { events, ui: ["confirm" as const] } };
  return async (forgery) => {
    const home = join(folder, "home");
    writeFiles(home, { "liar.cjs": program(home, { forgery }) });
    const hooks = [{ path: join(folder, "liar.ts"), id: "liar", grant }];
    // Nobody answers its dialogs: its calls stay open.
    const ui = { ...scriptedUi(), confirm: () => new Promise<boolean>(() => {}) };
    return startSession({}, { home, hooks, hookTimeout: 5000, ui });
  };
}
