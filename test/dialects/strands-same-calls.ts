import { ALPHA, beta, cancelled, ran, type Same, texts } from "./strands-same.ts";
import { after, before, beforeSync, exported, literal, onCall, onResult, plugin, two } from "./strands-source.ts";

// biome-ignore format: a table
const CANCELLING: Same[] = [
  ["cancel = true gives the default reason", onCall("event.cancel = true;"), cancelled("Tool cancelled by hook")],
  ["a string in cancel is the reason", onCall('event.cancel = "not now";'), cancelled("not now")],
  ["an empty string in cancel cancels nothing", onCall('event.cancel = "";'), ran()],
  ["any other true value gives the default reason", onCall("event.cancel = { why: 1 };"),
    cancelled("Tool cancelled by hook")],
  ["a later callback may unset cancel",
    plugin(before('event.cancel = "no"; trail(event, "1");') + before("event.cancel = false;")), ran({ trail: "1" })],
  ["a later callback still runs, and sees cancel",
    plugin(before('event.cancel = "no";') + before("event.cancel = `${event.cancel}, and again`;")),
    cancelled("no, and again")],
  ["of two calls, the one that is not cancelled runs", onCall('if (event.toolUse.input.bad) event.cancel = "bad";'),
    { ran: [["beta", "call-2", {}]], results: [["error", { text: "bad" }], ["success", { text: "beta: {}" }]] },
    { turns: [[{ name: "alpha", input: { bad: true } }, { name: "beta", input: {} }]] }],
  ["a tool that fails has its own error, whatever the hook", onCall(""),
    { results: [["error", { text: "Error: boom" }]] }, { turns: [[{ name: "fails", input: {} }]] }],
];

// biome-ignore format: a table
const ORDER: Same[] = [
  ["async callbacks are awaited, one after the other",
    plugin(before('for (let turn = 0; turn < 50; turn++) await null; trail(event, "1");')
      + beforeSync('trail(event, "2");')), ran({ trail: "12" })],
  ["a promise that a callback returns is awaited",
    plugin(beforeSync('return new Promise((done: any) => setTimeout(() => { trail(event, "1"); done(); }, 5));')
      + before('trail(event, "2");')), ran({ trail: "12" })],
  ["what a callback returns changes nothing", onCall('return { other: "no" };'), ran()],
  ["the members of HookOrder are in the SDK's order",
    plugin(["SDK_LAST", "INTERVENTION_INPUT", "MODEL_ROUTING", "DEFAULT", "INTERVENTION_OUTPUT",
      "SDK_FIRST"].map((name, at) => before(`trail(event, "${at}");`, `HookOrder.${name}`)).join("")),
    ran({ trail: "543210" })],
  ["any number is an order, and equal ones run as added",
    plugin((["7", "-1000.5", "7", undefined, "0"] as const).map((order, at) =>
      before(`trail(event, "${"abcde"[at]}");`, order)).join("")), ran({ trail: "bdeac" })],
  ["after a call, lower orders run first, and equal ones in reverse",
    plugin(([undefined, undefined, "5", "5", "-5"] as const).map((order, at) =>
      after(`append(event, "${"abcde"[at]}");`, order)).join("")),
    { results: [["success", ...texts(ALPHA, "e", "b", "a", "d", "c")]] }],
  ["callbacks of several plugins in one list run by their orders, mixed",
    exported(`[${literal(before('trail(event, "a");') + before('trail(event, "b");', "3"), "one")},
        ${literal(before('trail(event, "c");', "-3") + before('trail(event, "d");'), "two")}]`),
    ran({ trail: "cadb" })],
  ["each of several modules sees the changes of the one before",
    two(before('trail(event, "a");'), before('trail(event, "b");')), ran({ trail: "ab" })],
  ["the order of its callback decides a module's position",
    two(before('trail(event, "a");', "10"), before('trail(event, "b");', "-10")), ran({ trail: "ba" })],
];

