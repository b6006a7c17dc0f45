import {
  COPY,
  type Difference,
  ITS_PROCESS,
  inputs,
  NOT_BLOCKED,
  PLAIN,
  RETRY,
  ranAndEnd,
  results,
  says,
  TYPED,
  tell,
  WITHIN,
} from "./strands-difference.ts";
import { after, before, ending, exported, literal, plugin, starting } from "./strands-source.ts";

export const EVENTS: Difference[] = [
  {
    name: "after a call that was cancelled",
    rule: NOT_BLOCKED,
    source: plugin(before('event.cancel = "no";') + after('append(event, "after");')),
    see: results,
    sdk: [["error", { text: "no" }, { text: "after" }]],
    cordon: says("no"),
  },
  {
    name: "retry",
    rule: RETRY,
    source: plugin(after("event.retry = ++runs < 3;"), "let runs = 0;"),
    see: ({ ran, errors }) => [ran.length, errors],
    sdk: [3, []],
    cordon: [1, ["event.retry cannot be offered to a hook: the tool has run once"]],
  },
  {
    name: "an invocation around a question",
    rule: TYPED,
    source: plugin(
      starting('told += "(";') +
        ending('told += ")";') +
        before('event.interrupt({ name: "go" }); event.cancel = told;'),
      'let told = "";',
    ),
    see: results,
    sdk: says("()("),
    cordon: says("("),
  },
  {
    name: "what the agent's process alone has",
    rule: ITS_PROCESS,
    source: tell("event.agent.messages.length"),
    see: results,
    sdk: says("1"),
    cordon: says("agent.messages cannot be offered to a hook: it is in the agent's own process"),
  },
  {
    name: "a note in invocationState",
    rule: ITS_PROCESS,
    source: plugin(before('event.invocationState.note = "mine";')),
    turns: [[{ name: "state", input: {} }]],
    see: results,
    sdk: [["success", { text: 'state: {"note":"mine"}' }]],
    cordon: [["success", { text: "state: {}" }]],
  },
  {
    name: "tools of a plugin",
    rule: ITS_PROCESS,
    source: exported(
      `{ name: "p", initAgent() {}, getTools: () => [{ name: "own", description: "d", toolSpec: {}, async *stream({ toolUse }: any) {
        return new ToolResultBlock({ toolUseId: toolUse.toolUseId, status: "success", content: [new TextBlock("own")] });
      } }] }`,
    ),
    turns: [[{ name: "own", input: {} }]],
    see: results,
    sdk: [["success", { text: "own" }]],
    cordon: says("Tool 'own' not found in registry"),
  },
  {
    name: "two plugins of one name",
    rule: "policy: a plugin's name is its author's, and decides nothing",
    source: exported(`[${literal(before('trail(event, "1");'))}, ${literal(before('trail(event, "2");'))}]`),
    see: ranAndEnd,
    sdk: [[], "rejected: plugin_name=<tested> | plugin already registered"],
    cordon: [[["alpha", "call-1", { text: "hi", trail: "12" }]], "endTurn"],
  },
];

export const DATA: Difference[] = [
  {
    name: "an input mutated in place, as the model reads it in its own call",
    rule: COPY,
    source: plugin(before('event.toolUse.input.text = "changed";')),
    see: ({ ran: [call], history }) => [call?.[2], history],
    sdk: [{ text: "changed" }, [{ text: "changed" }]],
    cordon: [{ text: "changed" }, [{ text: "hi" }]],
  },
  {
    name: "an input mutated in place before a question, when the answer is there",
    rule: COPY,
    source: plugin(before('event.toolUse.input.text += "!"; event.interrupt({ name: "go" });')),
    see: inputs,
    sdk: [{ text: "hi!!" }],
    cordon: [{ text: "hi!" }],
  },
  {
    name: "an input replaced by a text",
    rule: PLAIN,
    source: plugin(before('event.toolUse.input = "text";')),
    see: ({ ran, results: all }) => [ran.length, JSON.stringify(all).includes("BAD_RESULT")],
    sdk: [1, false],
    cordon: [0, true],
  },
  {
    name: "a result of JSON, as a plugin has it",
    rule: PLAIN,
    source: plugin(after("append(event, event.result.content[0].type);")),
    turns: [[{ name: "json", input: {} }]],
    see: results,
    sdk: [["success", { json: { kept: [1, null, "x"], secret: "s3" } }, { text: "jsonBlock" }]],
    cordon: [["success", { text: '{"kept":[1,null,"x"],"secret":"s3"}' }, { text: "textBlock" }]],
  },
  {
    name: "a result replaced by JSON",
    rule: PLAIN,
    source: plugin(
      after("event.result = new ToolResultBlock({ ...event.result, content: [new JsonBlock({ json: { a: [1] } })] });"),
    ),
    see: results,
    sdk: [["success", { json: { a: [1] } }]],
    cordon: [["success", { text: '{"a":[1]}' }]],
  },
  {
    name: "a long reason",
    rule: WITHIN,
    source: plugin(before('event.cancel = "x".repeat(5000);')),
    see: ({ results: all }) => JSON.stringify(all).match(/xx+…?/)?.[0].length,
    sdk: 5000,
    cordon: 2000,
  },
  {
    name: "a reason with control characters",
    rule: WITHIN,
    source: plugin(before('event.cancel = "\\u001b[31mred";')),
    see: results,
    sdk: says("\u001b[31mred"),
    cordon: says("red"),
  },
];

export const QUESTIONS: Difference[] = [
  {
    name: "nobody answers",
    rule: TYPED,
    source: plugin(before('event.interrupt({ name: "go" });')),
    answers: () => null,
    see: ({ ran, results: all, ended, errors }) => ({ ran, results: all, ended, errors }),
    sdk: { ran: [], results: [], ended: "interrupt", errors: [] },
    cordon: { ran: [], results: says("Interrupt go was not answered"), ended: "endTurn", errors: [] },
  },
  {
    name: "an answer that is no text",
    rule: TYPED,
    source: plugin(before('event.toolUse.input = { said: event.interrupt({ name: "go" }) };')),
    answers: () => true,
    see: inputs,
    sdk: [{ said: true }],
    cordon: [{ said: "true" }],
  },
  {
    name: "a swallowed interrupt beside one that is let through",
    rule: TYPED,
    source: plugin(
      before('try { event.interrupt({ name: "first" }); } catch {}') + before('event.interrupt({ name: "second" });'),
    ),
    see: ({ asked }) => asked,
    sdk: ["first", "second"],
    cordon: ["second"],
  },
];
