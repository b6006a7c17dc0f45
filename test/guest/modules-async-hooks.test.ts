import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { onToolCall, startSession } from "../support/session.ts";
import { besideNode, type Question } from "./beside-node.ts";

/** Runs code in a store and says which store the code saw, at each place that it marks with `see()`. */
const follows = (body: string): string =>
  `await (async () => { const saw: any[] = []; const see = () => saw.push(als.getStore() ?? null); await als.run("a", async () => { ${body} }); see(); return saw; })()`;

const CONTINUATIONS: Question[] = [
  {
    name: "an empty async generator in a text and in a comment stays what it is",
    ask: `(() => { /* async function* () {} */ const made: any = async function* () {}; return ["(async function* () {})", '(async function*(){})', \`async function* () {}\`, Object.getPrototypeOf(made.prototype)[Symbol.asyncIterator] !== undefined]; })()`,
  },
  { name: "await", ask: follows("see(); await null; see(); await pause(5); see();") },
  {
    name: "await of a function that enters another store",
    ask: follows(`await als.run("b", async () => { see(); await pause(1); see(); }); see();`),
  },
  {
    name: "then, catch and finally",
    ask: follows(
      "await Promise.resolve().then(see); await Promise.reject(1).catch(see); await Promise.resolve().finally(see);",
    ),
  },
  {
    name: "a promise that another store settles",
    ask: follows(
      `const { promise, resolve } = Promise.withResolvers<void>(); als.run("b", () => setTimeout(resolve, 2)); await promise; see();`,
    ),
  },
  {
    name: "a reaction runs where it was added",
    ask: follows(`const p = als.run("b", () => pause(1)); await p.then(see); await als.run("c", () => p.then(see));`),
  },
  {
    name: "all, race, any and allSettled",
    ask: follows(
      "await Promise.all([pause(1).then(see)]); see(); await Promise.race([pause(1)]); see(); await Promise.any([pause(1)]); see(); await Promise.allSettled([pause(1)]); see();",
    ),
  },
  {
    name: "timers",
    ask: follows(
      "await new Promise<void>((done) => setTimeout(() => { see(); done(); }, 2)); await new Promise<void>((done) => setImmediate(() => { see(); done(); }));",
    ),
  },
  {
    name: "an interval",
    ask: follows(
      "await new Promise<void>((done) => { let n = 0; const t = setInterval(() => { see(); if (++n === 2) { clearInterval(t); done(); } }, 2); });",
    ),
  },
  {
    name: "two timers at once have one store each",
    ask: `await (async () => { const saw: any[] = []; await Promise.all(["a", "b"].map((s) => als.run(s, () => new Promise<void>((done) => setTimeout(() => { saw.push(als.getStore()); als.enterWith("left"); done(); }, 5))))); return saw; })()`,
  },
  {
    name: "queueMicrotask and nextTick",
    ask: follows(
      "await new Promise<void>((done) => queueMicrotask(() => { see(); done(); })); await new Promise<void>((done) => process.nextTick(() => { see(); done(); }));",
    ),
  },
  {
    name: "timers/promises",
    ask: follows("await wait(2); see(); for await (const _ of every(1)) { see(); break; } see();"),
  },
  {
    name: "handlers of an emitter run where it emits",
    ask: follows(
      `const e = new EventEmitter(); e.on("x", see); als.run("b", () => e.emit("x")); e.emit("x"); await als.run("c", () => once(e, "y", () => e.emit("y"))); see();`,
    ),
  },
  {
    name: "a stream",
    ask: follows(
      `await pipeline(Readable.from(["x", "y"]), async function* (source: any) { for await (const one of source) { see(); yield one; } }, new Writable({ write(_c: any, _e: any, done: any) { see(); done(); } })); see();`,
    ),
  },
  {
    name: "an async generator beside a library's helper of that name",
    ask: `await (async () => { async function* numbers() { yield 1; } const all: any[] = []; for await (const one of numbers()) all.push(one); return [all, __asyncGenerator(2)]; })()`,
  },
  {
    name: "for await over an async generator",
    ask: follows(
      `async function* numbers() { see(); yield 1; await pause(1); see(); yield 2; } for await (const _ of numbers()) see(); for await (const _ of [1, Promise.resolve(2)]) see();`,
    ),
  },
  {
    name: "a generator sees the store of who asks it",
    ask: follows(
      `async function* two() { yield als.getStore(); await null; yield als.getStore(); } const it = two(); saw.push((await it.next()).value, (await als.run("b", () => it.next())).value, (await it.next()).done);`,
    ),
  },
  {
    name: "yield* and return",
    ask: follows(
      `async function* one() { try { yield 1; } finally { await null; see(); } } async function* all() { yield* one(); } for await (const _ of all()) break; see();`,
    ),
  },
  {
    name: "Array.fromAsync and its mapper",
    ask: follows(
      `saw.push(await Array.fromAsync([1, Promise.resolve(2)], async (n, at) => { await null; see(); return n + at; })); see(); saw.push(await Array.fromAsync({ length: 2, 0: "x", 1: Promise.resolve("y") } as any));`,
    ),
  },
  { name: "an import", ask: follows(`await import("node:path"); see();`) },
  {
    name: "a class with async methods",
    ask: follows(
      `class A { async m() { await null; return als.getStore(); } } class B extends A { x = async () => { await null; return await super.m(); }; override async m() { const said = await this.x(); return [said, als.getStore()]; } } saw.push(await new B().m());`,
    ),
  },
  {
    name: "await using",
    ask: follows(
      `{ await using _one = { async [Symbol.asyncDispose]() { see(); await null; see(); } }; await null; } see();`,
    ),
  },
  {
    name: "a generator that is left waits in its finally block",
    ask: follows(
      `const over = async (source: any) => { for await (const _ of source) break; }; async function* one() { try { yield 1; yield 2; } finally { await null; see(); await pause(1); see(); } } await over(one()); see(); saw.push(await one().return(Promise.resolve(5) as any)); const it = one(); await it.next(); saw.push(await it.return(6 as any), await it.next());`,
    ),
  },
  {
    name: "a generator that is thrown into",
    ask: follows(
      `async function* one() { try { yield 1; } catch (e) { await null; see(); yield e; } finally { await null; see(); } } const it = one(); await it.next(); saw.push(await it.throw("x"), await it.next(), await it.next());`,
    ),
  },
  {
    name: "an error on the way",
    ask: follows(
      "try { await (async () => { await pause(1); throw new Error(); })(); } catch { see(); } finally { await null; see(); }",
    ),
  },
  {
    name: "a thousand awaits deep",
    ask: follows(
      "const deep = async (n: number): Promise<void> => { if (n > 0) await deep(n - 1); else { await null; see(); } }; await deep(300); see();",
    ),
  },
  { name: "a thenable of one's own", ask: follows("await { then(done: any) { see(); done(); } }; see();") },
  {
    name: "fs with a callback and as promise",
    ask: follows(
      `await new Promise<void>((done) => fs.readFile("there.txt", "utf8", (_e, text) => { saw.push(text); see(); done(); })); await fs.promises.readFile("there.txt"); see();`,
    ),
  },
];

