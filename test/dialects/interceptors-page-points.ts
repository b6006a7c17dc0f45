import { expect } from "vitest";
import { type Agent, ALL, type Fixture, REGISTRY, text } from "./interceptors-agent.ts";

/** Interceptors that show what they are given, and do on each event what its own text or argument says, as code. */
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

const shown = async (agent: Agent, act: Promise<unknown>) => {
  agent.said();
  await act;
  return agent.said().map((line) => [line.split(" ")[0], JSON.parse(line.slice(line.indexOf("{")))]);
};

/** Four hook points: when each runs, what it is given, what it can do. */
export const POINTS: Fixture[] = [
  {
    what: "the four points",
    source: PROBE,
    grant: ALL,
    cases: [
      {
        says: "message.before, params.before, tool.before, the tool, tool.after, then the agent receives the result",
        drive: async (agent) => {
          agent.said();
          await agent.exchange("hello");
          const order: string[] = [];
          const points = () => agent.said().map((line) => line.split(" ")[0] as string);
          const { told } = await agent.use("bash", { command: "ls" }, () => {
            order.push(...points(), "the tool");
            return { content: [text("done")] };
          });
          return [...order, ...points(), ...(told ?? [])];
        },
        expect: ["message.before", "params.before", "tool.before", "the tool", "tool.after", "done"],
      },
      {
        says: "message.before is given agentId, sessionKey, provider and model, and the message with its metadata",
        drive: (agent) => {
          const origin = { agentId: "coder", sessionKey: "s1", provider: "openrouter", model: "m" };
          return shown(agent, agent.message("hi", { ...origin, metadata: { given: 1 } }));
        },
        expect: [
          [
            "message.before",
            {
              input: { agentId: "coder", sessionKey: "s1", provider: "openrouter", model: "m" },
              output: { message: "hi", metadata: { given: 1 } },
            },
          ],
        ],
      },
      {
        says: "params.before is given agentId, sessionKey, message and metadata, and provider, model and levels",
        drive: (agent) => {
          const origin = { agentId: "coder", sessionKey: "s1", message: "hi", metadata: { a: 1 } };
          return shown(agent, agent.params({ ...origin, thinkLevel: "low", reasoningLevel: "off", temperature: 1 }));
        },
        expect: [
          [
            "params.before",
            {
              input: { agentId: "coder", sessionKey: "s1", message: "hi", metadata: { a: 1 } },
              output: {
                provider: "anthropic",
                model: "sonnet",
                thinkLevel: "low",
                reasoningLevel: "off",
                temperature: 1,
              },
            },
          ],
        ],
      },
      {
        says: "tool.before is given the normalized toolName and the toolCallId, and args",
        drive: (agent) => shown(agent, agent.call("ls", "bash", "id-1")),
        expect: [
          ["tool.before", { input: { toolName: "exec", toolCallId: "id-1" }, output: { args: { command: "ls" } } }],
        ],
      },
      {
        says: "tool.after is given toolName, toolCallId and isError, and the result",
        drive: (agent) => shown(agent, Promise.resolve(agent.result("out", { isError: true, details: { code: 1 } }))),
        expect: [
          [
            "tool.after",
            {
              input: { toolName: "exec", toolCallId: "call-1", isError: true },
              output: { result: { content: [text("out")], details: { code: 1 }, output: "out" } },
            },
          ],
        ],
      },
      {
        says: "isError is false where the tool did not throw",
        drive: async (agent) => (await shown(agent, Promise.resolve(agent.result("out"))))[0]?.[1].input.isError,
        expect: false,
      },
      {
        says: "a tool that threw runs tool.after with isError true, and the agent receives its error",
        drive: async (agent) => {
          agent.said();
          const fails = () => {
            throw new Error("no such file");
          };
          const { told } = await agent.use("read", { path: "x" }, fails);
          const after = JSON.parse(agent.said().at(-1)?.replace("tool.after ", "") as string);
          return [after.input.isError, after.output.result.output, told];
        },
        expect: [true, "no such file", ["no such file"]],
      },
      {
        says: "message.before can mutate message text",
        drive: (agent) => agent.message("make it louder"),
        expect: { text: "LOUDER" },
      },
      {
        says: "message.before can set metadata tags",
        drive: (agent) => agent.message("tag it"),
        expect: { metadata: { tag: { kind: "question" } } },
      },
      {
        says: "the metadata bag can be replaced as a whole",
        drive: (agent) => agent.message("replace the tags", { metadata: { before: 1 } }),
        expect: { metadata: { only: 1 } },
      },
      {
        says: "params.before can override thinkLevel and reasoningLevel",
        drive: (agent) => agent.params({ message: "levels" }),
        expect: { thinkLevel: "high", reasoningLevel: "on" },
      },
      {
        says: "params.before reads metadata",
        drive: (agent) => agent.params({ metadata: { tag: "levels" } }),
        expect: { thinkLevel: "high", reasoningLevel: "on" },
      },
      {
        says: "params.before sees the message text as message.before left it",
        drive: (agent) => agent.exchange("make it louder"),
        expect: { message: "LOUDER", metadata: {}, thinkLevel: "medium", reasoningLevel: "off" },
      },
      {
        says: "temperature is reserved for future use: it is not read back",
        drive: (agent) => agent.params({ message: "temperature", temperature: 1 }),
        expect: undefined,
      },
      {
        says: "provider and model are read-only context: they are not read back",
        drive: (agent) => agent.params({ message: "model" }),
        expect: undefined,
      },
      {
        says: "tool.before can mutate args in place",
        drive: (agent) => agent.call({ do: "change in place", list: [1] }),
        expect: { input: { do: "change in place", list: [1, 2] } },
      },
      {
        says: "tool.before can replace args",
        drive: (agent) => agent.call({ do: "replace" }),
        expect: { input: { other: true } },
      },
      {
        says: "block set to true prevents execution, with blockReason shown to the agent",
        drive: (agent) => agent.use("bash", { do: "block" }, () => ({ content: [] })),
        expect: { ran: undefined, told: ["Blocked by hook hook: because"] },
      },
      {
        says: "a block without a reason says Blocked by interceptor",
        drive: (agent) => agent.blocked({ do: "block without a reason" }),
        expect: "Blocked by interceptor",
      },
      {
        says: "tool.after is not run for a call that was blocked",
        drive: async (agent) => {
          agent.said();
          await agent.use("bash", { do: "block" }, () => ({ content: [] }));
          return agent.said().map((line) => line.split(" ")[0]);
        },
        expect: ["tool.before"],
      },
      {
        says: "tool.after can mutate the result in place",
        drive: (agent) => agent.result("change in place"),
        expect: { content: [text("changed in place")] },
      },
      {
        says: "tool.after can replace the result",
        drive: (agent) => agent.result("replace", { details: { theirs: 1 } }),
        expect: { content: [text("another")], details: { mine: 1 } },
      },
      {
        says: "tool.after can change details alone",
        drive: (agent) => agent.result("details"),
        expect: { details: { mine: 1 } },
      },
      {
        says: "the input is read-only context: a message's",
        drive: async (agent) => [
          await agent.message("write to the input", { agentId: "coder" }),
          agent.errors().map(({ code }) => code),
        ],
        expect: [undefined, ["HOOK_THREW"]],
      },
      {
        says: "the input is read-only context: writing to a tool call's blocks the call, as any throw there",
        drive: (agent) => agent.blocked({ do: "write to the input" }),
        expect: expect.stringContaining("read only property 'toolName'"),
      },
      {
        says: "args that are no object block the call",
        drive: (agent) => agent.blocked({ do: "no object" }),
        expect: expect.stringContaining("output.args was replaced by something that is not an object"),
      },
      {
        says: "a message that is no text is reported, and the one sent stays",
        drive: async (agent) => [
          await agent.message("replace the text by a number"),
          agent.errors().map(({ code }) => code),
        ],
        expect: [undefined, ["BAD_RESULT"]],
      },
      {
        says: "a result that is none is reported, and the tool's own stays",
        drive: async (agent) => [await agent.result("no result"), new Set(agent.errors().map(({ code }) => code))],
        expect: [undefined, new Set(["BAD_RESULT"])],
      },
    ],
  },
];
