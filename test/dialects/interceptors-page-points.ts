import { expect } from "vitest";
import {
  ALL,
  call,
  exchange,
  type Fixture,
  message,
  params,
  REGISTRY,
  refusal,
  reported,
  result,
  said,
  text,
  use,
} from "./interceptors-agent.ts";

/** Interceptors that log their arguments, and run the code in each event's own text or argument. */
const PROBE = `${REGISTRY}
const shows = (name: string) => ({
  id: "shows " + name,
  name,
  handler: (input: unknown, output: unknown) => console.log(name, JSON.stringify({ input, output })),
});
const acts = (name: string, acts: Record<string, (output: any, input: any) => unknown>, of: (output: any, input: any) => string) => ({
  id: "acts on " + name,
  name,
  handler: (input: any, output: any) => acts[of(output, input)]?.(output, input),
});
for (const name of ["message.before", "params.before", "tool.before", "tool.after"]) registry.add(shows(name) as any);
const isLevel = { thinkLevel: "high", reasoningLevel: "on" };
registry.add(acts("message.before", {
  "make it louder": (output) => { output.message = "LOUDER"; },
  "tag it": (output) => { output.metadata.tag = { kind: "question" }; },
  "replace the tags": (output) => { output.metadata = { only: 1 }; },
  "write to the input": (_output, input) => { input.agentId = "root"; },
  "replace the text by a number": (output) => { output.message = 5; },
}, (output) => output.message) as any);
registry.add(acts("params.before", {
  levels: (output) => Object.assign(output, isLevel),
  temperature: (output) => { output.temperature = 0.1; },
  model: (output) => Object.assign(output, { provider: "openrouter", model: "other" }),
  "LOUDER": (output) => { output.thinkLevel = "medium"; },
}, (_output, input) => input.metadata.tag ?? input.message) as any);
registry.add(acts("tool.before", {
  "change in place": (output) => { output.args.list.push(2); },
  replace: (output) => { output.args = { other: true }; },
  block: (output) => Object.assign(output, { block: true, blockReason: "because" }),
  "block without a reason": (output) => { output.block = true; },
  "write to the input": (_output, input) => { input.toolName = "read"; },
  "no object": (output) => { output.args = "none"; },
}, (output) => output.args.do) as any);
registry.add(acts("tool.after", {
  "change in place": (output) => { output.result.content[0].text = "changed in place"; },
  replace: (output) => { output.result = { content: [{ type: "text", text: "another" }], details: { mine: 1 } }; },
  details: (output) => { output.result.details = { mine: 1 }; },
  "no result": (output) => { output.result = "gone"; },
}, (output) => output.result.content[0]?.text) as any);
`;

/** The log lines of a handler with these arguments. */
const shown = (point: string, input: object, output: object) => [`${point} ${JSON.stringify({ input, output })}`];
const fails = () => {
  throw new Error("no such file");
};
const ORIGIN = { agentId: "coder", sessionKey: "s1" };
const LEVELS = { thinkLevel: "low", reasoningLevel: "off", temperature: 1 };
const any = (part: string) => expect.stringContaining(part);
const badResult = [undefined, [expect.objectContaining({ code: "BAD_RESULT" })]];

