import { expect, test } from "vitest";
import { onToolCall, startSession } from "../support/session.ts";
import { startFacts } from "./facts.ts";

/** Globals of the language that Cordon keeps. Later versions of V8 may add more. */
const LANGUAGE = `globalThis Infinity NaN undefined eval isFinite isNaN parseFloat parseInt decodeURI decodeURIComponent
  encodeURI encodeURIComponent escape unescape AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array
  Boolean DataView Date Error EvalError Float16Array Float32Array Float64Array Function Int8Array Int16Array Int32Array
  Intl Iterator JSON Map Math Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String Symbol
  SyntaxError SuppressedError DisposableStack AsyncDisposableStack Temporal TypeError URIError Uint8Array
  Uint8ClampedArray Uint16Array Uint32Array WeakMap WeakSet`.split(/\s+/);

/** The globals that hooks use, and their related globals. */
const CORDON = `global console setTimeout setInterval setImmediate clearTimeout clearInterval clearImmediate
  queueMicrotask structuredClone AbortController AbortSignal Event EventTarget CustomEvent DOMException TextEncoder
  TextDecoder URL URLSearchParams atob btoa performance crypto CryptoKey SubtleCrypto`.split(/\s+/);

test("a hook finds only the language's globals and the promised ones on globalThis", async () => {
  const { ask } = await startFacts({
    names: `return Object.getOwnPropertyNames(globalThis).filter((name) => !${JSON.stringify([...LANGUAGE, ...CORDON])}.includes(name));`,
    missing: `return ${JSON.stringify(CORDON)}.filter((name: string) => !(name in globalThis));`,
    symbols: "return Object.getOwnPropertySymbols(globalThis).map(String).sort();",
    listed: "return Object.keys(globalThis);",
    prototype:
      "return Object.getOwnPropertyNames(Object.getPrototypeOf(globalThis)).filter((name) => !(name in Object.prototype));",
  });
  expect(await ask("names")).toEqual([]);
  expect(await ask("missing")).toEqual([]);
  // The bridge that the replacements of Node's modules use: it can do no more than they can.
  expect(await ask("symbols")).toEqual(["Symbol(cordon.host)", "Symbol(cordon.interceptors.create)"]);
  expect(await ask("listed")).toEqual([]);
  expect(await ask("prototype")).toEqual([]);
});

test("a hook's changes of its globals do not affect another hook's isolate", async () => {
  const { call } = await startSession({
    first: onToolCall(
      "return undefined;",
      "(globalThis as any).left = 1; (Object.prototype as any).planted = 1; JSON.parse = () => ({});",
    ),
    second: onToolCall(
      'return { block: true, reason: JSON.stringify([typeof (globalThis as any).left, ({} as any).planted === undefined, JSON.parse("[1]")]) };',
    ),
  });
  expect(await call()).toMatchObject({ hook: "second", reason: '["undefined",true,[1]]' });
});
