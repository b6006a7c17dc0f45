import { besideNode, type Question } from "./beside-node.ts";

const TOP = `import stream, { Duplex, finished, getDefaultHighWaterMark, PassThrough, pipeline, Readable, Transform, Writable } from "node:stream";
import * as later from "node:stream/promises";
import { EventEmitter } from "node:events";
import readline, { createInterface } from "node:readline";
const all = async (from: any): Promise<any[]> => { const parts: any[] = []; for await (const part of from) parts.push(part); return parts; };
const upper = () => new Transform({ transform(part, _encoding, done) { done(null, String(part).toUpperCase()); } });
const sink = () => { const parts: any[] = []; const w: any = new Writable({ write(part, _e, done) { parts.push(String(part)); done(); } }); w.parts = parts; return w; };
const pieces = (...parts: any[]) => { const from = new PassThrough(); parts.forEach((part, at) => setTimeout(() => { from.write(part); if (at === parts.length - 1) from.end(); }, at * 5)); return from; };
/** What readline tells of pieces that arrive one after the other. */
const lines = (...parts: any[]) => within(() => new Promise((done) => {
  const heard: any[] = []; const rl = createInterface({ input: pieces(...parts), crlfDelay: Infinity });
  rl.on("line", (line) => heard.push(line)); rl.on("close", () => done(heard));
}));
/** The order in which a stream tells. */
const life = (s: any, act: (s: any) => void) => within(() => new Promise((done) => {
  const heard: any[] = [];
  for (const name of ["data", "end", "finish", "error", "close"]) s.on(name, (v: any) => {
    heard.push(name === "data" ? ["data", String(v)] : name === "error" ? ["error", v.code ?? v.message] : name);
    if (name === "close") setTimeout(() => done(heard), 20);
  });
  act(s);
}));
`;

