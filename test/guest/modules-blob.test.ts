import { besideNode, type Question } from "./beside-node.ts";
import { startSite } from "./modules-http-ask.ts";

const SITE = await startSite();

const TOP = `import * as buffer from "node:buffer";
const SITE = "http://127.0.0.1:${SITE}";
const shownBlob = async (blob: any) => [blob.constructor.name, String(blob), blob.size, blob.type, await blob.text()];
const all = async (from: any): Promise<any[]> => { const parts: any[] = []; for await (const part of from) parts.push(...part); return parts; };
/** A body as it is sent, with a boundary that is the same each time. */
const sent = async (body: any, headers: any = {}) => {
  const request = new Request(SITE + "/", { method: "POST", body, headers });
  const type = request.headers.get("content-type");
  const boundary = /boundary=(.*)$/.exec(type ?? "")?.[1] ?? "none";
  return [type, await request.text()].map((text) => text?.replaceAll(boundary, "B"));
};
const form = (...entries: [string, any, any?][]) => {
  const made = new FormData();
  for (const [name, value, file] of entries) file === undefined ? made.append(name, value) : made.append(name, value, file);
  return made;
};
`;

const BLOBS: Question[] = [
  {
    name: "the classes, by all their names",
    ask: `[Blob.name, File.name, FormData.name, globalThis.Blob === buffer.Blob, globalThis.File === (buffer as any).File, new File([], "a") instanceof Blob, buffer.default.Blob === Blob]`,
  },
  {
    name: "parts of all kinds",
    ask: `shownBlob(new Blob(["é", new Uint8Array([65, 66]), new Uint16Array([0x4443]).buffer, new DataView(new Uint8Array([1, 69, 2]).buffer, 1, 1), new Blob(["x"]), 7, null, { toString: () => "o" }] as any))`,
  },
  {
    name: "nothing",
    ask: `Promise.all([shownBlob(new Blob()), shownBlob(new Blob([])), shownBlob(new Blob(undefined, undefined))])`,
  },
  { name: "any iterable", ask: `shownBlob(new Blob(new Set(["a", "b"]) as any))` },
  {
    name: "what is no list of parts",
    ask: `["text", 1, {}, null].map((parts) => caught(() => new Blob(parts as any)))`,
  },
  {
    name: "types",
    ask: `["text/PLAIN", "a/b;c=D", "é", "a\\u007f", "a\\nb", 5, null, undefined].map((type) => new Blob([], { type } as any).type)`,
  },
  {
    name: "options",
    ask: `[1, "x", null].map((options) => { const made = caught(() => new Blob([], options as any)); return made instanceof Blob ? "made" : made; })`,
  },
  {
    name: "endings",
    ask: `Promise.all([new Blob(["a\\r\\nb\\rc\\nd"], { endings: "native" }).text(), new Blob(["a\\r\\nb"]).text(), caught(() => new Blob([], { endings: "other" } as any))])`,
  },
  {
    name: "slices",
    ask: `Promise.all(([[], [1], [1, 3], [-2], [-3, -1], [2, 1], [0, 99], [9], ["1", "2"], [NaN], [1.7]] as any[]).map(async (at) => { const b = (new Blob(["abcde"], { type: "a/b" }) as any).slice(...at); return [b.size, b.type, await b.text()]; }))`,
  },
  { name: "a slice with a type", ask: `shownBlob(new Blob(["abc"]).slice(1, 2, "X/Y"))` },
  {
    name: "bytes",
    ask: `(async () => { const b = new Blob(["aé"]); return [new Uint8Array(await b.arrayBuffer()), await (b as any).bytes(), await all(b.stream())]; })()`,
  },
  {
    name: "bytes are copies",
    ask: `(async () => { const from = new Uint8Array([97]); const b = new Blob([from]); from[0] = 98; new Uint8Array(await b.arrayBuffer())[0] = 99; return b.text(); })()`,
  },
  { name: "text without its mark", ask: `new Blob([new Uint8Array([0xef, 0xbb, 0xbf, 97, 0xff])]).text()` },
  {
    name: "a file",
    ask: `(async () => { const f = new File(["x"], "a/b.txt", { type: "text/plain", lastModified: 12.7 }); return [await shownBlob(f), f.name, f.lastModified, f.slice(0, 1).constructor.name]; })()`,
  },
  {
    name: "files without a time, and without a name",
    ask: `[Math.abs(new File([], "a").lastModified - Date.now()) < 10000, caught(() => new (File as any)([])), new (File as any)([], undefined).name]`,
  },
];

const FORMS: Question[] = [
  {
    name: "entries",
    ask: `(() => { const f = form(["a", "1"], ["b", 2], ["a", "3"]); return [[...f], [...f.keys()], [...f.values()], f.get("a"), f.getAll("a"), f.get("c"), f.has("b"), String(f)]; })()`,
  },
  {
    name: "set and delete",
    ask: `(() => { const f = form(["a", "1"], ["b", "2"], ["a", "3"]); f.set("a", "x"); f.set("n", "y"); const set = [...f]; f.delete("a"); return [set, [...f]]; })()`,
  },
  {
    name: "forEach",
    ask: `(() => { const seen: any[] = []; form(["a", "1"]).forEach(function (this: any, ...args: any[]) { seen.push(this.own, args[0], args[1], args[2] instanceof FormData); }, { own: 1 }); return seen; })()`,
  },
  {
    name: "files in a form",
    ask: `Promise.all([...form(["a", new Blob(["x"], { type: "a/b" })], ["b", new Blob(["y"]), "n.txt"], ["c", new File(["z"], "c.txt")], ["d", new File(["z"], "c.txt"), "d.txt"])].map(async ([name, f]: any) => [name, f.name, f.type, await f.text()]))`,
  },
  { name: "a name for what is no file", ask: `caught(() => form(["a", "x", "name"])) instanceof TypeError` },
  { name: "texts as a body", ask: `sent(form(["a", "1\\n2"], ["é", "ü"]))` },
  { name: "names that would end a header", ask: `sent(form(["a\\"\\r\\nX: y", new File(["1"], "f\\"\\n.txt")]))` },
  {
    name: "files as a body",
    ask: `sent(form(["f", new File([new Uint8Array([0, 1])], "a.bin")], ["g", new Blob(["t"], { type: "text/plain" })]))`,
  },
  { name: "an empty form", ask: `sent(form())` },
  {
    name: "a type of one's own stays",
    ask: `(async () => (await sent(form(["a", "1"]), { "content-type": "own/type" }))[0])()`,
  },
  {
    name: "blobs as a body",
    ask: `Promise.all([sent(new Blob(["x"], { type: "A/b" })), sent(new Blob(["y"])), sent(new File(["z"], "n", { type: "c/d" }))])`,
  },
  {
    name: "a response's blob",
    ask: `(async () => { const b = await new Response("x", { headers: { "content-type": "Text/HTML" } }).blob(); return shownBlob(b); })()`,
  },
  {
    name: "a response of a blob",
    ask: `(async () => { const r = new Response(new Blob(["x"], { type: "a/b" })); return [r.headers.get("content-type"), await r.text()]; })()`,
  },
];

besideNode("blobs and files", { top: TOP, questions: BLOBS });
besideNode("forms", { top: TOP, questions: FORMS, powers: { net: { connect: [`127.0.0.1:${SITE}`] } } });
