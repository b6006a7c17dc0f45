/**
 * Makes the code caches of what isolates compile, in a Node with the flags of a sandbox process: V8 takes a cache only from the
 * same Node and flags. First hooks of three forms are started and hear events, so that the functions which these call are in the
 * cache. Lazy code is evaluated and used in the last hook's realm. Standard input is the JSON of {@link Work}.
 *
 * @typedef {{ text: string, filename: string }} Compiled
 * @typedef {Compiled & { name: keyof typeof USES, out: string }} Lazy
 * @typedef {{ realm: Compiled, runtime: Compiled, out: { realm: string, runtime: string }, lazy: Lazy[] }} Work
 */
import { Buffer } from "node:buffer";
import { EventEmitter } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { constants, createContext, runInContext, Script } from "node:vm";

/** Hooks that decide nothing. The first also makes a request. */
const HOOKS = [
  "(pi) => { for (const type of ['session', 'tool_call', 'tool_result']) pi.on(type, async (_, ctx) => ctx.ui.notify('')); }",
  "({ id: 'none', register(api) { for (const name of ['before_tool_call', 'after_tool_call']) api.on(name, async () => {}); } })",
  "[{ id: 'none', name: 'tool.before', handler: async () => {} }]",
];

const CALL = { toolName: "bash", toolCallId: "1", input: { command: "true" } };
const EVENTS = [
  { type: "session", reason: "start", entries: [] },
  { type: "tool_call", ...CALL },
  { type: "tool_result", ...CALL, content: [{ type: "text", text: "" }], isError: false },
];

/** What most hooks do with lazy code that use it. `global`: of the hook's realm. */
const USES = {
  text: ({ TextDecoder, TextEncoder }) => new TextDecoder().decode(new TextEncoder().encode("é")),
  typebox: (global) => {
    const { Type } = global[Symbol.for("cordon.host")].library("typebox");
    const kinds = [Type.String({ description: "text" }), Type.Number(), Type.Boolean(), Type.Literal("one")];
    return Type.Object({ one: Type.Optional(Type.Union(kinds)), list: Type.Array(Type.Any()), more: Type.Unsafe({}) });
  },
  url: ({ URL, URLSearchParams }) => {
    const { href, host, pathname, searchParams } = new URL("../x?a=1#b", "https://user@name.example:1234/y/z");
    return [href, host, pathname, searchParams.get("a"), `${new URLSearchParams({ a: "b" })}`];
  },
  streams: (global) => {
    const given = { Buffer, EventEmitter, StringDecoder };
    const { Readable, Transform, Writable } = global[Symbol.for("cordon.host")].library("streams", given).default;
    const { promise, resolve, reject } = Promise.withResolvers();
    const start = new Readable({ read() {} });
    const through = new Transform({ transform: (chunk, _encoding, next) => next(null, chunk) });
    const end = new Writable({ write: (_chunk, _encoding, next) => next() });
    start.pipe(through).pipe(end).on("finish", resolve).on("error", reject);
    start.push("text");
    start.push(null);
    return promise;
  },
};

/** @type {Work} */
const work = JSON.parse(readFileSync(0, "utf8"));
const [realm, runtime] = [work.realm, work.runtime].map(({ text, filename }) => new Script(text, { filename }));

const init = JSON.stringify({
  ...{ hook: "none", dialect: "", cwd: "/", priority: 0, failOpen: false, eval: false, wasm: false, branches: 0 },
  ...{ session: [], machine: { home: "/", tmp: "/", platform: "linux", arch: "x64", pid: 1 } },
});

const lazy = new Map(work.lazy.map(({ name, text, filename }) => [name, new Script(text, { filename })]));

/** Reactions to promises have had their turn. */
const settled = () => new Promise((done) => setImmediate(done));

/** The hook's realm. */
let theirs;
for (const hook of HOOKS) {
  let ours;
  [theirs, ours] = [0, 1].map(() => createContext(constants.DONT_CONTEXTIFY));
  const posted = [];
  const post = (text) => (text[0] === "P" ? lazy.get(text.slice(1)).runInContext(theirs) : void posted.push(text));
  const deliver = runtime.runInContext(ours)(post, init, realm.runInContext(theirs)());
  theirs.__cordonLoad(() => ({ default: runInContext(hook, theirs) }));
  await settled();
  for (const [at, event] of EVENTS.entries()) {
    deliver(`E${at + 1}:${JSON.stringify({ event, hasUI: false, sessionFile: null })}`);
    await settled();
  }
  const verdicts = posted.filter((text) => text.startsWith("V0p"));
  if (verdicts.length !== EVENTS.length) throw new Error(`a hook did not pass all events: ${posted.join("\n")}`);
}
writeFileSync(work.out.realm, realm.createCachedData());
writeFileSync(work.out.runtime, runtime.createCachedData());

for (const { name, out } of work.lazy) {
  await USES[name](theirs);
  writeFileSync(out, lazy.get(name).createCachedData());
}
