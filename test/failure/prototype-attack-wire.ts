import { blocks, HONEST, JUDGED, KILLED, type PrototypeAttack } from "./prototype-attack.ts";

const HEAD = "{ call: 2, dispatch: 0 }";
/** It stays open. */
const HELD = `{ argumentList: [raw(${HEAD}), raw("held"), raw("")] }`;
/** Frames that a hook sends itself, past the guest half, by Comlink's own end. The first call was an honest one. */
const forged = (
  name: string,
  frame: string,
  expected: unknown = KILLED,
  works = `apply(${HEAD})`,
): PrototypeAttack => ({
  name,
  body: `const wire = await catchWire(ctx); wire.postMessage(${frame}); return honest;`,
  expected,
  works: { body: `const wire = await catchWire(ctx); wire.postMessage(${works}); return honest;`, expected: HONEST },
});

export const frames: PrototypeAttack[] = [
  forged("a call of constructor", `apply(${HEAD}, { path: ["constructor"] })`),
  forged("a call of __proto__", `apply(${HEAD}, { path: ["__proto__"] })`),
  forged("a call of toString", `apply(${HEAD}, { path: ["toString"] })`),
  forged("a call of a function's function", `apply(${HEAD}, { path: ["ui.confirm", "constructor"] })`),
  forged(
    "a call that blocks, sent as one that does not",
    `apply(${HEAD}, { path: ["env.get"], argumentList: [raw(${HEAD}), raw("PATH")] })`,
  ),
  forged("a name that is read", `{ id: "forged", type: "GET", path: ["ui.confirm"] }`),
  forged(
    "a name that is set through __proto__",
    `{ id: "forged", type: "SET", path: ["__proto__", "polluted"], value: raw(1) }`,
  ),
  forged(
    "code that is constructed",
    `apply(${HEAD}, { type: "CONSTRUCT", path: ["constructor", "constructor"], argumentList: [raw("return process")] })`,
  ),
  forged(
    "an argument for a transfer handler",
    `apply(${HEAD}, { argumentList: [raw(${HEAD}), { type: "HANDLER", name: "throw", value: { isError: true, value: {} } }, raw("")] })`,
  ),
  forged(
    "an argument with a prototype of its own",
    `apply(${HEAD}, { argumentList: [raw(${HEAD}), raw(JSON.parse('{"__proto__":{"length":1}}')), raw("")] })`,
  ),
  forged(
    "a frame with a prototype of its own",
    `JSON.parse('{"id":"forged","type":"APPLY","path":["ui.confirm"],"argumentList":[],"__proto__":{"polluted":1}}')`,
  ),
  forged("a call with a head that has a grant in it", 'apply({ call: 2, dispatch: 0, grant: "*" })'),
  forged("a call by a number that was used", "apply({ call: 1, dispatch: 0 })"),
  forged(
    "a call by a number beyond all",
    "apply({ call: 2 ** 53, dispatch: 0 })",
    KILLED,
    "apply({ call: 2 ** 53 - 1, dispatch: 0 })",
  ),
  forged(
    "two open calls of one id",
    `apply(${HEAD}, ${HELD})); wire.postMessage(apply({ call: 3, dispatch: 0 })`,
    KILLED,
    `apply(${HEAD}, ${HELD})); wire.postMessage(apply({ call: 3, dispatch: 0 }, { id: "other" })`,
  ),
  forged(
    "a call in the name of another dispatch",
    "apply({ call: 2, dispatch: 1 })",
    HONEST,
    "apply({ call: 2, dispatch: 4242 })",
  ),
  forged(
    "an id that is the name of a prototype",
    `apply(${HEAD}, { id: "__proto__" })`,
    HONEST,
    `apply(${HEAD}, { id: "constructor" })`,
  ),
  forged(
    "an id of 101 characters",
    `apply(${HEAD}, { id: "x".repeat(101) })`,
    KILLED,
    `apply(${HEAD}, { id: "x".repeat(100) })`,
  ),
  {
    name: "ids that are all the same, by a Math.random that stands still",
    body: 'Math.random = () => 0; await Promise.all([ctx.ui.confirm("held", ""), ctx.ui.confirm("b", "")]); return honest;',
    expected: KILLED,
    works: { body: 'Math.random = () => 0; await ctx.ui.confirm("a", ""); return honest;', expected: HONEST },
  },
  {
    name: "Comlink's own marks, read by a proxy behind the prototype of arrays",
    body: `(globalThis as any).MessageChannel = class { port1 = { addEventListener() {}, postMessage() {} }; port2 = {}; };
      Object.setPrototypeOf(Array.prototype, new Proxy({}, { get: (_, key) => (typeof key === "symbol" ? true : undefined) }));
      await bridge.call("exec", ["echo", ["a"], {}]);
      return honest;`,
    expected: KILLED,
    works: {
      body: 'return { block: true, reason: await bridge.call("exec", ["echo", ["a"], {}]).catch((error: any) => error.code) };',
      expected: blocks("NOT_GRANTED"),
    },
  },
];

const misused = (name: string, act: string, works: string, expected: unknown, other: unknown): PrototypeAttack => ({
  name,
  body: `return { block: true, reason: JSON.stringify(await (async () => ${act})().catch((error: any) => error.code ?? error.name)) };`,
  expected,
  works: {
    body: `return { block: true, reason: JSON.stringify(await (async () => ${works})().catch((error: any) => error.code ?? error.name)) };`,
    expected: other,
  },
});
const NAMES = 'bridge.sync("env.names", [])';

