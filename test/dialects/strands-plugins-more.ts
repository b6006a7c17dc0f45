import type { Probe } from "./strands-plugins.ts";
import { after, before, plugin } from "./strands-source.ts";

const HI = { text: "hi" };
const text = (...texts: string[]): { text: string }[] => texts.map((one) => ({ text: one }));
const asks = (name: string, rest = ""): string => `event.interrupt({ name: ${JSON.stringify(name)}${rest} })`;
const ALPHA = 'alpha: {"text":"hi"}';

const INTERRUPTS: Probe[] = [
  {
    name: "an interrupt that is answered",
    source: plugin(before(`event.toolUse.input = { said: ${asks("go", ', reason: "Delete it?"')} };`)),
    answers: () => "sure",
    sees: { asked: ["go: Delete it?"], ran: [["alpha", "call-1", { said: "sure" }]], ended: "endTurn" },
  },
  {
    name: "an interrupt without a reason, in a callback that is not async",
    source: plugin(before(`event.toolUse.input = { said: ${asks("go")} };`).replace("async ", "")),
    sees: { asked: ["go"], ran: [["alpha", "call-1", { said: "yes" }]] },
  },
  {
    name: "an interrupt whose reason is JSON",
    source: plugin(before(asks("go", ", reason: { path: [1, null] }"))),
    sees: { asked: ['go: {"path":[1,null]}'], ran: [["alpha", "call-1", HI]] },
  },
  {
    name: "an answer that refuses",
    source: plugin(before(`if (${asks("go")} !== "yes") event.cancel = "refused";`)),
    answers: () => "no",
    sees: { asked: ["go"], ran: [], results: [["error", ...text("refused")]] },
  },
  {
    name: "an answer of no characters is one",
    source: plugin(before(`event.toolUse.input = { said: ${asks("go")} };`)),
    answers: () => "",
    sees: { asked: ["go"], ran: [["alpha", "call-1", { said: "" }]] },
  },
  {
    name: "two interrupts of one callback, one after the other",
    source: plugin(before(`event.toolUse.input = { said: [${asks("first")}, ${asks("second")}] };`)),
    answers: (asked) => `${asked}!`,
    sees: { asked: ["first", "second"], ran: [["alpha", "call-1", { said: ["first!", "second!"] }]] },
  },
  {
    name: "interrupts of two callbacks, together",
    source: plugin(
      before(`trail(event, ${asks("a")});`) + before('trail(event, "-");') + before(`trail(event, ${asks("b")});`),
    ),
    answers: (asked) => asked.toUpperCase(),
    sees: { asked: ["a", "b"], ran: [["alpha", "call-1", { ...HI, trail: "A-B" }]] },
  },
  {
    name: "with the answer all callbacks run again from the top, on a new event",
    source: plugin(
      before("trail(event, `${++runs}`); event.cancel ||= runs === 1;") + before(`${asks("go")}; trail(event, "x");`),
      "let runs = 0;",
    ),
    sees: { asked: ["go"], ran: [["alpha", "call-1", { ...HI, trail: "2x" }]] },
  },
  {
    name: "a response known beforehand",
    source: plugin(before(`event.toolUse.input = { said: ${asks("go", ", response: { trusted: true }")} };`)),
    sees: { asked: [], ran: [["alpha", "call-1", { said: { trusted: true } }]] },
  },
  {
    name: "a response known beforehand may be null, and is kept under its name",
    source: plugin(before(`event.toolUse.input = { said: [${asks("go", ", response: null")}, ${asks("go")}] };`)),
    sees: { asked: [], ran: [["alpha", "call-1", { said: [null, null] }]] },
  },
  {
    name: "an interrupt that its callback swallows",
    source: plugin(before(`try { ${asks("go")} } catch (error) { trail(event, error.name + ": " + error.message); }`)),
    sees: {
      asked: [],
      ran: [["alpha", "call-1", { ...HI, trail: "InterruptError: Interrupt raised: go" }]],
    },
  },
  {
    name: "an interrupt after cancel was set",
    source: plugin(before(`event.cancel = "no"; event.cancel += ${asks("go")};`)),
    sees: { asked: ["go"], ran: [], results: [["error", ...text("noyes")]] },
  },
  {
    name: "the same name in two calls is two questions",
    source: plugin(before(`event.toolUse.input = { said: ${asks("go")} };`)),
    turns: [[{ name: "alpha", input: {} }], [{ name: "beta", input: {} }]],
    sees: {
      asked: ["go", "go"],
      ran: [
        ["alpha", "call-1", { said: "yes" }],
        ["beta", "call-2", { said: "yes" }],
      ],
    },
  },
  {
    name: "one of two calls at once asks",
    source: plugin(before(`if (event.toolUse.input.ask) trail(event, ${asks("go")}); else trail(event, "-");`)),
    turns: [
      [
        { name: "alpha", input: { ask: true } },
        { name: "beta", input: {} },
      ],
    ],
    executor: "concurrent",
    sees: {
      asked: ["go"],
      ran: [
        ["alpha", "call-1", { ask: true, trail: "yes" }],
        ["beta", "call-2", { trail: "-" }],
      ],
    },
  },
  {
    name: "the interrupt of a later module",
    source: {
      first: plugin(before('trail(event, "a");')),
      second: plugin(before(`trail(event, ${asks("go")});`)).replace('"tested"', '"second"'),
    },
    answers: () => "b",
    sees: { asked: ["go"], ran: [["alpha", "call-1", { ...HI, trail: "ab" }]] },
  },
];