// biome-ignore format: a table
const REWRITING: Same[] = [
  ["the input changed in place, at any depth",
    onCall("event.toolUse.input.deep = { a: [1] }; event.toolUse.input.deep.a.push(2);"), ran({ deep: { a: [1, 2] } })],
  ["a key of the input removed", onCall("delete event.toolUse.input.text;"), { ran: [["alpha", "call-1", {}]] }],
  ["the input replaced", onCall("event.toolUse.input = { other: null };"),
    { ran: [["alpha", "call-1", { other: null }]], results: [["success", { text: 'alpha: {"other":null}' }]] }],
  ["toolUse replaced as a whole: name and input count, the id does not",
    onCall('event.toolUse = { name: "beta", toolUseId: "mine", input: { x: 1 } };'),
    { ran: [["beta", "call-1", { x: 1 }]] }],
  ["the name of another tool runs that tool", onCall('event.toolUse.name = "beta";'),
    { ...beta, results: [["success", { text: 'beta: {"text":"hi"}' }]] }],
  ["the name of no tool is an error", onCall('event.toolUse.name = "nope";'),
    cancelled("Tool 'nope' not found in registry")],
  ["a name changed back", plugin(before('event.toolUse.name = "nope";') + before('event.toolUse.name = "alpha";')),
    ran()],
  ["a changed id changes nothing", onCall('event.toolUse.toolUseId = "mine";'), ran()],
  ["selectedTool runs", onCall('event.selectedTool = event.agent.toolRegistry.get("beta");'), beta],
  ["selectedTool as the agent of initAgent resolves it",
    onCall('event.selectedTool = agent.toolRegistry.resolve("beta");'), beta],
  ["the last selectedTool wins",
    plugin(["json", "fails", "beta"].map((name) =>
      before(`event.selectedTool = agent.toolRegistry.get("${name}");`)).join("")), beta],
  ["selectedTool wins over a changed name",
    onCall('event.selectedTool = agent.toolRegistry.get("beta"); event.toolUse.name = "json";'), beta],
  ["where a later callback unsets selectedTool, the changed name counts",
    plugin(before('event.selectedTool = agent.toolRegistry.get("fails"); event.toolUse.name = "beta";')
      + before("event.selectedTool = undefined;")), beta],
  ["selectedTool = event.tool is the tool that was called",
    onCall('event.selectedTool = event.tool; event.toolUse.name = "nope";'), ran()],
  ["a call of a missing tool, redirected to an existing one", onCall('event.toolUse.name = "beta";'),
    { ran: [["beta", "call-1", { x: 1 }]] }, { turns: [[{ name: "missing", input: { x: 1 } }]] }],
  ["input and tool changed, then cancelled: the tool does not run",
    onCall('event.toolUse.input = {}; event.toolUse.name = "beta"; event.cancel = "after all";'),
    cancelled("after all")],
];

// biome-ignore format: a table
const RESULTS: Same[] = [
  ["a result replaced by texts", onResult(`const { toolUseId } = event.result;
      event.result = new ToolResultBlock({ toolUseId, status: "success", content: [new TextBlock("a"), new TextBlock("b")] });`),
    { results: [["success", ...texts("a", "b")]], ...ran() }],
  ["content of a result changed in place", onResult('event.result.content.push(new TextBlock("more"));'),
    { results: [["success", ...texts(ALPHA, "more")]] }],
  ["a secret removed from a result", onResult(`const { toolUseId, status, content } = event.result;
      const clean = content.map((block: any) => new TextBlock(block.text.replace("hi", "***")));
      event.result = new ToolResultBlock({ toolUseId, status, content: clean });`),
    { results: [["success", ...texts('alpha: {"text":"***"}')]] }],
  ["a result replaced by an image",
    onResult(`const image = new ImageBlock({ format: "png", source: { bytes: new Uint8Array([1, 2, 255]) } });
      event.result = new ToolResultBlock({ ...event.result, content: [image, new TextBlock(image.type)] });`),
    { results: [["success", { image: { format: "png", source: { bytes: "AQL/" } } }, ...texts("imageBlock")]] }],
  ["a result made an error", onResult('event.result = new ToolResultBlock({ ...event.result, status: "error" });'),
    { results: [["error", ...texts(ALPHA)]] }],
  ["an error made a result",
    onResult(`event.result = new ToolResultBlock({ toolUseId: "mine", status: "success", content: [new TextBlock("fine")] });`),
    { results: [["success", ...texts("fine")]] }, { turns: [[{ name: "fails", input: {} }]] }],
  ["a result emptied", onResult("event.result = new ToolResultBlock({ ...event.result, content: [] });"),
    { results: [["success"]] }],
  ["a result of JSON that no hook changes", onResult("event.result.content.slice();"),
    { results: [["success", { json: { kept: [1, null, "x"], secret: "s3" } }]] },
    { turns: [[{ name: "json", input: {} }]] }],
  ["a callback after the call sees how an earlier callback changed the input",
    plugin(before('trail(event, "in");') + after("append(event, event.toolUse.input.trail);")),
    { results: [["success", ...texts('alpha: {"text":"hi","trail":"in"}', "in")]] }],
  ["of two modules, the later one sees the result that the other left",
    two(after("append(event, `a${event.result.content.length}`);", "-1"),
      after("append(event, `b${event.result.content.length}`);")),
    { results: [["success", ...texts(ALPHA, "a1", "b2")]] }],
];

/** What a plugin does to a call and to its result. */
export const CALLS = {
  "cancelling a call": CANCELLING,
  "the order of callbacks": ORDER,
  "rewriting a call": REWRITING,
  "changing a result": RESULTS,
};
