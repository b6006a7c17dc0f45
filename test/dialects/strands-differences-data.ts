import { type Difference, inputs, ranAndEnd, refused, results, shows } from "./strands-differences.ts";
import { after, before, ending, exported, literal, onCall, onResult, plugin, starting } from "./strands-source.ts";

// biome-ignore format: a table
const PROCESS: Difference[] = [
  ["the agent's messages", shows("event.agent.messages.length"), results,
    { sdk: refused("1"),
      cordon: refused("agent.messages cannot be offered to a hook: it is in the agent's own process") }],
  ["a note in invocationState", onCall('event.invocationState.note = "mine";'), results,
    { sdk: [["success", { text: 'state: {"note":"mine"}' }]], cordon: [["success", { text: "state: {}" }]] },
    { turns: [[{ name: "state", input: {} }]] }],
  ["tools of a plugin",
    exported(`{ name: "p", initAgent() {}, getTools: () => [{ name: "own", description: "d", toolSpec: {}, async *stream({ toolUse }: any) {
        return new ToolResultBlock({ toolUseId: toolUse.toolUseId, status: "success", content: [new TextBlock("own")] });
      } }] }`), results, { sdk: [["success", { text: "own" }]], cordon: refused("Tool 'own' not found in registry") },
    { turns: [[{ name: "own", input: {} }]] }],
];

// biome-ignore format: a table
const COPY: Difference[] = [
  ["the model reads its own call unchanged, even if a plugin changed the input",
    onCall('event.toolUse.input.text = "changed";'), ({ ran: [call], history }) => [call?.[2], history],
    { sdk: [{ text: "changed" }, [{ text: "changed" }]], cordon: [{ text: "changed" }, [{ text: "hi" }]] }],
  ["a change of the input before a question is made once",
    onCall('event.toolUse.input.text += "!"; event.interrupt({ name: "go" });'), inputs,
    { sdk: [{ text: "hi!!" }], cordon: [{ text: "hi!" }] }],
];

// biome-ignore format: a table
const PLAIN: Difference[] = [
  ["an input that is replaced by a string blocks", onCall('event.toolUse.input = "text";'),
    ({ ran, results: all }) => [ran.length, JSON.stringify(all).includes("BAD_RESULT")],
    { sdk: [1, false], cordon: [0, true] }],
  ["a plugin sees a result of JSON as text", onResult("append(event, event.result.content[0].type);"), results,
    { sdk: [["success", { json: { kept: [1, null, "x"], secret: "s3" } }, { text: "jsonBlock" }]],
      cordon: [["success", { text: '{"kept":[1,null,"x"],"secret":"s3"}' }, { text: "textBlock" }]] },
    { turns: [[{ name: "json", input: {} }]] }],
  ["JSON instead of a result becomes text",
    onResult("event.result = new ToolResultBlock({ ...event.result, content: [new JsonBlock({ json: { a: [1] } })] });"),
    results, { sdk: [["success", { json: { a: [1] } }]], cordon: [["success", { text: '{"a":[1]}' }]] }],
];

// biome-ignore format: a table
const WORDS: Difference[] = [
  ["a long reason is cut", onCall('event.cancel = "x".repeat(5000);'),
    ({ results: all }) => JSON.stringify(all).match(/xx+…?/)?.[0].length, { sdk: 5000, cordon: 2000 }],
  ["a reason loses its control characters", onCall('event.cancel = "\\u001b[31mred";'), results,
    { sdk: refused("\u001b[31mred"), cordon: refused("red") }],
];

// biome-ignore format: a table
const QUESTIONS: Difference[] = [
  ["an invocation continues after a question",
    plugin(starting('told += "(";') + ending('told += ")";')
        + before('event.interrupt({ name: "go" }); event.cancel = told;'), 'let told = "";'), results,
    { sdk: refused("()("), cordon: refused("(") }],
  ["without an answer the call is cancelled", onCall('event.interrupt({ name: "go" });'),
    ({ ran, results: all, ended, errors }) => ({ ran, results: all, ended, errors }),
    { sdk: { ran: [], results: [], ended: "interrupt", errors: [] },
      cordon: { ran: [], results: refused("Interrupt go was not answered"), ended: "endTurn", errors: [] } },
    { answers: () => null }],
  ["an answer is a string", onCall('event.toolUse.input = { said: event.interrupt({ name: "go" }) };'), inputs,
    { sdk: [{ said: true }], cordon: [{ said: "true" }] }, { answers: () => true }],
  ["a swallowed interrupt is not asked beside one that is let through",
    plugin(before('try { event.interrupt({ name: "first" }); } catch {}')
      + before('event.interrupt({ name: "second" });')), ({ asked }) => asked,
    { sdk: ["first", "second"], cordon: ["second"] }],
];

// biome-ignore format: a table
export const DATA: Record<string, Difference[]> = {
  "policy: what is in the agent's process stays there": PROCESS,
  "policy: a hook has a copy of the call; its changes cross when all callbacks have run": COPY,
  "policy: a tool's input is an object; content is text and images": PLAIN,
  "policy: a hook's words are cleaned and cut before a model reads them": WORDS,
  "policy: an interrupt is a question through ctx.ui.input, and what is typed is the answer": QUESTIONS,
  "policy: a blocked call has no result, so After* does not hear of it": [
    ["after a call that was cancelled", plugin(before('event.cancel = "no";') + after('append(event, "after");')),
      results, { sdk: [["error", { text: "no" }, { text: "after" }]], cordon: refused("no") }],
  ],
  "policy: retry is not offered, and reported": [
    ["retry", onResult("event.retry = ++runs < 3;", "let runs = 0;"), ({ ran, errors }) => [ran.length, errors],
      { sdk: [3, []], cordon: [1, ["event.retry cannot be offered to a hook: the tool has run once"]] }],
  ],
  "policy: a plugin's name is its author's, and decides nothing": [
    ["two plugins with the same name",
      exported(`[${literal(before('trail(event, "1");'))}, ${literal(before('trail(event, "2");'))}]`), ranAndEnd,
      { sdk: [[], "rejected: plugin_name=<tested> | plugin already registered"],
        cordon: [[["alpha", "call-1", { text: "hi", trail: "12" }]], "endTurn"] }],
  ],
};
