import type { Case, Trace } from "./strands-sides.ts";
import { after, before, beforeSync, exported, literal, plugin } from "./strands-source.ts";

/** A plugin that must come out the same on both sides, and what of it must be seen. */
export interface Probe extends Case {
  sees: Partial<Trace>;
}

const HI = { text: "hi" };
const alpha = (input: object): Partial<Trace> => ({ ran: [["alpha", "call-1", { ...HI, ...input }]] });
const refused = (text: string): Partial<Trace> => ({ ran: [], results: [["error", { text }]] });

const CANCELLING: Probe[] = [
  {
    name: "cancel = true",
    source: plugin(before("event.cancel = true;")),
    sees: refused("Tool cancelled by hook"),
  },
  { name: "cancel = a text", source: plugin(before('event.cancel = "not now";')), sees: refused("not now") },
  { name: "cancel = an empty text cancels nothing", source: plugin(before('event.cancel = "";')), sees: alpha({}) },
  {
    name: "cancel = something else that is true",
    source: plugin(before("event.cancel = { why: 1 };")),
    sees: refused("Tool cancelled by hook"),
  },
  {
    name: "cancel set and unset by a later callback",
    source: plugin(before('event.cancel = "no"; trail(event, "1");') + before("event.cancel = false;")),
    sees: alpha({ trail: "1" }),
  },
  {
    name: "cancel set and seen by a later callback, which runs",
    source: plugin(before('event.cancel = "no";') + before("event.cancel = `${event.cancel}, and again`;")),
    sees: refused("no, and again"),
  },
  {
    name: "one of two calls cancelled",
    source: plugin(before('if (event.toolUse.input.bad) event.cancel = "bad";')),
    turns: [
      [
        { name: "alpha", input: { bad: true } },
        { name: "beta", input: {} },
      ],
    ],
    sees: {
      ran: [["beta", "call-2", {}]],
      results: [
        ["error", { text: "bad" }],
        ["success", { text: "beta: {}" }],
      ],
    },
  },
  {
    name: "a tool that fails is no matter of the hook",
    source: plugin(before("")),
    turns: [[{ name: "fails", input: {} }]],
    sees: { results: [["error", { text: "Error: boom" }]] },
  },
];

const ORDER: Probe[] = [
  {
    name: "async callbacks are awaited, one after the other",
    source: plugin(
      before('for (let turn = 0; turn < 50; turn++) await null; trail(event, "1");') + beforeSync('trail(event, "2");'),
    ),
    sees: alpha({ trail: "12" }),
  },
  {
    name: "a callback that returns a promise by hand",
    source: plugin(
      beforeSync('return new Promise((done: any) => setTimeout(() => { trail(event, "1"); done(); }, 5));') +
        before('trail(event, "2");'),
    ),
    sees: alpha({ trail: "12" }),
  },
  {
    name: "what a callback returns is nothing",
    source: plugin(before('return { other: "no" };')),
    sees: alpha({}),
  },
  {
    name: "HookOrder",
    source: plugin(
      ["SDK_LAST", "INTERVENTION_INPUT", "MODEL_ROUTING", "DEFAULT", "INTERVENTION_OUTPUT", "SDK_FIRST"]
        .map((name, at) => before(`trail(event, "${at}");`, `HookOrder.${name}`))
        .join(""),
    ),
    sees: alpha({ trail: "543210" }),
  },
  {
    name: "any number is an order, and equals stay as added",
    source: plugin(
      before('trail(event, "a");', "7") +
        before('trail(event, "b");', "-1000.5") +
        before('trail(event, "c");', "7") +
        before('trail(event, "d");') +
        before('trail(event, "e");', "0"),
    ),
    sees: alpha({ trail: "bdeac" }),
  },
  {
    name: "After* reversed, lower orders first all the same",
    source: plugin(
      after('append(event, "a");') +
        after('append(event, "b");') +
        after('append(event, "c");', "5") +
        after('append(event, "d");', "5") +
        after('append(event, "e");', "-5"),
    ),
    sees: { results: [["success", ...['alpha: {"text":"hi"}', "e", "b", "a", "d", "c"].map((text) => ({ text }))]] },
  },
  {
    name: "several plugins in a list, their orders mixed",
    source: exported(
      `[${literal(before('trail(event, "a");') + before('trail(event, "b");', "3"), "one")}, ${literal(
        before('trail(event, "c");', "-3") + before('trail(event, "d");'),
        "two",
      )}]`,
    ),
    sees: alpha({ trail: "cadb" }),
  },
  {
    name: "plugins of several modules, each with what the one before left",
    source: {
      first: plugin(before('trail(event, "a");')),
      second: plugin(before('trail(event, "b");')).replace('"tested"', '"second"'),
    },
    sees: alpha({ trail: "ab" }),
  },
  {
    name: "the order of a callback places its module",
    source: {
      first: plugin(before('trail(event, "a");', "10")),
      second: plugin(before('trail(event, "b");', "-10")).replace('"tested"', '"second"'),
    },
    sees: alpha({ trail: "ba" }),
  },
];

