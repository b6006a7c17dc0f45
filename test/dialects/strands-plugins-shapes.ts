import type { Probe } from "./strands-plugins.ts";
import type { Trace } from "./strands-sides.ts";
import { after, before, ending, exported, literal, named, plugin, starting } from "./strands-source.ts";

const HI = { text: "hi" };
const alpha = (input: object): Partial<Trace> => ({ ran: [["alpha", "call-1", { ...HI, ...input }]] });
const refused = (text: string): Partial<Trace> => ({ ran: [], results: [["error", { text }]] });

const STARTED = '[{"type":"beforeInvocationEvent"},"beforeInvocationEvent"]true';
const ENDED = '[{"type":"afterInvocationEvent"},"afterInvocationEvent"]truesecond';

export const SHAPES: Probe[] = [
  {
    name: "the event before the call",
    source: plugin(
      before(`event.cancel = JSON.stringify([event instanceof BeforeToolCallEvent, event.type, event.cancel,
        event.selectedTool === undefined, event.tool.name, event.toolUse, typeof event.interrupt, Object.keys(event.toolUse)]);`),
    ),
    sees: refused(
      '[true,"beforeToolCallEvent",false,true,"alpha",{"name":"alpha","toolUseId":"call-1","input":{"text":"hi"}},"function",["name","toolUseId","input"]]',
    ),
  },
  {
    name: "toJSON before the call",
    source: plugin(before("event.toolUse.input.more = 1; event.cancel = JSON.stringify(event);")),
    sees: refused(
      '{"type":"beforeToolCallEvent","toolUse":{"name":"alpha","toolUseId":"call-1","input":{"text":"hi","more":1}}}',
    ),
  },
  {
    name: "toJSON after the call",
    source: plugin(after("append(event, JSON.stringify(event));")),
    sees: {
      results: [
        [
          "success",
          { text: 'alpha: {"text":"hi"}' },
          {
            text: '{"type":"afterToolCallEvent","toolUse":{"name":"alpha","toolUseId":"call-1","input":{"text":"hi"}},"result":{"toolResult":{"toolUseId":"call-1","status":"success","content":[{"text":"alpha: {\\"text\\":\\"hi\\"}"}]}}}',
          },
        ],
      ],
    },
  },
  {
    name: "toJSON after a tool that failed",
    source: plugin(after("append(event, JSON.stringify(JSON.parse(JSON.stringify(event)).error));")),
    turns: [[{ name: "fails", input: {} }]],
    sees: { results: [["error", { text: "Error: boom" }, { text: '{"message":"boom"}' }]] },
  },
  {
    name: "the event after the call",
    source: plugin(
      after(`append(event, JSON.stringify([event instanceof AfterToolCallEvent, event.type, event.tool.name,
        event.result instanceof ToolResultBlock, event.result.type, event.result.toolUseId, event.result.status,
        event.result.content[0] instanceof TextBlock, event.result.content[0].type, event.error === undefined,
        event.retry === undefined]));`),
    ),
    sees: {
      results: [
        [
          "success",
          { text: 'alpha: {"text":"hi"}' },
          {
            text: '[true,"afterToolCallEvent","alpha",true,"toolResultBlock","call-1","success",true,"textBlock",true,true]',
          },
        ],
      ],
    },
  },
  {
    name: "the error of a tool that failed",
    source: plugin(
      after("append(event, [event.error instanceof Error, event.error.message, event.result.error.message].join());"),
    ),
    turns: [[{ name: "fails", input: {} }]],
    sees: { results: [["error", { text: "Error: boom" }, { text: "true,boom,boom" }]] },
  },
  {
    name: "the events around an invocation, in their orders",
    source: plugin(
      starting("told += JSON.stringify([event, event.type]) + (event instanceof BeforeInvocationEvent);") +
        ending('told += "second";') +
        ending("told += JSON.stringify([event, event.type]) + (event instanceof AfterInvocationEvent);") +
        before("event.cancel = told;"),
      'let told = "";',
    ),
    invocations: 2,
    turns: [[{ name: "alpha", input: {} }], [{ name: "beta", input: {} }]],
    sees: {
      results: [
        ["error", { text: STARTED }],
        ["error", { text: `${STARTED}${ENDED}${STARTED}` }],
      ],
    },
  },
  {
    name: "invocationState",
    source: plugin(before("event.cancel = `${event.invocationState.user.id} ${Object.keys(event.invocationState)}`;")),
    state: { user: { id: "u1" }, trace: 7 },
    sees: refused("u1 user,trace"),
  },
  {
    name: "the agent: its state, and hooks through the event's own",
    source: plugin(
      before(`const { appState } = event.agent;
        appState.set("n", (appState.get("n") ?? 0) + 1);
        event.cancel = JSON.stringify([event.agent === agent, appState.getAll(), appState.keys(), typeof event.agent.addHook]);`),
    ),
    sees: refused('[true,{"n":1},["n"],"function"]'),
  },
  {
    name: "invocationState where there is none",
    source: plugin(before("event.cancel = JSON.stringify(event.invocationState);")),
    sees: refused("{}"),
  },
  {
    name: "a plugin made by a class",
    source: exported(
      `class Gate {\n  name = "gate";\n  #marks = "x";\n  initAgent(agent: any) { agent.addHook(BeforeToolCallEvent, this.#judge); }\n  #judge = (event: any) => { trail(event, this.#marks); this.#marks += "y"; };\n}`,
    ),
    turns: [[{ name: "alpha", input: {} }], [{ name: "beta", input: {} }]],
    sees: {
      ran: [
        ["alpha", "call-1", { trail: "x" }],
        ["beta", "call-2", { trail: "xy" }],
      ],
    },
  },
  {
    name: "plugins by their names, one an object and one a class",
    source: named(
      `export const First = ${literal(before('trail(event, "1");'), "one")};\nexport class Second {\n  get name() { return "two"; }\n  initAgent(agent: any) { ${before('trail(event, "2");')} }\n}`,
    ),
    sees: alpha({ trail: "12" }),
  },
];
