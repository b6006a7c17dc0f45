import { besideNode, type Question } from "./beside-node.ts";
import { startSite } from "./modules-http-ask.ts";

const SITE = await startSite();

const TOP = `import * as web from "node:stream/web";
const SITE = "http://127.0.0.1:${SITE}";
const all = async (from: any): Promise<any[]> => { const parts: any[] = []; for await (const part of from) parts.push(part); return parts; };
const of = (...parts: any[]): any => new ReadableStream({ start(to: any) { for (const part of parts) to.enqueue(part); to.close(); } });
const piped = (from: any, ...through: any[]) => all(through.reduce((s, one) => s.pipeThrough(one), from));
const text = (parts: any[]) => parts.join("");
const named = (error: any) => [error.name, error.message];
`;

const STREAMS: Question[] = [
  {
    name: "the classes, by all their names",
    ask: `["ReadableStream", "ReadableStreamDefaultReader", "ReadableStreamBYOBReader", "WritableStream", "WritableStreamDefaultWriter", "TransformStream", "ByteLengthQueuingStrategy", "CountQueuingStrategy", "TextDecoderStream", "TextEncoderStream"].map((name) => [(web as any)[name].name]).concat([[globalThis.ReadableStream === web.ReadableStream, typeof globalThis.TextDecoderStream, of().constructor.name]] as any)`,
  },
  {
    name: "reading with a reader",
    ask: `(async () => { const s = of("a", "b"); const before = s.locked; const r = s.getReader(); const got = [await r.read(), await r.read(), await r.read()]; const during = s.locked; r.releaseLock(); return [before, during, s.locked, got, (caught(() => { s.getReader(); s.getReader(); }) as any).name]; })()`,
  },
  {
    name: "pulls as it is read",
    ask: `(async () => { let pulled = 0; const s = new ReadableStream({ pull(to: any) { if (++pulled === 3) to.close(); else to.enqueue(pulled); } }, { highWaterMark: 0 }); await pause(5); const before = pulled; return [before, await all(s), pulled]; })()`,
  },
  {
    name: "cancel, and its reason",
    ask: `(async () => { let why: any; const s = new ReadableStream({ cancel(reason: any) { why = reason; } }); await s.cancel("enough"); return [why, await all(s)]; })()`,
  },
  {
    name: "an error",
    ask: `(async () => { const s = new ReadableStream({ start(to: any) { to.error(new RangeError("broken")); } }); return rejected(s.getReader().read()).then(named); })()`,
  },
  {
    name: "a loop that ends early cancels",
    ask: `(async () => { let why: any = "no"; const s = new ReadableStream({ pull(to: any) { to.enqueue(1); }, cancel() { why = "cancelled"; } }); for await (const part of s as any) break; return [why, s.locked]; })()`,
  },
  { name: "from an iterable", ask: `all((ReadableStream as any).from(["a", 1]))` },
  {
    name: "tee gives each side all",
    ask: `(async () => { const [a, b] = of("x", "y").tee(); return [await all(b), await all(a)]; })()`,
  },
  {
    name: "writing waits for the sink",
    ask: `(async () => { const got: any[] = []; const s = new WritableStream({ async write(part: any) { await pause(2); got.push(part); }, close() { got.push("closed"); } }); const w = s.getWriter(); w.write("a"); w.write("b"); await w.close(); return got; })()`,
  },
  {
    name: "transforming, and what is left at the end",
    ask: `piped(of("a", "b"), new TransformStream({ transform(part: any, to: any) { to.enqueue(part.toUpperCase()); }, flush(to: any) { to.enqueue("!"); } }))`,
  },
  {
    name: "pipeTo, and a signal that ends it",
    ask: `(async () => { const got: any[] = []; await of(1, 2).pipeTo(new WritableStream({ write(p: any) { got.push(p); } })); const c = new AbortController(); const endless = new ReadableStream({ pull: () => pause(5) }); setTimeout(() => c.abort(), 10); return [got, (await rejected(endless.pipeTo(new WritableStream(), { signal: c.signal })) as any).name]; })()`,
  },
  {
    name: "bytes into a buffer of the reader's",
    ask: `(async () => { const s = new ReadableStream({ type: "bytes", start(to: any) { to.enqueue(new Uint8Array([1, 2, 3])); to.close(); } } as any); const r = (s as any).getReader({ mode: "byob" }); const one = await r.read(new Uint8Array(2)); const two = await r.read(new Uint8Array(2)); return [one, two]; })()`,
  },
  {
    name: "text of bytes, cut anywhere",
    ask: `(async () => { const bytes = new TextEncoder().encode("gr\\u00fc\\u00dfe \\ud83c\\udf89"); return [text(await piped(of(...[...bytes].map((b) => new Uint8Array([b]))), new TextDecoderStream())), await piped(of(new Uint8Array([0xc3])), new TextDecoderStream()), await rejected(piped(of(new Uint8Array([0xff])), new TextDecoderStream("utf-8", { fatal: true }))).then((e: any) => e.name)]; })()`,
  },
  {
    name: "bytes of text, cut anywhere",
    ask: `(async () => { const d = new TextDecoderStream("utf-8", { fatal: true, ignoreBOM: true }); return [await piped(of("gr\\u00fc", "\\ud83c", "\\udf89", "\\ud83c"), new TextEncoderStream()), new TextEncoderStream().encoding, d.encoding, d.fatal, d.ignoreBOM]; })()`,
  },
];

