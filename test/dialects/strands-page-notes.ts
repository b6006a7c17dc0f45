import { becomes, blocked, runs, runsWith, type Sentence, tells, told } from "./strands-page-cases.ts";

// biome-ignore format: a table
export const QUESTIONS: Sentence[] = [
  ["Raises an interrupt for human-in-the-loop workflows: name and reason are asked, the response is returned",
    [`event.toolUse.input.said = event.interrupt({ name: "approve", reason: "Really?" });`],
    runsWith({ said: "typed" }), ["approve: Really?"]],
  ["reason is optional", ['event.interrupt({ name: "approve" });'], runs, ["approve"]],
  ["reason may be any JSON", ['event.interrupt({ name: "approve", reason: [1, { a: null }] });'], runs,
    ['approve: [1,{"a":null}]']],
  ["If a response is available (from a previous resume), returns it immediately",
    ['const one = event.interrupt({ name: "a" }), again = event.interrupt({ name: "a" }); event.toolUse.input.said = one + again;'],
    runsWith({ said: "typedtyped" }), ["a"]],
  ["Otherwise, throws an InterruptError to halt agent execution: what stands after it waits for the answer",
    ['agent.appState.set("n", 0); event.interrupt({ name: "a" }); agent.appState.set("n", 1);',
      tells('agent.appState.get("n")')], told(1), ["a"]],
  ["The InterruptError has a name, a message and its interrupts",
    [`try { event.interrupt({ name: "a", reason: 1 }); } catch (error) { ${tells("[error instanceof Error, error.name, error.message, error.interrupts]")} }`],
    told([true, "InterruptError", "Interrupt raised: a",
      [{ id: "hook:beforeToolCall:call-1:a", name: "a", reason: 1, source: "hook" }]])],
  ["interrupt is synchronous: an answer known beforehand is returned",
    [tells('event.interrupt({ name: "a", response: { known: true } })')], told({ known: true })],
  ["on resume the callback runs again from the top, so it must be repeatable",
    ['const n = (agent.appState.get("top") ?? 0) + 1; agent.appState.set("top", n); event.toolUse.input.runs = n; if (event.interrupt({ name: "a" })) agent.appState.delete("top");'],
    runsWith({ runs: 2 }), ["a"]],
  ["Swallowing the InterruptError lets the tool run", ['try { event.interrupt({ name: "a" }); } catch {}']],
  ["interrupts of several callbacks are asked one after the other, in their order",
    ["c", "a", "b"].map((name) => `event.interrupt({ name: "${name}", reason: "of ${name}" });`), runs,
    ["c: of c", "a: of a", "b: of b"]],
  ["interrupt names are unique within one event",
    ['event.interrupt({ name: "a" });', 'event.interrupt({ name: "a" });'],
    blocked("interrupt_names=<a> | duplicate interrupt names")],
  ["questions without end block the call", ['for (let n = 0; ; n++) event.interrupt({ name: "q" + n });'],
    blocked("more than 20 interrupts for one tool call"), Array.from({ length: 20 }, (_, n) => `q${n}`)],
];

/** What the page leaves out, and the SDK does. */
// biome-ignore format: a table
export const UNSAID: Sentence[] = [
  ["Callbacks may be async and are awaited in order",
    ['await new Promise((done) => setTimeout(done, 1)); event.toolUse.input.trail = "1";',
      'await null; event.toolUse.input.trail += "2";'], runsWith({ trail: "12" })],
  ["cancel is not terminal within one bundle: the later callbacks run, and may unset it",
    ['event.cancel = "no";', "event.cancel = false; event.toolUse.input.later = true;"], runsWith({ later: true })],
  ["selectedTool crosses as a tool name: a tool of the plugin's own is no more than that",
    ['event.selectedTool = { name: "made", stream() { throw new Error("never"); } };'], becomes("made")],
  ["a selectedTool without a name blocks", ["event.selectedTool = {};"],
    blocked({ has: "event.selectedTool is not a tool: it has no name" })],
  ["an input that is no object blocks", ["event.toolUse.input = [1];"],
    blocked({ has: "event.toolUse.input was replaced by something that is not an object" })],
  ["a toolUse that is no object blocks", ["event.toolUse = null;"],
    blocked({ has: "event.toolUse was replaced by something that is not an object" })],
  ...["model", "messages", "systemPrompt", "metrics", "sandbox", "storage", "addMiddleware", "takeSnapshot", "cancelSignal"]
    .map((key): Sentence => [
      `agent.${key}, which is in the agent's process alone, throws an error that names it`,
      [`try { event.agent.${key}; } catch (error) { event.cancel = error.message; }`],
      blocked(`agent.${key} cannot be offered to a hook: it is in the agent's own process`),
    ]),
];
