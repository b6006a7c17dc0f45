import { BAD_RESULT, blocks, CPU, HONEST, JUDGED, type PrototypeAttack } from "./prototype-attack.ts";

const HONESTLY = "return honest;";
/** Replaces a built-in, and then answers honestly. */
const replaced = (name: string, body: string, works: string, expected: unknown = HONEST): PrototypeAttack => ({
  name,
  body: `${body}\n${HONESTLY}`,
  expected,
  works: { body: `${works}\n${HONESTLY}`, expected: HONEST },
});

/** Built-ins that a hook replaces in its own realm: the hook judges as before, or it blocks. */
export const builtIns: PrototypeAttack[] = [
  replaced(
    "JSON replaced",
    "globalThis.JSON = { stringify: () => '{}', parse: () => ({}) } as any;",
    "globalThis.JSON = { ...JSON, stringify: JSON.stringify, parse: JSON.parse } as any;",
  ),
  replaced(
    "JSON.stringify and JSON.parse replaced",
    "JSON.stringify = (() => '{}') as any; JSON.parse = () => ({});",
    "const { stringify } = JSON; JSON.stringify = ((value: any) => stringify(value)) as any;",
  ),
  replaced(
    "Promise.prototype.then that never calls",
    "Promise.prototype.then = function (): any { return new Promise(() => {}); };",
    "const { then } = Promise.prototype; Promise.prototype.then = function (...all: any): any { return then.apply(this, all); };",
  ),
  replaced(
    "Promise replaced",
    "globalThis.Promise = class { then() {} } as any;",
    "globalThis.Promise = class extends Promise<any> {} as any;",
  ),
  replaced(
    "a Promise whose species calls what it likes",
    "Object.defineProperty(Promise, Symbol.species, { get: () => class { constructor(run: any) { run(() => {}, () => {}); } } });",
    "Object.defineProperty(Promise, Symbol.species, { get: () => Promise });",
  ),
  replaced(
    "a Promise whose constructor throws when it is looked at",
    'Object.defineProperty(Promise.prototype, "constructor", { get() { throw new Error("mine"); } });',
    'Object.defineProperty(Promise.prototype, "constructor", { get: () => Promise });',
    blocks("the hook replaced the constructor of its promises"),
  ),
  replaced(
    "Function.prototype.call, apply and bind replaced",
    "Function.prototype.call = Function.prototype.apply = Function.prototype.bind = (() => ({})) as any;",
    "const { call } = Function.prototype; (Function.prototype as any).own = call;",
  ),
  replaced(
    "Reflect replaced",
    "Reflect.apply = (() => ({})) as any; globalThis.Reflect = {} as any;",
    "globalThis.Reflect = { ...Reflect } as any;",
  ),
  replaced(
    "String.prototype replaced",
    "for (const name of ['slice', 'indexOf', 'split', 'replace', 'charAt', 'toString', 'valueOf']) (String.prototype as any)[name] = () => '1';",
    "(String.prototype as any).own = () => '1';",
  ),
  replaced(
    "RegExp.prototype replaced",
    "RegExp.prototype.test = () => true; RegExp.prototype.exec = () => null; (RegExp.prototype as any)[Symbol.replace] = () => '';",
    "(RegExp.prototype as any).own = 1;",
  ),
  replaced(
    "Array.prototype[Symbol.iterator] that ends at once",
    "Array.prototype[Symbol.iterator] = function* (): any {};",
    "const each = Array.prototype[Symbol.iterator]; Array.prototype[Symbol.iterator] = function (): any { return each.call(this); };",
  ),
  replaced(
    "Array.prototype[Symbol.iterator] that gives other names",
    "Array.prototype[Symbol.iterator] = function* (): any { yield '__proto__'; yield 'constructor'; };",
    "(Array.prototype as any)[Symbol('own')] = 1;",
  ),
  replaced(
    "Array.isArray that is always true",
    "Array.isArray = (() => true) as any;",
    "const { isArray } = Array; Array.isArray = ((value: any) => isArray(value)) as any;",
  ),
  replaced(
    "Object.keys and its like replaced",
    "Object.keys = Object.values = Object.entries = (() => []) as any; Object.assign = (() => ({})) as any;",
    "const { keys } = Object; Object.keys = ((value: any) => keys(value)) as any;",
  ),
  replaced(
    "Map and Set replaced",
    "Map.prototype.get = () => undefined; Set.prototype[Symbol.iterator] = function* (): any {}; globalThis.Map = class {} as any;",
    "(Map.prototype as any).own = 1;",
  ),
  replaced(
    "timers, structuredClone and queueMicrotask replaced",
    "for (const name of ['setTimeout', 'clearTimeout', 'setInterval', 'structuredClone', 'queueMicrotask', 'AbortController', 'AbortSignal', 'console']) (globalThis as any)[name] = () => { throw new Error('mine'); };",
    "const { setTimeout: real } = globalThis; (globalThis as any).setTimeout = (...all: any) => (real as any)(...all); await new Promise((done) => setTimeout(done, 1));",
  ),
  replaced(
    "Date.now that stands still, and then runs away",
    "Date.now = () => Number.POSITIVE_INFINITY; globalThis.Date = class { static now() { return -1; } } as any; await new Promise((done) => setTimeout(done, 1));",
    "const { now } = Date; Date.now = () => now() + 1;",
  ),
  replaced(
    "Error.captureStackTrace and its limit changed",
    'Error.captureStackTrace = () => { throw 1; }; Error.stackTraceLimit = Number.POSITIVE_INFINITY; const dive = (depth: number): any => (depth > 0 ? dive(depth - 1) : new Error("deep").stack); dive(500);',
    "Error.stackTraceLimit = 5;",
  ),
  replaced(
    "Object.prototype frozen",
    "for (const holder of [Object, Array, Promise, String, Function]) { Object.freeze(holder.prototype); Object.freeze(holder); }",
    "Object.freeze({});",
  ),
  {
    name: "an Error whose instanceof is always true",
    body: 'Object.defineProperty(Error, Symbol.hasInstance, { value: () => true }); throw { message: { toString: () => "mine" } };',
    expected: blocks("Hook failed, blocking execution: [object Object]"),
    works: { body: 'throw new (class Own extends Error {})("mine");', expected: blocks("mine") },
  },
  {
    name: "an error whose stack never ends",
    body: 'const error = new (class Own extends Error {})("x"); Object.defineProperty(error, "stack", { get() { for (;;) {} } }); throw error;',
    expected: CPU,
    works: {
      body: 'const error = new Error("mine"); Object.defineProperty(error, "stack", { get: () => "short" }); throw error;',
      expected: blocks("mine"),
    },
  },
  {
    name: "an error whose code never ends",
    body: 'throw Object.defineProperty(new Error("x"), "code", { get() { for (;;) {} } });',
    expected: CPU,
    works: {
      body: 'throw Object.defineProperty(new Error("mine"), "code", { get: () => "MINE" });',
      expected: blocks("mine"),
    },
  },
];