const BODIES: Question[] = [
  {
    name: "a response is there before its body",
    ask: `(async () => { const r = await fetch(SITE + "/slow"); return [r.status, r.bodyUsed, r.body!.locked, await r.body!.getReader().read().then(({ value }: any) => [...value])]; })()`,
  },
  {
    name: "server-sent events, as clients read them",
    ask: `(async () => { const r = await fetch(SITE + "/events/5"); const d = new TextDecoder(); let all = "", parts = 0; for await (const part of r.body as any) { parts++; all += d.decode(part, { stream: true }); } return [all, parts > 1, r.bodyUsed, r.body!.locked]; })()`,
  },
  {
    name: "through a decoder",
    ask: `(async () => text(await piped((await fetch(SITE + "/events/3")).body, new TextDecoderStream())))()`,
  },
  { name: "read whole", ask: `(async () => (await fetch(SITE + "/events/3")).text())()` },
  {
    name: "a clone of what arrives",
    ask: `(async () => { const r = await fetch(SITE + "/events/3"); const c = r.clone(); return [await c.text(), await r.text(), r.bodyUsed, c.bodyUsed]; })()`,
  },
  {
    name: "read once",
    ask: `(async () => { const r = await fetch(SITE + "/events/1"); const reader = r.body!.getReader(); await reader.read(); reader.releaseLock(); return [r.bodyUsed, (await rejected(r.text()) as any).name, (caught(() => r.clone()) as any).name]; })()`,
  },
  {
    name: "not while a reader has it",
    ask: `(async () => { const r = new Response("abc"); const reader = r.body!.getReader(); const during = (await rejected(r.text()) as any).name; reader.releaseLock(); return [during, await r.text()]; })()`,
  },
  {
    name: "cut off",
    ask: `(async () => { const r = (await fetch(SITE + "/cut")).body!.getReader(); const first = await r.read(); return [text([...first.value!].map((b: any) => String.fromCharCode(b))), await rejected(r.read()).then(named)]; })()`,
  },
  {
    name: "aborted in the middle",
    ask: `(async () => { const c = new AbortController(); const r = (await fetch(SITE + "/slow", { signal: c.signal })).body!.getReader(); await r.read(); setTimeout(() => c.abort(new RangeError("mine")), 20); return rejected(r.read()).then(named); })()`,
  },
  {
    name: "cancelled in the middle",
    ask: `(async () => { const r = await fetch(SITE + "/slow"); const reader = r.body!.getReader(); await reader.read(); await reader.cancel(); return [await reader.read(), r.bodyUsed]; })()`,
  },
  {
    name: "a stream of one's own as the body of a Response",
    ask: `(async () => [await new Response(of(new Uint8Array([97]), new Uint8Array([98]))).text(), (await rejected(new Response(of("text")).text()) as any).name, new Response(of()).headers.get("content-type")])()`,
  },
  {
    name: "an empty text is a body",
    ask: `(async () => [await all(new Response("").body), new Response(null).body])()`,
  },
];

const subject = { top: TOP, powers: { net: { connect: [`127.0.0.1:${SITE}`] } } };
besideNode("streams", { ...subject, questions: STREAMS });
besideNode("bodies", { ...subject, questions: BODIES });
