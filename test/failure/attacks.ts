import type { ErrorCode } from "../../src/base/errors.ts";
import type { Attack } from "./attack.ts";

const CPU = ["CPU_EXCEEDED"] as const;
const THREW = ["HOOK_THREW"] as const;
/** A bomb reaches the heap's limit, the process's limit, an exception of V8's, or the CPU limit, whichever comes first. */
export const BOMB: readonly ErrorCode[] = ["OUT_OF_MEMORY", "CPU_EXCEEDED", "HOOK_THREW", "CRASHED"];
/** The refusals of the power that the hook uses too often are reported as well. */
const FLOOD: readonly ErrorCode[] = [...BOMB, "RATE_LIMITED"];
/** Blocks by a throw carry the hook's own message, as in pi. */
export const anyWords = /./s;

/** Any code of a hook can use it. */
const HOST = '(globalThis as any)[Symbol.for("cordon.host")]';

export const loops: readonly Attack[] = [
  { name: "an endless loop", body: "for (;;) {}", codes: CPU },
  { name: "an endless loop after an await", body: "await null; for (;;) {}", codes: CPU },
  {
    name: "an endless loop after an await on the host",
    body: 'await ctx.ui.confirm("a", "b"); for (;;) {}',
    codes: CPU,
  },
  {
    name: "an endless loop in a timer that is awaited",
    body: "await new Promise(() => setTimeout(() => { for (;;) {} }, 1));",
    codes: CPU,
  },
  { name: "an endless chain of microtasks", body: "for (;;) await null;", codes: CPU },
  {
    name: "an endless chain of queueMicrotask",
    body: "const spin = () => queueMicrotask(spin); spin(); await new Promise(() => {});",
    codes: CPU,
  },
  { name: "a loop in the `then` of the returned value", body: "return { get then() { for (;;) {} } };", codes: CPU },
  {
    name: "a loop in a getter of the returned value",
    body: "return { get block() { for (;;) {} }, get content() { for (;;) {} } };",
    codes: CPU,
    stages: ["tool_call", "tool_result"],
  },
  {
    name: "a loop in the traps of a returned proxy",
    body: 'return new Proxy({}, { get: (_, name) => { if (name === "then") return undefined; for (;;) {} } });',
    codes: CPU,
    stages: ["tool_call", "tool_result"],
  },
  {
    name: "a loop in the `message` of a thrown error",
    body: 'const error = new Error("x"); Object.defineProperty(error, "message", { get() { for (;;) {} } }); throw error;',
    codes: CPU,
  },
  {
    name: "a loop in the `message` of a thrown object",
    body: "throw { get message() { for (;;) {} } };",
    codes: ["HOOK_THREW", "CPU_EXCEEDED"],
    reason: anyWords,
  },
  { name: "a loop in the `toString` of a thrown object", body: "throw { toString() { for (;;) {} } };", codes: CPU },
  {
    name: "a loop in the prototype trap of a thrown proxy",
    body: "throw new Proxy({}, { getPrototypeOf() { for (;;) {} } });",
    codes: ["HOOK_THREW"],
    reason: anyWords,
  },
  {
    name: "a loop in Error.prepareStackTrace",
    body: 'Reflect.set(Error, "prepareStackTrace", () => { for (;;) {} }); throw new Error("x");',
    codes: ["HOOK_THREW", "CPU_EXCEEDED"],
    reason: anyWords,
  },
  {
    name: "a loop in an unhandled rejection",
    body: "Promise.reject({ get message() { for (;;) {} }, get stack() { for (;;) {} } });",
    codes: ["HOOK_THREW", "CPU_EXCEEDED"],
  },
  {
    name: "a loop in the `toString` of an unhandled rejection",
    body: "Promise.reject({ toString() { for (;;) {} }, get [Symbol.toPrimitive]() { for (;;) {} } });",
    codes: ["HOOK_THREW", "CPU_EXCEEDED"],
  },
  {
    name: "a loop in the `toJSON` of the input",
    body: "event.input.x = { toJSON() { for (;;) {} } };",
    codes: CPU,
    stages: ["tool_call"],
  },
  {
    name: "a loop in the `toJSON` of the result",
    body: "return { details: { toJSON() { for (;;) {} } } };",
    codes: CPU,
    stages: ["tool_result"],
  },
  {
    name: "a regular expression that backtracks",
    body: 'return /^(a+)+$/.test("a".repeat(40) + "b") ? undefined : undefined;',
    codes: CPU,
  },
  { name: "a promise that never settles", body: "await new Promise(() => {});", codes: ["TIMEOUT"] },
  { name: "a returned thenable that never calls back", body: "return { then() {} };", codes: ["TIMEOUT"] },
  {
    name: "an interval, and a promise that never settles",
    body: "setInterval(() => {}, 5); await new Promise(() => {});",
    codes: ["TIMEOUT", "CPU_EXCEEDED"],
  },
  {
    name: "endless recursion",
    body: "const dive = (): number => dive() + 1; dive();",
    codes: THREW,
    reason: /call stack/i,
  },
  {
    name: "endless recursion through getters of the result",
    body: "const holder = { get block(): any { return holder.block; }, get content(): any { return holder.content; } }; return holder;",
    codes: THREW,
    stages: ["tool_call", "tool_result"],
    reason: /call stack/i,
  },
];