const STORES: Question[] = [
  {
    name: "run gives its function's value and arguments",
    ask: `als.run("a", (x: number, y: number) => [x + y, als.getStore()], 1, 2)`,
  },
  {
    name: "run leaves its store also by an error",
    ask: `[caught(() => als.run("a", () => { throw new TypeError("x"); })), als.getStore()]`,
  },
  {
    name: "exit runs without a store",
    ask: `als.run("a", () => [als.exit((x) => [x, als.getStore()], 5), als.getStore()])`,
  },
  {
    name: "enterWith holds on in its function, and in whoever called it",
    ask: `await als.run("a", async () => { const inner = async () => { als.enterWith("b"); await null; als.enterWith("c"); return als.getStore(); }; const got = inner(); const now = als.getStore(); return [now, await got, als.getStore()]; })`,
  },
  {
    name: "enterWith behind an await stays in its function",
    ask: `await als.run("a", async () => { const inner = async () => { await null; als.enterWith("b"); await null; return als.getStore(); }; return [await inner(), als.getStore()]; })`,
  },
  {
    name: "two storages do not mix",
    ask: `await als.run("a", () => other.run("b", async () => { await null; return als.exit(() => [als.getStore(), other.getStore()]); }))`,
  },
  {
    name: "disable forgets the value, run has one again",
    ask: `await als.run("a", async () => { als.disable(); const gone = als.getStore(); await null; return [gone, als.getStore(), als.run("b", () => als.getStore())]; })`,
  },
  {
    name: "bind and snapshot",
    ask: `(() => { const [bound, snap] = als.run("a", () => [AsyncLocalStorage.bind((x: any) => [x, als.getStore()]), AsyncLocalStorage.snapshot()] as const); return als.run("b", () => [bound(1), snap((x: any) => [x, als.getStore()], 2), als.getStore(), bound.length]); })()`,
  },
  {
    name: "a default value and a name",
    ask: `(() => { const s = new AsyncLocalStorage({ defaultValue: 7, name: "seven" } as any); return [s.getStore(), s.run(8, () => s.getStore()), s.run(undefined as any, () => s.getStore()), s.exit(() => s.getStore()), (s as any).name, (als as any).name]; })()`,
  },
  {
    name: "withScope",
    ask: `als.run("a", () => { const scope = (als as any).withScope("b"); const inside = als.getStore(); scope.dispose(); scope.dispose(); return [inside, als.getStore()]; })`,
  },
  { name: "options that are none", ask: `[null, 5, "x", []].map((o: any) => caught(() => new AsyncLocalStorage(o)))` },
  {
    name: "a resource keeps its store",
    ask: `(() => { const r = als.run("a", () => new AsyncResource("R")); return als.run("b", () => [r.runInAsyncScope(function (this: any, x: any) { return [this, x, als.getStore()]; }, "self", 1), r.bind(function (this: any) { return [als.getStore(), this]; }).call("me"), als.getStore(), typeof r.asyncId(), r.emitDestroy() === r]); })()`,
  },
  {
    name: "a resource's arguments",
    ask: `[() => new (AsyncResource as any)(), () => new AsyncResource("x", -2), () => AsyncResource.bind(5 as any), () => new AsyncResource("x").bind(null as any)].map((act) => { const made: any = caught(act); return made instanceof Error ? made : "made"; })`,
  },
  {
    name: "then is still the promises' own",
    ask: `[Promise.prototype.then.length, Promise.prototype.then.name, Object.keys(Promise.prototype), caught(() => Promise.prototype.then.call({} as any)), await Promise.resolve(3).then(null as any), await (class P extends Promise<number> {}).resolve(4).then((n) => n + 1)]`,
  },
  {
    name: "createHook",
    ask: `caught(() => (hooks as any).createHook({ init() {} })) instanceof Error`,
    differs: { reason: "V8 tells a hook nothing of what waits", cordon: true },
  },
];

