import { besideNode, type Question } from "./beside-node.ts";

const USUAL: Question[] = [
  {
    name: "timers/promises give their values",
    ask: `[await tp.setTimeout(2, "v"), await tp.setTimeout(2), await tp.setTimeout(), await tp.setImmediate("v"), await tp.scheduler.wait(2), await tp.scheduler.yield(), await timers.promises.setTimeout(2, "p")]`,
  },
  {
    name: "a wait that is aborted rejects with the reason as its cause",
    ask: `await within(async () => { const c = new AbortController(); const p = tp.setTimeout(60_000, "v", { signal: c.signal }); c.abort("why"); try { return await p; } catch (e: any) { return [e.name, e.code, e.message, e.cause]; } })`,
  },
  {
    name: "a signal that was aborted before",
    ask: `await within(() => Promise.all([tp.setTimeout(5, "v", { signal: AbortSignal.abort() }), tp.setImmediate("v", { signal: AbortSignal.abort() }), tp.scheduler.wait(5, { signal: AbortSignal.abort() })].map(rejected)))`,
  },
  {
    name: "a wait with a signal that times out",
    ask: `await within(() => rejected(tp.scheduler.wait(60_000, { signal: AbortSignal.timeout(20) })))`,
  },
  {
    name: "a signal that is never fired leaves no trace",
    ask: `await (async () => { const c = new AbortController(); const v = await tp.setTimeout(2, "v", { signal: c.signal, ref: false }); c.abort(); return v; })()`,
  },
  {
    name: "an interval is walked through and left",
    ask: `await within(async () => { const seen: any[] = []; for await (const v of tp.setInterval(2, "x")) { seen.push(v); if (seen.length === 3) break; } return seen; })`,
  },
  {
    name: "an interval that is aborted throws",
    ask: `await within(async () => { const c = new AbortController(); const seen: any[] = []; try { for await (const v of tp.setInterval(2, "x", { signal: c.signal })) { seen.push(v); if (seen.length === 2) c.abort(); } } catch (e: any) { return [seen, e.name, e.code]; } return "went on"; })`,
  },
  {
    name: "an interval that is aborted while it is waited for",
    ask: `await within(() => { const c = new AbortController(); const next = tp.setInterval(60_000, 1, { signal: c.signal }).next(); setTimeout(() => c.abort(), 10); return rejected(next); })`,
  },
  {
    name: "an interval that is ended by its consumer is over",
    ask: `await within(async () => { const i: any = tp.setInterval(2, "x"); return [await i.next(), await i.return(), await i.next()]; })`,
  },
  {
    name: "microtasks in order, before every timer",
    ask: `await (async () => { const o: string[] = []; await pause(1); setTimeout(() => o.push("timeout"), 20); setImmediate(() => o.push("immediate")); Promise.resolve().then(() => o.push("then")); queueMicrotask(() => o.push("microtask")); o.push("code"); await pause(60); return o; })()`,
  },
  {
    name: "arguments are handed on",
    ask: `await Promise.all([new Promise((done) => setTimeout((...a: any[]) => done(a), 1, 1, "b")), new Promise((done) => setImmediate((...a: any[]) => done(a), 2))])`,
  },
  {
    name: "delays that make no sense are one millisecond",
    ask: `await (async () => { let n = 0; for (const ms of [2 ** 31, -5, NaN, "3", Infinity, undefined]) setTimeout(() => n++, ms as any); await pause(80); return n; })()`,
  },
  {
    name: "a timer is cleared by itself, its number, the text of that and any of the functions",
    ask: `await (async () => { let n = 0; const up = () => n++; clearTimeout(setTimeout(up, 5)); clearTimeout(+setTimeout(up, 5)); clearTimeout(String(+setTimeout(up, 5)) as any); clearInterval(setTimeout(up, 5) as any); clearTimeout(setInterval(up, 5) as any); clearImmediate(setImmediate(up)); await pause(60); return n; })()`,
  },
  {
    name: "clearing what is no timer does nothing",
    ask: `[undefined, null, "x", {}, 99_999, NaN].map((t: any) => [caught(() => clearTimeout(t)), caught(() => clearInterval(t)), caught(() => clearImmediate(t))])`,
  },
  {
    name: "an interval that clears itself",
    ask: `await (async () => { let n = 0; const i = setInterval(() => { if (++n === 2) clearInterval(i); }, 2); await pause(80); return n; })()`,
  },
  {
    name: "a timer's own methods",
    ask: `(() => { const t: any = setTimeout(() => {}, 1e6); const r = [t.unref().hasRef(), t.ref() === t, t.refresh() === t, typeof t[Symbol.toPrimitive](), t.close() === t, typeof t, t.constructor.name]; return r; })()`,
  },
  {
    name: "the module has the global functions",
    ask: `[timers.setTimeout === setTimeout, timers.clearInterval === clearInterval, Object.keys(timers.default).sort()]`,
  },
];