/** The way that modules use, used by the hook itself. */
export const bridges: PrototypeAttack[] = [
  ...["__proto__", "toString", "hasOwnProperty", "valueOf", "then"].map((name) =>
    misused(`a blocking call of ${name}`, `bridge.sync("${name}", [])`, NAMES, KILLED, blocks("[]")),
  ),
  ...["__proto__", "constructor", "toString"].map((name) =>
    misused(
      `a call of ${name}`,
      `bridge.call("${name}", [])`,
      'bridge.call("ui.confirm", ["a", ""])',
      KILLED,
      blocks("true"),
    ),
  ),
  misused(
    "Comlink's then",
    'bridge.call("then", [])',
    'bridge.call("ui.confirm", ["a", ""])',
    blocks('"TypeError"'),
    blocks("true"),
  ),
  misused(
    "Comlink's bind",
    'bridge.call("bind", [])',
    'bridge.call("ui.confirm", ["a", ""])',
    blocks('"TypeError"'),
    blocks("true"),
  ),
  misused(
    "a name that is another the second time",
    '(() => { let times = 0; return bridge.sync({ toString: () => (times++ ? "constructor" : "env.names") } as any, []); })()',
    NAMES,
    KILLED,
    blocks("[]"),
  ),
  misused("arguments that are no list", 'bridge.sync("env.names", { length: 0 } as any)', NAMES, KILLED, blocks("[]")),
  misused(
    "arguments that turn into others",
    'bridge.sync("env.names", { toJSON: () => ["PATH"] } as any)',
    'bridge.sync("env.names", { toJSON: () => [] } as any)',
    KILLED,
    blocks("[]"),
  ),
  misused(
    "an argument with a prototype of its own",
    `bridge.sync("exec", ["echo", [], JSON.parse('{"__proto__":{"timeout":1}}')])`,
    'bridge.sync("exec", ["echo", [], { __proto__: { timeout: 1 } }])',
    KILLED,
    blocks('"NOT_GRANTED"'),
  ),
  misused(
    "an argument that is a proxy",
    'bridge.sync("exec", ["echo", [], new Proxy({}, { ownKeys: () => ["env"], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }), get: (_, key) => (key === "env" ? { LD_PRELOAD: "x" } : undefined) })])',
    'bridge.sync("exec", ["echo", [], new Proxy({ timeout: 1 }, {})])',
    KILLED,
    blocks('"NOT_GRANTED"'),
  ),
  misused(
    "a list of a hundred million holes",
    'bridge.sync("exec", ["echo", Array(1001), {}])',
    'bridge.sync("exec", ["echo", Array(1000).fill(""), {}])',
    KILLED,
    blocks('"NOT_GRANTED"'),
  ),
  misused(
    "more random bytes than are given",
    "(bridge.random(1e9).length <= 131072)",
    "(bridge.random(65536).length === 131072)",
    blocks("true"),
    blocks("true"),
  ),
];

const said = (message: string) =>
  `onPrototype("toJSON", () => (${message})); console.log("said"); offPrototype("toJSON"); return honest;`;
const plain = (members: string) => `Object.assign(Object.create(null), ${members})`;
const LOG = plain('{ t: "log", level: "warn", text: "other" }');
const turned = (name: string, message: string, expected: unknown, left?: PrototypeAttack["left"]): PrototypeAttack => ({
  name,
  body: said(message),
  expected,
  ...(left ? { left } : {}),
  works: { body: said(LOG), expected: HONEST, left: { log: ["other"] } },
});

/** A log line that becomes another message on its way out, by a toJSON of every object. */
export const messages: PrototypeAttack[] = [
  turned("a log line that says the bundle has loaded", plain('{ t: "loaded", events: Object.create(null) }'), KILLED),
  turned(
    "a log line that says the bundle failed",
    plain('{ t: "failed", error: Object.assign(Object.create(null), { message: "x" }) }'),
    KILLED,
  ),
  turned("a log line that cancels a call nobody made", plain('{ t: "abort", call: 1 }'), HONEST, { log: [] }),
  turned("a log line that starts the clock of another dispatch anew", plain('{ t: "next", id: 1 }'), HONEST, {
    log: [],
  }),
  turned(
    "a log line that reports an error of nobody's",
    plain('{ t: "error", error: Object.assign(Object.create(null), { message: "x", code: "CPU_EXCEEDED" }) }'),
    HONEST,
    { log: [], told: ["x"] },
  ),
  turned("a log line of another hook's", plain('{ t: "log", level: "info", text: "x", hook: "judge" }'), KILLED),
  turned("a log line of a level that is none", plain('{ t: "log", level: "__proto__", text: "x" }'), KILLED),
  turned(
    "a log line that counts handlers of __proto__",
    plain(
      `{ t: "events", events: Object.setPrototypeOf(JSON.parse('{"__proto__":1,"constructor":1,"tool_call":1}'), null) }`,
    ),
    HONEST,
    { log: [] },
  ),
  turned("a log line that counts its handlers as none", plain('{ t: "events", events: Object.create(null) }'), HONEST, {
    log: [],
  }),
  {
    name: "a handler of 65 characters' name",
    body: 'return { block: true, reason: String(codeOf(() => pi.on("x".repeat(65), () => {}))) };',
    expected: blocks("RangeError"),
    works: {
      body: 'for (const name of ["x".repeat(64), "__proto__", "constructor", "hasOwnProperty"]) pi.on(name, () => {}); return undefined;',
      expected: JUDGED,
    },
  },
];
