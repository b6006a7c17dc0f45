import {
  APART,
  BY_NAME,
  type Difference,
  inputs,
  JUDGED_AGAIN,
  NEVER_A_THROW,
  ok,
  outcome,
  results,
  says,
  tell,
} from "./strands-difference.ts";
import { DATA, EVENTS, QUESTIONS } from "./strands-differences-data.ts";
import { after, before, plugin, starting } from "./strands-source.ts";

const THROWS: Difference[] = [
  {
    name: "an Error",
    rule: NEVER_A_THROW,
    source: plugin(before('throw new TypeError("broken");')),
    see: outcome,
    sdk: { ended: "rejected: broken", results: [], errors: [] },
    cordon: { ended: "endTurn", results: says("broken"), errors: [] },
  },
  {
    name: "something that is no Error",
    rule: NEVER_A_THROW,
    source: plugin(before('throw "a text";')),
    see: outcome,
    sdk: { ended: "rejected: a text", results: [], errors: [] },
    cordon: { ended: "endTurn", results: says("Hook failed, blocking execution: a text"), errors: [] },
  },
  {
    name: "a rejection, after which no later callback runs",
    rule: NEVER_A_THROW,
    source: plugin(before("await null; throw new Error(`broken ${later}`);") + before("later++;"), "let later = 0;"),
    turns: [
      [
        { name: "alpha", input: {} },
        { name: "beta", input: {} },
      ],
    ],
    see: outcome,
    sdk: { ended: "rejected: broken 0", results: [], errors: [] },
    cordon: { ended: "endTurn", results: [...says("broken 0"), ...says("broken 0")], errors: [] },
  },
  {
    name: "two interrupts of one name",
    rule: NEVER_A_THROW,
    source: plugin(before('event.interrupt({ name: "go" });') + before('event.interrupt({ name: "go" });')),
    see: (trace) => [trace.asked, outcome(trace)],
    sdk: [[], { ended: "rejected: interrupt_names=<go> | duplicate interrupt names", results: [], errors: [] }],
    cordon: [[], { ended: "endTurn", results: says("interrupt_names=<go> | duplicate interrupt names"), errors: [] }],
  },
  {
    name: "after the call: the result stays, and the error is told",
    rule: NEVER_A_THROW,
    source: plugin(after('throw new Error("too late");')),
    see: outcome,
    sdk: { ended: "rejected: too late", results: [], errors: [] },
    cordon: { ended: "endTurn", results: [["success", ok]], errors: ["too late"] },
  },
  {
    name: "when the agent starts: the error is told",
    rule: NEVER_A_THROW,
    source: plugin(starting('throw new Error("no start");')),
    see: outcome,
    sdk: { ended: "rejected: no start", results: [], errors: [] },
    cordon: { ended: "endTurn", results: [["success", ok]], errors: ["no start"] },
  },
  {
    name: "an event class that an agent has and a hook cannot hear: the hook does not load, and its gate is shut",
    rule: NEVER_A_THROW,
    source: plugin(`${before("")} agent.addHook(class BeforeModelCallEvent {}, () => {});`),
    see: ({ ended, ran, results: all }) => [ended, ran.length, JSON.stringify(all).includes("LOAD_FAILED")],
    sdk: ["endTurn", 1, false],
    cordon: ["endTurn", 0, true],
  },
];