/** Four hook points: when each runs, what it is given, what it can do. */
// biome-ignore format: a table
export const POINTS: Fixture[] = [
  {
    about: "what each point is given",
    source: PROBE,
    grant: ALL,
    rows: [
      ["message.before and params.before run for a message, tool.before and tool.after around a tool",
        said(exchange("hello"), use("ls", "bash", () => [text("done")])),
        ["message.before", "params.before", "tool.before", "tool.after"].map((point) =>
          expect.stringMatching(`^${point} `))],
      ["the agent receives the result after tool.after", use("ls", "bash", () => [text("change in place")]),
        { ran: { command: "ls" }, told: ["[Changed by hook hook]", "changed in place"] }],
      ["message.before is given agentId, sessionKey, provider and model, and the message with its metadata",
        said(message("hi", { ...ORIGIN, provider: "openrouter", model: "m", metadata: { given: 1 } })),
        shown("message.before", { ...ORIGIN, provider: "openrouter", model: "m" },
          { message: "hi", metadata: { given: 1 } })],
      ["params.before is given agentId, sessionKey, message and metadata, and provider, model and levels",
        said(params({ ...ORIGIN, message: "hi", metadata: { a: 1 }, ...LEVELS })),
        shown("params.before", { ...ORIGIN, message: "hi", metadata: { a: 1 } },
          { provider: "anthropic", model: "sonnet", ...LEVELS })],
      ["tool.before is given the normalized toolName and the toolCallId, and args", said(call("ls", "bash", "id-1")),
        shown("tool.before", { toolName: "exec", toolCallId: "id-1" }, { args: { command: "ls" } })],
      ["tool.after is given toolName, toolCallId and isError, and the result",
        said(result("out", { isError: true, details: { code: 1 } })),
        shown("tool.after", { toolName: "exec", toolCallId: "call-1", isError: true },
          { result: { content: [text("out")], details: { code: 1 }, output: "out" } })],
      ["isError is false where the tool did not throw", said(result("out")), [any('"isError":false')]],
      ["where the tool threw, tool.after has isError true and the error as output",
        said(use({ path: "x" }, "read", fails)),
        [any("tool.before"), expect.stringMatching(/"isError":true.*"output":"no such file"/)]],
      ["where the tool threw, the agent receives its error", use({ path: "x" }, "read", fails),
        { ran: { path: "x" }, told: ["no such file"] }],
    ],
  },
  {
    about: "what each point can do",
    source: PROBE,
    grant: ALL,
    rows: [
      ["message.before can change the message's text", message("make it louder"), { text: "LOUDER" }],
      ["message.before can set metadata tags", message("tag it"), { metadata: { tag: { kind: "question" } } }],
      ["the metadata can be replaced as a whole", message("replace the tags", { metadata: { before: 1 } }),
        { metadata: { only: 1 } }],
      ["params.before can override thinkLevel and reasoningLevel", params({ message: "levels" }),
        { thinkLevel: "high", reasoningLevel: "on" }],
      ["params.before reads metadata", params({ metadata: { tag: "levels" } }),
        { thinkLevel: "high", reasoningLevel: "on" }],
      ["params.before sees the message text as message.before left it", exchange("make it louder"),
        { message: "LOUDER", metadata: {}, thinkLevel: "medium", reasoningLevel: "off" }],
      ["temperature is reserved for future use: it is not read back",
        params({ message: "temperature", temperature: 1 }), undefined],
      ["provider and model are read-only context: they are not read back", params({ message: "model" }), undefined],
      ["tool.before can change args in place", call({ do: "change in place", list: [1] }),
        { input: { do: "change in place", list: [1, 2] } }],
      ["tool.before can replace args", call({ do: "replace" }), { input: { other: true } }],
      ["block set to true prevents execution, with blockReason shown to the agent", use({ do: "block" }),
        { ran: undefined, told: ["Blocked by hook hook: because"] }],
      ["a block without a reason says Blocked by interceptor", refusal({ do: "block without a reason" }),
        "Blocked by interceptor"],
      ["tool.after is not run for a call that was blocked", said(use({ do: "block" })), [any("tool.before")]],
      ["tool.after can change the result in place", result("change in place"), { content: [text("changed in place")] }],
      ["tool.after can replace the result", result("replace", { details: { theirs: 1 } }),
        { content: [text("another")], details: { mine: 1 } }],
      ["tool.after can change details alone", result("details"), { details: { mine: 1 } }],
      ["a message's input is read-only context", reported(message("write to the input", { agentId: "coder" })),
        [undefined, [expect.objectContaining({ code: "HOOK_THREW" })]]],
      ["a tool call's input is read-only context: writing to it blocks the call, as any throw there",
        refusal({ do: "write to the input" }), any("read only property 'toolName'")],
      ["args that are no object block the call", refusal({ do: "no object" }),
        any("output.args was replaced by something that is not an object")],
      ["a message that is no text is reported, and the one sent stays",
        reported(message("replace the text by a number")), badResult],
      ["a result that is none is reported, and the tool's own stays", reported(result("no result")), badResult],
    ],
  },
];
