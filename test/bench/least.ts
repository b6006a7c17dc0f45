import { join } from "node:path";
import { Audit } from "../../src/audit/audit.ts";
import { plainCopy } from "../../src/verdicts/plain-copy.ts";
import type { Variant } from "./measure.ts";
import { bareChild, COLLECTS, EVENT, ending, HANDLER, linesOf, WITH_ADDON } from "./rivals.ts";

/**
 * Like (b), with what no host can leave out that keeps what Cordon promises of a verdict: our code in a realm of its own, beside
 * the hook's; a frozen `ctx`; the hook's promise read by the `then` of V8; a look at whether the input was changed.
 */
const LEAST_CHILD = `${WITH_ADDON}
let answers = [];
const reference = { result: { reference: true } };
const enter = () => {
  const isolate = new ivm.Isolate({ memoryLimit: 64 });
  const [theirs, ours] = [isolate.createContextSync(), isolate.createContextSync()];
  const realm = theirs.evalClosureSync(\`
    const { parse } = JSON;
    const { then } = Promise.prototype;
    const reactions = (done, failed) => [(value) => done(value), (reason) => failed(reason)];
    let handler;
    ${HANDLER.replaceAll("\\", "\\\\").replaceAll("`", "\\`")}
    factory({ on(type, it) { handler = it; } });
    return { parse, then, reactions, handler };
  \`, [], reference);
  const runtime = ours.evalClosureSync(\`
    const [post, realm] = [$0, $1];
    const { stringify } = JSON;
    const { apply } = Reflect;
    return (text) => {
      const { event, hasUI } = realm.parse(text);
      const before = stringify(event.input);
      const ui = Object.freeze({ select() {}, confirm() {}, input() {}, notify() {} });
      const ctx = Object.freeze({ ui, hasUI, exec() {} });
      const failed = () => post("failed");
      const done = (result) => {
        const after = stringify(event.input);
        post(after === before && result === undefined ? "" : stringify({ result, input: event.input }));
      };
      apply(realm.then, apply(realm.handler, undefined, [event, ctx]), realm.reactions(done, failed));
    };
  \`, [new ivm.Callback((text) => void answers.push(text)), realm.derefInto()], reference);
  return theirs.evalClosureSync("const deliver = $0; return (text) => deliver(text);", [runtime.derefInto()], reference);
};
const isolates = Array.from({ length: Number(process.argv[3]) }, enter);
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  answers = [];
  for (const deliver of isolates) deliver.applySync(undefined, [line]);
  process.stdout.write(JSON.stringify(answers) + "\\n");
});
if (process.argv[4] === "collects") {${COLLECTS}}
`;

/** `count`: its isolates. */
export const leastName = (count: number): string =>
  `(f) the least that keeps the promises${count === 1 ? "" : `, ${count} isolates`}`;

/**
 * Starts (f): a child like (b) with two realms in each isolate, and a host that copies what is plain of an input, reads the answers,
 * and has a line for each hook in its audit before it goes on. It has no deadlines, no watch, no grants, no errors.
 * `more`: "collects" for a child that does so, for what it takes of memory; any other starts as fast as a sandbox process may.
 */
export async function startLeast(folder: string, count = 1, ...more: "collects"[]): Promise<Variant> {
  const child = await bareChild(folder, "least.cjs", LEAST_CHILD, [String(count), ...more], more.length === 0);
  const ask = linesOf(child);
  const audit = new Audit(join(folder, "home"), { report: (problem) => console.error(problem) });
  const facts = Array.from({ length: count }, (_, at) => ({
    ...{ hook: join(folder, `gate-${at}.ts`), event: EVENT.type, value: EVENT.toolName, outcome: "pass" },
  }));
  const once = async (): Promise<void> => {
    const event = { ...EVENT, input: plainCopy(EVENT.input) };
    const answers: string[] = JSON.parse(await ask(JSON.stringify({ event, hasUI: false, sessionFile: null })));
    if (answers.length !== count || answers.some((answer) => answer !== "")) throw new Error(answers.join());
    if (!audit.write(...facts)) throw new Error("no line in the audit");
  };
  await once();
  const end = ending(child);
  return {
    name: leastName(count),
    once,
    close: async () => {
      audit.close();
      await end();
    },
  };
}
