/** One sentence or row of the page about BeforeToolCallEvent, or of the NOTES about it, and what shows that it holds. */
export interface Sentence {
  says: string;
  /** Bodies of callbacks in order of registration, each with `event` and `agent` in scope. */
  callbacks: string[];
  /** Default: the tool that was called runs as it was called. */
  outcome?: unknown;
  asked?: string[];
}

/** As a reason, `{has}` is any text with that in it. */
export const blocked = (reason: unknown): unknown => ({ block: true, reason, hook: "plugin" });
export const tells = (value: string): string => `event.cancel = JSON.stringify(${value}) ?? "undefined";`;
export const told = (value: unknown): unknown => blocked(JSON.stringify(value));
const choose = (name: string): string => `event.selectedTool = event.agent.toolRegistry.get("${name}");`;
export const CALLED = { kept: 1 };
export const becomes = (toolName: string, input: object = CALLED): unknown => ({ input: input, toolName });
export const rewritten = (input: object): unknown => ({ input: input });

const DESCRIPTION: Sentence[] = [
  {
    says: "Event triggered just before a tool is executed",
    callbacks: [tells("[event.constructor.name, event.toolUse.input.kept]")],
    outcome: told(["BeforeToolCallEvent", 1]),
  },
  {
    says: "Fired after tool lookup but before execution begins",
    callbacks: [tells("[event.tool.name, event.result ?? null]")],
    outcome: told(["bash", null]),
  },
  {
    says: "Set cancel to prevent the tool from executing",
    callbacks: ['event.cancel = "stop";'],
    outcome: blocked("stop"),
  },
  {
    says: "Set selectedTool to execute a different tool in place of the registry's match",
    callbacks: [choose("read")],
    outcome: becomes("read"),
  },
  {
    says: "Mutate toolUse to rewrite the tool input before execution",
    callbacks: ["event.toolUse.input.kept = 2;"],
    outcome: rewritten({ kept: 2 }),
  },
  { says: "Mutate toolUse to rewrite the id: ignored", callbacks: ['event.toolUse.toolUseId = "other";'] },
  {
    says: "Mutate toolUse to rewrite the name before execution",
    callbacks: ['event.toolUse.name = "read";'],
    outcome: becomes("read"),
  },
  {
    says: "If name is changed and selectedTool is not set, the tool is re-resolved from the registry under the new name",
    callbacks: ['event.toolUse.name = "nowhere";'],
    outcome: becomes("nowhere"),
  },
  {
    says: "If name is changed and selectedTool is set, that is the tool",
    callbacks: [`event.toolUse.name = "nowhere"; ${choose("read")}`],
    outcome: becomes("read"),
  },
  {
    says: "toolUse replaced whole",
    callbacks: ["event.toolUse = { ...event.toolUse, input: { ...event.toolUse.input, kept: 3 } };"],
    outcome: rewritten({ kept: 3 }),
  },
];

const MADE = `const made = new BeforeToolCallEvent({ agent, toolUse: { name: "n", toolUseId: "i", input: {} }, tool: { name: "t" },
  invocationState: { s: 1 } });`;