const subject = (questions: readonly Question[]) => ({
  top: `import hooks, { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
    import fs from "node:fs"; import { EventEmitter } from "node:events"; import { Readable, Writable } from "node:stream"; import { pipeline } from "node:stream/promises";
    import { setTimeout as wait, setInterval as every } from "node:timers/promises";
    var __asyncGenerator = function (thisArg: any) { return [thisArg]; };
    const als = new AsyncLocalStorage<any>(); const other = new AsyncLocalStorage<any>();
    const once = (e: EventEmitter, name: string, act: () => void) => new Promise<void>((done) => { e.once(name, () => done()); act(); });`,
  questions,
  powers: { fs: { read: ["$CWD/**"] } },
});

besideNode("AsyncLocalStorage follows", {
  ...subject(CONTINUATIONS),
  prepare: (cwd) => writeFileSync(join(cwd, "there.txt"), "text"),
});
besideNode("node:async_hooks in a hook and in Node", subject(STORES));

/** Streams are evaluated when they are first imported, which may be before anything says that a bundle has stores. */
const ORDERS: [name: string, top: string][] = [
  ["streams first", 'import { Readable } from "node:stream"; import { AsyncLocalStorage } from "node:async_hooks";'],
  [
    "promises of streams first",
    'import "node:stream/promises"; import { AsyncLocalStorage } from "node:async_hooks"; import { Readable } from "node:stream";',
  ],
  [
    "http first",
    'import http from "node:http"; import { AsyncLocalStorage } from "node:async_hooks"; import { Readable } from "node:stream"; void http;',
  ],
  [
    "stores required later",
    'import { Readable } from "node:stream"; const { AsyncLocalStorage } = require("node:async_hooks");',
  ],
  ["stores first", 'import { AsyncLocalStorage } from "node:async_hooks"; import { Readable } from "node:stream";'],
];

test.each(ORDERS)(
  "a gate whose rule is in a store blocks within streams, in whatever order it imports: %s",
  async (_name, top) => {
    const body = `return store.run({ forbidden: "rm" }, async () => {
    const isBad = async (word: string) => store.getStore()?.forbidden === word;
    const words = async function* () { yield* ["ls", "rm"]; };
    const bad = [await Readable.from(["ls", "rm"]).some(isBad), await Readable.from(words()).map(isBad).some(Boolean)];
    return bad.every(Boolean) ? { block: true, reason: "forbidden" } : undefined;
  });`;
    const { call, host } = await startSession({
      gate: onToolCall(body, `${top}\nconst store = new AsyncLocalStorage();`),
    });
    expect(host.hooks[0]?.reason).toBeUndefined();
    expect(await call()).toMatchObject({ block: true, reason: "forbidden" });
  },
);