export const bombs: readonly Attack[] = [
  { name: "a growing Map", body: "const map = new Map(); for (let at = 0; ; at++) map.set(at, { at });", codes: BOMB },
  {
    name: "a growing Set",
    body: "const set = new Set(); for (let at = 0; ; at++) set.add(`entry ${at}`);",
    codes: BOMB,
  },
  {
    name: "a BigInt squared again and again",
    body: "let big = 3n; for (;;) big *= big;",
    codes: BOMB,
    reason: anyWords,
  },
  {
    name: "a string doubled again and again",
    body: 'let text = "x"; for (;;) text += text;',
    codes: BOMB,
    reason: anyWords,
  },
  {
    name: "flat strings",
    body: 'const all = []; for (let at = 0; ; at++) all.push(Array(100_000).fill(at).join(","));',
    codes: BOMB,
  },
  { name: "a growing array", body: "const all: object[] = []; for (;;) all.push({ at: all.length });", codes: BOMB },
  { name: "JSON.stringify(Array(1e8))", body: "JSON.stringify(Array(1e8));", codes: BOMB, reason: anyWords },
  {
    name: "Array(1e8).fill().map(...)",
    body: "Array(1e8).fill(0).map((_, at) => ({ at }));",
    codes: BOMB,
    reason: anyWords,
  },
  {
    name: "a large sort",
    body: "Array.from({ length: 1e7 }, (_, at) => (at * 7919) % 10_007).sort();",
    codes: BOMB,
    reason: anyWords,
  },
  {
    name: "typed arrays",
    body: "const all = []; for (;;) all.push(new Uint8Array(1 << 24).fill(1));",
    codes: BOMB,
    reason: anyWords,
  },
  { name: "one huge buffer", body: "new Uint8Array(new ArrayBuffer(2 ** 32)).fill(1);", codes: BOMB, reason: anyWords },
  {
    name: "a resizable buffer",
    body: "const buffer = new ArrayBuffer(1, { maxByteLength: 2 ** 31 } as any) as any; buffer.resize(2 ** 31); new Uint8Array(buffer).fill(1);",
    codes: BOMB,
    reason: anyWords,
  },
  {
    name: "WebAssembly memory",
    body: "const memory = new (globalThis as any).WebAssembly.Memory({ initial: 32_768 }); new Uint8Array(memory.buffer).fill(1);",
    codes: BOMB,
    reason: anyWords,
  },
  {
    name: "the longest texts become bytes on and on",
    body: `const text = "é€".repeat(2 ** 17); for (;;) ${HOST}.bytesOfText(text);`,
    codes: BOMB,
    reason: anyWords,
  },
  {
    name: "the longest bytes become texts that are kept",
    body: `const all = []; const base64 = "4oKs".repeat(2 ** 16); for (;;) all.push(${HOST}.textOfBytes(base64));`,
    codes: BOMB,
    reason: anyWords,
  },
  {
    name: "digests of as much as OpenSSL takes, on and on",
    body: `const data = "A".repeat(2 ** 18), begins = { hash: "sha512" }; for (let ends = true; ; ends = !ends) ${HOST}.derive({ begins, data, ends });`,
    codes: BOMB,
    reason: anyWords,
  },
  { name: "a flood of callbacks", body: "for (;;) queueMicrotask(() => {});", codes: BOMB },
  { name: "a flood of promises", body: "const all = []; for (;;) all.push(new Promise(() => {}));", codes: BOMB },
  {
    name: "a flood of timers",
    body: "for (;;) setTimeout(() => {}, 1_000_000);",
    codes: ["RATE_LIMITED"],
    reason: /timers/,
  },
  {
    name: "a flood of timers whose refusals are swallowed",
    body: "for (;;) { try { setTimeout(() => {}, 1_000_000); } catch {} }",
    codes: CPU,
  },
  {
    name: "the maximum number of intervals",
    body: "for (let at = 0; at < 1000; at++) setInterval(() => {}, 0); await new Promise(() => {});",
    codes: ["TIMEOUT", "CPU_EXCEEDED", "RATE_LIMITED"],
    reason: anyWords,
  },
  { name: "a flood of console lines", body: 'for (;;) console.log("x".repeat(1000));', codes: BOMB },
  { name: "a flood of notices", body: 'for (;;) ctx.ui.notify("x");', codes: FLOOD },
  {
    name: "a flood of calls",
    body: 'await Promise.all(Array.from({ length: 2000 }, () => ctx.ui.confirm("a", "b")));',
    codes: ["RATE_LIMITED"],
    reason: /calls/,
  },
  {
    name: "a flood of calls whose refusals are swallowed",
    body: 'for (;;) ctx.ui.confirm("a", "b").catch(() => {});',
    codes: FLOOD,
  },
  { name: "a flood of messages", body: 'for (;;) pi.send("x");', codes: [...FLOOD, "NOT_GRANTED"] },
];
