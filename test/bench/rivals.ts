import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Duplex } from "node:stream";
import { constants, createContext, runInContext } from "node:vm";
import { Worker } from "node:worker_threads";
import { NO_OWN_SNAPSHOT, V8_FLAGS } from "../../sandbox/wire/v8-flags.ts";
import { locateRuntime } from "../../src/runtime/locate.ts";
import type { Variant } from "./measure.ts";

/** The task of every variant: an event that the hook checks and passes. */
export const EVENT = {
  type: "tool_call",
  toolName: "bash",
  toolCallId: "call-1",
  input: { command: "git status --short" },
} as const;

/** The hook of all variants: pi's permission gate, without its dialog. */
export const HOOK = `
const dangerous = [/\\brm\\s+(-rf?|--recursive)/i, /\\bsudo\\b/i, /\\b(chmod|chown)\\b.*777/i];
export default function (pi) {
  pi.on("tool_call", async (event, ctx) => {
    if (event.toolName !== "bash") return undefined;
    const command = event.input.command;
    if (dangerous.some((pattern) => pattern.test(command))) return { block: true, reason: "dangerous" };
    return undefined;
  });
}
`;

/** The same as a function `factory`. */
export const HANDLER = HOOK.replace("export default function (pi)", "function factory(pi)");

/** Sends a line to a child, and resolves with the line that it answers. */
export function linesOf(child: ChildProcess): (text: string) => Promise<string> {
  let answer: (line: string) => void = () => {};
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => answer(line));
  return (text) =>
    new Promise((resolve) => {
      answer = resolve;
      child.stdin?.write(`${text}\n`);
    });
}

export function ending(child: ChildProcess): () => Promise<void> {
  return () =>
    new Promise((resolve) => {
      child.on("exit", () => resolve());
      child.kill("SIGKILL");
    });
}

