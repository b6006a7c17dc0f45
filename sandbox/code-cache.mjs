/**
 * Makes the code caches of what isolates compile, in a Node with the flags of a sandbox process: V8 takes a cache only from the
 * same Node and flags. First hooks of three forms are started and hear events, so that the functions which these call are in the
 * cache. Standard input is the JSON of {@link Work}.
 *
 * @typedef {{ text: string, filename: string }} Compiled
 * @typedef {{ realm: Compiled, runtime: Compiled, out: { realm: string, runtime: string } }} Work
 */
import { readFileSync, writeFileSync } from "node:fs";
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

/** @type {Work} */
const work = JSON.parse(readFileSync(0, "utf8"));
const [realm, runtime] = [work.realm, work.runtime].map(({ text, filename }) => new Script(text, { filename }));

const init = JSON.stringify({
  ...{ hook: "none", dialect: "", cwd: "/", priority: 0, failOpen: false, eval: false, wasm: false, branches: 0 },
  ...{ session: [], machine: { home: "/", tmp: "/", platform: "linux", arch: "x64", pid: 1 } },
});

/** Reactions to promises have had their turn. */
const settled = () => new Promise((done) => setImmediate(done));

for (const hook of HOOKS) {
  const [theirs, ours] = [0, 1].map(() => createContext(constants.DONT_CONTEXTIFY));
  const posted = [];
  const deliver = runtime.runInContext(ours)((text) => void posted.push(text), init, realm.runInContext(theirs)());
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
