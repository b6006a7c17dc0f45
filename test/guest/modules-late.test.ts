import { besideNode, type Question } from "./beside-node.ts";

/** Members of modules that are large globals, which are made when they are read. */
const QUESTIONS: Question[] = [
  {
    name: "the globals are the modules' members, however they are imported",
    ask: `[url.URL === URL, allOfUrl.URL === URL, Named === URL, url.URLSearchParams === URLSearchParams, util.TextDecoder === TextDecoder, allOfUtil.TextEncoder === TextEncoder, Object.keys(url).includes("URL")]`,
  },
  {
    name: "a member may be replaced",
    ask: `(() => { const of: any = { ...util }; const module: any = util; const before = module.TextEncoder; module.TextEncoder = module.TextEncoder || 1; module.TextDecoder = "other"; const after = module.TextDecoder; module.TextDecoder = of.TextDecoder; return [module.TextEncoder === before, after, Object.assign(module, { TextEncoder: before }) === module]; })()`,
  },
  {
    name: "a wrapper around a global uses the one that it replaced",
    ask: `(() => { const before = globalThis.TextDecoder; class Wrapped { d = new (util as any).TextDecoder(); decode(b: any) { return "wrapped " + this.d.decode(b); } } (globalThis as any).TextDecoder = Wrapped; try { return new (globalThis as any).TextDecoder().decode(Buffer.from("a")); } finally { globalThis.TextDecoder = before; } })()`,
  },
  {
    name: "paths of URLs that are files",
    ask: `["file:///a/b.ts", "file:///a%20b/c", "file:///a/../b", "file:///a/./b", "file:///", "file:///a//b", "file:///a/b?c#d", "file://localhost/a", "file:///a+b@c~d", "file:///..", "file:///a/..b/.c"].map((one) => fileURLToPath(one))`,
  },
  {
    name: "URLs that are no files",
    ask: `["file://host/a", "https://a/b", "a", "", 5, null, "file:///a%2fb"].map((one: any) => caught(() => fileURLToPath(one)) instanceof Error)`,
  },
  {
    name: "classes have their names",
    ask: `[URL, URLSearchParams, TextDecoder, TextEncoder, structuredClone, ReadableStream, Readable, Transform, stream.Writable, stream.promises.pipeline].map((one: any) => one.name)`,
  },
  {
    name: "streams share their classes with the hook",
    ask: `(async () => { const from = new Readable({ read() { this.push("a"); this.push(null); } }); const parts: any[] = []; for await (const part of from) parts.push(part instanceof Buffer, Buffer.isBuffer(part)); return [from instanceof EventEmitter, ...parts]; })()`,
  },
];

besideNode("large globals as members of modules", {
  top: `import url, { fileURLToPath, URL as Named } from "node:url"; import * as allOfUrl from "node:url";
    import util from "node:util"; import * as allOfUtil from "node:util";
    import stream, { Readable, Transform } from "node:stream"; import { EventEmitter } from "node:events";`,
  questions: QUESTIONS,
});
