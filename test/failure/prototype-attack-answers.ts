import { expect } from "vitest";
import { BAD_RESULT, blocks, HONEST, JUDGED, type PrototypeAttack } from "./prototype-attack.ts";

const parsed = (text: string) => `JSON.parse('${text}')`;
const answered = (
  name: string,
  answer: string,
  expected: unknown,
  works: string,
  other: unknown = HONEST,
): PrototypeAttack => ({
  name,
  body: `return ${answer};`,
  expected,
  works: { body: `return ${works};`, expected: other },
});

/** What a hook answers to a call. */
export const answers: PrototypeAttack[] = [
  answered(
    "an answer whose __proto__ is a key",
    parsed('{"__proto__":{"block":true}}'),
    BAD_RESULT,
    '{ __proto__: { block: true, reason: "honest" } }',
  ),
  answered(
    "an answer whose constructor is a key",
    parsed('{"constructor":{"prototype":{"block":true}}}'),
    BAD_RESULT,
    parsed('{"constructor":{},"block":true,"reason":"honest"}'),
  ),
  answered(
    "an answer of symbols",
    '{ [Symbol.for("block")]: true, [Symbol.toPrimitive]: () => true }',
    JUDGED,
    "{ [Symbol.iterator]: 1, ...honest }",
  ),
  answered(
    "an answer that blocks when it is looked at once",
    "(() => { let times = 0; return { get block() { return times++ > 0; }, reason: 'honest' }; })()",
    JUDGED,
    "(() => { let times = 0; return { get block() { return times++ === 0; }, reason: 'honest' }; })()",
  ),
  answered(
    "a reason that is another the second time",
    "(() => { let times = 0; return { block: true, get reason() { return times++ === 0 ? { toString: () => 'x' } : 'honest'; } }; })()",
    BAD_RESULT,
    "(() => { let times = 0; return { block: true, get reason() { return times++ === 0 ? 'honest' : 5; } }; })()",
  ),
  answered(
    "a proxy that has everything",
    "new Proxy({}, { get: (_, key) => (key === 'then' ? undefined : {}), has: () => true })",
    BAD_RESULT,
    "new Proxy(honest, {})",
  ),
  answered(
    "a proxy whose prototype is a trap",
    "new Proxy({}, { getPrototypeOf() { throw new Error('mine'); }, ownKeys: () => [] })",
    blocks("mine"),
    "new Proxy({ ...honest }, { getPrototypeOf: () => null })",
  ),
  answered(
    "a thenable that calls back twice",
    "{ then(done: any) { done(undefined); done(honest); } }",
    JUDGED,
    "{ then(done: any) { done(honest); done(undefined); } }",
  ),
  answered(
    "a thenable that fails after it answered",
    "{ then(done: any, fail: any) { fail(new Error('mine')); done(undefined); } }",
    blocks("mine"),
    "{ then(done: any, fail: any) { done(honest); fail(new Error('mine')); throw new Error('mine'); } }",
  ),
  answered(
    "a promise of another constructor",
    "(() => { const own: any = Promise.resolve(honest); own.constructor = class { constructor(run: any) { run(() => {}, () => {}); } static [Symbol.species] = 5; }; return own; })()",
    blocks(expect.stringContaining("not a constructor")),
    "Object.assign(Promise.resolve(honest), { constructor: Promise })",
  ),
  answered(
    "a String object for a reason",
    "{ block: true, reason: new String('honest') }",
    BAD_RESULT,
    "{ block: true, reason: String(new String('honest')) }",
  ),
];

const changed = (name: string, change: string, input: unknown, works: string, other: unknown): PrototypeAttack => ({
  name,
  tool: "edit",
  body: `${change} return undefined;`,
  expected: input,
  works: { body: `${works} return undefined;`, expected: other },
});
const input = (rest: object) => ({ input: { deed: expect.any(String), ...rest } });

