import { blocks, HONEST, JUDGED, type PrototypeAttack } from "./prototype-attack.ts";

/** The runtime is in another realm: its traffic uses nothing that a hook can replace. */
export const frames: PrototypeAttack[] = [
  {
    name: "Comlink's end of the wire, caught by a getter of all objects",
    body: "return { block: true, reason: String(await catchWire(ctx)) };",
    expected: blocks("undefined"),
    works: { body: 'await ctx.ui.confirm("a", ""); return honest;', expected: HONEST },
  },
  {
    name: "identical ids, from a constant Math.random",
    body: 'Math.random = () => 0; await Promise.all([ctx.ui.confirm("a", ""), ctx.ui.confirm("b", "")]); return honest;',
    expected: HONEST,
    works: { body: 'Math.random = () => 0; await ctx.ui.confirm("a", ""); return honest;', expected: HONEST },
  },
  {
    name: "Comlink's own marks, read by a proxy behind the prototype of arrays",
    body: `(globalThis as any).MessageChannel = class { port1 = { addEventListener() {}, postMessage() {} }; port2 = {}; };
      Object.setPrototypeOf(Array.prototype, new Proxy({}, { get: (_, key) => (typeof key === "symbol" ? true : undefined) }));
      return { block: true, reason: await bridge.call("exec", ["echo", ["a"], {}]).catch((error: any) => error.code) };`,
    expected: blocks("NOT_GRANTED"),
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

/** The guest's error for an unknown operation or wrong arguments. */
const MISTAKEN = blocks('"TypeError"');

/** The bridge that modules use, used by the hook itself. */
export const bridges: PrototypeAttack[] = [
  ...["__proto__", "toString", "hasOwnProperty", "valueOf", "then"].map((name) =>
    misused(`a blocking call of ${name}`, `bridge.sync("${name}", [])`, NAMES, MISTAKEN, blocks("[]")),
  ),
  ...["__proto__", "constructor", "toString"].map((name) =>
    misused(
      `a call of ${name}`,
      `bridge.call("${name}", [])`,
      'bridge.call("ui.confirm", ["a", ""])',
      MISTAKEN,
      blocks("true"),
    ),
  ),
  misused(
    "Comlink's then",
    'bridge.call("then", [])',
    'bridge.call("ui.confirm", ["a", ""])',
    MISTAKEN,
    blocks("true"),
  ),
  misused(
    "Comlink's bind",
    'bridge.call("bind", [])',
    'bridge.call("ui.confirm", ["a", ""])',
    MISTAKEN,
    blocks("true"),
  ),
  misused(
    "a name that is another the second time",
    '(() => { let times = 0; return bridge.sync({ toString: () => (times++ ? "constructor" : "env.names") } as any, []); })()',
    NAMES,
    MISTAKEN,
    blocks("[]"),
  ),
  misused(
    "arguments that are no list",
    'bridge.sync("env.names", { length: 0 } as any)',
    NAMES,
    MISTAKEN,
    blocks("[]"),
  ),
  misused(
    "arguments that turn into others",
    'bridge.sync("env.names", { toJSON: () => ["PATH"] } as any)',
    'bridge.sync("env.names", { toJSON: () => [] } as any)',
    MISTAKEN,
    blocks("[]"),
  ),
  misused(
    "an argument with a prototype of its own",
    `bridge.sync("exec", ["echo", [], JSON.parse('{"__proto__":{"timeout":1}}')])`,
    'bridge.sync("exec", ["echo", [], { __proto__: { timeout: 1 } }])',
    MISTAKEN,
    blocks('"NOT_GRANTED"'),
  ),
  misused(
    "an argument that is a proxy",
    'bridge.sync("exec", ["echo", [], new Proxy({}, { ownKeys: () => ["env"], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }), get: (_, key) => (key === "env" ? { LD_PRELOAD: "x" } : undefined) })])',
    'bridge.sync("exec", ["echo", [], new Proxy({ timeout: 1 }, {})])',
    MISTAKEN,
    blocks('"NOT_GRANTED"'),
  ),
  misused(
    "a list of a hundred million holes",
    'bridge.sync("exec", ["echo", Array(1001), {}])',
    'bridge.sync("exec", ["echo", Array(1000).fill(""), {}])',
    MISTAKEN,
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
const turned = (name: string, message: string): PrototypeAttack => ({
  name,
  body: said(message),
  expected: HONEST,
  left: { log: ["said"] },
  works: { body: 'console.log("said"); return honest;', expected: HONEST, left: { log: ["said"] } },
});

/** A log line that a toJSON of every object would turn into another message: it stays a log line. */
export const messages: PrototypeAttack[] = [
  turned("a log line that says the bundle has loaded", plain('{ t: "loaded", events: Object.create(null) }')),
  turned("a log line that says the bundle failed", plain('{ t: "failed", error: { message: "x" } }')),
  turned("a log line that cancels a call nobody made", plain('{ t: "abort", call: 1 }')),
  turned("a log line that reports an error of nobody's", plain('{ t: "error", error: { message: "x" } }')),
  turned("a log line of another hook's", plain('{ t: "log", level: "info", text: "x", hook: "judge" }')),
  turned("a log line of a level that is none", plain('{ t: "log", level: "__proto__", text: "x" }')),
  turned("a log line that counts its handlers as none", plain('{ t: "events", events: Object.create(null) }')),
  {
    name: "a handler with a name of 65 characters",
    body: 'return { block: true, reason: String(codeOf(() => pi.on("x".repeat(65), () => {}))) };',
    expected: blocks("RangeError"),
    works: {
      body: 'for (const name of ["x".repeat(64), "__proto__", "constructor", "hasOwnProperty"]) pi.on(name, () => {}); return undefined;',
      expected: JUDGED,
    },
  },
];