const TOOLS: Difference[] = [
  {
    name: "a tool that the plugin made itself",
    rule: BY_NAME,
    source: plugin(
      before(`event.selectedTool = { name: "own", description: "d", toolSpec: {}, async *stream({ toolUse }: any) {
        return new ToolResultBlock({ toolUseId: toolUse.toolUseId, status: "success", content: [new TextBlock("own")] });
      } };`),
    ),
    see: results,
    sdk: [["success", { text: "own" }]],
    cordon: says("Tool 'own' not found in registry"),
  },
  {
    name: "a tool that the agent does not have",
    rule: BY_NAME,
    source: plugin(before('event.selectedTool = agent.toolRegistry.get("nope");')),
    see: results,
    sdk: [["success", ok]],
    cordon: says("Tool 'nope' not found in registry"),
  },
  {
    name: "what is known of a tool",
    rule: BY_NAME,
    source: tell("[event.tool.description, typeof event.tool.stream]"),
    see: results,
    sdk: says('["The tool alpha.","function"]'),
    cordon: says('[null,"undefined"]'),
  },
  {
    name: "a call of no tool",
    rule: BY_NAME,
    source: tell("event.tool?.name"),
    turns: [[{ name: "missing", input: {} }]],
    see: results,
    sdk: says("undefined"),
    cordon: says('"missing"'),
  },
  {
    name: "the names after a selectedTool",
    rule: BY_NAME,
    source: plugin(
      before('event.selectedTool = agent.toolRegistry.get("beta");') +
        after("append(event, `${event.toolUse.name} ${event.tool.name}`);"),
    ),
    see: ({ results: [result] }) => result?.[2],
    sdk: { text: "alpha beta" },
    cordon: { text: "beta beta" },
  },
  {
    name: "callbacks run for each of the two tools",
    rule: JUDGED_AGAIN,
    source: plugin(before('trail(event, event.toolUse.name + ";"); event.toolUse.name = "beta";')),
    see: inputs,
    sdk: [{ text: "hi", trail: "alpha;" }],
    cordon: [{ text: "hi", trail: "alpha;beta;" }],
  },
  {
    name: "a question is asked for each of the two tools",
    rule: JUDGED_AGAIN,
    source: plugin(before('event.interrupt({ name: "go" }); event.selectedTool = agent.toolRegistry.get("beta");')),
    see: ({ asked, ran }) => [asked, ran.map(([tool]) => tool)],
    sdk: [["go"], ["beta"]],
    cordon: [["go", "go"], ["beta"]],
  },
  {
    name: "a plugin that always wants the other tool",
    rule: JUDGED_AGAIN,
    source: plugin(before('event.toolUse.name = event.toolUse.name === "alpha" ? "beta" : "alpha";')),
    see: ({ ran, results: all }) => [ran.map(([tool]) => tool), all],
    sdk: [["beta"], [["success", { text: 'beta: {"text":"hi"}' }]]],
    cordon: [[], says("hooks chose another tool more than 3 times")],
  },
];

const second = (body: string): string => plugin(body).replace('"tested"', '"second"');

const MODULES: Difference[] = [
  {
    name: "a cancel of one, unset by the other",
    rule: APART,
    source: { first: plugin(before('event.cancel = "no";')), second: second(before("event.cancel = false;")) },
    see: results,
    sdk: [["success", ok]],
    cordon: says("no"),
  },
  {
    name: "callbacks after the call, of one order",
    rule: APART,
    source: { first: plugin(after('append(event, "a");')), second: second(after('append(event, "b");')) },
    see: results,
    sdk: [["success", ok, { text: "b" }, { text: "a" }]],
    cordon: [["success", ok, { text: "a" }, { text: "b" }]],
  },
  {
    name: "callbacks of both between each other",
    rule: APART,
    source: {
      first: plugin(before('trail(event, "1");', "1") + before('trail(event, "3");', "3")),
      second: second(before('trail(event, "2");', "2") + before('trail(event, "4");', "4")),
    },
    see: inputs,
    sdk: [{ text: "hi", trail: "1234" }],
    cordon: [{ text: "hi", trail: "1324" }],
  },
  {
    name: "interrupts of one name",
    rule: APART,
    source: {
      first: plugin(before('event.interrupt({ name: "go" });')),
      second: second(before('event.interrupt({ name: "go" });')),
    },
    see: ({ asked, ran, ended }) => [asked, ran.length, ended],
    sdk: [[], 0, "rejected: interrupt_names=<go> | duplicate interrupt names"],
    cordon: [["go", "go"], 1, "endTurn"],
  },
  {
    name: "each wants a tool of its own",
    rule: APART,
    source: {
      first: plugin(before('event.selectedTool = agent.toolRegistry.get("beta");')),
      second: second(before('event.selectedTool = agent.toolRegistry.get("json");')),
    },
    see: ({ ran, results: [result] }) => [ran.map(([tool]) => tool), result?.[0]],
    sdk: [["json"], "success"],
    cordon: [[], "error"],
  },
];

export const DIFFERENCES = { THROWS, TOOLS, MODULES, EVENTS, DATA, QUESTIONS };
