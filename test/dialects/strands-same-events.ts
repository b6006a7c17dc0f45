import { ALPHA, cancelled, ran, type Same, texts } from "./strands-same.ts";
import {
  before,
  beforeSync,
  ending,
  exported,
  literal,
  named,
  onCall,
  onResult,
  plugin,
  starting,
  two,
} from "./strands-source.ts";

const STARTED = '[{"type":"beforeInvocationEvent"},"beforeInvocationEvent"]true';
const ENDED = '[{"type":"afterInvocationEvent"},"afterInvocationEvent"]truesecond';

// biome-ignore format: a table
const SHAPES: Same[] = [
  ["BeforeToolCallEvent has its class, type, tool, toolUse, cancel, selectedTool and interrupt",
    onCall(`event.cancel = JSON.stringify([event instanceof BeforeToolCallEvent, event.type, event.cancel,
      event.selectedTool === undefined, event.tool.name, event.toolUse, typeof event.interrupt, Object.keys(event.toolUse)]);`),
    cancelled('[true,"beforeToolCallEvent",false,true,"alpha",{"name":"alpha","toolUseId":"call-1","input":{"text":"hi"}},"function",["name","toolUseId","input"]]')],
  ["BeforeToolCallEvent as JSON", onCall("event.toolUse.input.more = 1; event.cancel = JSON.stringify(event);"),
    cancelled('{"type":"beforeToolCallEvent","toolUse":{"name":"alpha","toolUseId":"call-1","input":{"text":"hi","more":1}}}')],
  ["AfterToolCallEvent as JSON", onResult("append(event, JSON.stringify(event));"),
    { results: [["success", ...texts(ALPHA,
      '{"type":"afterToolCallEvent","toolUse":{"name":"alpha","toolUseId":"call-1","input":{"text":"hi"}},"result":{"toolResult":{"toolUseId":"call-1","status":"success","content":[{"text":"alpha: {\\"text\\":\\"hi\\"}"}]}}}')]] }],
  ["AfterToolCallEvent as JSON has the error of a tool that failed",
    onResult("append(event, JSON.stringify(JSON.parse(JSON.stringify(event)).error));"),
    { results: [["error", ...texts("Error: boom", '{"message":"boom"}')]] },
    { turns: [[{ name: "fails", input: {} }]] }],
  ["AfterToolCallEvent has its class, type, tool, result, error and retry",
    onResult(`append(event, JSON.stringify([event instanceof AfterToolCallEvent, event.type, event.tool.name,
      event.result instanceof ToolResultBlock, event.result.type, event.result.toolUseId, event.result.status,
      event.result.content[0] instanceof TextBlock, event.result.content[0].type, event.error === undefined,
      event.retry === undefined]));`),
    { results: [["success", ...texts(ALPHA,
      '[true,"afterToolCallEvent","alpha",true,"toolResultBlock","call-1","success",true,"textBlock",true,true]')]] }],
  ["the error of a tool that failed is an Error, in the event and in its result",
    onResult("append(event, [event.error instanceof Error, event.error.message, event.result.error.message].join());"),
    { results: [["error", ...texts("Error: boom", "true,boom,boom")]] }, { turns: [[{ name: "fails", input: {} }]] }],
  ["the events around an invocation come in their order",
    plugin(starting("told += JSON.stringify([event, event.type]) + (event instanceof BeforeInvocationEvent);")
      + ending('told += "second";')
      + ending("told += JSON.stringify([event, event.type]) + (event instanceof AfterInvocationEvent);")
      + before("event.cancel = told;"), 'let told = "";'),
    { results: [["error", ...texts(STARTED)], ["error", ...texts(`${STARTED}${ENDED}${STARTED}`)]] },
    { invocations: 2, turns: [[{ name: "alpha", input: {} }], [{ name: "beta", input: {} }]] }],
  ["invocationState is the agent's",
    onCall("event.cancel = `${event.invocationState.user.id} ${Object.keys(event.invocationState)}`;"),
    cancelled("u1 user,trace"), { state: { user: { id: "u1" }, trace: 7 } }],
  ["event.agent is the agent of initAgent, with its state", onCall(`const { appState } = event.agent;
      appState.set("n", (appState.get("n") ?? 0) + 1);
      event.cancel = JSON.stringify([event.agent === agent, appState.getAll(), appState.keys(), typeof event.agent.addHook]);`),
    cancelled('[true,{"n":1},["n"],"function"]')],
  ["invocationState is empty if the agent gives none",
    onCall("event.cancel = JSON.stringify(event.invocationState);"), cancelled("{}")],
  ["a plugin made by a class keeps its private members", exported(`class Gate {
      name = "gate";
      #marks = "x";
      initAgent(agent: any) { agent.addHook(BeforeToolCallEvent, this.#judge); }
      #judge = (event: any) => { trail(event, this.#marks); this.#marks += "y"; };
    }`), { ran: [["alpha", "call-1", { trail: "x" }], ["beta", "call-2", { trail: "xy" }]] },
    { turns: [[{ name: "alpha", input: {} }], [{ name: "beta", input: {} }]] }],
  ["plugins exported by name, one an object and one a class",
    named(`export const First = ${literal(before('trail(event, "1");'), "one")};
      export class Second {
        get name() { return "two"; }
        initAgent(agent: any) { ${before('trail(event, "2");')} }
      }`), ran({ trail: "12" })],
];