const STREAMS: Question[] = [
  {
    name: "how much a stream holds",
    ask: `[getDefaultHighWaterMark(true), getDefaultHighWaterMark(false) > 0, (stream as any).getDefaultHighWaterMark === getDefaultHighWaterMark]`,
  },
  {
    name: "Readable.from",
    ask: `[await all(Readable.from(["a", 1, { b: 2 }])), await all(Readable.from("text")), await all(Readable.from(Buffer.from("x"))), await all(Readable.from((async function* () { yield "a"; yield "b"; })()))]`,
  },
  {
    name: "a readable that reads",
    ask: `(() => { let at = 0; return all(new Readable({ read() { this.push(at < 3 ? "x" + at++ : null); } })).then((parts) => String(Buffer.concat(parts))); })()`,
  },
  {
    name: "an encoding keeps characters whole",
    ask: `(() => { const r = new Readable({ read() {} }); const bytes = Buffer.from("\\u20ac\\ud83d\\ude00"); for (const byte of bytes) r.push(Buffer.from([byte])); r.push(null); r.setEncoding("utf8"); return all(r).then((parts) => parts.join("")); })()`,
  },
  {
    name: "objects stay objects",
    ask: `all(new Readable({ objectMode: true, read() { this.push({ a: 1 }); this.push(null); } }))`,
  },
  {
    name: "a transform",
    ask: `(async () => { const t = upper(); t.write("a"); t.end("b"); return (await all(t)).join(""); })()`,
  },
  {
    name: "a transform with an end of its own",
    ask: `all(Readable.from(["a", "b"]).pipe(new Transform({ objectMode: true, transform(p, _e, done) { this.push(p); done(); }, flush(done) { this.push("end"); done(); } })))`,
  },
  {
    name: "pipeline with a callback",
    ask: `within(() => new Promise((done) => { const w = sink(); pipeline(Readable.from(["a", "b"]), upper(), w, (error) => done([error, w.parts])); }))`,
  },
  {
    name: "pipeline with a promise",
    ask: `(async () => { const w = sink(); await later.pipeline(Readable.from(["a", "b"]), upper(), w); return [w.parts, w.destroyed, w.writableFinished]; })()`,
  },
  {
    name: "pipeline with functions",
    ask: `within(() => later.pipeline(Readable.from(["a", "b"]), async function* (from: any) { for await (const part of from) yield part + "!"; }, async (from: any) => (await all(from)).map(String)))`,
  },
  {
    name: "pipeline that fails destroys all",
    ask: `(async () => { const from = Readable.from(["a"]); const w = sink(); const error = await rejected(later.pipeline(from, new Transform({ transform(_p, _e, done) { done(new RangeError("mine")); } }), w)); return [error, from.destroyed, w.destroyed]; })()`,
  },
  {
    name: "pipeline with a signal",
    ask: `(async () => { const stop = new AbortController(); const waiting = later.pipeline(new PassThrough(), new PassThrough(), { signal: stop.signal } as any); stop.abort(); const error: any = await rejected(waiting); return [error.name, error.code]; })()`,
  },
  {
    name: "a stream that ends too early",
    ask: `(async () => { const from = new PassThrough(); const waiting = rejected(later.pipeline(from, sink())); from.destroy(); return waiting; })()`,
  },
  {
    name: "finished",
    ask: `[await later.finished(Readable.from(["a"]).resume()), await rejected(later.finished(new PassThrough().destroy(new RangeError("mine")).on("error", () => {})))]`,
  },
  {
    name: "finished with a callback",
    ask: `within(() => new Promise((done) => { const p = new PassThrough(); finished(p, (error) => done(error)); p.on("error", () => {}); p.destroy(); }))`,
  },
  { name: "the life of a stream that ends", ask: `life(new PassThrough(), (s) => { s.write("a"); s.end("b"); })` },
  { name: "the life of a stream that fails", ask: `life(new PassThrough(), (s) => s.destroy(new RangeError("mine")))` },
  { name: "writing after the end", ask: `life(new PassThrough(), (s) => { s.end("a"); s.write("b"); })` },
  { name: "pushing after the end", ask: `life(new Readable({ read() {} }), (s) => { s.push(null); s.push("a"); })` },
  {
    name: "writing nothing",
    ask: `[caught(() => new PassThrough().write(null as any)), caught(() => new PassThrough().on("error", () => {}).write({} as any)), caught(() => new PassThrough().write(5 as any))]`,
  },
  {
    name: "a writable that is full says so",
    ask: `within(() => new Promise((done) => { const w = new Writable({ highWaterMark: 3, write(_p, _e, next) { setTimeout(next, 5); } }); const first = [w.write("a"), w.write("bc"), w.writableLength, w.writableNeedDrain]; w.on("drain", () => done([...first, w.writableLength])); }))`,
  },
  {
    name: "fields of streams",
    ask: `(() => { const d = new PassThrough({ highWaterMark: 10 }); d.write("abc"); return [d.readable, d.writable, d.readableLength, d.writableLength, d.readableHighWaterMark, d.writableHighWaterMark, d.readableFlowing, d.readableEnded, d.writableEnded, d.destroyed, d.closed, d.errored, d.readableObjectMode, d.readableEncoding]; })()`,
  },
  {
    name: "defaults",
    ask: `[new Readable().readableHighWaterMark, new Writable().writableHighWaterMark, new Readable({ objectMode: true }).readableHighWaterMark]`,
    differs: { reason: "Node's own package of streams is of Node 18: smaller pieces", cordon: [16384, 16384, 16] },
  },
  {
    name: "paused and resumed",
    ask: `within(async () => { const p = new PassThrough(); const heard: string[] = []; p.on("data", (d) => heard.push(String(d))); p.pause(); p.write("a"); await pause(10); const before = [...heard, p.isPaused()]; p.resume(); await pause(10); return [before, heard, p.isPaused()]; })`,
  },
  {
    name: "read and readable",
    ask: `within(() => new Promise((done) => { const p = new PassThrough(); const parts: any[] = []; p.on("readable", () => { let part; while ((part = p.read(2)) !== null) parts.push(String(part)); }); p.on("end", () => done(parts)); p.end("abcde"); }))`,
  },
  {
    name: "unshift",
    ask: `(async () => { const p = new PassThrough(); p.end("b"); p.unshift("a"); return (await all(p)).map(String).join(""); })()`,
  },
  {
    name: "pipe and unpipe",
    ask: `within(async () => { const p = new PassThrough(); const w = sink(); p.pipe(w); p.write("a"); await pause(10); p.unpipe(w); p.write("b"); await pause(10); return [w.parts, w.writableEnded]; })`,
  },
  {
    name: "leaving a for await destroys",
    ask: `(async () => { const r = Readable.from(["a", "b", "c"]); for await (const _part of r) break; return r.destroyed; })()`,
  },
  { name: "the module is the class that it exports as Stream", ask: `(stream as any).Stream === stream` },
  {
    name: "what streams are",
    ask: `[new PassThrough() instanceof Transform, new Transform() instanceof Duplex, new Duplex() instanceof Readable, new Duplex() instanceof Writable, new Readable() instanceof stream, new Readable() instanceof EventEmitter, (stream as any).Readable === Readable, (stream as any).promises.pipeline === later.pipeline]`,
  },
  {
    name: "helpers of a readable",
    ask: `[await Readable.from([1, 2, 3]).map((n: number) => n * 2).toArray(), await Readable.from([1, 2, 3]).filter((n: number) => n > 1).toArray(), await Readable.from([1, 2, 3]).take(2).toArray(), await (Readable.from([1, 2, 3]) as any).reduce((a: number, b: number) => a + b, 0)]`,
  },
  {
    name: "construct, final and destroy",
    ask: `within(async () => { const heard: string[] = []; const w = new Writable({ construct(done) { heard.push("construct"); done(); }, write(_p, _e, done) { heard.push("write"); done(); }, final(done) { heard.push("final"); done(); }, destroy(error, done) { heard.push("destroy"); done(error); } }); w.end("a"); await later.finished(w); await pause(10); return heard; })`,
  },
  {
    name: "writev",
    ask: `within(async () => { const sizes: number[] = []; const w = new Writable({ writev(parts, done) { sizes.push(parts.length); done(); } }); w.cork(); w.write("a"); w.write("b"); w.uncork(); w.end(); await later.finished(w); return sizes; })`,
  },
  {
    name: "a class of one's own",
    ask: `(() => { class Count extends Transform { n = 0; override _transform(part: any, _e: any, done: any) { this.n += part.length; done(); } override _flush(done: any) { this.push(String(this.n)); done(); } } const c = new Count(); c.write("abc"); c.end("d"); return all(c).then((p) => p.map(String)); })()`,
  },
];

