import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  Agent,
  type AgentResult,
  type ContentBlock,
  InterruptResponseContent,
  type InvocationState,
  type JSONValue,
  type Message,
  Model,
  type ModelStreamEvent,
  type Plugin,
  type Tool,
  tool,
} from "@strands-agents/sdk";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { scriptedUi, startSession, type TestSession, temporaryFolder, writeFiles } from "../support/session.ts";
import { adapter } from "./strands-adapter.ts";

interface Call {
  name: string;
  input: Record<string, JSONValue>;
}

/** One module's source, or those of several by name, each of which is a hook of its own in Cordon. */
export type Source = string | Record<string, string>;

/** One agent's life with plugins, the same on both sides. */
export interface Life {
  /** The calls of each of the model's turns before its last, which has none. Default: one of `alpha`. */
  turns?: Call[][];
  /** Times that the agent is invoked; the model's turns are spread over them. */
  invocations?: number;
  state?: InvocationState;
  /** By what was asked. Null: nobody answers. Default: yes. */
  answers?: (asked: string) => JSONValue;
  executor?: "concurrent";
}

/** The behaviour that is visible from outside. */
export interface Trace {
  /** Tool, id of the call and what it received. */
  ran: [tool: string, id: string, input: unknown][];
  /** Results as the model read them: status and blocks. */
  results: [status: string, ...blocks: unknown[]][];
  asked: string[];
  /** Inputs of the calls in the conversation that the model read last. */
  history: unknown[];
  /** Why the last `invoke` ended, or `rejected:` and what it rejected with. */
  ended: string;
  /** Cordon's, for the person. */
  errors: string[];
}

/** A model that answers from a script and records its input. */
class ScriptedModel extends Model {
  last: Message[] = [];
  readonly #turns: Call[][];
  #calls = 0;

  constructor(turns: Call[][]) {
    super();
    this.#turns = [...turns];
  }

  override updateConfig(): void {}

  override getConfig(): { modelId: string } {
    return { modelId: "scripted" };
  }

  override async *stream(messages: Message[]): AsyncIterable<ModelStreamEvent> {
    this.last = [...messages];
    const calls = this.#turns.shift() ?? [];
    yield { type: "modelMessageStartEvent", role: "assistant" };
    for (const { name, input } of calls) {
      const start = { type: "toolUseStart", name, toolUseId: `call-${++this.#calls}` } as const;
      yield { type: "modelContentBlockStartEvent", start };
      yield {
        type: "modelContentBlockDeltaEvent",
        delta: { type: "toolUseInputDelta", input: JSON.stringify(input) },
      };
      yield { type: "modelContentBlockStopEvent" };
    }
    if (calls.length === 0) {
      yield { type: "modelContentBlockStartEvent" };
      yield { type: "modelContentBlockDeltaEvent", delta: { type: "textDelta", text: "done" } };
      yield { type: "modelContentBlockStopEvent" };
    }
    yield { type: "modelMessageStopEvent", stopReason: calls.length === 0 ? "endTurn" : "toolUse" };
  }
}

function tools(ran: Trace["ran"]): Tool[] {
  const made = (name: string, result: (input: JSONValue, state: InvocationState) => JSONValue): Tool =>
    tool({
      name,
      description: `The tool ${name}.`,
      inputSchema: { type: "object" },
      callback: (input, context) => {
        ran.push([name, context?.toolUse.toolUseId ?? "", structuredClone(input)]);
        return result(input as JSONValue, context?.invocationState ?? {});
      },
    });
  return [
    made("alpha", (input) => `alpha: ${JSON.stringify(input)}`),
    made("beta", (input) => `beta: ${JSON.stringify(input)}`),
    made("json", () => ({ kept: [1, null, "x"], secret: "s3" })),
    made("fails", () => {
      throw new RangeError("boom");
    }),
    made("state", (_input, state) => `state: ${JSON.stringify(state)}`),
  ];
}

const sourcesOf = (source: Source): Record<string, string> =>
  typeof source === "string" ? { plugin: source } : source;