const asks = (name: string, rest = ""): string => `event.interrupt({ name: ${JSON.stringify(name)}${rest} })`;
const said = (answer: unknown): Partial<Same[2]> => ({ ran: [["alpha", "call-1", { said: answer }]] });

// biome-ignore format: a table
const INTERRUPTS: Same[] = [
  ["an interrupt returns its answer",
    onCall(`event.toolUse.input = { said: ${asks("go", ', reason: "Delete it?"')} };`),
    { asked: ["go: Delete it?"], ...said("sure"), ended: "endTurn" }, { answers: () => "sure" }],
  ["an interrupt without a reason, in a callback that is not async",
    plugin(beforeSync(`event.toolUse.input = { said: ${asks("go")} };`)), { asked: ["go"], ...said("yes") }],
  ["an interrupt whose reason is JSON", onCall(asks("go", ", reason: { path: [1, null] }")),
    { asked: ['go: {"path":[1,null]}'], ...ran() }],
  ["an answer that refuses cancels the call", onCall(`if (${asks("go")} !== "yes") event.cancel = "refused";`),
    { asked: ["go"], ...cancelled("refused") }, { answers: () => "no" }],
  ["an empty answer is an answer", onCall(`event.toolUse.input = { said: ${asks("go")} };`),
    { asked: ["go"], ...said("") }, { answers: () => "" }],
  ["two interrupts of one callback are asked one after the other",
    onCall(`event.toolUse.input = { said: [${asks("first")}, ${asks("second")}] };`),
    { asked: ["first", "second"], ...said(["first!", "second!"]) }, { answers: (asked) => `${asked}!` }],
  ["interrupts of two callbacks are asked together",
    plugin(before(`trail(event, ${asks("a")});`) + before('trail(event, "-");')
      + before(`trail(event, ${asks("b")});`)), { asked: ["a", "b"], ...ran({ trail: "A-B" }) },
    { answers: (asked) => asked.toUpperCase() }],
  ["with the answer all callbacks run again from the top, on a new event",
    plugin(before("trail(event, `${++runs}`); event.cancel ||= runs === 1;")
      + before(`${asks("go")}; trail(event, "x");`), "let runs = 0;"), { asked: ["go"], ...ran({ trail: "2x" }) }],
  ["a response given with the interrupt is returned, and nobody is asked",
    onCall(`event.toolUse.input = { said: ${asks("go", ", response: { trusted: true }")} };`),
    { asked: [], ...said({ trusted: true }) }],
  ["a response given with the interrupt may be null, and is kept under its name",
    onCall(`event.toolUse.input = { said: [${asks("go", ", response: null")}, ${asks("go")}] };`),
    { asked: [], ...said([null, null]) }],
  ["an interrupt that its callback swallows asks nobody",
    onCall(`try { ${asks("go")} } catch (error) { trail(event, error.name + ": " + error.message); }`),
    { asked: [], ...ran({ trail: "InterruptError: Interrupt raised: go" }) }],
  ["an interrupt after cancel was set is asked", onCall(`event.cancel = "no"; event.cancel += ${asks("go")};`),
    { asked: ["go"], ...cancelled("noyes") }],
  ["the same name in two calls is two questions", onCall(`event.toolUse.input = { said: ${asks("go")} };`),
    { asked: ["go", "go"], ran: [["alpha", "call-1", { said: "yes" }], ["beta", "call-2", { said: "yes" }]] },
    { turns: [[{ name: "alpha", input: {} }], [{ name: "beta", input: {} }]] }],
  ["of two calls at once, one asks",
    onCall(`if (event.toolUse.input.ask) trail(event, ${asks("go")}); else trail(event, "-");`),
    { asked: ["go"], ran: [["alpha", "call-1", { ask: true, trail: "yes" }], ["beta", "call-2", { trail: "-" }]] },
    { turns: [[{ name: "alpha", input: { ask: true } }, { name: "beta", input: {} }]], executor: "concurrent" }],
  ["a later module may interrupt", two(before('trail(event, "a");'), before(`trail(event, ${asks("go")});`)),
    { asked: ["go"], ...ran({ trail: "ab" }) }, { answers: () => "b" }],
];