/** A property of Object.prototype affects every object of the realm, and nothing outside of it. */
export const inherited: PrototypeAttack[] = [
  ...[
    ["that removes the verdict", "() => ({})"],
    ["that adds a key to the verdict", "() => ({ pass: true })"],
    ["that makes an invalid result", '() => ({ result: { block: "no" } })'],
    ["that never ends", "() => { for (;;) {} }"],
  ].map(([name, toJSON]) => ({
    name: `a toJSON of every object ${name}`,
    body: `onPrototype("toJSON", ${toJSON}); ${HONESTLY}`,
    // The hook blocked, or its decision cannot be read: the call never passes.
    expected: BAD_RESULT,
    works: {
      body: `onPrototype("toJSON", ${toJSON}); offPrototype("toJSON"); ${HONESTLY}`,
      expected: HONEST,
    },
  })),
  {
    name: "a block inherited by every object",
    body: 'onPrototype("block", true); onPrototype("reason", "inherited"); return undefined;',
    expected: JUDGED,
    works: {
      body: 'onPrototype("block", true); onPrototype("reason", "inherited"); return {};',
      expected: blocks("inherited"),
    },
  },
  {
    name: "a then inherited by every object",
    body: `let times = 0; onPrototype("then", function (done: any) { offPrototype("then"); times++; done(undefined); }); ${HONESTLY}`,
    expected: JUDGED,
    works: { body: `onPrototype("then", undefined); ${HONESTLY}`, expected: HONEST },
  },
  {
    name: "setters for the keys that the guest writes",
    body: 'for (const name of ["result", "errors", "input"]) Object.defineProperty(Object.prototype, name, { configurable: true, get: () => undefined, set() {} }); return honest;',
    expected: HONEST,
    works: {
      body: 'Object.defineProperty(Object.prototype, "other", { configurable: true, get: () => undefined, set() {} }); return honest;',
      expected: HONEST,
    },
  },
  {
    name: "keys inherited by every object that a frame could include",
    body: 'for (const name of ["polluted", "id", "type", "t", "path", "call", "dispatch"]) Object.defineProperty(Object.prototype, name, { configurable: true, enumerable: true, writable: true, value: "__proto__" }); await ctx.ui.confirm("a", "b"); return honest;',
    expected: HONEST,
    works: { body: 'await ctx.ui.confirm("a", "b"); return honest;', expected: HONEST },
  },
  {
    name: "a proxy as the prototype of arrays",
    body: 'Object.setPrototypeOf(Array.prototype, new Proxy({}, { get: (_, key) => (key === "toJSON" ? () => "forged" : undefined), has: () => true })); return { ...honest, reason: "honest" };',
    expected: BAD_RESULT,
    works: {
      body: "Object.setPrototypeOf(Array.prototype, Object.create(Object.prototype)); return honest;",
      expected: HONEST,
    },
  },
];