const EDGES: Question[] = [
  {
    name: "promisified timers wait",
    ask: `await Promise.all([util.promisify(setTimeout)(2, "v"), util.promisify(setImmediate)("v"), util.promisify(timers.setTimeout)(2)])`,
  },
  {
    name: "a timer that is used is cleared at the end of its block",
    ask: `await (async () => { let n = 0; { using _t: any = setTimeout(() => n++, 5); } await pause(40); return n; })()`,
  },
  {
    name: "this is the timer in its callback",
    ask: `await new Promise((done) => { const t: any = setTimeout(function (this: any) { done(this === t); }, 2); })`,
  },
  {
    name: "a timer that has fired is started anew by refresh",
    ask: `await (async () => { let n = 0; const t: any = setTimeout(() => n++, 5); await pause(40); t.refresh(); await pause(60); return n; })()`,
  },
  {
    name: "callbacks that are none are ERR_INVALID_ARG_TYPE",
    ask: `[() => setTimeout("x" as any, 1), () => setTimeout(undefined as any), () => setImmediate(5 as any), () => setInterval(null as any, 1), () => queueMicrotask(5 as any), () => process.nextTick(5 as any)].map(caught)`,
  },
  {
    name: "options of the wrong type are ERR_INVALID_ARG_TYPE",
    ask: `await Promise.all([() => tp.setTimeout("x" as any), () => tp.setTimeout(5, 1, 7 as any), () => tp.setTimeout(5, 1, null as any), () => tp.setTimeout(5, 1, { signal: 5 as any }), () => tp.setTimeout(5, 1, { ref: "x" as any })].map((act) => within(() => rejected(act()))))`,
  },
  {
    name: "an interval goes on while its consumer is busy",
    ask: `await within(async () => { const i = tp.setInterval(150, 1); await i.next(); await pause(400); const start = Date.now(); await i.next(); await i.next(); return Date.now() - start < 140; })`,
  },
];

const DIFFERENT: Question[] = [
  {
    name: "whether a timer keeps the program alive",
    ask: `(() => { const t = setTimeout(() => {}, 1e6); const r = t.hasRef(); clearTimeout(t); return r; })()`,
    differs: { reason: "a hook lives as long as its session", cordon: false },
  },
  {
    name: "nextTick after microtasks of asynchronous code",
    ask: `await (async () => { const o: string[] = []; await pause(1); await null; process.nextTick(() => o.push("tick")); queueMicrotask(() => o.push("microtask")); await pause(20); return o; })()`,
    differs: { reason: "there is one queue of microtasks, and no other", cordon: ["tick", "microtask"] },
  },
  {
    name: "nextTick before microtasks of synchronous code",
    ask: `await new Promise((done) => setTimeout(() => { const o: string[] = []; queueMicrotask(() => o.push("microtask")); process.nextTick(() => o.push("tick")); setTimeout(() => done(o), 10); }, 1))`,
    differs: { reason: "there is one queue of microtasks, and no other", cordon: ["microtask", "tick"] },
  },
  {
    name: "the promise functions under both of their names",
    ask: `timers.promises.setTimeout === tp.setTimeout`,
  },
];

besideNode("timers in a hook and in Node", {
  top: `import * as timers from "node:timers";\nimport * as tp from "node:timers/promises";\nimport util from "node:util";`,
  questions: [...USUAL, ...EDGES, ...DIFFERENT],
});
