import { expect, test } from "vitest";
import { onToolCall, startSession } from "../support/session.ts";
import { besideNode, type Question } from "./beside-node.ts";

const CELLS = "const cells = new Int32Array(new SharedArrayBuffer(8));";
const within = (body: string): string => `(() => { ${CELLS} ${body} })()`;

const SHARED: Question[] = [
  {
    name: "a shared buffer has a size and a tag",
    ask: within(
      "return [cells.length, cells.buffer.byteLength, Object.prototype.toString.call(cells.buffer), SharedArrayBuffer.name];",
    ),
  },
  {
    name: "it is told from others by its getter",
    ask: `[new SharedArrayBuffer(1), new ArrayBuffer(1)].map((one) => caught(() => Object.getOwnPropertyDescriptor(SharedArrayBuffer.prototype, "byteLength")!.get!.call(one)))`,
  },
  {
    name: "one that may grow says how far, and grows",
    ask: `[new SharedArrayBuffer(2), new SharedArrayBuffer(2, { maxByteLength: 8 })].map((one) => [one.growable, one.maxByteLength, caught(() => { one.grow(6); return one.byteLength; }), caught(() => one.grow(1)) instanceof Object, one.slice(1).byteLength, Object.prototype.toString.call(one.slice(1))])`,
  },
  {
    name: "whether it may grow is told from others by its getter, too",
    ask: `["growable", "maxByteLength"].map((name) => [new SharedArrayBuffer(1), new ArrayBuffer(1)].map((one) => caught(() => Object.getOwnPropertyDescriptor(SharedArrayBuffer.prototype, name)!.get!.call(one))))`,
  },
  {
    name: "operations return the value from before",
    ask: within(
      'return ["add", "sub", "and", "or", "xor", "exchange"].map((name) => [(Atomics as any)[name](cells, 1, 7), cells[1]]);',
    ),
  },
  {
    name: "a value is exchanged if it is the expected one",
    ask: within(
      "return [Atomics.compareExchange(cells, 0, 0, 5), Atomics.compareExchange(cells, 0, 0, 9), Atomics.load(cells, 0), Atomics.store(cells, 0, 2.7), cells[0], Atomics.notify(cells, 0)];",
    ),
  },
  {
    name: "large integers, too",
    ask: "(() => { const large = new BigInt64Array(1); return [Atomics.add(large, 0, 5n), Atomics.load(large, 0), Atomics.isLockFree(4)]; })()",
  },
  {
    name: "a wait ends with its time",
    ask: within(
      "const began = Date.now(); const told = Atomics.wait(cells, 0, 0, 60); return [told, Date.now() - began >= 59, Atomics.wait(cells, 0, 1, 60)];",
    ),
  },
  { name: "what is not shared cannot be waited for", ask: "caught(() => Atomics.wait(new Int32Array(1), 0, 0, 1))" },
  {
    name: "only integers are operated on",
    ask: "[new Float64Array(1), [0], null].map((value: any) => caught(() => Atomics.load(value, 0)))",
  },
  {
    name: "an index outside is an error",
    ask: within("return [-1, 2, 1.5, NaN].map((at) => caught(() => Atomics.load(cells, at)));"),
  },
];

const WEAK: Question[] = [
  {
    name: "a weak reference gives its target",
    ask: "(() => { const target = { a: 1 }; const weak = new WeakRef(target); return [weak.deref() === target, Object.prototype.toString.call(weak), WeakRef.name]; })()",
  },
  {
    name: "only what has an identity is a target",
    ask: `[1, "a", null, undefined].map((value: any) => caught(() => new WeakRef(value)))`,
  },
  {
    name: "a registry knows its tokens",
    ask: `(() => { const registry = new FinalizationRegistry(() => {}); const token = {}; registry.register({}, "held", token); return [registry.unregister(token), registry.unregister(token), caught(() => new FinalizationRegistry(1 as any)), caught(() => registry.register(token, token))]; })()`,
  },
];

const MEMBERS: Question[] = [
  {
    name: "members of the global object",
    ask: `[typeof globalThis.fetch, typeof (globalThis as any)["Headers"], globalThis.Buffer === Buffer, global.process === process, globalThis?.Request === Request]`,
  },
  {
    name: "a parameter with the name of the member that it has by default",
    ask: "((fetch = globalThis.fetch) => typeof fetch)()",
  },
];

besideNode("memory and references of a hook alone", { top: "", questions: [...SHARED, ...WEAK, ...MEMBERS] });

test("a wait without an end is refused, and one that takes the hook's time ends it", async () => {
  const { call } = await startSession({
    gate: onToolCall(`${CELLS}
      try { Atomics.wait(cells, 0, 0); } catch (error: any) { return { block: true, reason: error.code }; }`),
  });
  expect(await call()).toMatchObject({ reason: expect.stringContaining("ERR_FEATURE_UNAVAILABLE_ON_PLATFORM") });
  const slow = await startSession({
    gate: {
      source: onToolCall(`${CELLS} Atomics.wait(cells, 0, 0, 20_000); return undefined;`),
      grant: { capabilities: { events: { see: ["tool_call"], block: true } }, limits: { cpuMs: 100 } },
    },
  });
  const began = performance.now();
  expect(await slow.call()).toMatchObject({ block: true });
  expect(performance.now() - began).toBeLessThan(15_000);
});
