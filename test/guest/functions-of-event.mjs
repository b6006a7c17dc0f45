/**
 * Prints the functions of the guest that a tool call runs which a hook of pi's lets pass, as a JSON list of their names and how
 * often each is called. Arguments: the built realm and runtime. In a process of its own: counting slows down all of its code.
 */
import { readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { setImmediate as turn } from "node:timers/promises";
import { constants, createContext, runInContext, Script } from "node:vm";
import { guestFunctions } from "../../sandbox/process/guest-code.ts";

const CALLS = 10;

const [realmText, runtimeText] = process.argv.slice(2).map((path) => readFileSync(path, "utf8"));
const guest = guestFunctions({ realm: realmText, runtime: runtimeText });
const [realm, runtime] = [guest.realm, guest.runtime].map(({ text, filename }) => new Script(text, { filename }));
const init = JSON.stringify({
  ...{ hook: "none", dialect: "", cwd: "/", priority: 0, failOpen: false, eval: false, wasm: false, branches: 0 },
  ...{ session: [], machine: { home: "/", tmp: "/", platform: "linux", arch: "x64", pid: 1 } },
});
const [theirs, ours] = [0, 1].map(() => createContext(constants.DONT_CONTEXTIFY));
const posted = [];
const deliver = runtime.runInContext(ours)((text) => void posted.push(text), init, realm.runInContext(theirs)());
theirs.__cordonLoad(() => ({ default: runInContext("(pi) => pi.on('tool_call', async () => {})", theirs) }));
await turn();
const event = { type: "tool_call", toolName: "bash", toolCallId: "1", input: { command: "true" } };
const call = async (id) => {
  deliver(`E${id}:${JSON.stringify({ event, hasUI: false, sessionFile: null })}`);
  await turn();
};
await call(1);
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
for (let id = 2; id < 2 + CALLS; id++) await call(id);
const { result } = await session.post("Profiler.takePreciseCoverage");
if (posted.at(-1) !== `V0p${1 + CALLS}:`) throw new Error(`no pass: ${posted.at(-1)}`);
const files = [guest.realm.filename, guest.runtime.filename];
const functions = result
  .filter(({ url }) => files.includes(url))
  .flatMap(({ functions }) => functions)
  .map(({ functionName, ranges: [{ count }] }) => [functionName, count / CALLS])
  .filter(([, times]) => times > 0);
process.stdout.write(JSON.stringify(functions));