/** How a hook rewrites a tool's input. The input that was judged last is the one that runs. */
export const inputs: PrototypeAttack[] = [
  changed(
    "a __proto__ in the input",
    `event.input.x = ${parsed('{"__proto__":{"polluted":1},"a":1}')};`,
    input({ x: { a: 1 } }),
    "event.input.x = { proto: 1 };",
    input({ x: { proto: 1 } }),
  ),
  changed(
    "a __proto__ of the input",
    `Object.defineProperty(event.input, "__proto__", { value: { polluted: 1 }, enumerable: true }); event.input.a = 1;`,
    input({ a: 1 }),
    "Object.setPrototypeOf(event.input, { polluted: 1 }); event.input.a = 1;",
    input({ a: 1 }),
  ),
  changed(
    "a __proto__ in a list in the input",
    `event.input.x = [[${parsed('{"__proto__":{"polluted":1}}')}]];`,
    input({ x: [[{}]] }),
    "event.input.x = [[{}]];",
    input({ x: [[{}]] }),
  ),
  changed(
    "a constructor in the input",
    `event.input.x = ${parsed('{"constructor":{"prototype":{"polluted":1}}}')};`,
    input({ x: { constructor: { prototype: { polluted: 1 } } } }),
    "event.input.x = { constructor: 1 };",
    input({ x: { constructor: 1 } }),
  ),
  changed(
    "an input that is another as JSON",
    "event.input.toJSON = () => ({ deed: 'x', forged: true });",
    { input: { deed: "x", forged: true } },
    "event.input.forged = { toJSON: () => true };",
    input({ forged: true }),
  ),
  changed(
    "an input that is a proxy",
    "const { deed } = event.input; let times = 0; event.input = new Proxy({}, { ownKeys: () => ['deed', 'a'], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }), get: (_, key) => (key === 'deed' ? deed : key === 'a' ? ++times : undefined) });",
    input({ a: 1 }),
    "event.input = new Proxy({ ...event.input, a: 1 }, {});",
    input({ a: 1 }),
  ),
  changed(
    "a list of holes in the input",
    "const list: number[] = []; list[200_001] = 1; event.input.list = list;",
    blocks(expect.stringContaining("BAD_RESULT")),
    "const list: number[] = []; list[3] = 1; event.input.list = list;",
    input({ list: [null, null, null, 1] }),
  ),
  changed(
    "symbols and functions in the input",
    "event.input[Symbol('x')] = 1; event.input.f = () => 1; event.input.u = undefined;",
    undefined,
    "event.input.n = null;",
    input({ n: null }),
  ),
];

const gave = (name: string, result: string, expected: unknown, works: string, other: unknown): PrototypeAttack => ({
  name,
  at: "result",
  body: `return ${result};`,
  expected,
  works: { body: `return ${works};`, expected: other },
});

/** How a hook changes a tool's result. */
export const results: PrototypeAttack[] = [
  gave(
    "a __proto__ in the details",
    `{ details: ${parsed('{"__proto__":{"polluted":1},"a":1}')} }`,
    { details: { a: 1 } },
    "{ details: { a: 1 } }",
    { details: { a: 1 } },
  ),
  gave(
    "a __proto__ in the content",
    `{ content: [${parsed('{"__proto__":{"polluted":1},"type":"text","text":"x"}')}] }`,
    { content: [{ type: "text", text: "x" }] },
    '{ content: [{ type: "text", text: "x" }] }',
    { content: [{ type: "text", text: "x" }] },
  ),
  gave(
    "a constructor in the details",
    `{ details: ${parsed('{"constructor":{"prototype":{"polluted":1}}}')} }`,
    { details: { constructor: { prototype: { polluted: 1 } } } },
    "{ details: { constructor: 1 } }",
    { details: { constructor: 1 } },
  ),
  gave(
    "details that are others as JSON",
    "{ details: { a: 1, toJSON: () => ({ b: { toJSON: () => 2 } }) } }",
    { details: { b: 2 } },
    "{ details: { b: 2 } }",
    { details: { b: 2 } },
  ),
  gave(
    "a list of holes in the details",
    "{ details: Object.assign([], { 200001: 1 }) }",
    undefined,
    "{ details: Object.assign([], { 1: 1 }) }",
    { details: [null, 1] },
  ),
];