/** The plugins given to an agent of the SDK, in its own process. */
export async function sdkSide(source: Source, life: Life = {}): Promise<Trace> {
  const folder = temporaryFolder();
  symlinkSync(join(PACKAGE_ROOT, "test", "node_modules"), join(folder, "node_modules"), "junction");
  const plugins: Plugin[] = [];
  for (const [name, text] of Object.entries(sourcesOf(source))) {
    writeFiles(folder, { [`${name}.ts`]: text });
    const module = await import(/* @vite-ignore */ pathToFileURL(join(folder, `${name}.ts`)).href);
    for (const exported of [module.default ?? Object.values(module)].flat())
      plugins.push(typeof exported === "function" ? new exported() : exported);
  }
  const asked: string[] = [];
  const answer = life.answers ?? (() => "yes");
  return play(life, plugins, asked, (result) => {
    const given = (result.interrupts ?? []).map(({ id, name, reason }) => {
      const text =
        reason === undefined ? name : `${name}: ${typeof reason === "string" ? reason : JSON.stringify(reason)}`;
      asked.push(text);
      return { interruptId: id, response: answer(text) };
    });
    return given.some(({ response }) => response === null)
      ? undefined
      : given.map((one) => new InterruptResponseContent(one));
  });
}

/** The same plugins as sandboxed hooks of a host that such an agent uses. */
export async function cordonSide(source: Source, life: Life = {}): Promise<Trace> {
  const asked: string[] = [];
  const answer = life.answers ?? (() => "yes");
  const input = async (title: string): Promise<string | null> => {
    const text = title.replace(/^\[hook [^\]]*\] /, "");
    asked.push(text);
    const given = answer(text);
    // A person types.
    return given === null ? null : String(given);
  };
  const session = await strandsSession(sourcesOf(source), { ...scriptedUi(), input });
  const trace = await play(life, [adapter(session.host)], asked, () => undefined);
  // The result of a call that is cancelled because a callback threw already says so.
  const errors = session.errors.filter(({ code, event }) => event !== "tool_call" || code !== "HOOK_THREW");
  return { ...trace, errors: errors.map(({ error }) => error) };
}

type Sources = Parameters<typeof startSession>[0];

/** All powers of a plugin. */
export const FULL = {
  capabilities: {
    events: { see: ["*"], block: true, rewriteInput: ["*"], rewriteResult: ["*"] },
    ui: ["input" as const],
  },
};

export const strandsSession = (
  sources: Record<string, string>,
  ui: ReturnType<typeof scriptedUi> | undefined = undefined,
): Promise<TestSession> => {
  const given: Sources = {};
  for (const [name, source] of Object.entries(sources)) given[name] = { source, grant: FULL };
  return startSession(given, ui ? { ui } : {});
};

/** Runs an agent's life. `answers` resumes it after an interrupt; without answers an interrupt ends it. */
export async function play(
  { turns = [[{ name: "alpha", input: { text: "hi" } }]], invocations = 1, state = {}, executor }: Life,
  plugins: Plugin[],
  asked: string[],
  answers: (result: AgentResult) => InterruptResponseContent[] | undefined,
): Promise<Trace> {
  const ran: Trace["ran"] = [];
  const model = new ScriptedModel(turns.flatMap((calls) => (invocations > 1 ? [calls, []] : [calls])));
  const agent = new Agent({
    model,
    tools: tools(ran),
    plugins,
    printer: false,
    toolExecutor: executor ?? "sequential",
  });
  const options = { invocationState: structuredClone(state) };
  let ended = "";
  try {
    for (let count = 0; count < invocations; count++) {
      let result = await agent.invoke("go", options);
      while (result.stopReason === "interrupt") {
        const given = answers(result);
        if (!given) break;
        result = await agent.invoke(given, options);
      }
      ended = result.stopReason;
    }
  } catch (error) {
    ended = `rejected: ${error instanceof Error ? error.message : String(error)}`;
  }
  const blocks = model.last.flatMap(({ content }): ContentBlock[] => content);
  return JSON.parse(
    JSON.stringify({
      ran: ran.sort(([, one], [, other]) => one.localeCompare(other)),
      results: blocks.flatMap((block) => {
        if (block.type !== "toolResultBlock") return [];
        const { status, content } = block.toJSON().toolResult;
        return [[status, ...content]];
      }),
      asked,
      history: blocks.flatMap((block) => (block.type === "toolUseBlock" ? [block.input] : [])),
      ended,
      errors: [],
    } satisfies Trace),
  );
}