/** (a) A bare child process that echoes its input. */
export async function echoChild(): Promise<Variant> {
  const child = spawn(
    process.execPath,
    [
      "-e",
      'require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => process.stdout.write(line + "\\n"))',
    ],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  const ask = linesOf(child);
  await ask("{}");
  return {
    name: "(a) echo over a bare child process",
    once: async () => void (await ask(JSON.stringify(EVENT))),
    close: ending(child),
  };
}

/** How a child begins that has isolated-vm, and no permission any more. */
export const WITH_ADDON = `
const addonModule = { exports: {} };
process.dlopen(addonModule, process.argv[2]);
const ivm = addonModule.exports.ivm ?? addonModule.exports;
process.permission.drop("addon");
process.permission.drop("fs.read");
`;

const BARE_CHILD = `${WITH_ADDON}
let answer = "";
const enter = () => new ivm.Isolate({ memoryLimit: 64 }).createContextSync().evalClosureSync(\`
  const post = $0;
  let handler;
  ${HANDLER.replaceAll("\\", "\\\\").replaceAll("`", "\\`")}
  factory({ on(type, it) { handler = it; } });
  return (text) => { handler(JSON.parse(text), {}).then((result) => post(JSON.stringify({ result }))); };
\`, [new ivm.Callback((text) => { answer = text; })], { result: { reference: true } });
const isolates = Array.from({ length: Number(process.argv[3]) }, enter);
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  for (const deliver of isolates) deliver.applySync(undefined, [line]);
  process.stdout.write(answer + "\\n");
});
`;

const ASKING_CHILD = `
const { readSync, writeSync } = require("node:fs");
${WITH_ADDON}
const answer = Buffer.alloc(64 * 1024);
const ask = new ivm.Callback((text) => {
  writeSync(4, text + "\\n");
  let got = 0;
  do got += readSync(4, answer, got, answer.length - got, null);
  while (answer[got - 1] !== 10);
  return answer.toString("utf8", 0, got);
});
const deliver = new ivm.Isolate({ memoryLimit: 64 }).createContextSync().evalClosureSync(
  "const ask = $0; return (times) => { for (let left = times; left > 0; left--) JSON.parse(ask('{\\"read\\":\\"a.txt\\"}')); };",
  [ask], { result: { reference: true } });
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  deliver.applySync(undefined, [Number(line)]);
  process.stdout.write("done\\n");
});
`;

/** Starts a child like (b) whose isolate asks questions that block it. Resolves with a function that makes it ask this often. */
export async function startAsking(
  folder: string,
  answer: (question: unknown) => unknown,
): Promise<{ ask(times: number): Promise<void>; close(): Promise<void> }> {
  const child = await bareChild(folder, "asking.cjs", ASKING_CHILD, []);
  const pipe = child.stdio[4] as Duplex;
  createInterface({ input: pipe }).on("line", (line) =>
    pipe.write(`${JSON.stringify({ value: answer(JSON.parse(line)) })}\n`),
  );
  const told = linesOf(child);
  return { ask: async (times) => void (await told(String(times))), close: ending(child) };
}

/** `count`: its isolates. */
export const bareName = (count: number): string =>
  count === 1 ? "(b) bare permissioned child, isolated-vm, JSON lines" : `(b) with ${count} isolates`;

/**
 * Starts (b): a child with permissions, isolated-vm and JSON lines, and without Cordon. With `count` isolates it enters
 * one after the other and answers once.
 */
export async function startBareIsolate(folder: string, count = 1): Promise<Variant> {
  const child = await bareChild(folder, "bare-isolate.cjs", BARE_CHILD, [String(count)]);
  const ask = linesOf(child);
  await ask(JSON.stringify(EVENT));
  return {
    name: bareName(count),
    once: async () => void (await ask(JSON.stringify(EVENT))),
    close: ending(child),
  };
}

/**
 * Starts a program as a sandbox process is started: with permissions, with isolated-vm and without a JIT. `ownSnapshot`: Node uses
 * its own snapshot where a sandbox does; isolated-vm asks for none.
 */
export async function bareChild(
  folder: string,
  name: string,
  text: string,
  args: readonly string[],
  ownSnapshot = false,
): Promise<ChildProcess> {
  const runtime = await locateRuntime({ home: join(folder, "none"), workspaces: [] });
  mkdirSync(folder, { recursive: true });
  const program = join(folder, name);
  writeFileSync(program, text);
  const flags = [
    ...(ownSnapshot && runtime.ownSnapshot ? [] : [NO_OWN_SNAPSHOT]),
    ...V8_FLAGS,
    "--permission",
    "--allow-addons",
    `--allow-fs-read=${program}`,
    `--allow-fs-read=${runtime.addon}`,
    "--no-warnings",
  ];
  return spawn(runtime.node, [...flags, program, runtime.addon, ...args], {
    cwd: "/",
    env: { LIBC: "glibc" },
    detached: true,
    stdio: ["pipe", "pipe", "inherit", "ignore", "pipe"],
  });
}

/** What a child runs that collects the garbage of its start, as a sandbox process does. */
export const COLLECTS = `
setTimeout(() => {
  require("node:v8").setFlagsFromString("--expose-gc");
  require("node:vm").runInNewContext("gc")({ type: "major", flavor: "last-resort" });
}, 100);
`;

/** A Node with the flags of a sandbox process that does nothing more than {@link COLLECTS}. Its own snapshot would take memory. */
export async function startIdle(): Promise<Pick<Variant, "close">> {
  const { node } = await locateRuntime({ home: "/nonexistent", workspaces: [] });
  const child = spawn(
    node,
    [NO_OWN_SNAPSHOT, ...V8_FLAGS, "--no-warnings", "-e", `console.log(); setInterval(() => {}, 1e6); ${COLLECTS}`],
    {
      env: {},
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  await once(child.stdout, "data");
  return { close: ending(child) };
}

/** (c) A worker thread with the hook in it. */
export async function workerThread(): Promise<Variant> {
  const worker = new Worker(
    `const { parentPort } = require("node:worker_threads"); let handler; ${HANDLER}; factory({ on(type, it) { handler = it; } }); parentPort.on("message", async (event) => parentPort.postMessage({ result: await handler(event, {}) }));`,
    { eval: true },
  );
  const once = (): Promise<void> =>
    new Promise((resolve) => {
      worker.once("message", () => resolve());
      worker.postMessage(EVENT);
    });
  await once();
  return { name: "(c) worker thread", once, close: async () => void (await worker.terminate()) };
}

/** (e) The way of a trusted hook's frames alone: a second realm of this process, and text that goes there and back. */
export function secondRealm(): Variant {
  let answer: (text: string) => void = () => {};
  const start: (post: (text: string) => void) => (text: string) => void = runInContext(
    `(post) => {
      let handler;
      ${HANDLER}
      factory({ on(type, it) { handler = it; } });
      return (text) => { handler(JSON.parse(text), {}).then((result) => post(JSON.stringify({ result }))); };
    }`,
    createContext(constants.DONT_CONTEXTIFY),
  );
  const deliver = start((text) => process.nextTick(() => answer(text)));
  return {
    name: "(e) a bare second realm of this process",
    async once() {
      const text = JSON.stringify(EVENT);
      const answered = new Promise<string>((resolve) => {
        answer = resolve;
      });
      queueMicrotask(() => deliver(text));
      JSON.parse(await answered);
    },
    close: async () => {},
  };
}