const MEMBERS: Sentence[] = [
  {
    says: "new BeforeToolCallEvent(data): BeforeToolCallEvent",
    callbacks: [`${MADE} ${tells("[made instanceof BeforeToolCallEvent, JSON.stringify(made)]")}`],
    outcome: told([
      true,
      JSON.stringify({ type: "beforeToolCallEvent", toolUse: { name: "n", toolUseId: "i", input: {} } }),
    ]),
  },
  {
    says: "data.agent, data.toolUse, data.tool, data.invocationState of the constructor",
    callbacks: [
      `${MADE} ${tells("[made.agent === agent, made.toolUse, made.tool, made.invocationState, made.cancel, made.selectedTool ?? null]")}`,
    ],
    outcome: told([true, { name: "n", toolUseId: "i", input: {} }, { name: "t" }, { s: 1 }, false, null]),
  },
  {
    says: 'readonly type: "beforeToolCallEvent"',
    callbacks: [tells("event.type")],
    outcome: told("beforeToolCallEvent"),
  },
  {
    says: "readonly agent: LocalAgent, the one of initAgent",
    callbacks: [tells("[event.agent === agent, typeof event.agent.id, typeof event.agent.sessionId]")],
    outcome: told([true, "string", "string"]),
  },
  {
    says: "agent.appState is kept from callback to callback",
    callbacks: [
      'agent.appState.set("a", [1]); agent.appState.set("b", 2); agent.appState.delete("b");',
      tells(
        '[agent.appState.get("a"), agent.appState.get("b") ?? null, agent.appState.keys(), agent.appState.getAll()]',
      ),
      'agent.appState.clear(); if (agent.appState.keys().length > 0) event.cancel = "not cleared";',
    ],
    outcome: told([[1], null, ["a"], { a: [1] }]),
  },
  {
    says: "toolUse: ToolUseData",
    callbacks: ["const { input, ...rest } = event.toolUse;", tells("[event.toolUse.name, event.toolUse.toolUseId]")],
    outcome: told(["bash", "call-1"]),
  },
  { says: "readonly tool: Tool", callbacks: [tells("event.tool")], outcome: told({ name: "bash" }) },
  {
    says: "readonly invocationState: InvocationState",
    callbacks: [tells("event.invocationState")],
    outcome: told({ user: { id: 7 } }),
  },
  { says: "cancel: string | boolean = false", callbacks: [tells("event.cancel")], outcome: told(false) },
  {
    says: "When set to true, a default cancel message is used",
    callbacks: ["event.cancel = true;"],
    outcome: blocked("Tool cancelled by hook"),
  },
  {
    says: "When set to a string, that string is used as the tool result error message",
    callbacks: ['event.cancel = "No writing\\nto *this* file";'],
    outcome: blocked("No writing\nto *this* file"),
  },
  { says: "cancel set to false: the tool runs", callbacks: ["event.cancel = false;"] },
  {
    says: "selectedTool: Tool = undefined",
    callbacks: [tells('["selectedTool" in event, event.selectedTool === undefined]')],
    outcome: told([true, true]),
  },
  {
    says: "When undefined, the tool looked up from the registry is used",
    callbacks: ["event.selectedTool = undefined;"],
  },
  {
    says: "When undefined, the tool re-resolved from a mutated toolUse.name is used",
    callbacks: [`${choose("edit")} event.toolUse.name = "read";`, "event.selectedTool = undefined;"],
    outcome: becomes("read"),
  },
  {
    says: "If multiple callbacks set selectedTool, the last callback to run wins",
    callbacks: [choose("read"), choose("edit"), choose("write")],
    outcome: becomes("write"),
  },
  {
    says: "Callbacks run in registration order for this event",
    callbacks: [
      "event.toolUse.input.order = [1];",
      "event.toolUse.input.order.push(2);",
      "event.toolUse.input.order.push(3);",
    ],
    outcome: rewritten({ ...CALLED, order: [1, 2, 3] }),
  },
  {
    says: "Serializes for wire transport, excluding agent, tool, invocationState, cancel and selectedTool; exactly {type, toolUse}",
    callbacks: [
      `${choose("read")} event.cancel = "x"; const { type, toolUse, ...rest } = event.toJSON();`,
      `event.cancel = JSON.stringify([Object.keys(event.toJSON()), event.toJSON().toolUse === event.toolUse]);`,
    ],
    outcome: told([["type", "toolUse"], true]),
  },
  {
    says: "Called automatically by JSON.stringify()",
    callbacks: [
      "event.toolUse = { name: 'bash', toolUseId: 'x', input: {} };",
      "event.cancel = JSON.stringify({ event });",
    ],
    outcome: told({ event: { type: "beforeToolCallEvent", toolUse: { name: "bash", toolUseId: "x", input: {} } } }),
  },
];

export const PAGE = [...DESCRIPTION, ...MEMBERS];