/** Two calls, and the marks that callbacks left on the input of each. */
const TWO = { turns: [[{ name: "alpha", input: {} }], [{ name: "beta", input: {} }]] };
const trails = (first: object, second: object): Same[2] => ({
  ran: [
    ["alpha", "call-1", first],
    ["beta", "call-2", second],
  ],
});

// biome-ignore format: a table
const ADDED: Same[] = [
  ["the function that addHook returns removes the callback",
    plugin(`const stop = agent.addHook(BeforeToolCallEvent, (event: any) => { trail(event, "1"); stop(); });
      ${before('trail(event, "2");')}`), trails({ trail: "12" }, { trail: "2" }), TWO],
  ["a callback taken out during its event still runs once; taking it out twice takes out no other",
    plugin(`agent.addHook(BeforeToolCallEvent, () => { stop(); stop(); });
      ${before('trail(event, "1");')}
      const stop = agent.addHook(BeforeToolCallEvent, (event: any) => trail(event, "2"));`),
    trails({ trail: "12" }, { trail: "1" }), TWO],
  ["the last callback may be removed",
    plugin('const stop = agent.addHook(BeforeToolCallEvent, (event: any) => { trail(event, "1"); stop(); });'),
    trails({ trail: "1" }, {}), TWO],
  ["a callback added during an event hears the next one", plugin(`agent.addHook(BeforeToolCallEvent, (event: any) => {
      trail(event, "1");
      if (!added) { added = true; ${before('trail(event, "2");', "-1")} }
    });`, "let added = false;"), trails({ trail: "1" }, { trail: "21" }), TWO],
  ["a plugin without callbacks may add one when the agent starts",
    plugin(`agent.addHook(BeforeInvocationEvent, () => { ${before('trail(event, "1");')} });`),
    trails({ trail: "1" }, { trail: "1" }), TWO],
  ["the same callback added twice runs twice", plugin(`const mark = (event: any) => trail(event, "1");
      agent.addHook(BeforeToolCallEvent, mark); agent.addHook(BeforeToolCallEvent, mark);`), ran({ trail: "11" })],
  ["a plugin that adds nothing changes nothing", plugin(""), ran()],
];

/** What a plugin is given, what it asks, and which callbacks it has. */
export const EVENTS = {
  "what a plugin is given": SHAPES,
  interrupts: INTERRUPTS,
  "callbacks added and taken out": ADDED,
};