const RESULTS: Probe[] = [
  {
    name: "a result replaced by texts",
    source: plugin(
      after(`const { toolUseId } = event.result;
        event.result = new ToolResultBlock({ toolUseId, status: "success", content: [new TextBlock("a"), new TextBlock("b")] });`),
    ),
    sees: { results: [["success", ...text("a", "b")]], ran: [["alpha", "call-1", HI]] },
  },
  {
    name: "a result whose content is changed in place",
    source: plugin(after('event.result.content.push(new TextBlock("more"));')),
    sees: { results: [["success", ...text(ALPHA, "more")]] },
  },
  {
    name: "a secret taken out of a result",
    source: plugin(
      after(`const { toolUseId, status, content } = event.result;
        const clean = content.map((block: any) => new TextBlock(block.text.replace("hi", "***")));
        event.result = new ToolResultBlock({ toolUseId, status, content: clean });`),
    ),
    sees: { results: [["success", ...text('alpha: {"text":"***"}')]] },
  },
  {
    name: "a result replaced by an image",
    source: plugin(
      after(`const image = new ImageBlock({ format: "png", source: { bytes: new Uint8Array([1, 2, 255]) } });
        event.result = new ToolResultBlock({ ...event.result, content: [image, new TextBlock(image.type)] });`),
    ),
    sees: {
      results: [["success", { image: { format: "png", source: { bytes: "AQL/" } } }, ...text("imageBlock")]],
    },
  },
  {
    name: "a result made an error",
    source: plugin(after('event.result = new ToolResultBlock({ ...event.result, status: "error" });')),
    sees: { results: [["error", ...text(ALPHA)]] },
  },
  {
    name: "an error made a result",
    source: plugin(
      after(
        `event.result = new ToolResultBlock({ toolUseId: "mine", status: "success", content: [new TextBlock("fine")] });`,
      ),
    ),
    turns: [[{ name: "fails", input: {} }]],
    sees: { results: [["success", ...text("fine")]] },
  },
  {
    name: "a result emptied",
    source: plugin(after("event.result = new ToolResultBlock({ ...event.result, content: [] });")),
    sees: { results: [["success"]] },
  },
  {
    name: "a result of JSON that nobody changes",
    source: plugin(after("event.result.content.slice();")),
    turns: [[{ name: "json", input: {} }]],
    sees: { results: [["success", { json: { kept: [1, null, "x"], secret: "s3" } }]] },
  },
  {
    name: "callbacks before and after one call",
    source: plugin(before('trail(event, "in");') + after("append(event, event.toolUse.input.trail);")),
    sees: { results: [["success", ...text('alpha: {"text":"hi","trail":"in"}', "in")]] },
  },
  {
    name: "results of two modules: the later one's callback sees what the other left",
    source: {
      first: plugin(after("append(event, `a${event.result.content.length}`);", "-1")),
      second: plugin(after("append(event, `b${event.result.content.length}`);")).replace('"tested"', '"second"'),
    },
    sees: { results: [["success", ...text(ALPHA, "a1", "b2")]] },
  },
];

const TWO = {
  turns: [[{ name: "alpha", input: {} }], [{ name: "beta", input: {} }]],
} satisfies Partial<Probe>;
const trails = (one: string | undefined, other: string | undefined): Probe["sees"] => ({
  ran: [
    ["alpha", "call-1", one === undefined ? {} : { trail: one }],
    ["beta", "call-2", other === undefined ? {} : { trail: other }],
  ],
});

const ADDED: Probe[] = [
  {
    name: "what addHook returns takes the callback out",
    source: plugin(`const stop = agent.addHook(BeforeToolCallEvent, (event: any) => { trail(event, "1"); stop(); });
      ${before('trail(event, "2");')}`),
    ...TWO,
    sees: trails("12", "2"),
  },
  {
    name: "a callback taken out during its event runs once more, and taking it out twice takes out no other",
    source: plugin(`agent.addHook(BeforeToolCallEvent, () => { stop(); stop(); });
      ${before('trail(event, "1");')}
      const stop = agent.addHook(BeforeToolCallEvent, (event: any) => trail(event, "2"));`),
    ...TWO,
    sees: trails("12", "1"),
  },
  {
    name: "the last callback taken out",
    source: plugin('const stop = agent.addHook(BeforeToolCallEvent, (event: any) => { trail(event, "1"); stop(); });'),
    ...TWO,
    sees: trails("1", undefined),
  },
  {
    name: "a callback added during an event hears the next one",
    source: plugin(
      `agent.addHook(BeforeToolCallEvent, (event: any) => {
      trail(event, "1");
      if (!added) { added = true; ${before('trail(event, "2");', "-1")} }
    });`,
      "let added = false;",
    ),
    ...TWO,
    sees: trails("1", "21"),
  },
  {
    name: "callbacks added when the agent starts, by a plugin that had none",
    source: plugin(`agent.addHook(BeforeInvocationEvent, () => { ${before('trail(event, "1");')} });`),
    ...TWO,
    sees: trails("1", "1"),
  },
  {
    name: "the same callback added twice runs twice",
    source: plugin(`const mark = (event: any) => trail(event, "1");
      agent.addHook(BeforeToolCallEvent, mark); agent.addHook(BeforeToolCallEvent, mark);`),
    sees: { ran: [["alpha", "call-1", { ...HI, trail: "11" }]] },
  },
  {
    name: "a plugin that adds nothing",
    source: plugin(""),
    sees: { ran: [["alpha", "call-1", HI]] },
  },
];

export const MORE_PROBES = { INTERRUPTS, RESULTS, ADDED };