const REWRITING: Probe[] = [
  {
    name: "input mutated in place, as deep as one likes",
    source: plugin(before("event.toolUse.input.deep = { a: [1] }; event.toolUse.input.deep.a.push(2);")),
    sees: alpha({ deep: { a: [1, 2] } }),
  },
  {
    name: "a member of the input removed",
    source: plugin(before("delete event.toolUse.input.text;")),
    sees: { ran: [["alpha", "call-1", {}]] },
  },
  {
    name: "input replaced",
    source: plugin(before("event.toolUse.input = { other: null };")),
    sees: { ran: [["alpha", "call-1", { other: null }]], results: [["success", { text: 'alpha: {"other":null}' }]] },
  },
  {
    name: "toolUse replaced whole",
    source: plugin(before('event.toolUse = { name: "beta", toolUseId: "mine", input: { x: 1 } };')),
    sees: { ran: [["beta", "call-1", { x: 1 }]] },
  },
  {
    name: "name changed to that of another tool",
    source: plugin(before('event.toolUse.name = "beta";')),
    sees: { ran: [["beta", "call-1", HI]], results: [["success", { text: 'beta: {"text":"hi"}' }]] },
  },
  {
    name: "name changed to that of no tool",
    source: plugin(before('event.toolUse.name = "nope";')),
    sees: refused("Tool 'nope' not found in registry"),
  },
  {
    name: "name changed and changed back",
    source: plugin(before('event.toolUse.name = "nope";') + before('event.toolUse.name = "alpha";')),
    sees: alpha({}),
  },
  { name: "id changed", source: plugin(before('event.toolUse.toolUseId = "mine";')), sees: alpha({}) },
  {
    name: "selectedTool",
    source: plugin(before('event.selectedTool = event.agent.toolRegistry.get("beta");')),
    sees: { ran: [["beta", "call-1", HI]] },
  },
  {
    name: "selectedTool as initAgent's agent resolves it",
    source: plugin(before('event.selectedTool = agent.toolRegistry.resolve("beta");')),
    sees: { ran: [["beta", "call-1", HI]] },
  },
  {
    name: "the last selectedTool wins",
    source: plugin(
      ["json", "fails", "beta"]
        .map((name) => before(`event.selectedTool = agent.toolRegistry.get("${name}");`))
        .join(""),
    ),
    sees: { ran: [["beta", "call-1", HI]] },
  },
  {
    name: "selectedTool beats a changed name",
    source: plugin(before('event.selectedTool = agent.toolRegistry.get("beta"); event.toolUse.name = "json";')),
    sees: { ran: [["beta", "call-1", HI]] },
  },
  {
    name: "selectedTool unset by a later callback: the changed name counts",
    source: plugin(
      before('event.selectedTool = agent.toolRegistry.get("fails"); event.toolUse.name = "beta";') +
        before("event.selectedTool = undefined;"),
    ),
    sees: { ran: [["beta", "call-1", HI]] },
  },
  {
    name: "selectedTool = event.tool is the tool that was called",
    source: plugin(before('event.selectedTool = event.tool; event.toolUse.name = "nope";')),
    sees: alpha({}),
  },
  {
    name: "a call of no tool given to one that is there",
    source: plugin(before('event.toolUse.name = "beta";')),
    turns: [[{ name: "missing", input: { x: 1 } }]],
    sees: { ran: [["beta", "call-1", { x: 1 }]] },
  },
  {
    name: "input and tool changed, then cancelled",
    source: plugin(before('event.toolUse.input = {}; event.toolUse.name = "beta"; event.cancel = "after all";')),
    sees: refused("after all"),
  },
];

export const PROBES = { CANCELLING, ORDER, REWRITING };
