/** A sentence or row of the page about BeforeToolCallEvent, or what it leaves out, what shows it, what becomes of the call, who is asked. */
export type Sentence = [
  says: string,
  /** Bodies of callbacks in order of registration, each with `event` and `agent` in scope. */
  callbacks: string[],
  outcome?: unknown,
  asked?: string[],
];

/** The tool that was called runs as it was called. */
export const runs = undefined;
/** As a reason, `{has}` is any text with that in it. */
export const blocked = (reason: unknown): unknown => ({ block: true, reason, hook: "plugin" });
export const tells = (value: string): string => `event.cancel = JSON.stringify(${value}) ?? "undefined";`;
export const told = (value: unknown): unknown => blocked(JSON.stringify(value));
const choose = (name: string): string => `event.selectedTool = event.agent.toolRegistry.get("${name}");`;
const CALLED = { kept: 1 };
/** Another tool runs with the same input, or the same tool with this in its input. */
export const becomes = (toolName: string): unknown => ({ input: CALLED, toolName });
export const runsWith = (input: object): unknown => ({ input: { ...CALLED, ...input } });

// biome-ignore format: a table
const DESCRIPTION: Sentence[] = [
  ["Event triggered just before a tool is executed", [tells("[event.constructor.name, event.toolUse.input.kept]")],
    told(["BeforeToolCallEvent", 1])],
  ["Fired after tool lookup but before execution begins", [tells("[event.tool.name, event.result ?? null]")],
    told(["bash", null])],
  ["Set cancel to prevent the tool from executing", ['event.cancel = "stop";'], blocked("stop")],
  ["Set selectedTool to execute a different tool in place of the registry's match", [choose("read")], becomes("read")],
  ["Mutate toolUse to rewrite the tool input before execution", ["event.toolUse.input.kept = 2;"],
    runsWith({ kept: 2 })],
  ["Mutate toolUse to rewrite the id: ignored", ['event.toolUse.toolUseId = "other";']],
  ["Mutate toolUse to rewrite the name before execution", ['event.toolUse.name = "read";'], becomes("read")],
  ["If name is changed and selectedTool is not set, the tool is re-resolved from the registry under the new name",
    ['event.toolUse.name = "nowhere";'], becomes("nowhere")],
  ["If name is changed and selectedTool is set, that is the tool",
    [`event.toolUse.name = "nowhere"; ${choose("read")}`], becomes("read")],
  ["toolUse replaced as a whole", ["event.toolUse = { ...event.toolUse, input: { ...event.toolUse.input, kept: 3 } };"],
    runsWith({ kept: 3 })],
];

const MADE = `const made = new BeforeToolCallEvent({ agent, toolUse: { name: "n", toolUseId: "i", input: {} }, tool: { name: "t" },
  invocationState: { s: 1 } });`;

// biome-ignore format: a table
const MEMBERS: Sentence[] = [
  ["new BeforeToolCallEvent(data): BeforeToolCallEvent",
    [`${MADE} ${tells("[made instanceof BeforeToolCallEvent, JSON.stringify(made)]")}`],
    told([true, JSON.stringify({ type: "beforeToolCallEvent", toolUse: { name: "n", toolUseId: "i", input: {} } })])],
  ["data.agent, data.toolUse, data.tool, data.invocationState of the constructor",
    [`${MADE} ${tells("[made.agent === agent, made.toolUse, made.tool, made.invocationState, made.cancel, made.selectedTool ?? null]")}`],
    told([true, { name: "n", toolUseId: "i", input: {} }, { name: "t" }, { s: 1 }, false, null])],
  ['readonly type: "beforeToolCallEvent"', [tells("event.type")], told("beforeToolCallEvent")],
  ["readonly agent: LocalAgent, the one of initAgent",
    [tells("[event.agent === agent, typeof event.agent.id, typeof event.agent.sessionId]")],
    told([true, "string", "string"])],
  ["agent.appState is kept from callback to callback",
    ['agent.appState.set("a", [1]); agent.appState.set("b", 2); agent.appState.delete("b");',
      tells('[agent.appState.get("a"), agent.appState.get("b") ?? null, agent.appState.keys(), agent.appState.getAll()]'),
      'agent.appState.clear(); if (agent.appState.keys().length > 0) event.cancel = "not cleared";'],
    told([[1], null, ["a"], { a: [1] }])],
  ["toolUse: ToolUseData",
    ["const { input, ...rest } = event.toolUse;", tells("[event.toolUse.name, event.toolUse.toolUseId]")],
    told(["bash", "call-1"])],
  ["readonly tool: Tool", [tells("event.tool")], told({ name: "bash" })],
  ["readonly invocationState: InvocationState", [tells("event.invocationState")], told({ user: { id: 7 } })],
  ["cancel: string | boolean = false", [tells("event.cancel")], told(false)],
  ["When set to true, a default cancel message is used", ["event.cancel = true;"], blocked("Tool cancelled by hook")],
  ["When set to a string, that string is used as the tool result error message",
    ['event.cancel = "No writing\\nto *this* file";'], blocked("No writing\nto *this* file")],
  ["cancel set to false: the tool runs", ["event.cancel = false;"]],
  ["selectedTool: Tool = undefined", [tells('["selectedTool" in event, event.selectedTool === undefined]')],
    told([true, true])],
  ["When undefined, the tool looked up from the registry is used", ["event.selectedTool = undefined;"]],
  ["When undefined, the tool re-resolved from a mutated toolUse.name is used",
    [`${choose("edit")} event.toolUse.name = "read";`, "event.selectedTool = undefined;"], becomes("read")],
  ["If multiple callbacks set selectedTool, the last callback to run wins",
    [choose("read"), choose("edit"), choose("write")], becomes("write")],
  ["Callbacks run in registration order for this event",
    ["event.toolUse.input.order = [1];", "event.toolUse.input.order.push(2);", "event.toolUse.input.order.push(3);"],
    runsWith({ order: [1, 2, 3] })],
  ["Serializes for wire transport, excluding agent, tool, invocationState, cancel and selectedTool; exactly {type, toolUse}",
    [`${choose("read")} event.cancel = "x"; const { type, toolUse, ...rest } = event.toJSON();`,
      `event.cancel = JSON.stringify([Object.keys(event.toJSON()), event.toJSON().toolUse === event.toolUse]);`],
    told([["type", "toolUse"], true])],
  ["Called automatically by JSON.stringify()",
    ["event.toolUse = { name: 'bash', toolUseId: 'x', input: {} };", "event.cancel = JSON.stringify({ event });"],
    told({ event: { type: "beforeToolCallEvent", toolUse: { name: "bash", toolUseId: "x", input: {} } } })],
];

export const PAGE = [...DESCRIPTION, ...MEMBERS];