const READLINE: Question[] = [
  {
    name: "line ends of each kind",
    ask: `[await lines("a\\nb\\r\\nc\\rd"), await lines("a\\n"), await lines("a\\n\\nb"), await lines(""), await lines("\\n"), await lines("\\r\\n\\r\\n")]`,
  },
  {
    name: "a line end that is cut in two",
    ask: `[await lines("a\\r", "\\nb"), await lines("a\\r", "b"), await lines("a\\r", "\\n", "\\nb\\r"), await lines("a", "b\\r", "\\n\\r", "\\nc")]`,
  },
  {
    name: "characters that are cut in two",
    ask: `lines(Buffer.from([0x61, 0xe2, 0x82]), Buffer.from([0xac, 0x0a, 0xf0, 0x9f]), Buffer.from([0x98, 0x80]))`,
  },
  { name: "other ends of lines", ask: `lines("a\\u2028b\\u2029c\\u0085d\\u000be\\n")` },
  { name: "a byte order mark", ask: `lines("\\ufeffa\\nb")` },
  {
    name: "for await",
    ask: `[await all(createInterface({ input: pieces("a\\nb", "c\\r\\n", "d") })), await all(createInterface({ input: Readable.from(["a\\n", "b"]) }))]`,
  },
  {
    name: "leaving a for await closes",
    ask: `(async () => { const rl: any = createInterface({ input: Readable.from(["a\\nb\\nc\\n"]) }); for await (const _line of rl) break; return rl.closed; })()`,
  },
  {
    name: "closing in a line",
    ask: `within(() => new Promise((done) => { const heard: string[] = []; const rl = createInterface({ input: pieces("a\\n", "b\\n", "c\\n") }); rl.on("line", (line) => { heard.push(line); if (line === "b") rl.close(); }); rl.on("close", () => setTimeout(() => done(heard), 50)); }))`,
  },
  {
    name: "the old way to make one",
    ask: `within(() => new Promise((done) => { const heard: string[] = []; (createInterface as any)(pieces("a\\nb")).on("line", (l: string) => heard.push(l)).on("close", () => done(heard)); }))`,
  },
  {
    name: "an input that is none",
    ask: `[caught(() => createInterface({} as any)), caught(() => createInterface(undefined as any)), caught(() => createInterface({ input: 5 } as any))].map((e: any) => e.name)`,
  },
  {
    name: "paused and resumed",
    ask: `within(async () => { const input = new PassThrough(); const rl = createInterface({ input }); const heard: string[] = []; for (const name of ["line", "close"]) rl.on(name, (l) => heard.push(name + (l ?? ""))); rl.pause(); input.write("a\\n"); await pause(10); const before = [...heard]; rl.resume(); await pause(10); rl.close(); return [before, heard]; })`,
  },
  {
    name: "many lines",
    ask: `(async () => { let n = 0, length = 0; for await (const line of createInterface({ input: Readable.from(Array.from({ length: 200 }, (_, at) => "line " + at + "\\nmore\\n")) })) { n++; length += line.length; } return [n, length]; })()`,
  },
  {
    name: "a slow consumer misses nothing",
    ask: `(async () => { const got: string[] = []; for await (const line of createInterface({ input: pieces("a\\nb\\n", "c\\nd\\n", "e") })) { got.push(line); await pause(15); } return got; })()`,
  },
  {
    name: "an input that fails",
    ask: `within(async () => { const input = new PassThrough(); const rl = createInterface({ input }); const told = rejected(all(rl)); input.on("error", () => {}); setTimeout(() => input.destroy(new RangeError("mine")), 10); return told; }, 1500)`,
  },
  {
    name: "what there is",
    ask: `[typeof readline.createInterface, typeof readline.Interface, createInterface({ input: new PassThrough() }) instanceof EventEmitter]`,
  },
];

besideNode("node:stream", { top: TOP, questions: STREAMS });
besideNode("node:readline", { top: TOP, questions: READLINE });
