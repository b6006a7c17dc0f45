import { type Difference, inputs, ok, outcome, refused, results, shows } from "./strands-differences.ts";
import { after, before, onCall, onResult, plugin, starting, two } from "./strands-source.ts";

// biome-ignore format: a table
const THROWS: Difference[] = [
  ["an Error becomes the reason of a cancelled call", onCall('throw new TypeError("broken");'), outcome,
    { sdk: { ended: "rejected: broken", results: [], errors: [] },
      cordon: { ended: "endTurn", results: refused("broken"), errors: [] } }],
  ["so does a thrown value that is not an Error", onCall('throw "a text";'), outcome,
    { sdk: { ended: "rejected: a text", results: [], errors: [] },
      cordon: { ended: "endTurn", results: refused("Hook failed, blocking execution: a text"), errors: [] } }],
  ["so does a rejection, and no later callback runs",
    plugin(before("await null; throw new Error(`broken ${later}`);") + before("later++;"), "let later = 0;"), outcome,
    { sdk: { ended: "rejected: broken 0", results: [], errors: [] },
      cordon: { ended: "endTurn", results: [...refused("broken 0"), ...refused("broken 0")], errors: [] } },
    { turns: [[{ name: "alpha", input: {} }, { name: "beta", input: {} }]] }],
  ["so do two interrupts with the same name",
    plugin(before('event.interrupt({ name: "go" });') + before('event.interrupt({ name: "go" });')),
    (trace) => [trace.asked, outcome(trace)],
    { sdk: [[], { ended: "rejected: interrupt_names=<go> | duplicate interrupt names", results: [], errors: [] }],
      cordon: [[],
        { ended: "endTurn", results: refused("interrupt_names=<go> | duplicate interrupt names"), errors: [] }] }],
  ["a throw after the call leaves the result, and is reported", onResult('throw new Error("too late");'), outcome,
    { sdk: { ended: "rejected: too late", results: [], errors: [] },
      cordon: { ended: "endTurn", results: [["success", ok]], errors: ["too late"] } }],
  ["a throw when the agent starts is reported", plugin(starting('throw new Error("no start");')), outcome,
    { sdk: { ended: "rejected: no start", results: [], errors: [] },
      cordon: { ended: "endTurn", results: [["success", ok]], errors: ["no start"] } }],
  ["a callback for an event that hooks cannot hear: the hook does not load, and blocks",
    plugin(`${before("")} agent.addHook(class BeforeModelCallEvent {}, () => {});`),
    ({ ended, ran, results: all }) => [ended, ran.length, JSON.stringify(all).includes("LOAD_FAILED")],
    { sdk: ["endTurn", 1, false], cordon: ["endTurn", 0, true] }],
];

// biome-ignore format: a table
const TOOLS: Difference[] = [
  ["a tool that the plugin made itself does not exist",
    onCall(`event.selectedTool = { name: "own", description: "d", toolSpec: {}, async *stream({ toolUse }: any) {
      return new ToolResultBlock({ toolUseId: toolUse.toolUseId, status: "success", content: [new TextBlock("own")] });
    } };`), results, { sdk: [["success", { text: "own" }]], cordon: refused("Tool 'own' not found in registry") }],
  ["a tool that the agent does not have is an error", onCall('event.selectedTool = agent.toolRegistry.get("nope");'),
    results, { sdk: [["success", ok]], cordon: refused("Tool 'nope' not found in registry") }],
  ["a plugin knows only the name of a tool", shows("[event.tool.description, typeof event.tool.stream]"),
    results, { sdk: refused('["The tool alpha.","function"]'), cordon: refused('[null,"undefined"]') }],
  ["a call of an unknown tool has a tool with that name", shows("event.tool?.name"), results,
    { sdk: refused("undefined"), cordon: refused('"missing"') }, { turns: [[{ name: "missing", input: {} }]] }],
  ["after a selectedTool, the call has the name of the tool that ran",
    plugin(before('event.selectedTool = agent.toolRegistry.get("beta");')
      + after("append(event, `${event.toolUse.name} ${event.tool.name}`);")), ({ results: [result] }) => result?.[2],
    { sdk: { text: "alpha beta" }, cordon: { text: "beta beta" } }],
];

// biome-ignore format: a table
const CHOICES: Difference[] = [
  ["callbacks run for each of the two tools",
    onCall('trail(event, event.toolUse.name + ";"); event.toolUse.name = "beta";'), inputs,
    { sdk: [{ text: "hi", trail: "alpha;" }], cordon: [{ text: "hi", trail: "alpha;beta;" }] }],
  ["a question is asked for each of the two tools",
    onCall('event.interrupt({ name: "go" }); event.selectedTool = agent.toolRegistry.get("beta");'),
    ({ asked, ran }) => [asked, ran.map(([tool]) => tool)],
    { sdk: [["go"], ["beta"]], cordon: [["go", "go"], ["beta"]] }],
  ["a plugin that always chooses the other tool is stopped",
    onCall('event.toolUse.name = event.toolUse.name === "alpha" ? "beta" : "alpha";'),
    ({ ran, results: all }) => [ran.map(([tool]) => tool), all],
    { sdk: [["beta"], [["success", { text: 'beta: {"text":"hi"}' }]]],
      cordon: [[], refused("hooks chose another tool more than 3 times")] }],
];

// biome-ignore format: a table
const MODULES: Difference[] = [
  ["one cannot unset the other's cancel", two(before('event.cancel = "no";'), before("event.cancel = false;")), results,
    { sdk: [["success", ok]], cordon: refused("no") }],
  ["callbacks after the call, of one order, run in load order",
    two(after('append(event, "a");'), after('append(event, "b");')), results,
    { sdk: [["success", ok, { text: "b" }, { text: "a" }]], cordon: [["success", ok, { text: "a" }, { text: "b" }]] }],
  ["all callbacks of one module run before those of the other",
    two(before('trail(event, "1");', "1") + before('trail(event, "3");', "3"),
      before('trail(event, "2");', "2") + before('trail(event, "4");', "4")), inputs,
    { sdk: [{ text: "hi", trail: "1234" }], cordon: [{ text: "hi", trail: "1324" }] }],
  ["two interrupts with the same name are both asked",
    two(before('event.interrupt({ name: "go" });'), before('event.interrupt({ name: "go" });')),
    ({ asked, ran, ended }) => [asked, ran.length, ended],
    { sdk: [[], 0, "rejected: interrupt_names=<go> | duplicate interrupt names"],
      cordon: [["go", "go"], 1, "endTurn"] }],
  ["two that each choose a tool of their own block the call",
    two(before('event.selectedTool = agent.toolRegistry.get("beta");'),
      before('event.selectedTool = agent.toolRegistry.get("json");')),
    ({ ran, results: [result] }) => [ran.map(([tool]) => tool), result?.[0]],
    { sdk: [["json"], "success"], cordon: [[], "error"] }],
];

// biome-ignore format: a table
export const CALLS: Record<string, Difference[]> = {
  "in the SDK a plain throw rejects the whole invoke(): a dead hook must become cancel, never a throw": THROWS,
  "selectedTool crosses as a tool name": TOOLS,
  "policy: a call that becomes one of another tool is judged as such, by all": CHOICES,
  "policy: bundles judge one after the other, each by itself, and the first block is final": MODULES,
};
