import { becomes, blocked, CALLED, rewritten, type Sentence, tells, told } from "./strands-page-cases.ts";

export const QUESTIONS: Sentence[] = [
  {
    says: "Raises an interrupt for human-in-the-loop workflows: name and reason are asked, the response is returned",
    callbacks: [`event.toolUse.input.said = event.interrupt({ name: "approve", reason: "Really?" });`],
    asked: ["[hook plugin] approve: Really?"],
    outcome: rewritten({ ...CALLED, said: "typed" }),
  },
  {
    says: "reason is optional",
    callbacks: ['event.interrupt({ name: "approve" });'],
    asked: ["[hook plugin] approve"],
  },
  {
    says: "reason may be any JSON",
    callbacks: ['event.interrupt({ name: "approve", reason: [1, { a: null }] });'],
    asked: ['[hook plugin] approve: [1,{"a":null}]'],
  },
  {
    says: "If a response is available (from a previous resume), returns it immediately",
    callbacks: [
      'const one = event.interrupt({ name: "a" }), again = event.interrupt({ name: "a" }); event.toolUse.input.said = one + again;',
    ],
    asked: ["[hook plugin] a"],
    outcome: rewritten({ ...CALLED, said: "typedtyped" }),
  },
  {
    says: "Otherwise, throws an InterruptError to halt agent execution: what stands after it waits for the answer",
    callbacks: [
      'agent.appState.set("n", 0); event.interrupt({ name: "a" }); agent.appState.set("n", 1);',
      tells('agent.appState.get("n")'),
    ],
    asked: ["[hook plugin] a"],
    outcome: told(1),
  },
  {
    says: "InterruptError",
    callbacks: [
      `try { event.interrupt({ name: "a", reason: 1 }); } catch (error) { ${tells("[error instanceof Error, error.name, error.message, error.interrupts]")} }`,
    ],
    outcome: told([
      true,
      "InterruptError",
      "Interrupt raised: a",
      [{ id: "hook:beforeToolCall:call-1:a", name: "a", reason: 1, source: "hook" }],
    ]),
  },
  {
    says: "interrupt is synchronous: an answer known beforehand is returned",
    callbacks: [tells('event.interrupt({ name: "a", response: { known: true } })')],
    outcome: told({ known: true }),
  },
  {
    says: "on resume the callback runs again from the top, so it must be repeatable",
    callbacks: [
      'const n = (agent.appState.get("top") ?? 0) + 1; agent.appState.set("top", n); event.toolUse.input.runs = n; if (event.interrupt({ name: "a" })) agent.appState.delete("top");',
    ],
    asked: ["[hook plugin] a"],
    outcome: rewritten({ ...CALLED, runs: 2 }),
  },
  {
    says: "Swallowing that throw lets the tool run",
    callbacks: ['try { event.interrupt({ name: "a" }); } catch {}'],
  },
  {
    says: "interrupts of several callbacks are asked one after the other, in their order",
    callbacks: ["c", "a", "b"].map((name) => `event.interrupt({ name: "${name}", reason: "of ${name}" });`),
    asked: ["[hook plugin] c: of c", "[hook plugin] a: of a", "[hook plugin] b: of b"],
  },
  {
    says: "interrupt names are unique within one event",
    callbacks: ['event.interrupt({ name: "a" });', 'event.interrupt({ name: "a" });'],
    outcome: blocked("interrupt_names=<a> | duplicate interrupt names"),
  },
  {
    says: "questions without end block the call",
    callbacks: ['for (let n = 0; ; n++) event.interrupt({ name: "q" + n });'],
    asked: Array.from({ length: 20 }, (_, n) => `[hook plugin] q${n}`),
    outcome: blocked("more than 20 interrupts for one tool call"),
  },
];

export const NOTES: Sentence[] = [
  {
    says: "Callbacks may be async and are awaited in order",
    callbacks: [
      'await new Promise((done) => setTimeout(done, 1)); event.toolUse.input.trail = "1";',
      'await null; event.toolUse.input.trail += "2";',
    ],
    outcome: rewritten({ ...CALLED, trail: "12" }),
  },
  {
    says: "cancel is not terminal within one bundle: the later callbacks run, and may unset it",
    callbacks: ['event.cancel = "no";', "event.cancel = false; event.toolUse.input.later = true;"],
    outcome: rewritten({ ...CALLED, later: true }),
  },
  {
    says: "selectedTool crosses as a tool name: a tool of the plugin's own is no more than that",
    callbacks: ['event.selectedTool = { name: "made", stream() { throw new Error("never"); } };'],
    outcome: becomes("made"),
  },
  {
    says: "a selectedTool without a name is no tool",
    callbacks: ["event.selectedTool = {};"],
    outcome: blocked({ has: "event.selectedTool is no tool: it has no name" }),
  },
  {
    says: "an input that is no object is none",
    callbacks: ["event.toolUse.input = [1];"],
    outcome: blocked({ has: "event.toolUse.input was replaced by something that is not an object" }),
  },
  {
    says: "a toolUse that is no object is none",
    callbacks: ["event.toolUse = null;"],
    outcome: blocked({ has: "event.toolUse was replaced by something that is not an object" }),
  },
  ...[
    "model",
    "messages",
    "systemPrompt",
    "metrics",
    "sandbox",
    "storage",
    "addMiddleware",
    "takeSnapshot",
    "cancelSignal",
  ].map((key) => ({
    says: `what the agent's process alone has throws naming it: agent.${key}`,
    callbacks: [`try { event.agent.${key}; } catch (error) { event.cancel = error.message; }`],
    outcome: blocked(`agent.${key} cannot be offered to a hook: it is in the agent's own process`),
  })),
];
